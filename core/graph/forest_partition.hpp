#pragma once
// Matroid partition for forests: edges enter one by one, and those in place give way.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/disjoint_sets.hpp"
#include "graph/edge.hpp"
#include "graph/numbered.hpp"
#include "graph/rooted_forest.hpp"
#include "graph/tree_path.hpp"

namespace fwmap {

/// Edge-disjoint forests on the same nodes, and the search for a place for one more edge, by cyclic scanning
/// (J. Roskind and R. E. Tarjan 1985; H. N. Gabow and H. H. Westermann, "Forests, frames, and games:
/// algorithms for matroid sums and applications", Algorithmica 7, 1992).
///
/// Nodes that a forest connects stay connected in it for ever: an edge leaves it only in exchange for one
/// that closes the gap. `edges` must outlive the object and have no self-loops.
///
/// Memory: 16 bytes for each node of each forest, 8 bytes for each edge.
class ForestPartition {
 public:
  ForestPartition(std::int32_t n_nodes, std::span<const Edge> edges, std::int32_t n_forests);

  std::int32_t n_forests() const { return layers_.size(); }

  /// The forest of an edge, kNone where it is in none.
  std::int32_t forest_of(std::int32_t edge) const { return forest_of_edge_[edge]; }

  /// Adds an empty forest.
  void add_forest();

  /// Puts edges that are in no forest into different forests, early ones first, where each joins two trees;
  /// appends those for which this does not work out to `left_over`. They should share a node.
  void place_apart(std::span<const std::int32_t> edges, std::vector<std::int32_t>& left_over);

  /// Puts an edge that is in no forest into one of them, moving others to other forests if need be.
  /// Returns false, and has changed nothing, where that is impossible: then some set of nodes has more edges
  /// than n_forests() forests can have on it.
  ///
  /// The search spreads from the edge over the paths that connect its ends, and the ends of edges reached,
  /// in other forests. It takes time in proportion to the length of these paths, times the number of
  /// forests with room; O(edges * n_forests()) at most.
  bool insert(std::int32_t edge);

 private:
  struct Layer {
    RootedForest forest;
    DisjointSets trees;
    std::int32_t n_edges;
    Numbered<std::int32_t> reached;  ///< of each node: the last search that came to it in this forest
    std::int32_t top;                ///< of the nodes that the current search has reached: next to the root
  };

  const Edge& ends(std::int32_t edge) const { return edges_[static_cast<std::size_t>(edge)]; }
  bool joins_trees(std::int32_t edge, std::int32_t forest);
  std::int32_t forest_to_join(std::int32_t edge);
  void link(std::int32_t edge, std::int32_t forest);
  bool scan(std::int32_t edge, std::int32_t forest);
  bool reach(std::int32_t edge, std::int32_t from);
  void move_along(std::int32_t edge, std::int32_t target);

  std::int32_t n_nodes_;
  std::span<const Edge> edges_;
  std::int32_t n_edges_of_full_forest_;
  Numbered<Layer> layers_;
  Numbered<std::int32_t> forest_of_edge_;
  std::vector<std::int32_t> open_;  ///< the forests that do not connect yet all that the graph connects

  std::int32_t n_searches_ = 0;
  std::vector<std::int32_t> queue_;      ///< the edges reached by the current search
  Numbered<std::int32_t> reached_from_;  ///< of each of them: the edge whose path it is on
  std::vector<std::int32_t> edge_in_;    ///< scratch of `place_apart`: what each open forest will get
  TreePath path_;
};

}  // namespace fwmap
