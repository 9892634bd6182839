#include "oracles/pairwise_costs.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"

namespace fwmap {

TablePool::TablePool(std::span<const double> values, std::span<const std::int64_t> offsets,
                     std::shared_ptr<const void> owner)
    : values_(values), offsets_(offsets.begin(), offsets.end()), owner_(std::move(owner)) {
  if (offsets_.empty()) offsets_.push_back(0);
  negative_parts_.resize(offsets_.size() - 1);
  for (std::size_t t = 0; t + 1 < offsets_.size(); ++t) {
    const auto n = static_cast<std::size_t>(offsets_[t + 1] - offsets_[t]);
    const double lowest = kernels().minimum(values_.data() + offsets_[t], n);
    negative_parts_[t] = std::max(0.0, -lowest);
  }
}

const ProductTable& TablePool::product(std::int64_t t) const {
  const auto k = static_cast<std::size_t>(t);
  if (products_.empty()) products_.resize(negative_parts_.size());
  if (!products_[k]) products_[k] = std::make_shared<const ProductTable>(std::span(table(t), size(t)));
  return *products_[k];
}

double edge_cost(const EdgeCost& edge, const TablePool& tables, Index a, Index b, Index n_columns) {
  const double distance = std::abs(static_cast<double>(a) - static_cast<double>(b));
  switch (edge.kind) {
    case EdgeKind::kTable:
      return tables.table(edge.table)[static_cast<std::size_t>(a) * static_cast<std::size_t>(n_columns) +
                                      static_cast<std::size_t>(b)];
    case EdgeKind::kPotts: return a == b ? 0.0 : edge.weight;
    case EdgeKind::kTruncatedLinear: return edge.weight * std::min(distance, edge.truncation);
    case EdgeKind::kTruncatedQuadratic: return edge.weight * std::min(distance * distance, edge.truncation);
    case EdgeKind::kProduct: {
      const double* table = tables.table(edge.table);
      const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b), n = static_cast<std::size_t>(n_columns);
      const double entry = table[row * n + column];
      return entry == kInfinity ? kInfinity : edge.weight * entry + edge.truncation * table[column * n + row];
    }
  }
  return 0;
}

double negative_part(const EdgeCost& edge, const TablePool& tables, Index n_rows, Index n_columns) {
  if (edge.kind == EdgeKind::kTable) return tables.negative_part(edge.table);
  if (edge.kind == EdgeKind::kProduct)
    return tables.product(edge.table).negative_part(edge.weight, edge.truncation);
  if (edge.weight >= 0) return 0;
  const Index farthest = std::max(n_rows, n_columns) - 1;  // the cost falls with the distance
  return -std::min(0.0, edge_cost(edge, tables, 0, farthest, n_columns));
}

}  // namespace fwmap
