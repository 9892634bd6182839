#include "rounding/local_search.hpp"

#include <algorithm>
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

LocalSearch::LocalSearch(Field field) : field_(std::move(field)) {
  const std::size_t n = field_.offsets.size() - 1;
  list_incidences(n, field_.edges.size(),
                  [this](std::size_t e) { return std::array<Index, 2>{field_.edges[e].first, field_.edges[e].second}; },
                  edge_begin_, incident_edges_);
  list_incidences(n, field_.factors.size(), [this](std::size_t f) { return std::span<const Index>(field_.factors[f].scope); },
                  factor_begin_, incident_factors_);
}

std::size_t LocalSearch::n_labels(Index node) const {
  return static_cast<std::size_t>(field_.offsets[index(node) + 1] - field_.offsets[index(node)]);
}

// Entry of the factor's table that the labeling uses, with label 0 for `except`, and the step from one label of
// that node to the next.
std::size_t LocalSearch::entry(const FieldFactor& factor, std::span<const Index> labeling, Index except,
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

LocalSearch::Cost LocalSearch::energy(std::span<const Index> labeling) const {
  Cost total;
  const auto add = [&total](double cost) {
    if (cost == kInfinity)
      ++total.forbidden;
    else
      total.finite += cost;
  };
  for (std::size_t v = 0; v + 1 < field_.offsets.size(); ++v)
    add(field_.unaries[static_cast<std::size_t>(field_.offsets[v]) + index(labeling[v])]);
  for (const FieldEdge& edge : field_.edges)
    add(edge_cost(edge.cost, *field_.tables, labeling[index(edge.first)], labeling[index(edge.second)],
                  static_cast<Index>(n_labels(edge.second))));
  std::size_t unused = 0;
  for (const FieldFactor& factor : field_.factors) add(factor.table[entry(factor, labeling, -1, &unused)]);
  return total;
}

// Cost of each label of the node, the others fixed.
void LocalSearch::local_costs(Index node, std::span<const Index> labeling) {
  const std::size_t n = n_labels(node);
  costs_.assign(n, Cost{});
  const auto add = [this](std::size_t a, double cost) {
    if (cost == kInfinity)
      ++costs_[a].forbidden;
    else
      costs_[a].finite += cost;
  };
  for (std::size_t a = 0; a < n; ++a) add(a, field_.unaries[static_cast<std::size_t>(field_.offsets[index(node)]) + a]);
  for (std::size_t k = edge_begin_[index(node)]; k < edge_begin_[index(node) + 1]; ++k) {
    const FieldEdge& edge = field_.edges[static_cast<std::size_t>(incident_edges_[k])];
    const auto columns = static_cast<Index>(n_labels(edge.second));
    if (edge.first == node) {
      const Index other = labeling[index(edge.second)];
      for (std::size_t a = 0; a < n; ++a) add(a, edge_cost(edge.cost, *field_.tables, static_cast<Index>(a), other, columns));
    } else {
      const Index other = labeling[index(edge.first)];
      for (std::size_t a = 0; a < n; ++a) add(a, edge_cost(edge.cost, *field_.tables, other, static_cast<Index>(a), columns));
    }
  }
  for (std::size_t k = factor_begin_[index(node)]; k < factor_begin_[index(node) + 1]; ++k) {
    const FieldFactor& factor = field_.factors[static_cast<std::size_t>(incident_factors_[k])];
    std::size_t own_stride = 0;
    const std::size_t first = entry(factor, labeling, node, &own_stride);
    for (std::size_t a = 0; a < n; ++a) add(a, factor.table[first + a * own_stride]);
  }
}

double LocalSearch::visit(Index node, std::span<Index> labeling, bool* changed) {
  local_costs(node, labeling);
  Index& label = labeling[index(node)];
  const auto better = [](const Cost& a, const Cost& b) {
    return a.forbidden != b.forbidden ? a.forbidden < b.forbidden : a.finite < b.finite;
  };
  std::size_t best = index(label);
  for (std::size_t a = 0; a < costs_.size(); ++a)
    if (better(costs_[a], costs_[best])) best = a;
  *changed = best != index(label);
  label = static_cast<Index>(best);
  const std::size_t degree = edge_begin_[index(node) + 1] - edge_begin_[index(node)] + factor_begin_[index(node) + 1] -
                             factor_begin_[index(node)];
  return static_cast<double>((degree + 1) * (costs_.size() + 4));
}

double LocalSearch::improve(std::span<Index> labeling, double max_operations) {
  const std::size_t n = field_.offsets.size() - 1;
  std::vector<char> waiting(n, 1);
  std::vector<Index> queue(n), next;
  for (std::size_t v = 0; v < n; ++v) queue[v] = static_cast<Index>(v);
  double spent = 0;
  const auto wake = [&](Index v) {
    if (waiting[index(v)]) return;
    waiting[index(v)] = 1;
    next.push_back(v);
  };
  while (!queue.empty() && spent < max_operations) {
    next.clear();
    for (const Index node : queue) {
      waiting[index(node)] = 0;
      if (n_labels(node) == 1) continue;
      bool changed = false;
      spent += visit(node, labeling, &changed);
      if (!changed) continue;
      for (std::size_t k = edge_begin_[index(node)]; k < edge_begin_[index(node) + 1]; ++k) {
        const FieldEdge& edge = field_.edges[static_cast<std::size_t>(incident_edges_[k])];
        wake(edge.first == node ? edge.second : edge.first);
      }
      for (std::size_t k = factor_begin_[index(node)]; k < factor_begin_[index(node) + 1]; ++k)
        for (const Index v : field_.factors[static_cast<std::size_t>(incident_factors_[k])].scope)
          if (v != node) wake(v);
    }
    queue.swap(next);
  }
  return spent;
}

}  // namespace fwmap
