#pragma once
// A forest that changes edge by edge, with work in proportion to the path an edge closes.

#include <cstdint>
#include <span>
#include <vector>

#include "graph/disjoint_sets.hpp"
#include "graph/edge.hpp"
#include "graph/numbered.hpp"

namespace fwmap {

/// A forest on numbered nodes: every node knows the edge to its parent, and the roots are anywhere.
///
/// Trees grow and are never taken apart: an edge is removed only in exchange for another one that joins
/// the two halves again. So which nodes are in one tree is known by disjoint sets.
///
/// Its edges are given by number; their ends are looked up in `edges`, which must outlive the forest.
class RootedForest {
 public:
  RootedForest(std::int32_t n_nodes, std::span<const Edge> edges);

  std::int32_t n_edges() const { return n_edges_; }
  bool joined(std::int32_t u, std::int32_t v) { return trees_.joined(u, v); }
  std::int32_t parent(std::int32_t node) const { return up_[node].parent; }
  std::int32_t edge_to_parent(std::int32_t node) const { return up_[node].edge; }

  /// Adds an edge between two trees. Takes the depth of one end in the smaller tree; O(n log n) for all
  /// edges that are ever linked.
  void link(std::int32_t edge);

  /// Replaces an edge of the forest by one outside whose path in the forest runs over it. Takes time in
  /// proportion to this path.
  void exchange(std::int32_t removed, std::int32_t added);

 private:
  struct Up {
    std::int32_t parent = kNone, edge = kNone;
  };

  const Edge& ends(std::int32_t edge) const { return edges_[static_cast<std::size_t>(edge)]; }
  void hang(std::int32_t node, std::int32_t last, Up up);

  std::span<const Edge> edges_;
  Numbered<Up> up_;
  DisjointSets trees_;
  std::int32_t n_edges_ = 0;
};

}  // namespace fwmap
