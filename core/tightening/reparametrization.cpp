// Messages: costs move between nodes, edges and cycles.

#include "tightening/reparametrization.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"
#include "poll.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

/// The largest finite value, 0 where there is none.
double largest_finite(const double* values, std::size_t n) {
  double largest = -kInfinity;
  for (std::size_t k = 0; k < n; ++k)
    if (values[k] < kInfinity) largest = std::max(largest, values[k]);
  return largest == -kInfinity ? 0 : largest;
}

}  // namespace

std::vector<Reparametrization::Part> Reparametrization::parts_of(const EdgeCycle& cycle) const {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < cycle.edges.size(); ++i)
    parts.push_back({index(cycle.edges[i]), cycle.flipped[i] != 0, edges_[index(cycle.edges[i])].table});
  return parts;
}

void Reparametrization::add(EdgeCycle cycle) {
  std::vector<Part> parts = parts_of(cycle);
  std::size_t lowest = edges_.size(), highest = 0;
  for (const Part& part : parts) {
    lowest = std::min(lowest, rank_[part.edge]);
    highest = std::max(highest, rank_[part.edge]);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t e = parts[i].edge, table = edges_[e].table;
    cycles_of_[e].push_back({cycles_.size(), i, rank_[e] == lowest, rank_[e] == highest});
    parts[i].table = cycle_tables_.size();
    for (std::size_t k = 0; k < n_entries(e); ++k) cycle_tables_.push_back(tables_[table + k] == kInfinity ? kInfinity : 0.0);
  }
  cycles_.push_back(std::move(parts));
}

// Takes costs of the labels of one end from an edge's table; whoever calls gives them to the node.
void Reparametrization::to_end(std::size_t e, int end, const double* values) {
  const Edge& edge = edges_[e];
  double* moved = moved_.data() + edge.moved[end];
  double* table = tables_.data() + edge.table;
  const std::size_t n = end == 0 ? edge.rows : edge.columns;
  for (std::size_t a = 0; a < n; ++a)
    if (std::isfinite(values[a])) moved[a] += values[a];
  for (std::size_t a = 0; a < edge.rows; ++a)
    for (std::size_t b = 0; b < edge.columns; ++b) {
      const double value = values[end == 0 ? a : b];
      if (std::isfinite(value)) table[a * edge.columns + b] -= value;  // inf stays
    }
}

// Least cost of each label of one end; where the edge allows none, `excluded`, or the most that it tells otherwise.
void Reparametrization::message(const Edge& edge, int end, double excluded, double* out) {
  const double* table = tables_.data() + edge.table;
  const std::size_t n = end == 0 ? edge.rows : edge.columns;
  if (end == 0)
    for (std::size_t a = 0; a < n; ++a) out[a] = kernels().minimum(table + a * edge.columns, edge.columns);
  else
    kernels().min_plus_columns(zeros(edge.rows), table, edge.rows, edge.columns, out);
  const double instead = std::max(excluded, largest_finite(out, n));
  for (std::size_t a = 0; a < n; ++a)
    if (out[a] == kInfinity) out[a] = instead;
  work_ += static_cast<double>(2 * edge.rows * edge.columns);
}

const double* Reparametrization::zeros(std::size_t n) {
  if (zeros_.size() < n) zeros_.assign(n, 0.0);
  return zeros_.data();
}

// out[entry of the edge] = least cost of the rest of the cycle, in the layout of the edge's table.
void Reparametrization::around(const std::vector<Part>& parts, const double* tables, std::size_t position, double* out) {
  const std::size_t n = parts.size();
  const Part& own = parts[position];
  const Edge& edge = edges_[own.edge];
  const std::size_t here = labels(from(own)), there = labels(to(own));
  for (std::size_t b = 0; b < there; ++b) {
    poll();
    const Part* part = &parts[(position + 1) % n];
    walk_.resize(labels(to(*part)));
    for (std::size_t k = 0; k < walk_.size(); ++k)
      walk_[k] = tables[part->table + (part->flipped ? k * there + b : b * walk_.size() + k)];
    for (std::size_t step = 2; step < n; ++step) {
      part = &parts[(position + step) % n];
      next_.resize(labels(to(*part)));
      if (part->flipped)
        kernels().min_plus_rows(walk_.data(), tables + part->table, walk_.size(), next_.size(), next_.data());
      else
        kernels().min_plus_columns(walk_.data(), tables + part->table, walk_.size(), next_.size(), next_.data());
      work_ += static_cast<double>(walk_.size() * next_.size());
      walk_.swap(next_);
    }
    for (std::size_t a = 0; a < here; ++a) out[own.flipped ? b * edge.columns + a : a * edge.columns + b] = walk_[a];
  }
}

