#include "oracles/assignment.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace fwmap {
namespace {

constexpr double kOperationsPerLabel = 6.0;   // measured where prices are kept, in additions of a vectorised loop
constexpr double kOperationsPerPoint = 60.0;

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

AssignmentOracle::AssignmentOracle(Assignment assignment) : assignment_(std::move(assignment)) {
  const std::size_t n = n_points(), n_partners = index(assignment_.n_partners);
  offsets_.resize(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (assignment_.n_labels[i] < 1) throw std::invalid_argument("point " + std::to_string(i) + " has no label");
    offsets_[i + 1] = offsets_[i] + index(assignment_.n_labels[i]);
  }
  const std::size_t n_labels = offsets_.back();
  if (n_labels > index(std::numeric_limits<Index>::max()))
    throw std::invalid_argument("an assignment has more than 2^31 - 1 coordinates");
  if (assignment_.partners.size() != n_labels || assignment_.unaries.size() != n_labels)
    throw std::invalid_argument("an assignment has " + std::to_string(assignment_.partners.size()) + " partners and " +
                                std::to_string(assignment_.unaries.size()) + " unary costs; expected " +
                                std::to_string(n_labels) + " of each");
  taker_at_.assign(n_partners + 1, 0);
  std::vector<std::size_t> seen(n_partners + 1, kNone);
  point_of_.resize(n_labels);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
      const Index partner = assignment_.partners[k];
      if (partner < -1 || partner >= assignment_.n_partners)
        throw std::invalid_argument("point " + std::to_string(i) + " has the partner " + std::to_string(partner));
      std::size_t& last = seen[partner < 0 ? n_partners : index(partner)];
      if (last == i)
        throw std::invalid_argument("point " + std::to_string(i) + " has the partner " + std::to_string(partner) + " twice");
      last = i;
      point_of_[k] = i;
      if (partner >= 0) ++taker_at_[index(partner) + 1];
    }
  for (std::size_t a = 0; a < n_partners; ++a) taker_at_[a + 1] += taker_at_[a];
  takers_.resize(taker_at_.back());
  std::vector<std::size_t> next(taker_at_.begin(), taker_at_.end() - 1);
  for (std::size_t k = 0; k < n_labels; ++k)
    if (is_none(k))
      none_labels_.push_back(k);
    else
      takers_[next[partner_of(k)]++] = k;
  costs_.resize(n_labels);
  prices_.assign(n_partners, 0.0);
  values_.resize(n);
  label_of_.resize(n);
  chosen_by_.resize(n_partners);
  reached_.resize(n_partners);
  touched_.reserve(n_partners);
  operations_ = kOperationsPerLabel * static_cast<double>(n_labels) + kOperationsPerPoint * static_cast<double>(n + n_partners);
}

void AssignmentOracle::fill_costs(std::span<const double> weights) {
  for (std::size_t k = 0; k < costs_.size(); ++k)
    costs_[k] = assignment_.unaries[k] + weight_at(weights, k) + 0.0;  // 0 has one sign: equal bits
}

// A best assignment, its prices and values; false where there is none.
bool AssignmentOracle::solve() {
  choose_cheapest();
  for (std::size_t i = 0; i < n_points(); ++i) {
    if (values_[i] == kInfinity) return false;
    if (label_of_[i] == kNone && !find_partner(i)) return false;
  }
  // Free partners must have price 0; prices of an earlier call may have left them below.
  for (std::size_t a = 0; a < prices_.size(); ++a)
    if (chosen_by_[a] == kNone && prices_[a] < 0) free_partner(a);
  return true;
}

// Each point's value at the prices, and its cheapest label where nobody before has chosen that partner.
void AssignmentOracle::choose_cheapest() {
  std::fill(chosen_by_.begin(), chosen_by_.end(), kNone);
  std::fill(label_of_.begin(), label_of_.end(), kNone);
  for (std::size_t i = 0; i < n_points(); ++i) {
    std::size_t best = offsets_[i];
    double lowest = net(best);
    for (std::size_t k = offsets_[i] + 1; k < offsets_[i + 1]; ++k) {
      const double value = net(k);
      if (value < lowest) {
        lowest = value;
        best = k;
      }
    }
    values_[i] = lowest;
    if (lowest == kInfinity) continue;
    if (is_none(best) || chosen_by_[partner_of(best)] == kNone) move(i, best);
  }
}

