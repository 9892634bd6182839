#include "rounding/ray_state.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

namespace fwmap {
namespace {

template <class I>
std::size_t index(I i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

RayState::RayState(std::shared_ptr<const FieldGraph> graph, Rays rays) : graph_(std::move(graph)), rays_(std::move(rays)) {
  const std::size_t n = graph_->n_nodes();
  ray_begin_.assign(n + 1, 0);
  for (const Index pixel : rays_.pixels) ++ray_begin_[index(pixel) + 1];
  for (std::size_t v = 0; v < n; ++v) ray_begin_[v + 1] += ray_begin_[v];
  rays_at_.resize(rays_.pixels.size());
  std::vector<std::size_t> next(ray_begin_.begin(), ray_begin_.end() - 1);
  for (std::size_t r = 0; r < rays_.size(); ++r)
    for (const Index pixel : pixels_of(static_cast<std::int32_t>(r)))
      rays_at_[next[index(pixel)]++] = static_cast<std::int32_t>(r);
  list_neighbours();
  tabulate_sums();
  unit_ = typical_step();
  labels_.assign(n, 0);
  at_.resize(rays_.size());
  start(std::vector<Index>(n, 0));
}

// Edges of each pixel. The costs of structured kinds depend on |a - b| alone: one profile for all that are equal.
void RayState::list_neighbours() {
  const std::size_t n = graph_->n_nodes();
  std::size_t most = 1;
  for (std::size_t v = 0; v < n; ++v) most = std::max(most, graph_->n_labels(static_cast<Index>(v)));
  std::map<std::tuple<EdgeKind, double, double>, std::int32_t> known;
  const auto profile_of = [&](const FieldEdge& edge) {
    if (edge.cost.kind == EdgeKind::kTable) return std::int32_t{-1};
    const auto [place, is_new] = known.try_emplace({edge.cost.kind, edge.cost.weight, edge.cost.truncation},
                                                   static_cast<std::int32_t>(profiles_.size()));
    if (is_new)
      for (std::size_t d = 0; d < most; ++d)
        profiles_.push_back(edge_cost(edge.cost, *graph_->field().tables, static_cast<Index>(d), 0, 1));
    return place->second;
  };
  neighbour_begin_.assign(n + 1, 0);
  for (std::size_t v = 0; v < n; ++v) {
    for (const std::int32_t e : graph_->edges_of(static_cast<Index>(v))) {
      const FieldEdge& edge = graph_->edge(e);
      neighbours_.push_back({index(edge.first) == v ? edge.second : edge.first, profile_of(edge), e});
    }
    neighbour_begin_[v + 1] = neighbours_.size();
  }
}

void RayState::tabulate_sums() {
  first_.assign(1, 0);
  for (std::size_t r = 0; r < rays_.size(); ++r) {
    std::size_t n_sums = 1;
    for (const Index pixel : pixels_of(static_cast<std::int32_t>(r))) n_sums += graph_->n_labels(pixel) - 1;
    const std::span<const double> costs = std::span<const double>(rays_.costs)
                                              .subspan(index(rays_.cost_offsets[r]),
                                                       index(rays_.cost_offsets[r + 1] - rays_.cost_offsets[r]));
    const auto begin = index(first_.back());
    distance_.resize(begin + n_sums, kFar);
    sum_costs_.resize(begin + n_sums, 0.0);
    const auto take = [&](std::size_t s, std::size_t from) {  // the nearest allowed sum as `from` knows it
      const std::int64_t far = from == s ? 0 : distance_[begin + from] + 1;
      const double cost = from == s ? costs[s] : sum_costs_[begin + from];
      if (far > distance_[begin + s] || (far == distance_[begin + s] && cost >= sum_costs_[begin + s])) return;
      distance_[begin + s] = far;
      sum_costs_[begin + s] = cost;
    };
    for (std::size_t s = 0; s < n_sums; ++s) {
      if (s < costs.size() && costs[s] < kInfinity) take(s, s);
      if (s > 0) take(s, s - 1);
    }
    for (std::size_t s = n_sums - 1; s-- > 0;) take(s, s + 1);
    if (distance_[begin] >= kFar)
      throw std::invalid_argument("ray " + std::to_string(r) + " allows no sum that its pixels can have");
    for (std::size_t s = 0; s < n_sums; ++s) has_sum_costs_ = has_sum_costs_ || sum_costs_[begin + s] != 0;
    first_.push_back(static_cast<std::int64_t>(begin + n_sums));
  }
}

// Mean over edges, and over pixels, of the difference between costs of neighbouring labels; the larger of the two.
double RayState::typical_step() const {
  double of_edges = 0, of_pixels = 0;
  for (const FieldEdge& edge : graph_->field().edges) {
    const auto rows = static_cast<Index>(graph_->n_labels(edge.first)), columns = static_cast<Index>(graph_->n_labels(edge.second));
    double sum = 0;
    for (Index a = 0; a + 1 < rows; ++a)
      for (Index b = 0; b < columns; ++b)
        sum += std::abs(graph_->edge_cost_of(edge, a + 1, b) - graph_->edge_cost_of(edge, a, b));
    of_edges += sum / std::max(1.0, static_cast<double>((rows - 1) * columns));
  }
  for (std::size_t v = 0; v < graph_->n_nodes(); ++v) {
    const std::size_t n = graph_->n_labels(static_cast<Index>(v));
    const double* own = graph_->unaries(static_cast<Index>(v));
    double sum = 0;
    for (std::size_t a = 0; a + 1 < n; ++a) sum += std::abs(own[a + 1] - own[a]);
    of_pixels += sum / std::max(1.0, static_cast<double>(n - 1));
  }
  const double unit = std::max(of_edges / std::max(1.0, static_cast<double>(graph_->field().edges.size())),
                               of_pixels / std::max(1.0, static_cast<double>(graph_->n_nodes())));
  return unit > 0 ? unit : 1.0;
}

void RayState::start(std::span<const Index> labeling) {
  std::copy(labeling.begin(), labeling.end(), labels_.begin());
  for (std::size_t r = 0; r < rays_.size(); ++r) {
    at_[r] = first_[r];
    for (const Index pixel : pixels_of(static_cast<std::int32_t>(r))) at_[r] += labels_[index(pixel)];
  }
}

std::int64_t RayState::violation() const {
  std::int64_t sum = 0;
  for (const std::int64_t at : at_) sum += distance_[index(at)];
  return sum;
}

double RayState::field_change(Index pixel, Index label) const {
  const Index old = labels_[index(pixel)];
  const double* own = graph_->unaries(pixel);
  double change = own[label] - own[old];
  for (const Neighbour& neighbour : part(neighbour_begin_, neighbours_, pixel)) {
    const Index other = labels_[index(neighbour.other)];
    if (neighbour.profile >= 0) {
      const double* profile = profiles_.data() + neighbour.profile;
      change += profile[std::abs(label - other)] - profile[std::abs(old - other)];
      continue;
    }
    const FieldEdge& edge = graph_->edge(neighbour.edge);
    change += edge.first == pixel ? graph_->edge_cost_of(edge, label, other) - graph_->edge_cost_of(edge, old, other)
                                  : graph_->edge_cost_of(edge, other, label) - graph_->edge_cost_of(edge, other, old);
  }
  for (const std::int32_t f : graph_->factors_of(pixel)) {
    std::size_t stride = 0;
    const std::size_t first = graph_->entry(graph_->factor(f), labels_, pixel, &stride);
    const double* table = graph_->factor(f).table + first;
    change += table[index(label) * stride] - table[index(old) * stride];
  }
  return change;
}

RayChange RayState::look(Index pixel, Index label) const {
  RayChange change{field_change(pixel, label), 0};
  const std::int64_t step = label - labels_[index(pixel)];
  for (const std::int32_t r : rays_of(pixel)) {
    const std::int64_t at = at_[index(r)];
    change.violation += distance_[index(at + step)] - distance_[index(at)];
    if (has_sum_costs_) change.energy += sum_costs_[index(at + step)] - sum_costs_[index(at)];
  }
  return change;
}

void RayState::set(Index pixel, Index label) {
  const std::int64_t step = label - labels_[index(pixel)];
  labels_[index(pixel)] = label;
  for (const std::int32_t r : rays_of(pixel)) at_[index(r)] += step;
}

}  // namespace fwmap
