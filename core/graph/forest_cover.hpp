#pragma once
// Covering the edges of a graph with as few forests as possible.

#include <cstdint>
#include <span>
#include <vector>

#include "graph/edge.hpp"

namespace fwmap {

/// A partition of the edges of a graph into forests, numbered from 0 to n_forests - 1.
struct ForestCover {
  std::int32_t n_forests = 0;
  std::vector<std::int32_t> forest_of_edge;
};

/// Covers the edges of a graph with the smallest number of forests, its arboricity: the maximum of
/// ceil(m(S) / (|S| - 1)) over all sets S of two nodes or more, where m(S) counts the edges within S
/// (C. St. J. A. Nash-Williams, "Decomposition of finite graphs into forests", 1964).
///
/// Edges may be parallel, the graph need not be connected, and nodes need not have edges. Without edges there
/// are 0 forests. Throws std::invalid_argument for an edge from a node to itself, which no forest holds, or
/// to a node that is not in 0 .. n_nodes - 1.
///
/// Each forest has one tree on each connected component, but for single nodes, of the graph without the
/// earlier forests' edges: the first one spans the graph, and the later ones are where the graph is dense.
/// Among such covers the function looks for one with few trees, and so with few nodes in the later forests;
/// that part is a heuristic.
///
/// The same arguments always give the same result. Time is almost linear in nodes and edges on sparse
/// graphs known from practice, and polynomial always (Gabow and Westermann 1992); memory is linear.
ForestCover minimum_forest_cover(std::int32_t n_nodes, std::span<const Edge> edges);

}  // namespace fwmap