void AssignmentOracle::move(std::size_t point, std::size_t label) {
  label_of_[point] = label;
  if (!is_none(label)) chosen_by_[partner_of(label)] = point;
}

void AssignmentOracle::reach(std::size_t partner, double distance, std::size_t label) {
  Reached& known = reached_[partner];
  if (known.settled || !(distance < known.distance)) return;
  if (known.distance == kInfinity) touched_.push_back(partner);
  known.distance = distance;
  known.label = label;
}

std::size_t AssignmentOracle::nearest_unsettled() {
  std::size_t best = kNone;
  double nearest = kInfinity;
  for (const std::size_t a : touched_)
    if (!reached_[a].settled && reached_[a].distance < nearest) {
      nearest = reached_[a].distance;
      best = a;
    }
  return best;
}

void AssignmentOracle::forget_reached() {
  for (const std::size_t a : touched_) reached_[a] = {};
  touched_.clear();
}

// The cheapest chain of moves that gives `start` a label: each point takes the partner of the next, the last one
// a free partner or none. False where there is no chain.
bool AssignmentOracle::find_partner(std::size_t start) {
  double end = kInfinity;
  std::size_t last = kNone;  // label of the last move
  const auto leave = [&](std::size_t point, double distance) {  // where `point` can go
    for (std::size_t k = offsets_[point]; k < offsets_[point + 1]; ++k) {
      const double through = distance + reduced(point, k);
      if (!(through < end)) continue;
      if (is_none(k) || chosen_by_[partner_of(k)] == kNone) {
        end = through;
        last = k;
      } else if (chosen_by_[partner_of(k)] != point) {
        reach(partner_of(k), through, k);
      }
    }
  };
  leave(start, 0);
  for (std::size_t a = nearest_unsettled(); a != kNone && reached_[a].distance < end; a = nearest_unsettled()) {
    reached_[a].settled = true;
    leave(chosen_by_[a], reached_[a].distance);
  }
  if (last == kNone) {
    forget_reached();
    return false;
  }
  values_[start] += end;
  for (const std::size_t a : touched_) {
    if (!reached_[a].settled) continue;
    const double change = end - reached_[a].distance;
    prices_[a] -= change;
    values_[chosen_by_[a]] += change;
  }
  for (std::size_t k = last;;) {
    const std::size_t point = point_of_[k], before = label_of_[point];
    move(point, k);
    if (point == start) break;
    k = reached_[partner_of(before)].label;  // who comes to the partner that became free
  }
  forget_reached();
  return true;
}

// A free partner with a price below 0: the cheapest chain of moves that begins with a point taking it, and
// ends with a partner left free at price 0 or a point that had none; or it stays free, at price 0.
void AssignmentOracle::free_partner(std::size_t start) {
  double end = kInfinity;
  std::size_t last_partner = kNone, last_label = kNone;  // left free, or taken by a point that had none
  reach(start, 0, kNone);
  for (std::size_t a = start; a != kNone && reached_[a].distance < end; a = nearest_unsettled()) {
    reached_[a].settled = true;
    const double here = reached_[a].distance;
    if (here - prices_[a] < end) {
      end = here - prices_[a];
      last_partner = a;
      last_label = kNone;
    }
    for (std::size_t t = taker_at_[a]; t < taker_at_[a + 1]; ++t) {
      const std::size_t k = takers_[t], point = point_of_[k];
      if (chosen_by_[a] == point) continue;
      const double through = here + reduced(point, k);
      if (!(through < end)) continue;
      if (is_none(label_of_[point])) {
        end = through;
        last_partner = kNone;
        last_label = k;
      } else {
        reach(partner_of(label_of_[point]), through, k);
      }
    }
  }
  for (const std::size_t a : touched_) {
    if (!reached_[a].settled) continue;
    const double change = end - reached_[a].distance;
    prices_[a] = std::min(0.0, prices_[a] + change);
    if (chosen_by_[a] != kNone) values_[chosen_by_[a]] -= change;
  }
  std::size_t k = last_label;
  if (last_partner != kNone) {
    prices_[last_partner] = 0;
    k = reached_[last_partner].label;
    if (k != kNone) chosen_by_[last_partner] = kNone;
  }
  while (k != kNone) {  // from the end of the chain to its start
    move(point_of_[k], k);
    k = reached_[partner_of(k)].label;
  }
  forget_reached();
}

