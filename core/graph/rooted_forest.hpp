#pragma once
// A forest that changes edge by edge, each change with work in proportion to the path that it touches.

#include <cstdint>
#include <span>

#include "graph/edge.hpp"
#include "graph/numbered.hpp"

namespace fwmap {

/// A forest in which every node but the roots knows its parent and the edge to it. Any node may be a root.
///
/// Edges are given by number; their ends are looked up in `edges`, which must outlive the forest. Which nodes
/// are in one tree is for the caller to know.
class RootedForest {
 public:
  RootedForest(std::int32_t n_nodes, std::span<const Edge> edges) : edges_(edges), up_(n_nodes) {}

  std::int32_t parent(std::int32_t node) const { return up_[node].parent; }
  std::int32_t edge_to_parent(std::int32_t node) const { return up_[node].edge; }

  /// Adds an edge between two trees, of which that of `below`, an end of the edge, gets a new root. Takes
  /// the depth of `below`.
  void link(std::int32_t edge, std::int32_t below);

  /// Removes an edge. O(1).
  void cut(std::int32_t edge);

  /// Removes an edge and adds another one, whose ends the path over the removed one connects. Takes the
  /// length of this path.
  void exchange(std::int32_t removed, std::int32_t added);

 private:
  struct Up {
    std::int32_t parent = kNone, edge = kNone;
  };

  const Edge& ends(std::int32_t edge) const { return edges_[static_cast<std::size_t>(edge)]; }
  std::int32_t child_end(std::int32_t edge) const;
  void hang(std::int32_t node, std::int32_t top, Up up);

  std::span<const Edge> edges_;
  Numbered<Up> up_;
};

}  // namespace fwmap
