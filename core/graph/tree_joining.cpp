#include "graph/tree_joining.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "graph/disjoint_sets.hpp"
#include "graph/rooted_forest.hpp"
#include "graph/tree_path.hpp"
#include "poll.hpp"

namespace fwmap {

namespace {

constexpr std::size_t kSmallTree = 32;         // edges; larger trees are not taken apart
constexpr std::int32_t kPathLimit = 1000;      // steps to find a path
constexpr std::int64_t kStepsPerItem = 8;      // of all paths together, for each node and edge

/// The nodes numbered by falling degree. Those that forest i may touch have degrees above i, so they are the
/// first ones: all forests together take memory in proportion to the edges only.
struct DegreeOrder {
  std::vector<Edge> edges;
  std::vector<std::int32_t> n_nodes_above;  ///< for each i: the number of nodes of degree above i

  DegreeOrder(std::int32_t n_nodes, std::span<const Edge> original, std::int32_t n_forests);
};

DegreeOrder::DegreeOrder(std::int32_t n_nodes, std::span<const Edge> original, std::int32_t n_forests)
    : edges(original.begin(), original.end()) {
  Numbered<std::int32_t> degree(n_nodes, 0);
  for (const auto& [u, v] : original) {
    ++degree[u];
    ++degree[v];
  }
  const auto capped = [&](std::int32_t node) { return std::min(degree[node], n_forests); };
  Numbered<std::int32_t> first(n_forests + 1, 0);  // number of the first node of each degree
  for (std::int32_t node = 0; node < n_nodes; ++node) {
    if (capped(node) > 0) ++first[capped(node) - 1];
  }
  for (std::int32_t d = n_forests; d-- > 0;) first[d] += first[d + 1];
  n_nodes_above.assign(first.begin(), first.end() - 1);
  Numbered<std::int32_t> number(n_nodes);
  for (std::int32_t node = 0; node < n_nodes; ++node) number[node] = first[capped(node)]++;
  for (Edge& edge : edges) edge = {number[edge.u], number[edge.v]};
}

class TreeJoiner {
 public:
  TreeJoiner(DegreeOrder order, std::int32_t n_nodes, Numbered<std::int32_t>& forest_of_edge)
      : order_(std::move(order)), forest_of_edge_(forest_of_edge), tree_of_node_(n_nodes), degree_(n_nodes),
        trees_(0), path_(n_nodes),
        steps_left_(kStepsPerItem * (n_nodes + static_cast<std::int64_t>(order_.edges.size()))) {}

  bool run();

 private:
  /// An edge of an earlier forest that may change places with an edge at a leaf.
  struct Offer {
    std::int32_t edge = kNone, forest = kNone;
    int n_trees = 0;  ///< trees that it would touch
  };

  const Edge& ends(std::int32_t edge) const { return order_.edges[static_cast<std::size_t>(edge)]; }
  void load(const std::vector<std::int32_t>& members);
  bool take_apart(std::int32_t tree);
  Offer best_offer(std::int32_t edge, std::int32_t leaf, std::int32_t tree);
  std::int32_t tree_without(std::int32_t node, std::int32_t leaf, std::int32_t tree);
  void remove(std::int32_t edge);
  void add(std::int32_t edge);

  DegreeOrder order_;
  Numbered<std::int32_t>& forest_of_edge_;
  std::vector<RootedForest> forests_;  ///< those before the current one, and the current one

  // The current forest. Trees are known by numbers, several of them where trees have been joined.
  Numbered<std::int32_t> tree_of_node_;  ///< kNone for a node that the forest does not touch
  Numbered<std::int32_t> degree_;
  DisjointSets trees_;
  Numbered<std::vector<std::int32_t>> edges_of_tree_;