// An edge takes all that its cycles know of its entries, and hands it on in equal parts, keeping one where there are
// more cycles on the other side.
void Reparametrization::edge_step(std::size_t e, To to) {
  const std::vector<Incidence>& cycles = cycles_of_[e];
  if (cycles.empty()) return;
  const std::size_t n = n_entries(e);
  double* table = tables_.data() + edges_[e].table;
  around_.resize(n);
  std::size_t later = 0, earlier = 0;
  for (const Incidence& one : cycles) {
    later += !one.is_last;
    earlier += !one.is_first;
    const std::vector<Part>& parts = cycles_[one.cycle];
    around(parts, cycle_tables_.data(), one.position, around_.data());
    double* own = cycle_tables_.data() + parts[one.position].table;
    for (std::size_t k = 0; k < n; ++k) around_[k] += own[k];
    const double excluded = largest_finite(around_.data(), n);
    for (std::size_t k = 0; k < n; ++k) {
      if (own[k] == kInfinity) continue;
      const double known = around_[k] == kInfinity ? excluded : around_[k];
      table[k] += known;
      own[k] -= known;
    }
  }
  const std::size_t receivers = to == To::kAll ? cycles.size() : to == To::kLater ? later : earlier;
  if (receivers == 0) return;
  const double share = 1.0 / static_cast<double>(to == To::kAll ? cycles.size() + 1 : std::max(later, earlier));
  for (const Incidence& one : cycles) {
    if ((to == To::kLater && one.is_last) || (to == To::kEarlier && one.is_first)) continue;
    double* own = cycle_tables_.data() + cycles_[one.cycle][one.position].table;
    for (std::size_t k = 0; k < n; ++k)
      if (own[k] < kInfinity) own[k] += share * table[k];
  }
  const double kept = 1.0 - share * static_cast<double>(receivers);
  for (std::size_t k = 0; k < n; ++k)
    if (table[k] < kInfinity) table[k] *= kept;
}

// A node takes all that its edges know of its labels, and hands it on in equal parts.
void Reparametrization::node_step(std::size_t v, To to) {
  const std::vector<std::size_t>& edges = edges_of_[v];
  double* own = nodes_.data() + node_offsets_[v];
  const std::size_t n = labels(v);
  message_.resize(n);
  std::size_t later = 0;
  const auto is_later = [&](std::size_t e) { return std::max(edges_[e].first, edges_[e].second) > v; };
  for (const std::size_t e : edges) {
    poll();
    later += is_later(e);
    const int end = edges_[e].first == v ? 0 : 1;
    message(edges_[e], end, -kInfinity, message_.data());
    to_end(e, end, message_.data());
    for (std::size_t a = 0; a < n; ++a) own[a] += message_[a];
  }
  const std::size_t receivers = to == To::kAll ? edges.size() : to == To::kLater ? later : edges.size() - later;
  if (receivers == 0) return;
  const double share = 1.0 / static_cast<double>(to == To::kAll ? receivers : std::max(later, edges.size() - later));
  for (std::size_t a = 0; a < n; ++a) message_[a] = -share * own[a];
  for (const std::size_t e : edges)
    if (to == To::kAll || (to == To::kLater) == is_later(e)) to_end(e, edges_[e].first == v ? 0 : 1, message_.data());
  const double kept = 1.0 - share * static_cast<double>(receivers);
  for (std::size_t a = 0; a < n; ++a)
    if (own[a] < kInfinity) own[a] *= kept;
}

void Reparametrization::spread() {
  for (std::size_t e = 0; e < edges_.size(); ++e) edge_step(e, To::kAll);
  for (std::size_t v = 0; v < edges_of_.size(); ++v) node_step(v, To::kAll);
}

void Reparametrization::sweep(bool forward) {
  const std::size_t n = edges_of_.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t v = forward ? k : n - 1 - k;
    const std::vector<std::size_t>& edges = edges_of_[v];
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const std::size_t e = edges[forward ? i : edges.size() - 1 - i];
      if ((std::max(edges_[e].first, edges_[e].second) > v) == forward) edge_step(e, forward ? To::kLater : To::kEarlier);
    }
    node_step(v, forward ? To::kLater : To::kEarlier);
  }
}

double Reparametrization::bound() {
  double sum = decomposition_.constant();
  const auto add_lowest = [&](const double* values, std::size_t n) { sum += kernels().minimum(values, n); };
  for (std::size_t v = 0; v < edges_of_.size(); ++v) add_lowest(nodes_.data() + node_offsets_[v], labels(v));
  for (std::size_t e = 0; e < edges_.size(); ++e) add_lowest(tables_.data() + edges_[e].table, n_entries(e));
  for (const std::vector<Part>& parts : cycles_) {
    around_.resize(n_entries(parts[0].edge));
    around(parts, cycle_tables_.data(), 0, around_.data());
    for (std::size_t k = 0; k < around_.size(); ++k) around_[k] += cycle_tables_[parts[0].table + k];
    add_lowest(around_.data(), around_.size());
  }
  return sum;
}

}  // namespace fwmap
