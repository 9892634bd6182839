#pragma once
// Moving edges to earlier forests, until each forest spans all that the later ones connect.

#include <cstdint>
#include <span>

#include "graph/edge.hpp"
#include "graph/numbered.hpp"

namespace fwmap {

/// Moves edges from later to earlier forests, as long as one joins two trees there. Afterwards each tree of a
/// forest spans a connected component of the graph without the earlier forests' edges, and the ends of an
/// edge in forest i (counted from 0) have degrees above i.
///
/// `forest_of_edge` gives each edge a forest below n_forests, and each of these is a forest; this stays so.
/// Of the edges to choose from, those go first that leave no tree, or a smaller tree, behind.
/// Takes O(n_nodes + edges), almost, for each forest that has room when its turn comes.
void fill_early_forests(std::int32_t n_nodes, std::span<const Edge> edges, std::int32_t n_forests,
                        Numbered<std::int32_t>& forest_of_edge);

}  // namespace fwmap
