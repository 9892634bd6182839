#pragma once
// For each node the edges that end there.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/edge.hpp"
#include "graph/numbered.hpp"

namespace fwmap {

/// An edge as seen from one of its ends.
struct Incident {
  std::int32_t neighbour;  ///< the node at the other end
  std::int32_t edge;
};

/// The incident edges of all nodes, in one array; those of a node ascend by their number.
class Incidence {
 public:
  /// O(n_nodes + edges.size()).
  Incidence(std::int32_t n_nodes, std::span<const Edge> edges);

  std::int32_t n_nodes() const { return first_.size() - 1; }
  std::size_t n_ends() const { return ends_.size(); }

  std::span<const Incident> at(std::int32_t node) const {
    return std::span(ends_).subspan(first_[node], first_[node + 1] - first_[node]);
  }
  std::int32_t degree(std::int32_t node) const { return static_cast<std::int32_t>(at(node).size()); }

 private:
  Numbered<std::size_t> first_;  ///< position of a node's first end in `ends_`
  std::vector<Incident> ends_;
};

}  // namespace fwmap
