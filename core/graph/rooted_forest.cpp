#include "graph/rooted_forest.hpp"

#include <utility>

namespace fwmap {

RootedForest::RootedForest(std::int32_t n_nodes, std::span<const Edge> edges)
    : edges_(edges), up_(n_nodes), trees_(n_nodes) {}

/// Gives `node` a new parent and turns the path from it to `last`, one of its ancestors, upside down.
/// `last` loses its old parent.
void RootedForest::hang(std::int32_t node, std::int32_t last, Up up) {
  for (;;) {
    const Up old = std::exchange(up_[node], up);
    if (node == last) return;
    up = {node, old.edge};
    node = old.parent;
  }
}

void RootedForest::link(std::int32_t edge) {
  auto [below, above] = ends(edge);
  if (trees_.size(below) > trees_.size(above)) std::swap(below, above);
  std::int32_t root = below;
  while (parent(root) != kNone) root = parent(root);
  hang(below, root, {above, edge});
  trees_.join(below, above);
  ++n_edges_;
}

void RootedForest::exchange(std::int32_t removed, std::int32_t added) {
  const Edge& cut = ends(removed);
  const std::int32_t child = edge_to_parent(cut.u) == removed ? cut.u : cut.v;
  // One end of the added edge is below `child`. The two climb in step, so that the end on the other side
  // costs no more than the one that arrives.
  const auto [u, v] = ends(added);
  std::int32_t above_u = u, above_v = v;
  while (above_u != child && above_v != child) {
    if (above_u != kNone) above_u = parent(above_u);
    if (above_v != kNone) above_v = parent(above_v);
  }
  if (above_u == child) {
    hang(u, child, {v, added});
  } else {
    hang(v, child, {u, added});
  }
}

}  // namespace fwmap
