#include "rounding/matching_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "poll.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

constexpr double kNoise = 1e-12;  // changes below this, relative to the energy, are rounding

}  // namespace

MatchingSearch::MatchingSearch(MatchingProblem problem, std::uint64_t seed)
    : problem_(std::move(problem)), random_(seed) {
  const std::size_t n_labels = problem_.partners.size();
  neighbour_at_.assign(n_labels + 1, 0);
  for (std::size_t e = 0; e < problem_.first.size(); ++e) {
    ++neighbour_at_[index(problem_.first[e]) + 1];
    ++neighbour_at_[index(problem_.second[e]) + 1];
  }
  for (std::size_t k = 0; k < n_labels; ++k) neighbour_at_[k + 1] += neighbour_at_[k];
  std::vector<std::pair<Index, double>> sorted(2 * problem_.first.size());
  std::vector<std::size_t> next(neighbour_at_.begin(), neighbour_at_.end() - 1);
  for (std::size_t e = 0; e < problem_.first.size(); ++e) {
    sorted[next[index(problem_.first[e])]++] = {problem_.second[e], problem_.pair_costs[e]};
    sorted[next[index(problem_.second[e])]++] = {problem_.first[e], problem_.pair_costs[e]};
  }
  for (std::size_t k = 0; k < n_labels; ++k)
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(neighbour_at_[k]),
              sorted.begin() + static_cast<std::ptrdiff_t>(neighbour_at_[k + 1]));
  for (const auto& [label, cost] : sorted) {
    neighbours_.push_back(label);
    neighbour_costs_.push_back(cost);
  }
  label_of_.resize(index(n_points()));
  owner_.resize(index(problem_.n_partners));
  gains_.resize(n_labels);
  tabu_until_.resize(n_labels);
}

double MatchingSearch::energy(std::span<const Index> labeling) const {
  std::vector<char> chosen(problem_.partners.size(), 0);
  double sum = 0;
  for (Index i = 0; i < n_points(); ++i) {
    const std::size_t k = index(begin(i) + labeling[index(i)]);
    chosen[k] = 1;
    sum += problem_.costs[k];
  }
  for (std::size_t e = 0; e < problem_.first.size(); ++e)
    if (chosen[index(problem_.first[e])] && chosen[index(problem_.second[e])]) sum += problem_.pair_costs[e];
  return sum;
}

void MatchingSearch::start(std::span<const Index> labeling) {
  std::fill(owner_.begin(), owner_.end(), -1);
  gains_ = problem_.costs;
  operations_ = static_cast<double>(gains_.size());
  for (Index i = 0; i < n_points(); ++i) {
    label_of_[index(i)] = -1;
    set(i, begin(i) + labeling[index(i)]);
  }
}

// Chooses a label; who owned its partner before is forgotten. Keeps gains_.
void MatchingSearch::set(Index point, Index label) {
  const Index old = label_of_[index(point)];
  const auto add = [&](Index k, double factor) {
    const std::size_t first = neighbour_at_[index(k)], last = neighbour_at_[index(k) + 1];
    for (std::size_t t = first; t < last; ++t) gains_[index(neighbours_[t])] += factor * neighbour_costs_[t];
    operations_ += 2 * static_cast<double>(last - first) + 4;
  };
  if (old >= 0) {
    add(old, -1.0);
    const Index partner = problem_.partners[index(old)];
    if (partner >= 0 && owner_[index(partner)] == point) owner_[index(partner)] = -1;
  }
  label_of_[index(point)] = label;
  if (problem_.partners[index(label)] >= 0) owner_[index(problem_.partners[index(label)])] = point;
  add(label, 1.0);
}

void MatchingSearch::make(const Move& move) {
  if (move.second < 0) return set(move.first, move.first_label);
  // The one whose partner is taken goes first, or the partner it gets would be forgotten.
  set(move.second, move.second_label);
  set(move.first, move.first_label);
}

double MatchingSearch::pair_cost(Index p, Index q) const {
  const auto first = neighbours_.begin() + static_cast<std::ptrdiff_t>(neighbour_at_[index(p)]);
  const auto last = neighbours_.begin() + static_cast<std::ptrdiff_t>(neighbour_at_[index(p) + 1]);
  const auto found = std::lower_bound(first, last, q);
  return found != last && *found == q ? neighbour_costs_[static_cast<std::size_t>(found - neighbours_.begin())] : 0.0;
}

