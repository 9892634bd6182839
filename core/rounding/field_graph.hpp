#pragma once
// A whole model as searches for labelings read it: its costs, and what touches each node.

#include <memory>
#include <span>
#include <vector>

#include "oracles/pairwise_costs.hpp"

namespace fwmap {

struct FieldEdge {
  Index first, second;
  EdgeCost cost;
};

struct FieldFactor {
  std::vector<Index> scope;
  const double* table;  ///< C order, last variable fastest
};

struct Field {
  std::vector<std::int64_t> offsets;  ///< first label of each node in `unaries`, and the end
  std::span<const double> unaries;
  std::vector<FieldEdge> edges;
  std::vector<FieldFactor> factors;
  std::shared_ptr<const TablePool> tables;
  std::shared_ptr<const void> owner;  ///< keeps unaries and factor tables alive
};

/// A field with its incidences. Immutable: searches may share it.
class FieldGraph {
 public:
  explicit FieldGraph(Field field);

  const Field& field() const { return field_; }
  std::size_t n_nodes() const { return field_.offsets.size() - 1; }
  std::size_t n_labels(Index node) const {
    const auto v = static_cast<std::size_t>(node);
    return static_cast<std::size_t>(field_.offsets[v + 1] - field_.offsets[v]);
  }
  const double* unaries(Index node) const {
    return field_.unaries.data() + field_.offsets[static_cast<std::size_t>(node)];
  }
  const FieldEdge& edge(std::int32_t e) const { return field_.edges[static_cast<std::size_t>(e)]; }
  const FieldFactor& factor(std::int32_t f) const { return field_.factors[static_cast<std::size_t>(f)]; }

  /// Numbers of the edges and factors that name the node; each in the order of the field.
  std::span<const std::int32_t> edges_of(Index node) const { return part(edge_begin_, edges_, node); }
  std::span<const std::int32_t> factors_of(Index node) const { return part(factor_begin_, factors_, node); }

  double edge_cost_of(const FieldEdge& edge, Index a, Index b) const {
    return edge_cost(edge.cost, *field_.tables, a, b, static_cast<Index>(n_labels(edge.second)));
  }

  /// Calls add(a, cost) for each label a of `node` and each cost that touches it: its unaries, then edges and
  /// factors with the other nodes as in `labeling`. Edges for which skip(edge) holds are left out.
  template <class Add, class Skip>
  void for_each_local_cost(Index node, std::span<const Index> labeling, Add add, Skip skip) const {
    for_each_local_cost(node, labeling, add, skip, [](const FieldFactor&) { return false; });
  }

  /// The same, without factors for which skip_factor(factor) holds.
  template <class Add, class Skip, class SkipFactor>
  void for_each_local_cost(Index node, std::span<const Index> labeling, Add add, Skip skip, SkipFactor skip_factor) const {
    const std::size_t n = n_labels(node);
    const double* own = unaries(node);
    for (std::size_t a = 0; a < n; ++a) add(a, own[a]);
    for (const std::int32_t e : edges_of(node)) {
      const FieldEdge& one = edge(e);
      if (skip(one)) continue;
      if (one.cost.kind == EdgeKind::kTable) {
        const std::size_t columns = n_labels(one.second);
        const double* table = field_.tables->table(one.cost.table);
        if (one.first == node) {
          table += labeling[static_cast<std::size_t>(one.second)];
          for (std::size_t a = 0; a < n; ++a) add(a, table[a * columns]);
        } else {
          table += static_cast<std::size_t>(labeling[static_cast<std::size_t>(one.first)]) * columns;
          for (std::size_t a = 0; a < n; ++a) add(a, table[a]);
        }
      } else if (one.first == node) {
        const Index other = labeling[static_cast<std::size_t>(one.second)];
        for (std::size_t a = 0; a < n; ++a) add(a, edge_cost_of(one, static_cast<Index>(a), other));
      } else {
        const Index other = labeling[static_cast<std::size_t>(one.first)];
        for (std::size_t a = 0; a < n; ++a) add(a, edge_cost_of(one, other, static_cast<Index>(a)));
      }
    }
    for (const std::int32_t f : factors_of(node)) {
      if (skip_factor(factor(f))) continue;
      std::size_t own_stride = 0;
      const std::size_t first = entry(factor(f), labeling, node, &own_stride);
      for (std::size_t a = 0; a < n; ++a) add(a, factor(f).table[first + a * own_stride]);
    }
  }

  /// Entry of the factor's table that the labeling uses, with label 0 for `except`, and the step from one
  /// label of that node to the next.
  std::size_t entry(const FieldFactor& factor, std::span<const Index> labeling, Index except,
                    std::size_t* own_stride) const;

 private:
  static std::span<const std::int32_t> part(const std::vector<std::size_t>& begin, const std::vector<std::int32_t>& items,
                                            Index node) {
    const auto v = static_cast<std::size_t>(node);
    return {items.data() + begin[v], begin[v + 1] - begin[v]};
  }

  Field field_;
  std::vector<std::size_t> edge_begin_, factor_begin_;  // per node, into the lists
  std::vector<std::int32_t> edges_, factors_;
};

}  // namespace fwmap
