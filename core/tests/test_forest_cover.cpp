// Tests of the minimum forest cover and of the parts it is made of.
//
// The full-size grid is tested with the argument --large, or with FWMAP_LARGE_TESTS set to 1.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "graph/disjoint_sets.hpp"
#include "graph/forest_cover.hpp"
#include "graph/forest_filling.hpp"
#include "graph/forest_partition.hpp"
#include "graph/incidence.hpp"
#include "graph/orientation.hpp"
#include "graph/peeling.hpp"
#include "graph/tree_joining.hpp"
#include "graphs.hpp"

namespace {

using fwmap::DisjointSets;
using fwmap::Edge;
using fwmap::ForestCover;
using fwmap::kNone;
using fwmap::Numbered;
using namespace fwmap::test;

bool large = false;

// ---- what must hold --------------------------------------------------------------------------------------

/// Nash-Williams: the maximum of ceil(m(S) / (|S| - 1)) over all sets S of at least two nodes.
std::int32_t brute_force_arboricity(const Graph& graph) {
  std::int32_t arboricity = 0;
  for (std::uint32_t set = 0; set < 1u << graph.n_nodes; ++set) {
    const std::int32_t forest_size = std::popcount(set) - 1;
    if (forest_size < 1) continue;
    std::int32_t n_edges = 0;
    for (const auto& [u, v] : graph.edges) n_edges += (set >> u & set >> v & 1) != 0 ? 1 : 0;
    arboricity = std::max(arboricity, (n_edges + forest_size - 1) / forest_size);
  }
  return arboricity;
}

/// Every edge is in a forest, no class holds a cycle or is empty.
bool is_forest_cover(const Graph& graph, const ForestCover& cover) {
  if (cover.forest_of_edge.size() != graph.edges.size()) return false;
  std::vector<std::vector<Edge>> forests(static_cast<std::size_t>(cover.n_forests));
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if (cover.forest_of_edge[e] < 0 || cover.forest_of_edge[e] >= cover.n_forests) return false;
    forests[static_cast<std::size_t>(cover.forest_of_edge[e])].push_back(graph.edges[e]);
  }
  DisjointSets trees(graph.n_nodes);
  for (const std::vector<Edge>& forest : forests) {
    if (forest.empty()) return false;
    trees.separate();
    for (const auto& [u, v] : forest) {
      if (!trees.join(u, v)) return false;
    }
  }
  return true;
}

/// Each forest connects what the later ones connect.
bool early_forests_are_full(const Graph& graph, const ForestCover& cover) {
  DisjointSets trees(graph.n_nodes);
  for (std::int32_t forest = 0; forest < cover.n_forests; ++forest) {
    trees.separate();
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      if (cover.forest_of_edge[e] == forest) trees.join(graph.edges[e].u, graph.edges[e].v);
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const auto [u, v] = graph.edges[e];
      if (cover.forest_of_edge[e] > forest && !trees.joined(u, v)) return false;
    }
  }
  return true;
}

/// Trees of at least one edge, in all forests.
std::int32_t n_trees(const Graph& graph, const ForestCover& cover) {
  std::int32_t n = 0;
  std::vector<bool> touched(static_cast<std::size_t>(graph.n_nodes));
  for (std::int32_t forest = 0; forest < cover.n_forests; ++forest) {
    touched.assign(touched.size(), false);
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      if (cover.forest_of_edge[e] != forest) continue;
      touched[static_cast<std::size_t>(graph.edges[e].u)] = true;
      touched[static_cast<std::size_t>(graph.edges[e].v)] = true;
      --n;
    }
    n += static_cast<std::int32_t>(std::count(touched.begin(), touched.end(), true));
  }
  return n;
}

ForestCover cover_of(const Graph& graph) {
  return fwmap::minimum_forest_cover(graph.n_nodes, graph.edges);
}

/// The number of forests found, after the checks that need no knowledge of the minimum.
std::int32_t checked_size(const Graph& graph) {
  const ForestCover cover = cover_of(graph);
  CHECK(is_forest_cover(graph, cover));
  CHECK(early_forests_are_full(graph, cover));
  return cover.n_forests;
}

// ---- tests: known arboricities ---------------------------------------------------------------------------

void a_graph_without_edges_needs_no_forest() {
  CHECK(checked_size({0, {}}) == 0);
  CHECK(checked_size({1, {}}) == 0);
  CHECK(checked_size({5, {}}) == 0);
}

void a_tree_is_its_own_cover() {
  Generator generator(1);
  CHECK(checked_size({2, {{0, 1}}}) == 1);
  for (const std::int32_t n : {2, 3, 10, 1000}) {
    CHECK(checked_size(union_of_random_trees(n, 1, generator)) == 1);
  }
}

