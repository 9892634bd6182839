#include "rounding/sequential.hpp"

#include <algorithm>
#include <numeric>

#include "poll.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

constexpr double kNegligible = 1e-3;  // marginals below are left out of averages

}  // namespace

double round_sequentially(const FieldGraph& graph, std::span<const double> marginals, std::span<Index> labeling) {
  const std::size_t n = graph.n_nodes();
  const auto of = [&](Index v) {
    return marginals.subspan(static_cast<std::size_t>(graph.field().offsets[index(v)]), graph.n_labels(v));
  };
  std::vector<double> decided(n);
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  for (const Index v : order) {
    const auto likeliest = std::max_element(of(v).begin(), of(v).end());
    labeling[index(v)] = static_cast<Index>(likeliest - of(v).begin());
    decided[index(v)] = *likeliest;
  }
  std::stable_sort(order.begin(), order.end(), [&](Index u, Index v) { return decided[index(u)] > decided[index(v)]; });

  double operations = 0;
  std::vector<char> chosen(n, 0);
  std::vector<double> costs;
  for (const Index v : order) {
    poll();
    const std::size_t labels = graph.n_labels(v);
    costs.assign(labels, 0.0);
    graph.for_each_local_cost(
        v, labeling, [&costs](std::size_t a, double cost) { costs[a] += cost; },
        [&](const FieldEdge& edge) { return !chosen[index(edge.first == v ? edge.second : edge.first)]; });
    operations += static_cast<double>((graph.edges_of(v).size() + graph.factors_of(v).size() + 1) * (labels + 4));
    for (const std::int32_t e : graph.edges_of(v)) {
      const FieldEdge& edge = graph.edge(e);
      const bool rows = edge.first == v;
      const Index other = rows ? edge.second : edge.first;
      if (chosen[index(other)]) continue;
      const std::span<const double> average = of(other);
      for (std::size_t b = 0; b < average.size(); ++b) {
        if (average[b] < kNegligible) continue;
        for (std::size_t a = 0; a < labels; ++a) {
          const auto own = static_cast<Index>(a), theirs = static_cast<Index>(b);
          costs[a] += average[b] * (rows ? graph.edge_cost_of(edge, own, theirs) : graph.edge_cost_of(edge, theirs, own));
        }
        operations += static_cast<double>(labels);
      }
    }
    labeling[index(v)] = static_cast<Index>(std::min_element(costs.begin(), costs.end()) - costs.begin());
    chosen[index(v)] = 1;
  }
  return operations;
}

}  // namespace fwmap
