#include "graph/orientation.hpp"

#include <algorithm>
#include <cstddef>

namespace fwmap {

namespace {

class ExcessFlow {
 public:
  ExcessFlow(const Incidence& incidence, std::int32_t limit, Orientation& orientation)
      : incidence_(incidence), limit_(limit), orientation_(orientation), n_nodes_(incidence.n_nodes()),
        distance_(n_nodes_), next_(n_nodes_) {}

  std::vector<std::int32_t> run();

 private:
  void measure_distances();
  std::size_t discharge(std::int32_t node);

  const Incidence& incidence_;
  std::int32_t limit_;
  Orientation& orientation_;
  std::int32_t n_nodes_;
  Numbered<std::int32_t> distance_;  ///< of each node to those with room, or less; n_nodes_: there is no way
  Numbered<std::size_t> next_;       ///< of each node: its incident edges before this one lead no closer
  std::vector<std::int32_t> queue_;
};

/// Sets the distances to what they are in the current orientation.
void ExcessFlow::measure_distances() {
  queue_.clear();
  for (std::int32_t node = 0; node < n_nodes_; ++node) {
    const bool has_room = orientation_.out_degree[node] < limit_;
    distance_[node] = has_room ? 0 : n_nodes_;
    if (has_room) queue_.push_back(node);
  }
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const std::int32_t node = queue_[head];
    for (const Incident& incident : incidence_.at(node)) {
      if (orientation_.tail[incident.edge] == node || distance_[incident.neighbour] < n_nodes_) continue;
      distance_[incident.neighbour] = distance_[node] + 1;
      queue_.push_back(incident.neighbour);
    }
  }
  next_.fill(0);
}

/// Reverses edges that lead closer to a node with room until `node` has no excess or no way is known; nodes
/// that get an excess enter the queue. Returns the number of edges looked at.
std::size_t ExcessFlow::discharge(std::int32_t node) {
  const std::span<const Incident> incident = incidence_.at(node);
  std::size_t work = 0;
  while (orientation_.out_degree[node] > limit_ && distance_[node] < n_nodes_) {
    if (next_[node] == incident.size()) {
      std::int32_t closest = n_nodes_ - 1;
      for (const auto& [neighbour, edge] : incident) {
        if (orientation_.tail[edge] == node) closest = std::min(closest, distance_[neighbour]);
      }
      distance_[node] = closest + 1;
      next_[node] = 0;
      work += incident.size();
      continue;
    }
    const auto [neighbour, edge] = incident[next_[node]++];
    ++work;
    if (orientation_.tail[edge] != node || distance_[neighbour] + 1 != distance_[node]) continue;
    orientation_.tail[edge] = neighbour;
    --orientation_.out_degree[node];
    if (++orientation_.out_degree[neighbour] == limit_ + 1) queue_.push_back(neighbour);
  }
  return work;
}

std::vector<std::int32_t> ExcessFlow::run() {
  // Exact distances cost as much as looking at each edge twice; they pay when about as much has been done
  // with the old ones.
  const std::size_t patience = static_cast<std::size_t>(n_nodes_) + incidence_.n_ends();
  for (;;) {
    std::vector<std::int32_t> excessive;
    for (std::int32_t node = 0; node < n_nodes_; ++node) {
      if (orientation_.out_degree[node] > limit_) excessive.push_back(node);
    }
    if (excessive.empty()) return {};
    measure_distances();
    queue_.clear();
    for (const std::int32_t node : excessive) {
      if (distance_[node] < n_nodes_) queue_.push_back(node);
    }
    if (queue_.empty()) break;
    std::size_t work = 0;
    for (std::size_t head = 0; head < queue_.size() && work < patience; ++head) {
      work += discharge(queue_[head]);
    }
  }
  // No way leads from the excess to a node with room: all nodes without a way have `limit` leaving edges or
  // more, and those edges stay among them.
  std::vector<std::int32_t> dense;
  for (std::int32_t node = 0; node < n_nodes_; ++node) {
    if (distance_[node] == n_nodes_) dense.push_back(node);
  }
  return dense;
}

}  // namespace

Orientation::Orientation(std::int32_t n_nodes, std::span<const Edge> edges) : out_degree(n_nodes, 0) {
  tail.reserve(static_cast<std::int32_t>(edges.size()));
  for (const Edge& edge : edges) {
    tail.push_back(edge.u);
    ++out_degree[edge.u];
  }
}

std::vector<std::int32_t> limit_out_degrees(const Incidence& incidence, std::int32_t limit,
                                            Orientation& orientation) {
  return ExcessFlow(incidence, limit, orientation).run();
}

}  // namespace fwmap
