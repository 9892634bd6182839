#pragma once
// Costs of the edges of a model: tables stored once, and the structured kinds.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "oracle.hpp"
#include "oracles/product_table.hpp"

namespace fwmap {

enum class EdgeKind : std::uint8_t { kTable = 0, kPotts = 1, kTruncatedLinear = 2, kTruncatedQuadratic = 3, kProduct = 4 };

/// The cost of one edge. The first endpoint's label is the row of the table.
/// Structured kinds: weight * [a != b], weight * min(|a - b|, truncation), weight * min((a - b)^2, truncation).
/// Products: weight * T[a][b] + truncation * T[b][a] with a square table T that many edges share; +inf where T[a][b]
/// is +inf, and then T[b][a] is, too.
struct EdgeCost {
  EdgeKind kind = EdgeKind::kTable;
  std::int64_t table = -1;  ///< number of the table in the pool, for kTable and kProduct
  double weight = 0;
  double truncation = 0;  ///< may be +inf; of a product the weight of the transposed table
};

/// Tables shared by all terms of a model. Row-major; +inf forbids an entry.
class TablePool {
 public:
  /// `owner` keeps the memory behind `values` alive.
  TablePool(std::span<const double> values, std::span<const std::int64_t> offsets,
            std::shared_ptr<const void> owner);

  const double* table(std::int64_t t) const { return values_.data() + offsets_[static_cast<std::size_t>(t)]; }
  std::size_t size(std::int64_t t) const {
    const auto k = static_cast<std::size_t>(t);
    return static_cast<std::size_t>(offsets_[k + 1] - offsets_[k]);
  }
  /// A square table as products need it, made when first asked for. Not while another thread asks.
  const ProductTable& product(std::int64_t t) const;

  /// max(0, -lowest entry), for rounding allowances.
  double negative_part(std::int64_t t) const { return negative_parts_[static_cast<std::size_t>(t)]; }

 private:
  std::span<const double> values_;
  std::vector<std::int64_t> offsets_;
  std::vector<double> negative_parts_;
  mutable std::vector<std::shared_ptr<const ProductTable>> products_;
  std::shared_ptr<const void> owner_;
};

/// Cost of labels (a, b) of the edge's first and second endpoint; `n_columns` is the second's label count.
double edge_cost(const EdgeCost& edge, const TablePool& tables, Index a, Index b, Index n_columns);

/// max(0, -lowest entry) of the edge's costs.
double negative_part(const EdgeCost& edge, const TablePool& tables, Index n_rows, Index n_columns);

}  // namespace fwmap
