#pragma once
// Graphs with known covers, and random ones that are the same everywhere.

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "graph/disjoint_sets.hpp"
#include "graph/edge.hpp"

namespace fwmap::test {

struct Graph {
  std::int32_t n_nodes = 0;
  std::vector<Edge> edges;
};

using Generator = std::mt19937;  // its numbers are the same everywhere, those of distributions are not

inline std::int32_t below(std::int32_t n, Generator& generator) {
  return static_cast<std::int32_t>(generator() % static_cast<std::uint32_t>(n));
}

inline Graph complete_graph(std::int32_t n) {
  Graph graph{n, {}};
  for (std::int32_t u = 0; u < n; ++u) {
    for (std::int32_t v = u + 1; v < n; ++v) graph.edges.push_back({u, v});
  }
  return graph;
}

inline Graph complete_bipartite_graph(std::int32_t a, std::int32_t b) {
  Graph graph{a + b, {}};
  for (std::int32_t u = 0; u < a; ++u) {
    for (std::int32_t v = 0; v < b; ++v) graph.edges.push_back({u, a + v});
  }
  return graph;
}

inline Graph hypercube(std::int32_t dimension) {
  Graph graph{1 << dimension, {}};
  for (std::int32_t u = 0; u < graph.n_nodes; ++u) {
    for (std::int32_t d = 0; d < dimension; ++d) {
      if ((u >> d & 1) == 0) graph.edges.push_back({u, u | 1 << d});
    }
  }
  return graph;
}

enum class Border { kOpen, kRing, kTorus };  // a ring is closed from left to right, a torus also up and down

inline Graph grid(std::int32_t height, std::int32_t width, Border border = Border::kOpen, bool diagonals = false) {
  Graph graph{height * width, {}};
  const auto add = [&](std::int32_t y, std::int32_t x, std::int32_t to_y, std::int32_t to_x) {
    if (to_y == height && border != Border::kTorus) return;
    if ((to_x == width || to_x < 0) && border == Border::kOpen) return;
    graph.edges.push_back({y * width + x, (to_y % height) * width + (to_x + width) % width});
  };
  for (std::int32_t y = 0; y < height; ++y) {
    for (std::int32_t x = 0; x < width; ++x) {
      add(y, x, y, x + 1);
      add(y, x, y + 1, x);
      if (diagonals) add(y, x, y + 1, x + 1);
      if (diagonals) add(y, x, y + 1, x - 1);
    }
  }
  return graph;
}

inline Graph grid_3d(std::int32_t size) {
  Graph graph{size * size * size, {}};
  for (std::int32_t node = 0; node < graph.n_nodes; ++node) {
    if (node % size + 1 < size) graph.edges.push_back({node, node + 1});
    if (node / size % size + 1 < size) graph.edges.push_back({node, node + size});
    if (node / size / size + 1 < size) graph.edges.push_back({node, node + size * size});
  }
  return graph;
}

/// Parallel edges included.
inline Graph random_graph(std::int32_t n_nodes, std::int32_t n_edges, Generator& generator) {
  Graph graph{n_nodes, {}};
  while (static_cast<std::int32_t>(graph.edges.size()) < n_edges) {
    const Edge edge{below(n_nodes, generator), below(n_nodes, generator)};
    if (edge.u != edge.v) graph.edges.push_back(edge);
  }
  return graph;
}

void shuffle(Graph& graph, Generator& generator) {
  std::vector<std::int32_t> name(static_cast<std::size_t>(graph.n_nodes));
  for (std::int32_t i = 0; i < graph.n_nodes; ++i) {
    const std::int32_t j = below(i + 1, generator);
    name[static_cast<std::size_t>(i)] = name[static_cast<std::size_t>(j)];
    name[static_cast<std::size_t>(j)] = i;
  }
  for (Edge& edge : graph.edges) {
    edge = {name[static_cast<std::size_t>(edge.u)], name[static_cast<std::size_t>(edge.v)]};
  }
  for (std::size_t i = graph.edges.size(); i > 1; --i) {
    std::swap(graph.edges[i - 1], graph.edges[generator() % i]);
  }
}

/// A union of spanning trees: with this number of forests there is no edge to spare.
inline Graph union_of_random_trees(std::int32_t n_nodes, std::int32_t n_trees, Generator& generator) {
  Graph graph{n_nodes, {}};
  for (std::int32_t i = 0; i < n_trees; ++i) {
    for (std::int32_t node = 1; node < n_nodes; ++node) graph.edges.push_back({node, below(node, generator)});
    shuffle(graph, generator);
  }
  return graph;
}

/// Both graphs side by side, with edges from random nodes of one to random nodes of the other.
inline Graph joined(Graph a, const Graph& b, std::int32_t n_links, Generator& generator) {
  for (const auto& [u, v] : b.edges) a.edges.push_back({a.n_nodes + u, a.n_nodes + v});
  for (std::int32_t i = 0; i < n_links; ++i) {
    a.edges.push_back({below(a.n_nodes, generator), a.n_nodes + below(b.n_nodes, generator)});
  }
  a.n_nodes += b.n_nodes;
  return a;
}

/// K(4,b), whose nodes of degree 4 are peeled off first, in a graph that is less dense but where all degrees
/// are higher.
inline Graph graph_with_hidden_part(std::int32_t b, Generator& generator) {
  Graph graph{300, {}};
  for (const std::int32_t step : {1, 7}) {
    for (std::int32_t u = 0; u < 300; ++u) graph.edges.push_back({u, (u + step) % 300});
  }
  for (std::int32_t u = 0; u < 150; ++u) graph.edges.push_back({u, u + 150});
  Graph all = joined(std::move(graph), complete_bipartite_graph(4, b), 0, generator);
  for (std::int32_t u = 0; u < 4; ++u) all.edges.push_back({u, 300 + u});
  return all;
}

}  // namespace fwmap::test
