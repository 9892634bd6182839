#include "graph/forest_partition.hpp"

#include <algorithm>

namespace fwmap {

ForestPartition::ForestPartition(std::int32_t n_nodes, std::span<const Edge> edges, std::int32_t n_forests)
    : edges_(edges), n_nodes_(n_nodes), forest_of_edge_(static_cast<std::int32_t>(edges.size()), kNone),
      reached_from_(static_cast<std::int32_t>(edges.size()), kNone), mark_(n_nodes, 0) {
  for (std::int32_t i = 0; i < n_forests; ++i) add_forest();
}

void ForestPartition::add_forest() {
  forests_.emplace_back(n_nodes_, edges_);
  reached_.push_back({Numbered<std::int32_t>(n_nodes_, 0), kNone});
}

std::int32_t ForestPartition::forest_joined_by(std::int32_t edge) {
  const auto [u, v] = ends(edge);
  for (std::int32_t i = 0; i < n_forests(); ++i) {
    if (i != forest_of_edge_[edge] && !forests_[static_cast<std::size_t>(i)].joined(u, v)) return i;
  }
  return kNone;
}

bool ForestPartition::place(std::int32_t edge) {
  const std::int32_t forest = forest_joined_by(edge);
  if (forest == kNone) return false;
  forests_[static_cast<std::size_t>(forest)].link(edge);
  forest_of_edge_[edge] = forest;
  return true;
}

// edges leaving one node: distinct forests
void ForestPartition::place_all(std::span<const std::int32_t> es, std::vector<std::int32_t>& rest) {
  static std::vector<std::int32_t> cls; cls.assign((std::size_t)n_forests(), kNone);  // forest -> edge
  for (std::int32_t e : es) {
    auto [u, v] = ends(e);
    auto fits = [&](std::int32_t x, std::int32_t i) { auto [a, b] = ends(x); return !forests_[(std::size_t)i].joined(a, b); };
    std::int32_t done = kNone;
    for (std::int32_t i = 0; i < n_forests() && done == kNone; ++i) if (cls[i] == kNone && fits(e, i)) { cls[i] = e; done = i; }
    for (std::int32_t i = 0; i < n_forests() && done == kNone; ++i) if (cls[i] != kNone && fits(e, i)) {
      for (std::int32_t j = 0; j < n_forests(); ++j) if (cls[j] == kNone && fits(cls[i], j)) { cls[j] = cls[i]; cls[i] = e; done = i; break; }
    }
    if (done == kNone) rest.push_back(e);
  }
  for (std::int32_t i = 0; i < n_forests(); ++i) if (cls[i] != kNone) { if (!forests_[i].joined(ends(cls[i]).u, ends(cls[i]).v)) { forests_[i].link(cls[i]); forest_of_edge_[cls[i]] = i; } else rest.push_back(cls[i]); }
}

bool ForestPartition::insert(std::int32_t edge) {
  if (place(edge)) return true;
  ++search_;
  ++stats.searches;
  queue_.assign(1, edge);
  reached_from_[edge] = kNone;
  for (std::int32_t i = 0; i < n_forests(); ++i) {
    const std::int32_t start = ends(edge).u;
    reached_[i].search[start] = search_;
    reached_[i].top = start;
  }
  bool found = false;
  for (std::int32_t i = 0; i < n_forests() && !found; ++i) found = scan(edge, i);
  for (std::size_t head = 1; head < queue_.size() && !found; ++head) {
    const std::int32_t e = queue_[head];
    found = scan(e, (forest_of_edge_[e] + 1) % n_forests());
  }
  stats.reached += (long)queue_.size();
  stats.maxreach = std::max(stats.maxreach, (long)queue_.size());
  return found;
}

bool ForestPartition::scan(std::int32_t edge, std::int32_t forest) {
  const auto [u, v] = ends(edge);
  Reached& reached = reached_[forest];
  if (reached.search[u] == search_ && reached.search[v] == search_) return false;
  find_path(reached.search[u] == search_ ? v : u, forest);
  for (std::int32_t e : path_) {
    reached_from_[e] = edge;
    queue_.push_back(e);
    const std::int32_t target = forest_joined_by(e);
    if (target != kNone) {
      move_along(e, target);
      return true;
    }
  }
  return false;
}

void ForestPartition::find_path(std::int32_t outside, std::int32_t i) {
  const RootedForest& forest = forests_[static_cast<std::size_t>(i)];
  Reached& reached = reached_[i];
  // climb_: from outside up; path_: nodes from top up
  climb_.clear();
  path_.clear();
  std::int32_t a = outside, b = reached.top;
  climb_.push_back(a);
  path_.push_back(b);
  mark_[a] = 1;
  mark_[b] = 2;
  std::size_t na = 0, nb = 0;
  for (;;) {
    ++stats.steps;
    if (const std::int32_t p = forest.parent(a); p != kNone) {
      if (mark_[p] == 2 || reached.search[p] == search_) {
        na = climb_.size();
        nb = 0;
        if (mark_[p] == 2) nb = static_cast<std::size_t>(std::find(path_.begin(), path_.end(), p) - path_.begin());
        break;
      }
      a = p;
      climb_.push_back(a);
      mark_[a] = 1;
    }
    if (const std::int32_t p = forest.parent(b); p != kNone) {
      if (mark_[p] == 1) {
        nb = path_.size();
        na = static_cast<std::size_t>(std::find(climb_.begin(), climb_.end(), p) - climb_.begin());
        break;
      }
      b = p;
      path_.push_back(b);
      mark_[b] = 2;
    }
  }
  for (std::int32_t node : climb_) mark_[node] = 0;
  for (std::int32_t node : path_) mark_[node] = 0;
  path_.resize(nb);
  if (nb > 0) reached.top = forest.parent(path_.back());
  for (std::int32_t& node : path_) {
    reached.search[node] = search_;
    node = forest.edge_to_parent(node);
  }
  reached.search[reached.top] = search_;
  while (na-- > 0) {
    reached.search[climb_[na]] = search_;
    path_.push_back(forest.edge_to_parent(climb_[na]));
  }
}

void ForestPartition::move_along(std::int32_t edge, std::int32_t target) {
  ++stats.moves;
  forests_[static_cast<std::size_t>(target)].link(edge);
  for (;;) {
    const std::int32_t old = forest_of_edge_[edge];
    forest_of_edge_[edge] = target;
    if (old == kNone) return;
    const std::int32_t from = reached_from_[edge];
    forests_[static_cast<std::size_t>(old)].exchange(edge, from);
    ++stats.moves;
    edge = from;
    target = old;
  }
}

}  // namespace fwmap
