#pragma once
// How many edges a forest can have on a graph.

#include <cstdint>
#include <span>

#include "graph/disjoint_sets.hpp"
#include "graph/edge.hpp"

namespace fwmap {

/// The number of edges of each forest that connects all that the graph connects: the number of nodes minus
/// that of the connected components. O(n_nodes + edges), almost.
inline std::int32_t n_edges_of_spanning_forest(std::int32_t n_nodes, std::span<const Edge> edges) {
  DisjointSets components(n_nodes);
  std::int32_t n_edges = 0;
  for (const auto& [u, v] : edges) n_edges += components.join(u, v) ? 1 : 0;
  return n_edges;
}

}  // namespace fwmap
