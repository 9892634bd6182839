#include "graph/forest_trees.hpp"

#include "graph/disjoint_sets.hpp"
#include "graph/numbered.hpp"

namespace fwmap {

std::vector<std::int32_t> trees_of_forests(std::int32_t n_nodes, std::span<const Edge> edges,
                                           std::span<const std::int32_t> forest_of_edge, std::int32_t n_forests) {
  std::vector<std::vector<std::size_t>> edges_of(static_cast<std::size_t>(n_forests));
  for (std::size_t e = 0; e < edges.size(); ++e) edges_of[static_cast<std::size_t>(forest_of_edge[e])].push_back(e);
  std::vector<std::int32_t> tree_of_edge(edges.size());
  DisjointSets sets(n_nodes);
  Numbered<std::int32_t> tree_of_set(n_nodes, kNone);
  std::int32_t n_trees = 0;
  for (const std::vector<std::size_t>& members : edges_of) {
    for (const std::size_t e : members) sets.join(edges[e].u, edges[e].v);
    for (const std::size_t e : members) {
      std::int32_t& tree = tree_of_set[sets.find(edges[e].u)];
      if (tree == kNone) tree = n_trees++;
      tree_of_edge[e] = tree;
    }
    sets.separate();
    tree_of_set.fill(kNone);
  }
  return tree_of_edge;
}

}  // namespace fwmap
