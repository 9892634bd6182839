#pragma once
// The path in a rooted forest that connects a node with a subtree.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graph/edge.hpp"
#include "graph/numbered.hpp"
#include "graph/rooted_forest.hpp"

namespace fwmap {

/// Finds paths and holds the last one found. Owns its scratch memory: no allocation once it is warm.
class TreePath {
 public:
  explicit TreePath(std::int32_t n_nodes) : passed_(n_nodes, Passed::kByNone) {}

  /// Finds the path to `outside` from the connected part of a tree that holds just the nodes for which
  /// `inside(node)` is true; `top` is the one of them next to the root, `outside` is none of them.
  /// Returns false where more than `limit` steps would be made or the node is in another tree.
  ///
  /// Takes twice the length of the path at most: `top` and `outside` climb in step until one of them
  /// arrives where the other one was, or `outside` arrives inside.
  template <class Inside>
  bool find(const RootedForest& forest, std::int32_t top, std::int32_t outside, Inside inside,
            std::int32_t limit = std::numeric_limits<std::int32_t>::max());

  /// The path goes from the top up over `rising` to the summit, and from there down over `falling`, read
  /// backwards, to the node outside; it consists of the edges of these nodes to their parents. Where it
  /// starts inside below the top, `rising` is empty and the summit is inside.
  const std::vector<std::int32_t>& rising() const { return rising_; }
  const std::vector<std::int32_t>& falling() const { return falling_; }
  std::int32_t summit() const { return summit_; }

 private:
  enum class Passed : char { kByNone, kByTop, kByOutside };

  /// Cuts a climb off before a node that it has passed.
  static void end_before(std::vector<std::int32_t>& climb, std::int32_t node) {
    climb.erase(std::find(climb.begin(), climb.end(), node), climb.end());
  }

  std::vector<std::int32_t> rising_, falling_;
  std::int32_t summit_ = kNone;
  Numbered<Passed> passed_;  ///< kByNone between calls
};

template <class Inside>
bool TreePath::find(const RootedForest& forest, std::int32_t top, std::int32_t outside, Inside inside,
                    std::int32_t limit) {
  rising_.assign(1, top);
  falling_.assign(1, outside);
  passed_[top] = Passed::kByTop;
  passed_[outside] = Passed::kByOutside;
  summit_ = kNone;
  bool entered = false;  // the part, other than at its top
  for (std::int32_t step = 0; step < limit && summit_ == kNone; ++step) {
    const std::int32_t over_outside = forest.parent(outside);
    if (over_outside != kNone) {
      entered = inside(over_outside);
      if (entered || passed_[over_outside] == Passed::kByTop) {
        summit_ = over_outside;
        break;
      }
      outside = over_outside;
      falling_.push_back(outside);
      passed_[outside] = Passed::kByOutside;
    }
    const std::int32_t over_top = forest.parent(top);
    if (over_top != kNone) {
      if (passed_[over_top] == Passed::kByOutside) {
        summit_ = over_top;
        break;
      }
      top = over_top;
      rising_.push_back(top);
      passed_[top] = Passed::kByTop;
    }
    if (over_outside == kNone && over_top == kNone) break;
  }
  for (const std::int32_t node : rising_) passed_[node] = Passed::kByNone;
  for (const std::int32_t node : falling_) passed_[node] = Passed::kByNone;
  if (summit_ == kNone) return false;
  if (entered) {
    rising_.clear();
  } else {
    end_before(rising_, summit_);
    end_before(falling_, summit_);
  }
  return true;
}

}  // namespace fwmap
