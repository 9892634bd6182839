#pragma once
// Sets of nodes that only ever merge: union by size with path halving.

#include <cstdint>
#include <utility>

#include "graph/numbered.hpp"

namespace fwmap {

/// A partition of the nodes 0 .. n_nodes - 1, at first into single nodes. Every operation takes almost
/// constant time, amortised.
class DisjointSets {
 public:
  explicit DisjointSets(std::int32_t n_nodes = 0) : link_(n_nodes, -1) {}

  /// The node that stands for the set of `node`; equal for two nodes just if they are in one set.
  std::int32_t find(std::int32_t node) {
    while (link_[node] >= 0) {
      const std::int32_t above = link_[node];
      if (link_[above] < 0) return above;
      node = link_[node] = link_[above];
    }
    return node;
  }

  bool joined(std::int32_t u, std::int32_t v) { return find(u) == find(v); }

  /// Number of nodes in the set of `node`.
  std::int32_t size(std::int32_t node) { return -link_[find(node)]; }

  /// Merges the sets of u and v. Returns false where they were one set already.
  bool join(std::int32_t u, std::int32_t v) {
    u = find(u);
    v = find(v);
    if (u == v) return false;
    if (link_[u] > link_[v]) std::swap(u, v);
    link_[u] += link_[v];
    link_[v] = u;
    return true;
  }

  /// Makes each set a single node again.
  void separate() { link_.vector().assign(link_.vector().size(), -1); }

 private:
  Numbered<std::int32_t> link_;  ///< the node above; at the top: minus the size of the set
};

}  // namespace fwmap
