#pragma once
// Tabu search among labelings: the best change of one node is made even where it makes things worse.

#include <memory>
#include <span>
#include <vector>

#include "random.hpp"
#include "rounding/field_graph.hpp"
#include "rounding/forest_moves.hpp"

namespace fwmap {

/// What each label of each node would cost is kept up to date, and the best change is known at any time from a tree
/// of the nodes' best ones: a step looks at the node's neighbours only. The field's costs must be finite (see
/// ForestMoves). Random with the seed given, and counted.
class TabuSearch {
 public:
  TabuSearch(std::shared_ptr<const FieldGraph> graph, std::uint64_t seed);

  /// Goes on from a labeling until the budget is spent, and ends with the best one met. A label that was given up does
  /// not come back for a while, unless it leads to the best labeling so far. Where nothing better is found for long,
  /// the search begins again near the best labeling, with some neighbouring nodes changed: more of them each time.
  MoveOutcome wander(std::span<Index> labeling, double max_operations);

 private:
  struct Change {             // the best one of a node
    double change = kInfinity;
    std::uint32_t tie = 0;    // equal ones in random order
    Index label = -1;
    bool operator<(const Change& other) const { return change != other.change ? change < other.change : tie < other.tie; }
  };

  void start(std::span<const Index> labeling);
  void set(Index node, Index label);
  void step();
  void kick(std::size_t n_nodes);
  void forbid(Index node, Index label);
  void let_go();
  void find_change(Index node);
  void keep(std::span<Index> best);
  std::size_t at(Index node, Index label) const;
  Index& label(Index node) { return labels_[static_cast<std::size_t>(node)]; }

  std::shared_ptr<const FieldGraph> graph_;
  Random random_;
  std::vector<Index> movable_;                 // nodes with a choice
  std::vector<Index> labels_;
  std::vector<double> costs_;                  // per label: of what touches the node
  std::vector<std::uint64_t> tabu_until_;      // per label: a step
  std::vector<std::vector<Index>> let_go_at_;  // per step, around: nodes of labels that may come back then
  std::vector<std::size_t> leaf_;              // per node
  std::vector<Change> changes_;                // per node
  std::vector<Index> tree_;                    // of nodes: each entry the better one of the two below
  std::size_t n_leaves_ = 0;
  std::uint64_t now_ = 0;
  std::size_t n_kicked_ = 0;                   // by the last kick; 0: the search begins at the labeling itself
  double energy_ = 0, best_ = 0;               // relative to the start
  double size_ = 0;                            // of costs in play, for what is rounding
  std::vector<Index> changed_;                 // nodes set since the best labeling was kept
  double operations_ = 0;
};

}  // namespace fwmap
