#include "graph/forest_filling.hpp"

#include <cstddef>
#include <vector>

#include "graph/disjoint_sets.hpp"
#include "graph/spanning_forest.hpp"

namespace fwmap {

namespace {

class ForestFilling {
 public:
  ForestFilling(std::int32_t n_nodes, std::span<const Edge> edges, std::int32_t n_forests,
                Numbered<std::int32_t>& forest_of_edge);

  std::size_t n_edges(std::int32_t forest) const { return members_[forest].size(); }
  void pass(std::int32_t forest) {
    for (const std::int32_t e : members_[forest]) take_off(e);
  }
  void fill(std::int32_t forest);

 private:
  const Edge& ends(std::int32_t edge) const { return edges_[static_cast<std::size_t>(edge)]; }
  void take_off(std::int32_t edge);

  std::span<const Edge> edges_;
  Numbered<std::int32_t>& forest_of_edge_;
  Numbered<std::vector<std::int32_t>> members_;  ///< the edges of each forest
  Numbered<std::int32_t> n_later_;  ///< of each node: its edges in forests after those passed
  DisjointSets trees_;
  std::vector<std::int32_t> candidates_;
};

ForestFilling::ForestFilling(std::int32_t n_nodes, std::span<const Edge> edges, std::int32_t n_forests,
                             Numbered<std::int32_t>& forest_of_edge)
    : edges_(edges), forest_of_edge_(forest_of_edge), members_(n_forests), n_later_(n_nodes, 0),
      trees_(n_nodes) {
  for (std::int32_t e = 0; e < forest_of_edge_.size(); ++e) {
    members_[forest_of_edge_[e]].push_back(e);
    ++n_later_[ends(e).u];
    ++n_later_[ends(e).v];
  }
}

void ForestFilling::take_off(std::int32_t edge) {
  --n_later_[ends(edge).u];
  --n_later_[ends(edge).v];
}

/// Moves edges from later forests to one that has been passed, until it has room for none of them.
void ForestFilling::fill(std::int32_t forest) {
  trees_.separate();
  for (const std::int32_t e : members_[forest]) trees_.join(ends(e).u, ends(e).v);
  candidates_.clear();
  for (std::int32_t later = forest + 1; later < members_.size(); ++later) {
    for (const std::int32_t e : members_[later]) {
      if (!trees_.joined(ends(e).u, ends(e).v)) candidates_.push_back(e);
    }
  }
  if (candidates_.empty()) return;
  // First the edges that are alone at both of their ends, then those alone at one, then the rest.
  for (int n_lone_ends = 2; n_lone_ends >= 0; --n_lone_ends) {
    for (const std::int32_t e : candidates_) {
      const auto [u, v] = ends(e);
      if ((n_later_[u] == 1) + (n_later_[v] == 1) < n_lone_ends || !trees_.join(u, v)) continue;
      forest_of_edge_[e] = forest;
      members_[forest].push_back(e);
      take_off(e);
    }
  }
  for (std::int32_t later = forest + 1; later < members_.size(); ++later) {
    std::erase_if(members_[later], [&](std::int32_t e) { return forest_of_edge_[e] == forest; });
  }
}

}  // namespace

void fill_early_forests(std::int32_t n_nodes, std::span<const Edge> edges, std::int32_t n_forests,
                        Numbered<std::int32_t>& forest_of_edge) {
  ForestFilling filling(n_nodes, edges, n_forests, forest_of_edge);
  // A forest that is full spans all that it and the later ones connect: none of these can have more edges.
  auto limit = static_cast<std::size_t>(n_edges_of_spanning_forest(n_nodes, edges));
  for (std::int32_t forest = 0; forest < n_forests; ++forest) {
    filling.pass(forest);
    if (filling.n_edges(forest) < limit) filling.fill(forest);
    limit = filling.n_edges(forest);
  }
}

}  // namespace fwmap
