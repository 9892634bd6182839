#include "rounding/local_search.hpp"

#include <algorithm>

#include "poll.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

LocalSearch::Cost LocalSearch::energy(std::span<const Index> labeling) const {
  Cost total;
  const auto add = [&total](double cost) {
    if (cost == kInfinity)
      ++total.forbidden;
    else
      total.finite += cost;
  };
  const Field& field = graph_->field();
  for (std::size_t v = 0; v < graph_->n_nodes(); ++v)
    add(field.unaries[static_cast<std::size_t>(field.offsets[v]) + index(labeling[v])]);
  for (const FieldEdge& edge : field.edges)
    add(graph_->edge_cost_of(edge, labeling[index(edge.first)], labeling[index(edge.second)]));
  std::size_t unused = 0;
  for (const FieldFactor& factor : field.factors) add(factor.table[graph_->entry(factor, labeling, -1, &unused)]);
  return total;
}

double LocalSearch::visit(Index node, std::span<Index> labeling, bool* changed) {
  costs_.assign(graph_->n_labels(node), Cost{});
  graph_->for_each_local_cost(
      node, labeling,
      [this](std::size_t a, double cost) {
        if (cost == kInfinity)
          ++costs_[a].forbidden;
        else
          costs_[a].finite += cost;
      },
      [](const FieldEdge&) { return false; });
  Index& label = labeling[index(node)];
  const auto better = [](const Cost& a, const Cost& b) {
    return a.forbidden != b.forbidden ? a.forbidden < b.forbidden : a.finite < b.finite;
  };
  std::size_t best = index(label);
  for (std::size_t a = 0; a < costs_.size(); ++a)
    if (better(costs_[a], costs_[best])) best = a;
  *changed = best != index(label);
  label = static_cast<Index>(best);
  const std::size_t degree = graph_->edges_of(node).size() + graph_->factors_of(node).size();
  return static_cast<double>((degree + 1) * (costs_.size() + 4));
}

double LocalSearch::improve(std::span<Index> labeling, double max_operations) {
  const std::size_t n = graph_->n_nodes();
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
      if (graph_->n_labels(node) == 1) continue;
      poll();
      bool changed = false;
      spent += visit(node, labeling, &changed);
      if (!changed) continue;
      for (const std::int32_t e : graph_->edges_of(node)) {
        const FieldEdge& edge = graph_->edge(e);
        wake(edge.first == node ? edge.second : edge.first);
      }
      for (const std::int32_t f : graph_->factors_of(node))
        for (const Index v : graph_->factor(f).scope)
          if (v != node) wake(v);
    }
    queue.swap(next);
  }
  return spent;
}

}  // namespace fwmap
