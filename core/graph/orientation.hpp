#pragma once
// Directing the edges of a graph so that only few leave each node.

#include <cstdint>
#include <span>
#include <vector>

#include "graph/edge.hpp"
#include "graph/incidence.hpp"
#include "graph/numbered.hpp"

namespace fwmap {

/// A direction for each edge of a graph.
struct Orientation {
  Numbered<std::int32_t> tail;        ///< of each edge: the end that it leaves
  Numbered<std::int32_t> out_degree;  ///< of each node: the number of edges that leave it

  /// Every edge leaves its end u.
  Orientation(std::int32_t n_nodes, std::span<const Edge> edges);
};

/// Reverses edges until at most `limit` leave each node, and returns no nodes. Where that cannot be done,
/// returns nodes that no edge leaves for any other node, and from which more than `limit` edges leave on
/// average: a subgraph that is too dense.
///
/// A maximum flow by preflow-push (Goldberg and Tarjan 1988): a node with too many leaving edges passes
/// the excess on by reversing them. `incidence` and `orientation` must be of the same graph.
std::vector<std::int32_t> limit_out_degrees(const Incidence& incidence, std::int32_t limit,
                                            Orientation& orientation);

}  // namespace fwmap