void a_long_path_is_handled_without_recursion() {
  Graph path{200000, {}};
  for (std::int32_t u = 0; u + 1 < path.n_nodes; ++u) path.edges.push_back({u, u + 1});
  CHECK(checked_size(path) == 1);
  path.edges.push_back({path.n_nodes - 1, 0});
  CHECK(checked_size(path) == 2);
}

void parallel_edges_go_to_different_forests() {
  Graph graph{2, {}};
  for (std::int32_t n = 1; n <= 6; ++n) {
    graph.edges.push_back(n % 2 == 0 ? Edge{0, 1} : Edge{1, 0});
    CHECK(checked_size(graph) == n);
  }
}

void isolated_nodes_and_several_components_do_no_harm() {
  Generator generator(2);
  Graph graph = joined({3, {}}, complete_graph(5), 0, generator);
  graph = joined(std::move(graph), {4, {}}, 0, generator);
  graph = joined(std::move(graph), grid(4, 4), 0, generator);
  CHECK(checked_size(graph) == 3);
  CHECK(checked_size(joined(complete_graph(4), complete_graph(4), 0, generator)) == 2);
}

void complete_graphs_need_half_as_many_forests_as_nodes() {
  for (std::int32_t n = 2; n <= 40; ++n) CHECK(checked_size(complete_graph(n)) == (n + 1) / 2);
  CHECK(checked_size(complete_graph(60)) == 30);
}

void complete_bipartite_graphs_and_hypercubes_need_what_their_density_asks() {
  for (std::int32_t a = 1; a <= 8; ++a) {
    for (std::int32_t b = a; b <= 20; ++b) {
      CHECK(checked_size(complete_bipartite_graph(a, b)) == (a * b + a + b - 2) / (a + b - 1));
    }
  }
  for (std::int32_t d = 1; d <= 8; ++d) CHECK(checked_size(hypercube(d)) == d / 2 + 1);
}

void grids_need_2_and_3_and_4_forests() {
  const std::int32_t size = large ? 1024 : 128;
  CHECK(checked_size(grid(size, size)) == 2);
  CHECK(checked_size(grid(size, size, Border::kRing)) == 2);
  CHECK(checked_size(grid(size / 2, size / 2, Border::kOpen, true)) == 4);
  CHECK(checked_size(grid_3d(large ? 64 : 16)) == 3);
}

void wrapped_grids_need_3_forests_and_2_when_two_edges_are_missing() {
  Generator generator(3);
  for (const std::int32_t size : {3, 8, large ? 1024 : 64}) {
    Graph torus = grid(size, size, Border::kTorus);
    shuffle(torus, generator);
    CHECK(checked_size(torus) == 3);
    torus.edges.resize(torus.edges.size() - 2);
    CHECK(checked_size(torus) == 2);
  }
}

void unions_of_spanning_trees_need_no_more_forests_than_trees_and_one_more_with_another_edge() {
  Generator generator(4);
  for (const std::int32_t n_nodes : {5, 50, 2000}) {
    for (std::int32_t k = 1; k <= 6; ++k) {
      Graph graph = union_of_random_trees(n_nodes, k, generator);
      CHECK(checked_size(graph) == k);
      graph.edges.push_back({0, n_nodes - 1});
      CHECK(checked_size(graph) == k + 1);
    }
  }
}

void dense_parts_that_the_peeling_does_not_see_are_found() {
  Generator generator(5);
  for (const std::int32_t b : {12, 40, 100}) {  // with 12 there are 3 edges per node, and 3 forests fail late
    const Graph graph = graph_with_hidden_part(b, generator);
    CHECK(fwmap::forests_needed_at_least(fwmap::peel(graph.n_nodes, graph.edges)) == 3);
    CHECK(checked_size(graph) == 4);
  }
}

// ---- tests: against brute force --------------------------------------------------------------------------

void all_graphs_on_five_nodes_get_the_minimum() {
  const Graph all = complete_graph(5);
  for (std::uint32_t chosen = 0; chosen < 1u << all.edges.size(); ++chosen) {
    Graph graph{5, {}};
    for (std::size_t e = 0; e < all.edges.size(); ++e) {
      if ((chosen >> e & 1) != 0) graph.edges.push_back(all.edges[e]);
    }
    CHECK(checked_size(graph) == brute_force_arboricity(graph));
  }
}

void random_multigraphs_get_the_minimum() {
  Generator generator(6);
  for (int i = 0; i < 4000; ++i) {
    const std::int32_t n = 2 + below(6, generator);
    const Graph graph = random_graph(n, below(4 * n, generator), generator);
    CHECK(checked_size(graph) == brute_force_arboricity(graph));
  }
}

