#include "rounding/field_graph.hpp"

#include <array>

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

// Lists, for each of n nodes, the items that name it. `scope(k)` gives the nodes of item k.
template <class Scope>
void list_incidences(std::size_t n, std::size_t n_items, Scope scope, std::vector<std::size_t>& begin,
                     std::vector<std::int32_t>& items) {
  begin.assign(n + 1, 0);
  for (std::size_t k = 0; k < n_items; ++k)
    for (const Index v : scope(k)) ++begin[index(v) + 1];
  for (std::size_t v = 0; v < n; ++v) begin[v + 1] += begin[v];
  items.resize(begin[n]);
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t k = 0; k < n_items; ++k)
    for (const Index v : scope(k)) items[next[index(v)]++] = static_cast<std::int32_t>(k);
}

}  // namespace

FieldGraph::FieldGraph(Field field) : field_(std::move(field)) {
  list_incidences(n_nodes(), field_.edges.size(),
                  [this](std::size_t e) { return std::array<Index, 2>{field_.edges[e].first, field_.edges[e].second}; },
                  edge_begin_, edges_);
  list_incidences(n_nodes(), field_.factors.size(),
                  [this](std::size_t f) { return std::span<const Index>(field_.factors[f].scope); }, factor_begin_,
                  factors_);
}

std::size_t FieldGraph::entry(const FieldFactor& factor, std::span<const Index> labeling, Index except,
                              std::size_t* own_stride) const {
  std::size_t result = 0, stride = 1;
  for (std::size_t p = factor.scope.size(); p-- > 0;) {
    const Index v = factor.scope[p];
    if (v == except)
      *own_stride = stride;
    else
      result += stride * index(labeling[index(v)]);
    stride *= n_labels(v);
  }
  return result;
}

}  // namespace fwmap
