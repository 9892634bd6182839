#pragma once
// Matroid partition for forests: edges enter one by one, and those already in place give way.

#include <cstdint>
#include <span>
#include <vector>

#include "graph/edge.hpp"
#include "graph/numbered.hpp"
#include "graph/rooted_forest.hpp"

namespace fwmap {

/// Edge-disjoint forests on the same nodes, and the search for a place for one more edge
/// (Gabow and Westermann, "Forests, frames, and games", Algorithmica 7, 1992).
///
/// `edges` must outlive the object, have no self-loops, and is only read.
class ForestPartition {
 public:
  ForestPartition(std::int32_t n_nodes, std::span<const Edge> edges, std::int32_t n_forests);

  std::int32_t n_forests() const { return static_cast<std::int32_t>(forests_.size()); }

  /// The forest of each edge, kNone for an edge that is in none.
  const Numbered<std::int32_t>& forest_of_edge() const { return forest_of_edge_; }

  void add_forest();

  /// Puts an edge that is in no forest into the first one where it joins two trees. Returns false where
  /// there is none.
  bool place(std::int32_t edge);
  bool place_in(std::int32_t edge, std::int32_t forest);
  void place_all(std::span<const std::int32_t> edges, std::vector<std::int32_t>& rest);

  /// Puts an edge that is in no forest into one of them, moving others to other forests where that
  /// helps. Returns false where this is impossible: then the edge and those in the forests contain a
  /// subgraph with more edges than n_forests() forests have on its nodes, and nothing has changed.
  ///
  /// The search spreads from the edge over the paths that it and the edges reached close in the forests; it takes
  /// time in proportion to what it reaches, O(edges in the forests) at most.
  bool insert(std::int32_t edge);

  struct Stats { long searches = 0, reached = 0, steps = 0, moves = 0; long maxreach = 0; } stats;

 private:
  /// The part of a forest that the current search has reached: a connected subtree.
  struct Reached {
    Numbered<std::int32_t> search;  ///< of each node: the last search that reached it
    std::int32_t top = kNone;       ///< the node of the subtree next to the root
  };

  const Edge& ends(std::int32_t edge) const { return edges_[static_cast<std::size_t>(edge)]; }
  bool scan(std::int32_t edge, std::int32_t forest);
  void find_path(std::int32_t outside, std::int32_t forest);
  std::int32_t forest_joined_by(std::int32_t edge);
  void move_along(std::int32_t edge, std::int32_t target);

  std::span<const Edge> edges_;
  std::int32_t n_nodes_;
  std::vector<RootedForest> forests_;
  Numbered<std::int32_t> forest_of_edge_;

  std::int32_t search_ = 0;
  Numbered<Reached> reached_;
  Numbered<std::int32_t> reached_from_;
  std::vector<std::int32_t> queue_;
  std::vector<std::int32_t> path_, climb_;
  Numbered<char> mark_;
};

}  // namespace fwmap