Index MatchingSearch::label_with(Index point, Index partner) const {
  const auto first = problem_.partners.begin() + begin(point), last = problem_.partners.begin() + end(point) - 1;
  const auto found = std::lower_bound(first, last, partner);
  return found != last && *found == partner ? static_cast<Index>(found - problem_.partners.begin()) : -1;
}

// The best move of a point among those allowed, where it is better than `best`.
template <class Allows>
void MatchingSearch::look(Index i, const Allows& allows, Move& best) {
  const Index old = label_of_[index(i)];
  const auto offer = [&](double change, Index k, Index j, Index l) {
    if (change < best.change && allows(change, k, l)) best = {change, i, k, j, l};
  };
  for (Index k = begin(i); k < end(i); ++k) {
    if (k == old) continue;
    const double own = gains_[index(k)] - gains_[index(old)];
    const Index partner = problem_.partners[index(k)], j = partner < 0 ? -1 : owner_[index(partner)];
    operations_ += 4;
    if (j < 0) {
      offer(own, k, -1, -1);
      continue;
    }
    const Index given_up = label_of_[index(j)];
    // k and given_up have one partner, so no cost together.
    const double base = own - gains_[index(given_up)] + pair_cost(old, given_up);
    const auto instead = [&](Index l) {
      offer(base + gains_[index(l)] - pair_cost(l, old) + pair_cost(l, k), k, j, l);
      operations_ += 30;
    };
    const Index none = end(j) - 1;
    instead(none);
    if (problem_.partners[index(old)] >= 0) {
      const Index swapped = label_with(j, problem_.partners[index(old)]);
      if (swapped >= 0) instead(swapped);
    }
    for (Index l = begin(j); l < none; ++l)
      if (owner_[index(problem_.partners[index(l)])] < 0) instead(l);
    operations_ += static_cast<double>(none - begin(j));
  }
}

MoveOutcome MatchingSearch::descend(std::span<Index> labeling, double max_operations) {
  start(labeling);
  MoveOutcome outcome;
  const double noise = kNoise * std::abs(energy(labeling));
  Index unchanged = 0;
  for (Index i = 0; n_points() > 0 && unchanged < n_points() && operations_ < max_operations; i = (i + 1) % n_points()) {
    poll();
    Move best;
    look(i, [](double, Index, Index) { return true; }, best);
    ++unchanged;
    if (!(best.change < -noise)) continue;
    make(best);
    outcome.change += best.change;
    unchanged = 0;
  }
  for (Index i = 0; i < n_points(); ++i) labeling[index(i)] = label_of_[index(i)] - begin(i);
  outcome.operations = operations_;
  return outcome;
}

MoveOutcome MatchingSearch::wander(std::span<Index> labeling, double max_operations) {
  start(labeling);
  std::fill(tabu_until_.begin(), tabu_until_.end(), 0.0);
  MoveOutcome outcome;
  const double noise = kNoise * std::abs(energy(labeling));
  double here = 0;  // energy less that of the start
  for (double step = 1; operations_ < max_operations; ++step) {
    const auto allows = [&](double change, Index k, Index l) {
      if (here + change < outcome.change - noise) return true;
      return tabu_until_[index(k)] < step || (l >= 0 && tabu_until_[index(l)] < step);
    };
    Move best;
    for (Index i = 0; i < n_points(); ++i) {
      poll();
      look(i, allows, best);
    }
    if (best.first < 0) break;
    const std::size_t tenure = index(n_points()) + random_.below(index(n_points()) + 1);
    for (const Index point : {best.first, best.second})
      if (point >= 0) tabu_until_[index(label_of_[index(point)])] = step + static_cast<double>(tenure);
    make(best);
    here += best.change;
    if (!(here < outcome.change - noise)) continue;
    outcome.change = here;
    for (Index i = 0; i < n_points(); ++i) labeling[index(i)] = label_of_[index(i)] - begin(i);
  }
  outcome.operations = operations_;
  return outcome;
}

}  // namespace fwmap
