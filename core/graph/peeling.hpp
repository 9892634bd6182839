#pragma once
// Taking a graph apart, always at a node of smallest degree.

#include <cstdint>
#include <span>

#include "graph/edge.hpp"
#include "graph/incidence.hpp"
#include "graph/numbered.hpp"

namespace fwmap {

/// The nodes in the order in which they were removed.
///
/// An edge belongs to that of its nodes which is removed first. The nodes from a position on induce the
/// graph that was left then. Before `core_begin(k)` no removed node owned more than k edges, and at
/// `core_begin(k)` all remaining nodes had degrees above k (the (k+1)-core of the graph, maybe empty).
struct Peeling {
  Numbered<std::int32_t> order;      ///< the nodes, in order of their removal
  Numbered<std::int32_t> position;   ///< of each node in `order`
  Numbered<std::int32_t> n_owned;    ///< of each node: its degree when it was removed
  std::int32_t core_begin(std::int32_t k) const;
};

/// Removes nodes of smallest degree until none is left; of equals the one that has had this degree for
/// longest. O(nodes + edges).
Peeling peel(const Incidence& incidence);

/// The largest ceil(edges / (nodes - 1)) over the connected components of all graphs that are left in the
/// course of the peeling. No fewer forests can cover the graph (Nash-Williams 1964); at least half
/// as many as are needed. O(nodes + edges), almost.
std::int32_t forests_needed_at_least(const Peeling& peeling, const Incidence& incidence);

}  // namespace fwmap
