#include "graph/peeling.hpp"

#include <algorithm>

#include "graph/disjoint_sets.hpp"

namespace fwmap {

std::int32_t Peeling::core_begin(std::int32_t k) const {
  for (std::int32_t i = 0; i < order.size(); ++i) {
    if (n_owned[order[i]] > k) return i;
  }
  return order.size();
}

Peeling peel(const Incidence& incidence) {
  const std::int32_t n_nodes = incidence.n_nodes();
  Peeling peeling{{}, Numbered<std::int32_t>(n_nodes, kNone), Numbered<std::int32_t>(n_nodes)};
  peeling.order.reserve(n_nodes);
  Numbered<std::int32_t>& degree = peeling.n_owned;
  std::int32_t highest = 0;
  for (std::int32_t node = 0; node < n_nodes; ++node) {
    degree[node] = incidence.degree(node);
    highest = std::max(highest, degree[node]);
  }
  // One queue of nodes for each degree. A node whose degree falls enters the next queue and is not taken
  // out of the old one: there it is skipped.
  Numbered<std::vector<std::int32_t>> queues(highest + 1);
  Numbered<std::size_t> heads(highest + 1, 0);
  for (std::int32_t node = 0; node < n_nodes; ++node) queues[degree[node]].push_back(node);
  for (std::int32_t lowest = 0; lowest <= highest;) {
    if (heads[lowest] == queues[lowest].size()) {
      ++lowest;
      continue;
    }
    const std::int32_t node = queues[lowest][heads[lowest]++];
    if (peeling.position[node] != kNone || degree[node] != lowest) continue;
    peeling.position[node] = peeling.order.size();
    peeling.order.push_back(node);
    for (const Incident& incident : incidence.at(node)) {
      if (peeling.position[incident.neighbour] != kNone) continue;
      const std::int32_t left = --degree[incident.neighbour];
      queues[left].push_back(incident.neighbour);
      lowest = std::min(lowest, left);
    }
  }
  return peeling;
}

std::int32_t forests_needed_at_least(const Peeling& peeling, const Incidence& incidence) {
  DisjointSets components(incidence.n_nodes());
  Numbered<std::int32_t> n_edges(incidence.n_nodes(), 0);  // of each component, kept at its `find`
  std::int32_t bound = 0;
  for (std::int32_t i = peeling.order.size(); i-- > 0;) {
    const std::int32_t node = peeling.order[i];
    for (const Incident& incident : incidence.at(node)) {
      if (peeling.position[incident.neighbour] < i) continue;
      const std::int32_t here = components.find(node), there = components.find(incident.neighbour);
      std::int32_t sum = n_edges[here] + 1;
      if (here != there) sum += n_edges[there];
      components.join(here, there);
      n_edges[components.find(here)] = sum;
    }
    if (peeling.n_owned[node] == 0) continue;
    const std::int32_t forest_size = components.size(node) - 1;
    bound = std::max(bound, (n_edges[components.find(node)] + forest_size - 1) / forest_size);
  }
  return bound;
}

}  // namespace fwmap
