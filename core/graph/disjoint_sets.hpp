#pragma once
// Sets that only ever merge: union by size with path halving.

#include <cstdint>
#include <utility>

#include "graph/numbered.hpp"

namespace fwmap {

/// A partition of the items 0 .. n_items - 1, at first into single items. Every operation but `separate`
/// takes almost constant time, amortised.
class DisjointSets {
 public:
  explicit DisjointSets(std::int32_t n_items) : link_(n_items, -1) {}

  /// The item that stands for the set of `item`: the same for two items just if they are in one set.
  std::int32_t find(std::int32_t item) {
    while (link_[item] >= 0) {
      const std::int32_t above = link_[item];
      if (link_[above] < 0) return above;
      item = link_[item] = link_[above];
    }
    return item;
  }

  bool joined(std::int32_t a, std::int32_t b) { return find(a) == find(b); }

  /// Number of items in the set of `item`.
  std::int32_t size(std::int32_t item) { return -link_[find(item)]; }

  /// Merges the sets of a and b. Returns false where they were one set already.
  bool join(std::int32_t a, std::int32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    if (link_[a] > link_[b]) std::swap(a, b);
    link_[a] += link_[b];
    link_[b] = a;
    return true;
  }

  /// Makes each item a set of its own again. O(n_items).
  void separate() { link_.fill(-1); }

 private:
  Numbered<std::int32_t> link_;  ///< the item above; at the top: minus the size of the set
};

}  // namespace fwmap
