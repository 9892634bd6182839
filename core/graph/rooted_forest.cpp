#include "graph/rooted_forest.hpp"

#include <utility>

namespace fwmap {

/// The end of an edge of the forest from which it leads to the parent.
std::int32_t RootedForest::child_end(std::int32_t edge) const {
  const auto [u, v] = ends(edge);
  return edge_to_parent(u) == edge ? u : v;
}

/// Gives `node` a new parent and turns the path from it up to `top` around; `top` loses its parent.
void RootedForest::hang(std::int32_t node, std::int32_t top, Up up) {
  for (;;) {
    const Up old = std::exchange(up_[node], up);
    if (node == top) return;
    up = {node, old.edge};
    node = old.parent;
  }
}

void RootedForest::link(std::int32_t edge, std::int32_t below) {
  std::int32_t root = below;
  while (parent(root) != kNone) root = parent(root);
  hang(below, root, {ends(edge).other_end(below), edge});
}

void RootedForest::cut(std::int32_t edge) { up_[child_end(edge)] = {}; }

void RootedForest::exchange(std::int32_t removed, std::int32_t added) {
  const std::int32_t child = child_end(removed);
  // One end of the added edge is below `child`. Both climb in step, so that the one on the other side makes
  // no more steps than the one that arrives.
  const auto [u, v] = ends(added);
  std::int32_t over_u = u, over_v = v;
  while (over_u != child && over_v != child) {
    if (over_u != kNone) over_u = parent(over_u);
    if (over_v != kNone) over_v = parent(over_v);
  }
  const std::int32_t below = over_u == child ? u : v;
  hang(below, child, {below == u ? v : u, added});
}

}  // namespace fwmap
