#pragma once
// Exchanging edges between forests, so that these consist of fewer trees.

#include <cstdint>
#include <span>

#include "graph/edge.hpp"
#include "graph/numbered.hpp"

namespace fwmap {

/// Takes small trees of the later forests apart: an edge at a leaf goes into an earlier forest, in exchange
/// for one from the path that it closes there, which lengthens or joins other trees of the later forest. The
/// number of edges of each forest stays the same; the number of nodes that a forest touches falls with that
/// of its trees. Returns whether anything was changed.
///
/// Expects what `fill_early_forests` leaves, which need not hold afterwards. A local search that ends after
/// O(n_nodes + edges) steps, found or not; memory in proportion to the same.
bool join_small_trees(std::int32_t n_nodes, std::span<const Edge> edges, std::int32_t n_forests,
                      Numbered<std::int32_t>& forest_of_edge);

}  // namespace fwmap