  TreePath path_;
  std::int64_t steps_left_;
  bool changed_ = false;
};

/// Makes the forest with the given edges the current one.
void TreeJoiner::load(const std::vector<std::int32_t>& members) {
  const std::int32_t n_nodes = order_.n_nodes_above[forests_.size()];
  RootedForest& forest = forests_.emplace_back(n_nodes, order_.edges);
  DisjointSets components(n_nodes);
  degree_.fill(0);
  tree_of_node_.fill(kNone);
  edges_of_tree_ = {};
  for (const std::int32_t e : members) {
    const auto [u, v] = ends(e);
    forest.link(e, components.size(u) <= components.size(v) ? u : v);
    components.join(u, v);
    ++degree_[u];
    ++degree_[v];
  }
  for (const std::int32_t e : members) {
    const std::int32_t top = components.find(ends(e).u);
    if (tree_of_node_[top] == kNone) {
      tree_of_node_[top] = edges_of_tree_.size();
      edges_of_tree_.push_back({});
    }
    const std::int32_t tree = tree_of_node_[top];
    tree_of_node_[ends(e).u] = tree_of_node_[ends(e).v] = tree;
    edges_of_tree_[tree].push_back(e);
  }
  trees_ = DisjointSets(edges_of_tree_.size());
}

bool TreeJoiner::run() {
  Numbered<std::vector<std::int32_t>> members(static_cast<std::int32_t>(order_.n_nodes_above.size()));
  for (std::int32_t e = 0; e < forest_of_edge_.size(); ++e) {
    if (forest_of_edge_[e] < members.size()) members[forest_of_edge_[e]].push_back(e);
  }
  std::vector<std::int32_t> smallest_first;
  for (const std::vector<std::int32_t>& edges : members) {
    load(edges);
    if (forests_.size() == 1) continue;
    smallest_first.clear();
    for (std::int32_t tree = 0; tree < edges_of_tree_.size(); ++tree) {
      if (edges_of_tree_[tree].size() <= kSmallTree) smallest_first.push_back(tree);
    }
    std::stable_sort(smallest_first.begin(), smallest_first.end(), [&](std::int32_t a, std::int32_t b) {
      return edges_of_tree_[a].size() < edges_of_tree_[b].size();
    });
    for (const std::int32_t tree : smallest_first) {
      while (trees_.find(tree) == tree && edges_of_tree_[tree].size() <= kSmallTree && take_apart(tree)) {
      }
    }
  }
  return changed_;
}

/// Exchanges one edge at a leaf of a tree. Returns false where none has an offer.
bool TreeJoiner::take_apart(std::int32_t tree) {
  std::vector<std::int32_t>& edges = edges_of_tree_[tree];
  for (std::size_t i = 0; i < edges.size() && steps_left_ > 0; ++i) {
    const std::int32_t edge = edges[i];
    const auto [u, v] = ends(edge);
    if (degree_[u] > 1 && degree_[v] > 1) continue;
    poll();
    const Offer offer = best_offer(edge, degree_[u] == 1 ? u : v, tree);
    if (offer.edge == kNone) continue;
    forests_[static_cast<std::size_t>(offer.forest)].exchange(offer.edge, edge);
    forest_of_edge_[offer.edge] = std::exchange(forest_of_edge_[edge], offer.forest);
    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(i));
    remove(edge);
    add(offer.edge);
    changed_ = true;
    return true;
  }
  return false;
}

/// The edge to exchange for one at a leaf of a small tree, on its path in some earlier forest: one that joins
/// two trees, or else one that touches another tree.
TreeJoiner::Offer TreeJoiner::best_offer(std::int32_t edge, std::int32_t leaf, std::int32_t tree) {
  Offer best;
  const std::int32_t n_nodes = order_.n_nodes_above[forests_.size() - 1];
  const std::int32_t other = ends(edge).other_end(leaf);
  const auto inside = [&](std::int32_t node) { return node == leaf; };
  for (std::size_t i = forests_.size() - 1; i-- > 0 && best.n_trees < 2 && steps_left_ > 0;) {
    const bool found = path_.find(forests_[i], leaf, other, inside, kPathLimit);
    steps_left_ -= static_cast<std::int64_t>(path_.rising().size() + path_.falling().size());
    if (!found) continue;
    for (const std::vector<std::int32_t>* side : {&path_.rising(), &path_.falling()}) {
      for (const std::int32_t node : *side) {
        const std::int32_t parent = forests_[i].parent(node);
        if (node >= n_nodes || parent >= n_nodes) continue;
        const std::int32_t a = tree_without(node, leaf, tree), b = tree_without(parent, leaf, tree);
        const int n_trees = (a != kNone) + (b != kNone);
        const bool touches_other = (a != kNone && a != tree) || (b != kNone && b != tree);
        if (a == b || !touches_other || n_trees <= best.n_trees) continue;
        best = {forests_[i].edge_to_parent(node), static_cast<std::int32_t>(i), n_trees};
      }
    }
  }
  return best;
}

/// The tree in which a node would be, had `tree` lost the edge at `leaf`.
std::int32_t TreeJoiner::tree_without(std::int32_t node, std::int32_t leaf, std::int32_t tree) {
  if (node == leaf || tree_of_node_[node] == kNone) return kNone;
  const std::int32_t found = trees_.find(tree_of_node_[node]);
  return found == tree && edges_of_tree_[tree].size() == 1 ? kNone : found;
}

/// Removes an edge at a leaf from the current forest, but not from its tree's list.
void TreeJoiner::remove(std::int32_t edge) {
  forests_.back().cut(edge);
  for (const std::int32_t node : {ends(edge).u, ends(edge).v}) {
    if (--degree_[node] == 0) tree_of_node_[node] = kNone;
  }
}

/// Adds an edge that touches a tree of the current forest.
void TreeJoiner::add(std::int32_t edge) {
  auto [above, below] = ends(edge);
  const auto tree_of = [&](std::int32_t node) {
    return tree_of_node_[node] == kNone ? kNone : trees_.find(tree_of_node_[node]);
  };
  const auto n_edges = [&](std::int32_t node) {
    return tree_of(node) == kNone ? std::size_t{0} : edges_of_tree_[tree_of(node)].size();
  };
  if (n_edges(above) < n_edges(below)) std::swap(above, below);
  const std::int32_t kept = tree_of(above), lost = tree_of(below);
  forests_.back().link(edge, below);
  ++degree_[above];
  ++degree_[below];
  std::vector<std::int32_t> edges = std::move(edges_of_tree_[kept]);
  edges.push_back(edge);
  std::int32_t tree = kept;
  if (lost == kNone) {
    tree_of_node_[below] = kept;
  } else {
    edges.insert(edges.end(), edges_of_tree_[lost].begin(), edges_of_tree_[lost].end());
    edges_of_tree_[lost] = {};
    trees_.join(kept, lost);
    tree = trees_.find(kept);
  }
  edges_of_tree_[tree] = std::move(edges);
}

/// The number of forests up to the last one, other than the first, that has more than one tree. A node has
/// edges in all forests up to the last one where it has any, so that nodes are easily counted.
std::int32_t n_forests_to_treat(std::int32_t n_nodes, std::span<const Edge> edges, std::int32_t n_forests,
                                const Numbered<std::int32_t>& forest_of_edge) {
  Numbered<std::int32_t> last(n_nodes, kNone);  // of each node: the last forest in which it has an edge
  Numbered<std::int32_t> n_trees(n_forests, 0);
  for (std::int32_t e = 0; e < forest_of_edge.size(); ++e) {
    const auto [u, v] = edges[static_cast<std::size_t>(e)];
    last[u] = std::max(last[u], forest_of_edge[e]);
    last[v] = std::max(last[v], forest_of_edge[e]);
    --n_trees[forest_of_edge[e]];
  }
  for (std::int32_t node = 0; node < n_nodes; ++node) {
    for (std::int32_t i = 0; i <= last[node]; ++i) ++n_trees[i];
  }
  std::int32_t n = n_forests;
  while (n > 1 && n_trees[n - 1] <= 1) --n;
  return n > 1 ? n : 0;
}

}  // namespace

bool join_small_trees(std::int32_t n_nodes, std::span<const Edge> edges, std::int32_t n_forests,
                      Numbered<std::int32_t>& forest_of_edge) {
  n_forests = n_forests_to_treat(n_nodes, edges, n_forests, forest_of_edge);
  return n_forests > 0 && TreeJoiner(DegreeOrder(n_nodes, edges, n_forests), n_nodes, forest_of_edge).run();
}

}  // namespace fwmap
