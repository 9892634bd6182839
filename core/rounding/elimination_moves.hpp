#pragma once
// Re-solves a part of a labeling exactly, the rest fixed: nodes that can be eliminated one after the other with small
// tables.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "random.hpp"
#include "rounding/field_graph.hpp"
#include "rounding/forest_moves.hpp"

namespace fwmap {

/// Moves of a field whose costs are all finite (see ForestMoves).
///
/// A move takes nodes out of the graph one after the other, always one that has the fewest labelings together with its
/// neighbours that are left. Where even those are more than `most_entries`, the node with the most neighbours keeps
/// its label, and with it out of the way the others go on. What has been taken out is re-solved by dynamic programming:
/// much more of a grid than a forest holds. Among equal labelings a random one is taken. No move raises the energy.
class EliminationMoves {
 public:
  explicit EliminationMoves(std::shared_ptr<const FieldGraph> graph);

  /// One move of `nodes` (no node twice), with tables of at most so many entries but for a node's own labels.
  MoveOutcome solve(std::span<const Index> nodes, std::span<Index> labeling, std::size_t most_entries, Random& random);

 private:
  struct Waiting {               // in a queue that forgets nothing: what is no longer true is passed over
    double weight;
    std::uint64_t tie;
    Index place;
    bool operator<(const Waiting& other) const {  // the lightest one on top
      return weight != other.weight ? weight > other.weight : tie > other.tie;
    }
  };
  struct Step {                  // a node that is taken out, with its neighbours then: those taken out last come first
    Index node;
    std::size_t scope, width;    // in scopes_
    std::size_t message;         // in messages_
    std::int32_t next = -1;      // the next step whose message goes to the same one
    std::int32_t received = -1;  // the first step whose message comes here
  };

  struct Part {                  // costs of some nodes of a step
    std::size_t costs;           // in messages_ or tables_
    bool is_message;
    std::size_t has, outermost;  // in has_: is each level among its nodes? And the last level that is.
  };

  void link(std::span<const Index> nodes);
  void order(std::size_t most_entries, Random& random);
  void push(Index place, Random& random);
  void part_from_neighbours(Index place, Random& random);
  void find_scopes();
  std::span<const Index> scope(const Step& step) const { return std::span(scopes_).subspan(step.scope, step.width); }
  std::int32_t step_of(Index node) const { return step_of_[static_cast<std::size_t>(node)]; }
  std::int32_t first_of(const FieldFactor& factor) const;
  void eliminate(std::int32_t k, std::span<const Index> labeling);
  void collect_edges(std::int32_t k, std::span<const Index> labeling);
  void collect_factors(std::int32_t k, std::span<const Index> labeling);
  void collect_messages(std::int32_t k);
  std::size_t level_of(const Step& step, Index node) const;
  void add(std::size_t n_levels, const char* has, const double* part, double* table);
  void choose(std::int32_t k, std::span<Index> labeling, Random& random);

  static constexpr std::int32_t kOutside = -1, kKept = -2;

  std::shared_ptr<const FieldGraph> graph_;
  std::vector<Index> place_;                    // per node: where it stands among those given, -1: it does not
  std::vector<std::int32_t> step_of_;           // per node: its step, kKept or kOutside
  std::vector<Index> nodes_;                    // those given
  std::vector<std::vector<Index>> neighbours_;  // per place: places left
  std::vector<double> weights_;
  std::vector<char> is_left_;
  std::vector<std::size_t> seen_;               // per place: the number of the last look that met it
  std::size_t n_looks_ = 0;
  std::vector<Waiting> queue_;
  std::vector<Step> steps_;
  std::vector<Index> scopes_;
  std::vector<double> messages_;
  // Of the step at work: level 0 is its node, level i the one that is i-th from the end of its scope.
  std::vector<std::size_t> sizes_, entries_, part_entries_;  // labels of each level, and entries of all levels below
  std::vector<Part> parts_;
  std::vector<char> has_;
  std::vector<double> tables_, table_;
  double before_ = 0, after_ = 0;               // costs of what is re-solved
  MoveOutcome outcome_;
};

}  // namespace fwmap
