#include "graph/incidence.hpp"

namespace fwmap {

Incidence::Incidence(std::int32_t n_nodes, std::span<const Edge> edges)
    : first_(n_nodes + 1, 0), ends_(2 * edges.size()) {
  for (const Edge& edge : edges) {
    ++first_[edge.u];
    ++first_[edge.v];
  }
  std::size_t sum = 0;
  for (std::size_t& first : first_) first = sum += first;
  // Each entry is now the end of its node's range; filling from the back moves it to the beginning.
  for (std::size_t e = edges.size(); e-- > 0;) {
    const auto [u, v] = edges[e];
    ends_[--first_[u]] = {v, static_cast<std::int32_t>(e)};
    ends_[--first_[v]] = {u, static_cast<std::int32_t>(e)};
  }
}

}  // namespace fwmap