// What the prices prove, before its allowance for rounding: a label's cost is off by one rounding and its
// difference to the price by another, both at most the unit times |value| + |price|.
double AssignmentOracle::proved(double& allowance) const {
  double sum = 0, magnitude = 0, dearest = 0;
  for (const double price : prices_) {
    sum += price;
    magnitude -= price;
    dearest = std::max(dearest, -price);
  }
  double each = 0;
  for (std::size_t i = 0; i < n_points(); ++i) {
    double lowest = kInfinity;
    for (std::size_t k = offsets_[i]; k < offsets_[i + 1]; ++k) lowest = std::min(lowest, net(k));
    sum += lowest;
    magnitude += std::abs(lowest);
    each += std::abs(lowest) + dearest;
  }
  const double n = static_cast<double>(n_points() + prices_.size());
  allowance = 1.01 * (rounding_factor(3) * each + rounding_factor(n + 2) * magnitude);
  return sum;
}

Minimum AssignmentOracle::minimize(std::span<const double> weights, std::vector<Index>& support) {
  support.clear();
  fill_costs(weights);
  if (!solve()) return {kInfinity, kInfinity, 0};
  Minimum result;
  support.reserve(n_points());
  for (const std::size_t k : label_of_) {
    support.push_back(static_cast<Index>(k));
    result.cost += assignment_.unaries[k];
    result.value += costs_[k];
  }
  double allowance = 0;
  const double dual = proved(allowance);
  result.rounding = std::max(0.0, result.value - dual) * (1 + 4 * kUnitRoundoff) + allowance;
  return result;
}

double AssignmentOracle::cost(std::span<const Index> support) const {
  if (support.size() != n_points()) return kInfinity;
  std::vector<char> chosen(prices_.size(), 0);
  double sum = 0;
  for (std::size_t i = 0; i < support.size(); ++i) {
    const std::size_t k = index(support[i]);
    if (support[i] < 0 || k < offsets_[i] || k >= offsets_[i + 1]) return kInfinity;  // not one label per point
    if (!is_none(k) && std::exchange(chosen[partner_of(k)], char{1}) != 0) return kInfinity;
    sum += assignment_.unaries[k];
  }
  return sum;
}

// A label is made by pushing a unit around a cycle of the residual graph: nodes are partners, and one more (0) for
// choosing none and for being free. An edge stands for the move of one point; lengths are reduced costs.
bool AssignmentOracle::min_marginals(std::span<const double> weights, std::span<double> out) {
  std::fill(out.begin(), out.end(), kInfinity);
  fill_costs(weights);
  if (!solve()) return true;
  double value = 0;
  for (const std::size_t k : label_of_) value += costs_[k];

  const std::size_t n_nodes = prices_.size() + 1;
  const auto node_of = [&](std::size_t label) { return is_none(label) ? 0 : partner_of(label) + 1; };
  // distance[b]: cheapest way to make up for one point too many at `from` and one too few at b. Only where points that
  // can come to `from` are now has to be known; a search ends there, and what it touched is forgotten.
  std::vector<double> distance(n_nodes, kInfinity);
  std::vector<char> settled(n_nodes), wanted(n_nodes);
  std::vector<std::size_t> touched, without_partner;
  std::vector<std::pair<double, std::size_t>> heap;
  const auto nearest_first = [](const auto& one, const auto& two) { return one > two; };
  for (std::size_t i = 0; i < n_points(); ++i)
    if (is_none(label_of_[i])) without_partner.push_back(i);
  for (std::size_t from = 0; from < n_nodes; ++from) {
    const auto for_each_taker = [&](const auto& visit) {
      if (from > 0) {
        for (std::size_t t = taker_at_[from - 1]; t < taker_at_[from]; ++t) visit(takers_[t]);
      } else {
        for (std::size_t k = 0; k < costs_.size(); ++k)
          if (is_none(k)) visit(k);
      }
    };
    std::size_t n_wanted = 0;
    for_each_taker([&](std::size_t k) {
      char& flag = wanted[node_of(label_of_[point_of_[k]])];
      n_wanted += flag == 0;
      flag = 1;
    });
    const auto relax = [&](std::size_t to, double through) {
      if (!(through < distance[to])) return;
      if (distance[to] == kInfinity) touched.push_back(to);
      distance[to] = through;
      heap.emplace_back(through, to);
      std::push_heap(heap.begin(), heap.end(), nearest_first);
    };
    relax(from, 0);
    while (n_wanted > 0 && !heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), nearest_first);
      const std::size_t here = heap.back().second;
      heap.pop_back();
      if (settled[here]) continue;
      settled[here] = 1;
      if (wanted[here]) --n_wanted;
      const auto leave = [&](std::size_t point) {
        for (std::size_t k = offsets_[point]; k < offsets_[point + 1]; ++k)
          if (k != label_of_[point]) relax(node_of(k), distance[here] + reduced(point, k));
      };
      if (here == 0) {
        for (const std::size_t point : without_partner) leave(point);
        for (std::size_t a = 0; a < prices_.size(); ++a)
          if (chosen_by_[a] != kNone) relax(a + 1, distance[0] - prices_[a]);
      } else if (chosen_by_[here - 1] == kNone) {
        relax(0, distance[here]);
      } else {
        leave(chosen_by_[here - 1]);
      }
    }
    const auto tell = [&](std::size_t k) {
      const std::size_t point = point_of_[k];
      if (k < out.size())
        out[k] = label_of_[point] == k ? value : value + (reduced(point, k) + distance[node_of(label_of_[point])]);
    };
    for_each_taker(tell);
    for_each_taker([&](std::size_t k) { wanted[node_of(label_of_[point_of_[k]])] = 0; });
    for (const std::size_t b : touched) {
      distance[b] = kInfinity;
      settled[b] = 0;
    }
    touched.clear();
    heap.clear();
  }
  return true;
}

