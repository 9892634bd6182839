#pragma once
// The edges that all graph algorithms take, and what an absent node or edge is called.

#include <cstdint>

namespace fwmap {

/// An undirected edge between nodes u and v; an edge is known by its position in the list of edges.
struct Edge {
  std::int32_t u, v;
};

/// Stands where a node, an edge or a forest is expected and there is none.
inline constexpr std::int32_t kNone = -1;

}  // namespace fwmap
