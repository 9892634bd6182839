#pragma once
// Taking a graph apart node by node, always at a node of smallest degree.

#include <cstdint>
#include <span>
#include <vector>

#include "graph/edge.hpp"
#include "graph/numbered.hpp"

namespace fwmap {

/// A graph whose nodes are numbered against the order in which they were removed: 0 is the last one.
///
/// An edge is owned by that of its ends which was removed first, and listed as {owner, other end}, so that
/// u > v. The edges are ordered by their owners: the nodes below n induce the graph that was left when there
/// were n nodes, and its edges are the first ones of the list.
struct PeeledGraph {
  std::int32_t n_nodes = 0;
  std::vector<Edge> edges;
  std::vector<std::int32_t> original_edge;  ///< of each edge: its number in the graph that was peeled
  Numbered<std::int32_t> first_owned;       ///< of each node, and of n_nodes: the first edge it owns

  std::int32_t n_owned(std::int32_t node) const { return first_owned[node + 1] - first_owned[node]; }

  /// The edges of the graph that the nodes below n_left induce.
  std::span<const Edge> edges_among(std::int32_t n_left) const {
    return std::span(edges).first(static_cast<std::size_t>(first_owned[n_left]));
  }

  /// The smallest n such that no node from n on owns more than `limit` edges. The nodes below it all have
  /// more than `limit` edges among themselves.
  std::int32_t core_size(std::int32_t limit) const;
};

/// Removes a node of smallest degree, of several the one that has had this degree for longest, until none is
/// left. O(n_nodes + edges.size()).
PeeledGraph peel(std::int32_t n_nodes, std::span<const Edge> edges);

/// The largest ceil(edges / (nodes - 1)) over the connected components of all graphs that were left in the
/// course of the peeling; 0 without edges. No fewer forests cover the graph (Nash-Williams), and twice as
/// many do. O(n_nodes + edges), almost.
std::int32_t forests_needed_at_least(const PeeledGraph& graph);

}  // namespace fwmap
