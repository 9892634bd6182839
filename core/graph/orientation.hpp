#pragma once
// Directing the edges of a graph so that few leave each node.

#include <cstdint>
#include <span>

#include "graph/edge.hpp"
#include "graph/incidence.hpp"
#include "graph/numbered.hpp"

namespace fwmap {

/// A direction for each edge.
struct Orientation {
  Numbered<std::int32_t> tail;        ///< of each edge: the end that it leaves
  Numbered<std::int32_t> out_degree;  ///< of each node: number of edges that leave it
};

/// Reverses paths until no more than `limit` edges leave any node, or there is no way left to achieve that.
/// Returns the nodes
std::vector<std::int32_t> limit_out_degrees(const Incidence& incidence, std::int32_t limit, Orientation& orientation);

}  // namespace fwmap
