#pragma once
// The trees that forests are made of.

#include <cstdint>
#include <span>
#include <vector>

#include "graph/edge.hpp"

namespace fwmap {

/// The tree of each edge, numbered from 0: first those of forest 0, then those of forest 1, ..., within a forest
/// in the order of their first edges. `forest_of_edge` must be a partition into forests 0 .. n_forests - 1; nodes
/// without edges are in no tree. Time is almost linear in edges, memory linear.
std::vector<std::int32_t> trees_of_forests(std::int32_t n_nodes, std::span<const Edge> edges,
                                           std::span<const std::int32_t> forest_of_edge, std::int32_t n_forests);

}  // namespace fwmap
