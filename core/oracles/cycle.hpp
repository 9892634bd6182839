#pragma once
// A cycle of edges whose table entries carry weights: what forests cannot see together.

#include "oracle.hpp"

namespace fwmap {

/// A closed walk through at least three distinct nodes.
struct Cycle {
  std::vector<Index> n_labels;     ///< per node, >= 1; edge i leads from node i to node i + 1, the last one to node 0
  std::vector<char> flipped;       ///< per edge: its table's rows are the labels of the node it leads to
  std::vector<char> forbidden;     ///< concatenated tables: entries that no labeling uses; empty: none
};

/// Minimises the weights of the entries that a labeling of a cycle uses, exactly: the labels of one node are tried in
/// turn, the others follow by dynamic programming. A term without costs of its own, added to tighten a relaxation.
///
/// Coordinates: the entries of the tables of edge 0, of edge 1, ..., row-major. A labeling sets one of each.
/// Cost of a call: the number of table entries times the least number of labels of a node.
class CycleOracle final : public Oracle {
 public:
  /// Throws std::invalid_argument where the sizes do not match.
  explicit CycleOracle(Cycle cycle);

  const Cycle& cycle() const { return cycle_; }
  Index n_coordinates() const override { return static_cast<Index>(offsets_.back()); }
  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override;
  double operations() const override { return operations_; }
  double cost(std::span<const Index> support) const override;
  bool min_marginals(std::span<const double> weights, std::span<double> out) override;

 private:
  std::size_t size() const { return cycle_.n_labels.size(); }
  std::size_t labels(std::size_t node) const { return static_cast<std::size_t>(cycle_.n_labels[node % size()]); }
  std::size_t at(std::size_t step) const { return (first_ + step) % size(); }  // nodes and edges in the order walked
  std::size_t entry(std::size_t edge, std::size_t from, std::size_t to) const {
    return offsets_[edge] + (cycle_.flipped[edge] ? to * labels(edge) + from : from * labels(edge + 1) + to);
  }
  double fill_entries(std::span<const double> weights);
  void step(std::size_t edge, const double* from, double* to) const;
  double walk(std::size_t label);

  Cycle cycle_;
  std::size_t first_ = 0;                // the node of the fewest labels, where the walk begins
  std::vector<std::size_t> offsets_;     // first coordinate of each edge, and the end
  double operations_ = 0;
  std::vector<double> entries_;          // weights, +inf where forbidden
  std::vector<std::vector<double>> reached_;  // least weight of a walk to each label of the node at a step
  std::vector<std::size_t> labeling_;    // per step
};

}  // namespace fwmap
