#include "graph/forest_cover.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "graph/forest_filling.hpp"
#include "graph/forest_partition.hpp"
#include "graph/incidence.hpp"
#include "graph/numbered.hpp"
#include "graph/orientation.hpp"
#include "graph/peeling.hpp"
#include "graph/tree_joining.hpp"

namespace fwmap {

namespace {

void check(std::int32_t n_nodes, std::span<const Edge> edges) {
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [u, v] = edges[e];
    if (u >= 0 && v >= 0 && u < n_nodes && v < n_nodes && u != v) continue;
    throw std::invalid_argument("edge " + std::to_string(e) + " joins nodes " + std::to_string(u) + " and " +
                                std::to_string(v) + "; expected two different nodes of 0 .. " +
                                std::to_string(n_nodes - 1));
  }
}

class CoverBuilder {
 public:
  CoverBuilder(std::int32_t n_nodes, std::span<const Edge> edges)
      : graph_(peel(n_nodes, edges)), forest_of_edge_(static_cast<std::int32_t>(edges.size()), kNone),
        n_forests_at_(n_nodes, 0) {}

  ForestCover build();

 private:
  const Edge& ends(std::int32_t edge) const { return graph_.edges[static_cast<std::size_t>(edge)]; }
  void cover_core(std::int32_t n_core);
  void cover_rest(std::int32_t n_core);
  void sort_by_use(std::int32_t node, std::vector<std::int32_t>& edges) const;
  void assign(std::int32_t edge, std::int32_t forest);

  PeeledGraph graph_;
  std::int32_t n_forests_ = 0;
  Numbered<std::int32_t> forest_of_edge_;
  Numbered<std::int32_t> n_forests_at_;  ///< of each node: number of forests up to the last that touches it
};

void CoverBuilder::assign(std::int32_t edge, std::int32_t forest) {
  forest_of_edge_[edge] = forest;
  for (const std::int32_t node : {ends(edge).u, ends(edge).v}) {
    n_forests_at_[node] = std::max(n_forests_at_[node], forest + 1);
  }
}

/// Orders edges of a node by the forests at their other ends: distributed in this order, the edges in late
/// forests lead to nodes which are in these forests already, and start no new trees there.
void CoverBuilder::sort_by_use(std::int32_t node, std::vector<std::int32_t>& edges) const {
  std::sort(edges.begin(), edges.end(), [&](std::int32_t a, std::int32_t b) {
    const std::int32_t at_a = n_forests_at_[ends(a).other_end(node)];
    const std::int32_t at_b = n_forests_at_[ends(b).other_end(node)];
    return at_a != at_b ? at_a < at_b : a < b;
  });
}

/// Covers the edges among the first nodes, of which each has more than n_forests_ of them. Increases
/// n_forests_ where too few forests are a contradiction.
///
/// A forest with its trees rooted has one edge from each node but the roots to its parent; so where k forests
/// suffice, the edges can be directed so that at most k leave each node. Finding the directions first moves
/// nearly all edges where they have to be, in bulk, and shows most cases in which k is too small. Then
/// each node's leaving edges go into different forests: what goes wrong are only those that close
/// directed cycles. These edges are left to the search for augmenting paths.
void CoverBuilder::cover_core(std::int32_t n_core) {
  const std::span<const Edge> edges = graph_.edges_among(n_core);
  const Incidence incidence(n_core, edges);
  Orientation orientation(n_core, edges);
  for (;;) {
    const std::vector<std::int32_t> dense = limit_out_degrees(incidence, n_forests_, orientation);
    if (dense.empty()) break;
    std::int32_t n_edges = 0;
    for (const std::int32_t node : dense) n_edges += orientation.out_degree[node];
    const std::int32_t forest_size = static_cast<std::int32_t>(dense.size()) - 1;
    n_forests_ = 1 + (n_edges - 1) / forest_size;
  }

  ForestPartition partition(n_core, edges, n_forests_);
  std::vector<std::int32_t> leaving, left_over;
  for (std::int32_t node = 0; node < n_core; ++node) {
    leaving.clear();
    for (const Incident& incident : incidence.at(node)) {
      if (orientation.tail[incident.edge] == node) leaving.push_back(incident.edge);
    }
    sort_by_use(node, leaving);
    partition.place_apart(leaving, left_over);
    for (const std::int32_t e : leaving) {
      if (partition.forest_of(e) != kNone) assign(e, partition.forest_of(e));
    }
  }
  for (const std::int32_t e : left_over) {
    while (!partition.insert(e)) partition.add_forest();
  }
  n_forests_ = partition.n_forests();
  n_forests_at_.fill(0);
  for (std::int32_t e = 0; e < graph_.first_owned[n_core]; ++e) assign(e, partition.forest_of(e));
}

/// Covers the edges beyond the core, node by node: the next one is in no tree yet, so that its edges, which
/// are n_forests_ at most, go into any different forests.
void CoverBuilder::cover_rest(std::int32_t n_core) {
  std::vector<std::int32_t> owned;
  for (std::int32_t node = n_core; node < graph_.n_nodes; ++node) {
    owned.clear();
    for (std::int32_t e = graph_.first_owned[node]; e < graph_.first_owned[node + 1]; ++e) owned.push_back(e);
    sort_by_use(node, owned);
    std::int32_t forest = 0;
    for (const std::int32_t e : owned) assign(e, forest++);
  }
}

ForestCover CoverBuilder::build() {
  const std::int32_t n_nodes = graph_.n_nodes;
  n_forests_ = forests_needed_at_least(graph_);
  const std::int32_t n_core = graph_.core_size(n_forests_);
  if (n_core > 0) cover_core(n_core);
  cover_rest(n_core);

  fill_early_forests(n_nodes, graph_.edges, n_forests_, forest_of_edge_);
  if (join_small_trees(n_nodes, graph_.edges, n_forests_, forest_of_edge_)) {
    fill_early_forests(n_nodes, graph_.edges, n_forests_, forest_of_edge_);
  }

  ForestCover cover{n_forests_, std::vector<std::int32_t>(graph_.edges.size())};
  for (std::int32_t e = 0; e < forest_of_edge_.size(); ++e) {
    const std::int32_t original = graph_.original_edge[static_cast<std::size_t>(e)];
    cover.forest_of_edge[static_cast<std::size_t>(original)] = forest_of_edge_[e];
  }
  return cover;
}

}  // namespace

ForestCover minimum_forest_cover(std::int32_t n_nodes, std::span<const Edge> edges) {
  check(n_nodes, edges);
  return CoverBuilder(n_nodes, edges).build();
}

}  // namespace fwmap