void random_graphs_with_a_dense_part_get_the_minimum() {
  Generator generator(7);
  for (int i = 0; i < 500; ++i) {
    const std::int32_t n = 2 + below(4, generator), rest = 2 + below(5, generator);
    const Graph dense = random_graph(n, below(3 * n, generator), generator);
    const Graph sparse = random_graph(rest, below(2 * rest, generator), generator);
    const Graph graph = joined(dense, sparse, below(6, generator), generator);
    CHECK(checked_size(graph) == brute_force_arboricity(graph));
  }
}

// ---- tests: which of the minimum covers ------------------------------------------------------------------

void the_same_graph_gives_the_same_cover() {
  Generator generator(8);
  const Graph graph = random_graph(500, 2000, generator);
  CHECK(cover_of(graph).forest_of_edge == cover_of(graph).forest_of_edge);
}

void covers_of_grids_consist_of_few_trees() {
  CHECK(n_trees(grid(100, 100), cover_of(grid(100, 100))) <= 6);
  CHECK(n_trees(grid_3d(16), cover_of(grid_3d(16))) <= 20);
  const Graph ladder = grid(2, 500, Border::kRing);
  CHECK(n_trees(ladder, cover_of(ladder)) <= 6);
}

void covers_of_random_graphs_consist_of_few_trees() {
  Generator generator(9);
  const Graph graph = random_graph(2000, 10000, generator);
  CHECK(n_trees(graph, cover_of(graph)) <= 30);
}

void a_dense_part_does_not_spread_its_forests() {
  Generator generator(10);
  const Graph graph = joined(grid(30, 30), complete_graph(30), 3, generator);
  const ForestCover cover = cover_of(graph);
  CHECK(cover.n_forests == 15);
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if (cover.forest_of_edge[e] >= 2) CHECK(std::min(graph.edges[e].u, graph.edges[e].v) >= 900);
  }
}

// ---- tests: wrong input ----------------------------------------------------------------------------------

