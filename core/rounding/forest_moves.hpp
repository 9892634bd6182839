#pragma once
// Re-solves a part of a labeling exactly, the rest fixed: nodes among which the graph is a forest.

#include <memory>
#include <span>
#include <vector>

#include "kernels/distance_transform.hpp"
#include "random.hpp"
#include "rounding/field_graph.hpp"

namespace fwmap {

/// What a move did to the energy (<= 0 but for rounding), and what it cost.
struct MoveOutcome {
  double change = 0;
  double operations = 0;
};

/// Moves of a field whose costs are all finite: what is forbidden carries a penalty (see rounding/field.py).
///
/// A sweep partitions the nodes it is given, in random order, into sets on which the graph (edges, and factors
/// as cliques) is a forest, each as large as can be, and re-solves one after the other by dynamic programming
/// with all other nodes fixed. On a grid the first set holds more than half of the nodes; where all nodes are
/// neighbours the sets are pairs. Among equal labelings a random one is taken. No sweep raises the energy.
class ForestMoves {
 public:
  explicit ForestMoves(std::shared_ptr<const FieldGraph> graph);

  /// One sweep over `nodes` (no node twice).
  MoveOutcome sweep(std::span<const Index> nodes, std::span<Index> labeling, Random& random);

  /// One sweep over the nodes where two labelings differ, among them `nodes`, each keeping its label or taking
  /// that of `other`.
  MoveOutcome fuse(std::span<const Index> nodes, std::span<Index> labeling, std::span<const Index> other, Random& random);

 private:
  struct Visit {
    Index node;
    Index parent;       // position in the order; -1: a root
    std::int32_t edge;  // to the parent
    std::size_t begin;  // of its beliefs
    std::size_t n;      // choices
  };

  MoveOutcome run(std::span<const Index> nodes, std::span<Index> labeling, const Index* other, Random& random);
  void choose(std::vector<Index>& waiting, double* operations);
  bool fits(Index node, double* operations);
  void order();
  MoveOutcome solve(std::span<Index> labeling, const Index* other, Random& random);
  void send(const Visit& child, std::span<const Index> labeling, const Index* other);
  Index root_of(Index node);
  Index label(Index node, std::size_t choice, std::span<const Index> labeling, const Index* other) const;

  std::shared_ptr<const FieldGraph> graph_;
  std::vector<char> chosen_;       // per node
  std::vector<Index> tree_;        // per node: union-find over the chosen ones
  std::vector<Index> roots_;       // scratch of fits
  std::vector<Index> forest_;      // the chosen nodes
  std::vector<Index> position_;    // per node, in order_; -1: not there yet
  std::vector<Visit> order_;       // parents before children
  std::vector<double> beliefs_, message_;
  std::vector<std::size_t> choice_;  // per visit
  Envelope envelope_;
};

}  // namespace fwmap
