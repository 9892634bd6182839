#include "graph/peeling.hpp"

#include <algorithm>
#include <cstddef>

#include "graph/disjoint_sets.hpp"
#include "graph/incidence.hpp"

namespace fwmap {

namespace {

/// The nodes in the order of their removal.
std::vector<std::int32_t> removal_order(const Incidence& incidence) {
  const std::int32_t n_nodes = incidence.n_nodes();
  std::vector<std::int32_t> order;
  order.reserve(static_cast<std::size_t>(n_nodes));
  Numbered<std::int32_t> degree(n_nodes);
  for (std::int32_t node = 0; node < n_nodes; ++node) degree[node] = incidence.degree(node);
  const std::int32_t highest = n_nodes == 0 ? 0 : *std::max_element(degree.begin(), degree.end());

  // A queue of nodes for each degree. A node whose degree falls enters another queue and stays in the old
  // one as well, where it is skipped later.
  Numbered<std::vector<std::int32_t>> queues(highest + 1);
  Numbered<std::size_t> heads(highest + 1, 0);
  for (std::int32_t node = 0; node < n_nodes; ++node) queues[degree[node]].push_back(node);
  for (std::int32_t lowest = 0; lowest <= highest;) {
    if (heads[lowest] == queues[lowest].size()) {
      ++lowest;
      continue;
    }
    const std::int32_t node = queues[lowest][heads[lowest]++];
    if (degree[node] != lowest) continue;
    order.push_back(node);
    degree[node] = kNone;
    for (const Incident& incident : incidence.at(node)) {
      std::int32_t& left = degree[incident.neighbour];
      if (left == kNone) continue;
      queues[--left].push_back(incident.neighbour);
      lowest = std::min(lowest, left);
    }
  }
  return order;
}

}  // namespace

PeeledGraph peel(std::int32_t n_nodes, std::span<const Edge> edges) {
  const Incidence incidence(n_nodes, edges);
  const std::vector<std::int32_t> order = removal_order(incidence);
  Numbered<std::int32_t> number(n_nodes);
  std::int32_t next = n_nodes;
  for (const std::int32_t node : order) number[node] = --next;

  PeeledGraph graph{n_nodes, {}, {}, {}};
  graph.edges.reserve(edges.size());
  graph.original_edge.reserve(edges.size());
  graph.first_owned.reserve(n_nodes + 1);
  graph.first_owned.push_back(0);
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    for (const Incident& incident : incidence.at(*node)) {
      if (number[incident.neighbour] > number[*node]) continue;
      graph.edges.push_back({number[*node], number[incident.neighbour]});
      graph.original_edge.push_back(incident.edge);
    }
    graph.first_owned.push_back(static_cast<std::int32_t>(graph.edges.size()));
  }
  return graph;
}

std::int32_t PeeledGraph::core_size(std::int32_t limit) const {
  std::int32_t n = n_nodes;
  while (n > 0 && n_owned(n - 1) <= limit) --n;
  return n;
}

std::int32_t forests_needed_at_least(const PeeledGraph& graph) {
  DisjointSets components(graph.n_nodes);
  Numbered<std::int32_t> n_edges(graph.n_nodes, 0);  // of each component, kept at its representative
  std::int32_t bound = 0;
  for (std::int32_t node = 0; node < graph.n_nodes; ++node) {
    if (graph.n_owned(node) == 0) continue;
    for (std::int32_t e = graph.first_owned[node]; e < graph.first_owned[node + 1]; ++e) {
      const std::int32_t here = components.find(node);
      const std::int32_t there = components.find(graph.edges[static_cast<std::size_t>(e)].v);
      const std::int32_t sum = n_edges[here] + 1 + (here == there ? 0 : n_edges[there]);
      components.join(here, there);
      n_edges[components.find(here)] = sum;
    }
    const std::int32_t component = components.find(node);
    bound = std::max(bound, 1 + (n_edges[component] - 1) / (components.size(component) - 1));
  }
  return bound;
}

}  // namespace fwmap
