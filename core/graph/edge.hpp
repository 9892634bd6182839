#pragma once
// What the graph algorithms of this folder call an edge.

#include <cstdint>

namespace fwmap {

/// An undirected edge between the nodes u and v. Edges are known by their positions in a list, so that
/// parallel ones are told apart.
struct Edge {
  std::int32_t u, v;

  std::int32_t other_end(std::int32_t node) const { return node == u ? v : u; }
};

/// Stands where a node, an edge or a forest is expected and there is none.
inline constexpr std::int32_t kNone = -1;

}  // namespace fwmap