// distance_[b]: the cheapest way to make up for one point too many at b and one too few at `target`, over the same graph
// as in min_marginals, searched from its end.
void AssignmentOracle::distances_to(std::size_t target) {
  const std::size_t n_nodes = prices_.size() + 1;
  distance_.assign(n_nodes, kInfinity);
  settled_.assign(n_nodes, char{0});
  distance_[target] = 0;
  const auto node_of = [&](std::size_t label) { return is_none(label) ? 0 : partner_of(label) + 1; };
  const auto relax = [&](std::size_t from, double through) { distance_[from] = std::min(distance_[from], through); };
  for (;;) {
    std::size_t here = kNone;
    for (std::size_t b = 0; b < n_nodes; ++b)
      if (!settled_[b] && distance_[b] < kInfinity && (here == kNone || distance_[b] < distance_[here])) here = b;
    if (here == kNone) return;
    settled_[here] = 1;
    const auto come = [&](std::size_t label) {  // the point of the label may move here
      const std::size_t point = point_of_[label];
      if (label != label_of_[point]) relax(node_of(label_of_[point]), distance_[here] + reduced(point, label));
    };
    if (here == 0) {
      for (const std::size_t k : none_labels_) come(k);
      for (std::size_t a = 0; a < prices_.size(); ++a)
        if (chosen_by_[a] == kNone) relax(a + 1, distance_[0]);
    } else {
      for (std::size_t t = taker_at_[here - 1]; t < taker_at_[here]; ++t) come(takers_[t]);
      if (chosen_by_[here - 1] != kNone) relax(0, distance_[here] - prices_[here - 1]);
    }
  }
}

bool AssignmentOracle::block_min_marginals(std::span<const double> weights, std::size_t first, std::span<double> out) {
  if (out.empty()) return true;
  const std::size_t point = point_of_[first];
  if (first + out.size() > offsets_[point + 1]) return Oracle::block_min_marginals(weights, first, out);
  std::fill(out.begin(), out.end(), kInfinity);
  fill_costs(weights);
  if (!solve()) return true;
  double value = 0;
  for (const std::size_t k : label_of_) value += costs_[k];
  const std::size_t chosen = label_of_[point];
  distances_to(is_none(chosen) ? 0 : partner_of(chosen) + 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t k = first + i;
    out[i] = k == chosen ? value : value + (reduced(point, k) + distance_[is_none(k) ? 0 : partner_of(k) + 1]);
  }
  return true;
}

}  // namespace fwmap
