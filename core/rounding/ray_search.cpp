#include "rounding/ray_search.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "poll.hpp"

namespace fwmap {
namespace {

template <class I>
std::size_t index(I i) {
  return static_cast<std::size_t>(i);
}

constexpr std::size_t kLevels = 4096;
constexpr std::size_t kAnywhere = 8;     // one proposal in so many is any label of any pixel
constexpr double kProposal = 6;          // operations, besides looking at edges and rays
constexpr double kBeyond = 10;           // of -log(u) nothing is larger
constexpr std::size_t kCoolEvery = 1024;
constexpr double kShortPath = 1e-3;      // cost of an exchange, in units: of equal paths the shorter one

}  // namespace

RaySearch::RaySearch(std::shared_ptr<const FieldGraph> graph, Rays rays, std::uint64_t seed)
    : state_(std::move(graph), std::move(rays)), random_(seed) {
  for (std::size_t v = 0; v < state_.graph().n_nodes(); ++v)
    if (state_.graph().n_labels(static_cast<Index>(v)) > 1) movable_.push_back(static_cast<Index>(v));
  for (std::size_t k = 0; k < kLevels; ++k)
    levels_.push_back(-std::log((static_cast<double>(k) + 0.5) / static_cast<double>(kLevels)));
  find_sides();
}

void RaySearch::begin(std::span<const Index> labeling, const Cooling& cooling, double max_operations) {
  state_.start(labeling);
  find_edges();
  best_.assign(labeling.begin(), labeling.end());
  best_violation_ = violation_ = state_.violation();
  energy_ = best_energy_ = 0;
  changed_.clear();
  cooling_ = cooling;
  planned_ = movable_.empty() ? 0.0 : max_operations;
  spent_ = static_cast<double>(state_.rays().pixels.size() + labeling.size());
  n_proposals_ = 0;
}

double RaySearch::anneal(double max_operations) {
  const double unit = state_.unit(), penalty = cooling_.penalty * unit, begun = spent_;
  const double end = std::min(planned_, begun + max_operations);
  for (; spent_ < end; ++n_proposals_) {
    poll();
    if (n_proposals_ % kCoolEvery == 0)
      temperature_ = unit * cooling_.hot * std::pow(cooling_.cold / cooling_.hot, std::min(1.0, spent_ / planned_));
    propose(penalty);
  }
  return spent_ - begun;
}

// Lets a pixel at an edge of the image take a neighbour's label, or any pixel any label; alone or with another one.
void RaySearch::propose(double penalty) {
  spent_ += kProposal;
  const bool anywhere = edge_pixels_.empty() || random_.below(kAnywhere) == 0;
  const std::vector<Index>& from = anywhere ? movable_ : edge_pixels_;
  const Index pixel = from[random_.below(from.size())], old = state_.label(pixel);
  const std::size_t n_neighbours = state_.n_neighbours(pixel), n_labels = state_.graph().n_labels(pixel);
  const Index label = anywhere ? static_cast<Index>(random_.below(n_labels))
                               : state_.label(state_.neighbour(pixel, random_.below(n_neighbours)));
  if (label == old || index(label) >= n_labels) return;

  const std::span<const std::int32_t> rays = state_.rays_of(pixel);
  const double look = static_cast<double>(n_neighbours + 2 * rays.size());
  spent_ += look;
  Index partner = -1, partner_label = 0;
  if (!rays.empty() && random_.below(2) == 0) {
    const std::span<const Index> along = state_.pixels_of(rays[random_.below(rays.size())]);
    partner = along[random_.below(along.size())];
    partner_label = state_.label(partner) - (label - old);
    if (partner == pixel || partner_label < 0 || index(partner_label) >= state_.graph().n_labels(partner)) return;
  }
  RayChange change = state_.look(pixel, label);
  if (partner >= 0) {
    state_.set(pixel, label);
    change += state_.look(partner, partner_label);
    spent_ += 2 * look;
  }
  const double rise = change.energy + penalty * static_cast<double>(change.violation);
  if (rise > 0 && (rise > kBeyond * temperature_ || rise > temperature_ * levels_[random_.below(kLevels)])) {
    if (partner >= 0) state_.set(pixel, old);
    return;
  }
  if (partner >= 0) {
    state_.set(pixel, old);
    place(partner, partner_label);
  }
  place(pixel, label);
  energy_ += change.energy;
  violation_ += change.violation;
  if (violation_ < best_violation_ || (violation_ == best_violation_ && energy_ < best_energy_)) keep();
}

// Gives a pixel a label for good.
void RaySearch::place(Index pixel, Index label) {
  const Index old = state_.label(pixel);
  for (std::size_t k = 0; k < state_.n_neighbours(pixel); ++k) {
    const Index other = state_.neighbour(pixel, k);
    const int change = static_cast<int>(state_.label(other) != label) - static_cast<int>(state_.label(other) != old);
    count_edges(pixel, change);
    count_edges(other, change);
  }
  spent_ += 2 * static_cast<double>(state_.n_neighbours(pixel));
  state_.set(pixel, label);
  // Nothing grows where the best labeling is far behind.
  if (changed_.size() < state_.labels().size()) changed_.push_back(pixel);
}

// A pixel has so many neighbours more whose label differs.
void RaySearch::count_edges(Index pixel, int change) {
  std::int32_t& n = n_edges_[index(pixel)];
  const bool was = n > 0;
  n += change;
  if (was == (n > 0)) return;
  std::int32_t& place = edge_place_[index(pixel)];
  if (!was) {
    if (state_.graph().n_labels(pixel) < 2) return;
    place = static_cast<std::int32_t>(edge_pixels_.size());
    edge_pixels_.push_back(pixel);
  } else if (place >= 0) {
    edge_pixels_[index(place)] = edge_pixels_.back();
    edge_place_[index(edge_pixels_.back())] = place;
    edge_pixels_.pop_back();
    place = -1;
  }
}

void RaySearch::find_edges() {
  const std::size_t n = state_.labels().size();
  edge_pixels_.clear();
  edge_place_.assign(n, -1);
  n_edges_.assign(n, 0);
  for (std::size_t v = 0; v < n; ++v) {
    const auto pixel = static_cast<Index>(v);
    int differ = 0;
    for (std::size_t k = 0; k < state_.n_neighbours(pixel); ++k)
      differ += static_cast<int>(state_.label(state_.neighbour(pixel, k)) != state_.label(pixel));
    count_edges(pixel, differ);
  }
}

// The present labeling is the best one.
void RaySearch::keep() {
  spent_ += static_cast<double>(changed_.size());
  if (changed_.size() < best_.size())
    for (const Index pixel : changed_) best_[index(pixel)] = state_.label(pixel);
  else
    std::ranges::copy(state_.labels(), best_.begin());
  changed_.clear();
  best_violation_ = violation_;
  best_energy_ = energy_;
}

// Puts each ray on the first side where it meets no other; the nodes of exchanges are rays, and for each side one
// more that stands for all pixels without a ray there.
void RaySearch::find_sides() {
  const auto n_rays = static_cast<std::int32_t>(state_.rays().size());
  ends_.assign(state_.graph().n_nodes(), {n_rays, n_rays + 1});
  side_.resize(index(n_rays) + 2);
  for (std::int32_t r = 0; r < n_rays; ++r) {
    const auto meets_none_on = [&](std::size_t side) {
      return std::ranges::all_of(state_.pixels_of(r), [&](Index p) { return ends_[index(p)][side] >= n_rays; });
    };
    const std::size_t side = meets_none_on(0) ? 0 : 1;
    has_exchanges_ = side == 0 || meets_none_on(1);
    if (!has_exchanges_) return;
    side_[index(r)] = static_cast<std::uint8_t>(side);
    for (const Index p : state_.pixels_of(r)) ends_[index(p)][side] = r;
  }
  side_[index(n_rays)] = 0;
  side_[index(n_rays) + 1] = 1;
  for (std::size_t v = 0; v < ends_.size(); ++v)
    for (std::size_t side = 0; side < 2; ++side)
      if (ends_[v][side] >= n_rays) free_[side].push_back(static_cast<Index>(v));
}

std::int32_t RaySearch::other_end(std::int32_t node, Index pixel) const {
  return ends_[index(pixel)][1 - side_[index(node)]];
}

std::span<const Index> RaySearch::pixels_at(std::int32_t node) const {
  const auto n_rays = static_cast<std::int32_t>(state_.rays().size());
  return node < n_rays ? state_.pixels_of(node) : std::span<const Index>(free_[index(node - n_rays)]);
}

// Whether a step of the sum of a node changes the violation by no more than that.
bool RaySearch::takes(std::int32_t node, Index step, std::int64_t at_most) const {
  if (index(node) >= state_.rays().size()) return at_most >= 0;
  return state_.violation_change(node, step) <= at_most;
}

// From a ray whose violation lessens to one where it does not grow, pixels from side 0 to side 1 changing by `sign` and
// the others by -sign: sums in between stay. Returns where the path ends, -1 where there is none (Dijkstra).
std::int32_t RaySearch::cheapest_path(std::int32_t source, Index sign, double* operations) {
  steps_.assign(side_.size(), {});
  *operations += static_cast<double>(side_.size());
  using Entry = std::pair<double, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  steps_[index(source)].cost = 0;
  open.emplace(0.0, source);
  while (!open.empty()) {
    poll();
    const auto [cost, node] = open.top();
    open.pop();
    Step& here = steps_[index(node)];
    if (here.done) continue;
    here.done = true;
    const Index step = side_[index(node)] == 0 ? sign : -sign;
    if (here.from >= 0 && takes(node, -step, 0)) return node;
    for (const Index pixel : pixels_at(node)) {
      const Index label = state_.label(pixel) + step;
      if (label < 0 || index(label) >= state_.graph().n_labels(pixel)) continue;
      Step& there = steps_[index(other_end(node, pixel))];
      if (there.done) continue;
      const double further = cost + std::max(0.0, state_.look(pixel, label).energy) + kShortPath * state_.unit();
      *operations += 10;
      if (further >= there.cost) continue;
      there = {node, pixel, further, false};
      open.emplace(further, other_end(node, pixel));
    }
    *operations += static_cast<double>(pixels_at(node).size());
  }
  return -1;
}

double RaySearch::exchange(std::span<Index> labeling, double max_operations) {
  state_.start(labeling);
  double operations = static_cast<double>(state_.rays().pixels.size());
  const auto n_rays = static_cast<std::int32_t>(has_exchanges_ ? state_.rays().size() : 0);
  for (std::int32_t ray = 0; ray < n_rays; ++ray)
    for (const Index sign : {1, -1})
      while (takes(ray, side_[index(ray)] == 0 ? sign : -sign, -1) && operations < max_operations) {
        std::int32_t node = cheapest_path(ray, sign, &operations);
        if (node < 0) break;
        for (; node != ray; node = steps_[index(node)].from) {
          const Step& step = steps_[index(node)];
          const Index change = side_[index(step.from)] == 0 ? sign : -sign;
          state_.set(step.pixel, state_.label(step.pixel) + change);
        }
      }
  std::ranges::copy(state_.labels(), labeling.begin());
  return operations;
}

}  // namespace fwmap