void self_loops_and_unknown_nodes_are_refused() {
  for (const Edge edge : {Edge{1, 1}, Edge{0, 3}, Edge{-1, 0}}) {
    bool refused = false;
    try {
      cover_of({3, {{0, 1}, edge}});
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

// ---- tests: the parts ------------------------------------------------------------------------------------

void a_partition_refuses_an_edge_only_when_there_is_no_place_and_then_changes_nothing() {
  Generator generator(11);
  for (int i = 0; i < 300; ++i) {
    const std::int32_t n = 3 + below(5, generator), k = 1 + below(3, generator);
    const Graph graph = random_graph(n, k * n, generator);
    fwmap::ForestPartition partition(n, graph.edges, k);
    Graph placed{n, {}};
    for (std::int32_t e = 0; e < static_cast<std::int32_t>(graph.edges.size()); ++e) {
      std::vector<std::int32_t> before, after;
      for (std::int32_t f = 0; f < e; ++f) before.push_back(partition.forest_of(f));
      Graph with_edge = placed;
      with_edge.edges.push_back(graph.edges[static_cast<std::size_t>(e)]);
      const bool possible = brute_force_arboricity(with_edge) <= k;
      CHECK(partition.insert(e) == possible);
      if (possible) placed = with_edge;
      for (std::int32_t f = 0; f < e; ++f) after.push_back(partition.forest_of(f));
      if (!possible) CHECK(partition.forest_of(e) == kNone && before == after);
    }
  }
}

void orientations_keep_to_the_limit_or_show_a_part_that_is_too_dense() {
  Generator generator(12);
  for (int i = 0; i < 500; ++i) {
    const std::int32_t n = 2 + below(30, generator), limit = 1 + below(3, generator);
    const Graph graph = random_graph(n, below(4 * n, generator), generator);
    fwmap::Orientation orientation(n, graph.edges);
    const std::vector<std::int32_t> dense =
        fwmap::limit_out_degrees(fwmap::Incidence(n, graph.edges), limit, orientation);
    std::vector<bool> in_dense(static_cast<std::size_t>(n));
    for (const std::int32_t node : dense) in_dense[static_cast<std::size_t>(node)] = true;
    Numbered<std::int32_t> out_degree(n, 0);
    std::size_t n_dense_edges = 0;
    for (std::int32_t e = 0; e < orientation.tail.size(); ++e) {
      const auto [u, v] = graph.edges[static_cast<std::size_t>(e)];
      ++out_degree[orientation.tail[e]];
      n_dense_edges += in_dense[static_cast<std::size_t>(u)] && in_dense[static_cast<std::size_t>(v)] ? 1 : 0;
    }
    CHECK(std::equal(out_degree.begin(), out_degree.end(), orientation.out_degree.begin()));
    if (dense.empty()) {
      CHECK(*std::max_element(out_degree.begin(), out_degree.end()) <= limit);
    } else {
      CHECK(n_dense_edges > static_cast<std::size_t>(limit) * dense.size());
    }
  }
}

void the_last_nodes_of_a_peeling_are_its_cores() {
  Generator generator(13);
  const Graph graph = random_graph(200, 700, generator);
  const fwmap::PeeledGraph peeled = fwmap::peel(graph.n_nodes, graph.edges);
  for (std::int32_t limit = 0; limit < 8; ++limit) {
    const std::int32_t n = peeled.core_size(limit);
    Numbered<std::int32_t> degree(n, 0);
    for (const auto& [u, v] : peeled.edges_among(n)) {
      ++degree[u];
      ++degree[v];
    }
    CHECK(std::all_of(degree.begin(), degree.end(), [&](std::int32_t d) { return d > limit; }));
    for (std::int32_t node = n; node < peeled.n_nodes; ++node) CHECK(peeled.n_owned(node) <= limit);
  }
}

void joining_small_trees_keeps_forests_and_their_sizes_and_makes_fewer_trees() {
  Generator generator(14);
  for (int i = 0; i < 50; ++i) {
    const Graph graph = random_graph(100, 100 + below(300, generator), generator);
    const fwmap::PeeledGraph peeled = fwmap::peel(graph.n_nodes, graph.edges);
    const Graph same{graph.n_nodes, peeled.edges};
    const std::int32_t k = peeled.n_nodes;  // more than enough
    Numbered<std::int32_t> forest_of_edge;
    for (std::int32_t node = 0; node < graph.n_nodes; ++node) {
      for (std::int32_t j = 0; j < peeled.n_owned(node); ++j) forest_of_edge.push_back(j);
    }
    fwmap::fill_early_forests(graph.n_nodes, peeled.edges, k, forest_of_edge);
    const auto cover = [&] {
      ForestCover result{0, {forest_of_edge.begin(), forest_of_edge.end()}};
      for (const std::int32_t forest : forest_of_edge) {
        result.n_forests = std::max(result.n_forests, forest + 1);
      }
      return result;
    };
    const auto sizes = [&] {
      std::vector<std::int32_t> n_edges(static_cast<std::size_t>(k));
      for (const std::int32_t forest : forest_of_edge) ++n_edges[static_cast<std::size_t>(forest)];
      return n_edges;
    };
    const std::int32_t n_trees_before = n_trees(same, cover());
    const std::vector<std::int32_t> sizes_before = sizes();
    CHECK(is_forest_cover(same, cover()));
    const bool changed = fwmap::join_small_trees(graph.n_nodes, peeled.edges, k, forest_of_edge);
    CHECK(is_forest_cover(same, cover()));
    CHECK(sizes() == sizes_before);
    CHECK(n_trees(same, cover()) <= n_trees_before);
    CHECK(changed || n_trees(same, cover()) == n_trees_before);
  }
}

const fwmap::test::Test kTests[] = {
    TEST(a_graph_without_edges_needs_no_forest),
    TEST(a_tree_is_its_own_cover),
    TEST(a_long_path_is_handled_without_recursion),
    TEST(parallel_edges_go_to_different_forests),
    TEST(isolated_nodes_and_several_components_do_no_harm),
    TEST(complete_graphs_need_half_as_many_forests_as_nodes),
    TEST(complete_bipartite_graphs_and_hypercubes_need_what_their_density_asks),
    TEST(grids_need_2_and_3_and_4_forests),
    TEST(wrapped_grids_need_3_forests_and_2_when_two_edges_are_missing),
    TEST(unions_of_spanning_trees_need_no_more_forests_than_trees_and_one_more_with_another_edge),
    TEST(dense_parts_that_the_peeling_does_not_see_are_found),
    TEST(all_graphs_on_five_nodes_get_the_minimum),
    TEST(random_multigraphs_get_the_minimum),
    TEST(random_graphs_with_a_dense_part_get_the_minimum),
    TEST(the_same_graph_gives_the_same_cover),
    TEST(covers_of_grids_consist_of_few_trees),
    TEST(covers_of_random_graphs_consist_of_few_trees),
    TEST(a_dense_part_does_not_spread_its_forests),
    TEST(self_loops_and_unknown_nodes_are_refused),
    TEST(a_partition_refuses_an_edge_only_when_there_is_no_place_and_then_changes_nothing),
    TEST(orientations_keep_to_the_limit_or_show_a_part_that_is_too_dense),
    TEST(the_last_nodes_of_a_peeling_are_its_cores),
    TEST(joining_small_trees_keeps_forests_and_their_sizes_and_makes_fewer_trees),
};

}  // namespace

int main(int n_arguments, char** arguments) {
  const char* variable = std::getenv("FWMAP_LARGE_TESTS");
  large = variable != nullptr && std::strcmp(variable, "1") == 0;
  for (int i = 1; i < n_arguments; ++i) large = large || std::strcmp(arguments[i], "--large") == 0;
  return fwmap::test::run_tests(kTests);
}
