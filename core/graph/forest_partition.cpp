#include "graph/forest_partition.hpp"

#include <utility>

#include "graph/spanning_forest.hpp"
#include "poll.hpp"

namespace fwmap {

ForestPartition::ForestPartition(std::int32_t n_nodes, std::span<const Edge> edges, std::int32_t n_forests)
    : n_nodes_(n_nodes), edges_(edges), n_edges_of_full_forest_(n_edges_of_spanning_forest(n_nodes, edges)),
      forest_of_edge_(static_cast<std::int32_t>(edges.size()), kNone),
      reached_from_(static_cast<std::int32_t>(edges.size()), kNone), path_(n_nodes) {
  for (std::int32_t i = 0; i < n_forests; ++i) add_forest();
}

void ForestPartition::add_forest() {
  open_.push_back(n_forests());
  layers_.push_back({RootedForest(n_nodes_, edges_), DisjointSets(n_nodes_), 0,
                     Numbered<std::int32_t>(n_nodes_, 0), kNone});
}

bool ForestPartition::joins_trees(std::int32_t edge, std::int32_t forest) {
  return !layers_[forest].trees.joined(ends(edge).u, ends(edge).v);
}

/// The first forest in which an edge joins two trees, kNone where there is none.
std::int32_t ForestPartition::forest_to_join(std::int32_t edge) {
  for (const std::int32_t forest : open_) {
    if (joins_trees(edge, forest)) return forest;
  }
  return kNone;
}

/// Adds an edge to a forest where it joins two trees. The smaller tree gets the new root: all in all
/// O(n log n) for a forest.
void ForestPartition::link(std::int32_t edge, std::int32_t forest) {
  Layer& layer = layers_[forest];
  const auto [u, v] = ends(edge);
  layer.forest.link(edge, layer.trees.size(u) <= layer.trees.size(v) ? u : v);
  layer.trees.join(u, v);
  if (++layer.n_edges == n_edges_of_full_forest_) std::erase(open_, forest);
}

void ForestPartition::place_apart(std::span<const std::int32_t> edges, std::vector<std::int32_t>& left_over) {
  const std::vector<std::int32_t> forests = open_;
  edge_in_.assign(forests.size(), kNone);
  for (const std::int32_t edge : edges) {
    std::int32_t homeless = edge;
    for (std::size_t i = 0; i < forests.size() && homeless != kNone; ++i) {
      if (edge_in_[i] == kNone && joins_trees(edge, forests[i])) edge_in_[i] = std::exchange(homeless, kNone);
    }
    // All forests that would do are taken: one of their edges may do somewhere else.
    for (std::size_t i = 0; i < forests.size() && homeless != kNone; ++i) {
      if (edge_in_[i] == kNone || !joins_trees(edge, forests[i])) continue;
      for (std::size_t j = 0; j < forests.size() && homeless != kNone; ++j) {
        if (edge_in_[j] != kNone || !joins_trees(edge_in_[i], forests[j])) continue;
        edge_in_[j] = std::exchange(edge_in_[i], edge);
        homeless = kNone;
      }
    }
    if (homeless != kNone) left_over.push_back(edge);
  }
  for (std::size_t i = 0; i < forests.size(); ++i) {
    if (edge_in_[i] == kNone) continue;
    link(edge_in_[i], forests[i]);
    forest_of_edge_[edge_in_[i]] = forests[i];
  }
}

bool ForestPartition::insert(std::int32_t edge) {
  ++n_searches_;
  queue_.clear();
  if (reach(edge, kNone)) return true;
  for (std::int32_t i = 0; i < n_forests(); ++i) {
    layers_[i].top = ends(edge).u;
    layers_[i].reached[ends(edge).u] = n_searches_;
  }
  // An edge that was reached is scanned in the forest after its own. That suffices: when all are scanned, the
  // edges reached in each forest connect the same nodes, and there is no room left among these.
  for (std::int32_t i = 0; i < n_forests(); ++i) {
    if (scan(edge, i)) return true;
  }
  for (std::size_t head = 1; head < queue_.size(); ++head) {
    if (scan(queue_[head], (forest_of(queue_[head]) + 1) % n_forests())) return true;
  }
  return false;
}

/// Reaches the edges on the path that connects the ends of `edge` in a forest; the nodes reached before are
/// connected there and one of the ends is among them. Returns true when the search has succeeded.
bool ForestPartition::scan(std::int32_t edge, std::int32_t forest) {
  poll();
  Layer& layer = layers_[forest];
  const auto inside = [&](std::int32_t node) { return layer.reached[node] == n_searches_; };
  const auto [u, v] = ends(edge);
  if (inside(u) && inside(v)) return false;
  path_.find(layer.forest, layer.top, inside(u) ? v : u, inside);

  // From the inside out, so that the queue keeps this order: an edge's turn comes after those that connect
  // it with the nodes reached before. The moves take place only once the path has been used.
  for (const std::int32_t node : path_.rising()) {
    layer.reached[node] = n_searches_;
    if (reach(layer.forest.edge_to_parent(node), edge)) return true;
  }
  if (!path_.rising().empty()) layer.top = path_.summit();
  layer.reached[path_.summit()] = n_searches_;
  for (auto node = path_.falling().rbegin(); node != path_.falling().rend(); ++node) {
    layer.reached[*node] = n_searches_;
    if (reach(layer.forest.edge_to_parent(*node), edge)) return true;
  }
  return false;
}

/// Notes that an edge can be had out of its forest by putting `from` there. Where it joins two trees
/// elsewhere the search has succeeded: makes the moves and returns true.
bool ForestPartition::reach(std::int32_t edge, std::int32_t from) {
  reached_from_[edge] = from;
  queue_.push_back(edge);
  const std::int32_t target = forest_to_join(edge);
  if (target == kNone) return false;
  move_along(edge, target);
  return true;
}

/// Puts an edge into `target`, where it joins two trees, the edge it was reached from into its place, and so
/// on. Each exchange is possible still when its turn comes: had a later one changed its path, the
/// edge removed there would have been on this path, and reached from here.
void ForestPartition::move_along(std::int32_t edge, std::int32_t target) {
  link(edge, target);
  std::int32_t vacated = std::exchange(forest_of_edge_[edge], target);
  while (vacated != kNone) {
    const std::int32_t next = reached_from_[edge];
    layers_[vacated].forest.exchange(edge, next);
    edge = next;
    vacated = std::exchange(forest_of_edge_[edge], vacated);
  }
}

}  // namespace fwmap
