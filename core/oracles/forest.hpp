#pragma once
// A forest of nodes with labels: the term of a Markov random field (section "Markov Random Fields").

#include <memory>

#include "kernels/distance_transform.hpp"
#include "oracle.hpp"
#include "oracles/pairwise_costs.hpp"

namespace fwmap {

/// An edge between two nodes of the forest. Its cost's rows are the labels of `first`.
struct ForestEdge {
  Index first, second;
  EdgeCost cost;
  bool shares_entries = false;  ///< its table's entries are coordinates of the term
};

/// What a forest term is made of.
struct Forest {
  std::vector<Index> n_labels;   ///< per node, >= 1
  std::vector<double> unaries;   ///< this term's share of the unary costs, concatenated; +inf forbids
  std::vector<ForestEdge> edges;
  std::shared_ptr<const TablePool> tables;
};

/// One node of a forest, in an order in which parents come before children.
struct ForestVisit {
  Index node;
  Index parent;       ///< -1: a root
  std::int32_t edge;  ///< to the parent
};

/// Minimises sum of unaries and edge costs over a forest by dynamic programming, exactly.
///
/// Coordinates: the labels of node 0, of node 1, ..., then for each edge with `shares_entries`, in the
/// order of the edges, the entries of its table, row-major. A labeling sets one coordinate of each node and
/// of each such edge.
/// Cost of a call: the number of table entries (structured edges: the number of labels).
class ForestOracle final : public Oracle {
 public:
  /// Throws std::invalid_argument where the edges have a cycle or the sizes do not match.
  explicit ForestOracle(Forest forest);

  Index n_coordinates() const override { return n_coordinates_; }
  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override;
  double operations() const override { return operations_; }
  double cost(std::span<const Index> support) const override;
  void complete(std::vector<Index>& support) const override;
  bool min_marginals(std::span<const double> weights, std::span<double> out) override;

  /// out[e] = min-marginals of the entries of edge e, row-major, where out[e] is not null; the forest's minimum
  /// included. Returns that minimum. Costs two calls of `minimize` and a pass over the entries asked for.
  double edge_min_marginals(std::span<const double> weights, std::span<double* const> out);

  std::span<const double> unaries() const override { return forest_.unaries; }

  const Forest& forest() const { return forest_; }
  std::size_t n_labels_in_all() const { return offsets_.back(); }  ///< coordinates that are labels; they come first
  const std::vector<ForestEdge>& edges() const { return forest_.edges; }
  const TablePool* tables() const { return forest_.tables.get(); }
  const std::vector<ForestVisit>& visits() const { return order_; }
  std::size_t first_entry(std::size_t edge) const { return edge_offsets_[edge]; }  ///< its coordinate, where they are shared
  std::size_t n_entries(const ForestEdge& edge) const { return labels(edge.first) * labels(edge.second); }
  Index n_nodes() const { return static_cast<Index>(forest_.n_labels.size()); }

 private:
  using Visit = ForestVisit;

  void order_nodes();
  void count_roundings();
  double start_beliefs(std::span<const double> weights);
  void send(const Visit& visit, bool to_parent, const double* from, double* message);
  double weigh_entries(std::span<const double> weights);
  const double* entries(std::int32_t edge) const;
  template <class VisitEdge>
  double pass_messages(std::span<const double> weights, VisitEdge visit_edge);
  double own_cost() const;

  std::size_t offset(Index node) const { return offsets_[static_cast<std::size_t>(node)]; }
  std::size_t labels(Index node) const {
    return static_cast<std::size_t>(forest_.n_labels[static_cast<std::size_t>(node)]);
  }

  Forest forest_;
  Index n_coordinates_ = 0;
  double operations_ = 0;
  double rounding_depth_ = 0;      // roundings that one item of a labeling's sum can pass through
  double fixed_rounding_ = 0;      // of structured messages
  double edge_negative_part_ = 0;  // sum over edges that share no entries of max(0, -lowest cost)
  std::vector<std::size_t> offsets_;       // first coordinate of each node, and the end
  std::vector<std::size_t> edge_offsets_;  // first coordinate of each edge that shares entries
  std::vector<Visit> order_;
  double* beliefs_ = nullptr;  // during a call
  std::vector<Index> labeling_;
  std::vector<double> message_;
  std::vector<double> own_entries_, entries_;  // of the edges that share entries: costs, and with their weights
  Envelope envelope_;
  double *outside_ = nullptr, *marginals_ = nullptr;  // during a passing of messages, see pass_messages
  std::vector<double> own_beliefs_, own_outside_, own_marginals_;  // their memory, where the forest is large
};

}  // namespace fwmap
