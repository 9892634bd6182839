#include "oracles/local_matching.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

LocalMatchingOracle::LocalMatchingOracle(LocalMatching problem) : problem_(std::move(problem)) {
  const std::size_t n = problem_.n_labels.size();
  if (n < 3 || n > kPoints) throw std::invalid_argument("a local matching has " + std::to_string(n) + " points; expected 3 or 4");
  labels_.fill(1);
  std::array<std::size_t, kPoints + 1> first{};
  for (std::size_t i = 0; i < n; ++i) {
    if (problem_.n_labels[i] < 1) throw std::invalid_argument("a point of a local matching has no label");
    labels_[i] = index(problem_.n_labels[i]);
    first[i + 1] = first[i] + labels_[i];
  }
  if (problem_.partners.size() != first[n]) throw std::invalid_argument("a local matching needs a partner for each label");
  for (std::size_t i = 0; i < kPoints; ++i)
    for (std::size_t j = i + 1; j < kPoints; ++j) {
      Table& pair = table(i, j);
      pair.columns = labels_[j];
      pair.base.assign(labels_[i] * labels_[j], 0.0);
      if (j >= n) continue;
      for (std::size_t a = 0; a < labels_[i]; ++a)
        for (std::size_t b = 0; b < labels_[j]; ++b) {
          const Index partner = problem_.partners[first[i] + a];
          if (partner >= 0 && partner == problem_.partners[first[j] + b]) pair.base[a * labels_[j] + b] = kInfinity;
        }
    }
  offsets_.assign(1, 0);
  std::array<bool, kPoints * kPoints> seen{};
  for (const auto& [u, v] : problem_.edges) {
    if (u < 0 || v < 0 || u == v || index(u) >= n || index(v) >= n)
      throw std::invalid_argument("an edge of a local matching has an end outside its points");
    if (std::exchange(seen[index(std::min(u, v)) * kPoints + index(std::max(u, v))], true))
      throw std::invalid_argument("a local matching has an edge twice");
    offsets_.push_back(offsets_.back() + labels_[index(u)] * labels_[index(v)]);
  }
  if (offsets_.back() > index(std::numeric_limits<Index>::max()))
    throw std::invalid_argument("a local matching has more than 2^31 - 1 coordinates");
  if (!problem_.forbidden.empty()) {
    if (problem_.forbidden.size() != offsets_.back())
      throw std::invalid_argument("a local matching says of " + std::to_string(problem_.forbidden.size()) +
                                  " entries whether they are forbidden; it has " + std::to_string(offsets_.back()));
    for (std::size_t e = 0; e < problem_.edges.size(); ++e) {
      const auto u = index(problem_.edges[e][0]), v = index(problem_.edges[e][1]);
      for (std::size_t a = 0, k = offsets_[e]; a < labels_[u]; ++a)
        for (std::size_t b = 0; b < labels_[v]; ++b, ++k)
          if (problem_.forbidden[k]) (u < v ? table(u, v).base[a * labels_[v] + b] : table(v, u).base[b * labels_[u] + a]) = kInfinity;
    }
  }
  for (Table& pair : tables_) pair.values.resize(pair.base.size());
  third_.resize(labels_[2]);
  fourth_.resize(labels_[3]);
  lowest_last_.resize(labels_[2]);
  const auto pairs = static_cast<double>(labels_[0] * labels_[1]);
  operations_ = 2 * pairs * static_cast<double>(labels_[2] + labels_[3]) + 2 * static_cast<double>(offsets_.back());
}

// Tables with weights; returns the sum over pairs of points of max(0, -lowest).
double LocalMatchingOracle::fill(std::span<const double> weights) {
  for (Table& pair : tables_) pair.values = pair.base;
  for (std::size_t e = 0; e < problem_.edges.size(); ++e) {
    const auto u = index(problem_.edges[e][0]), v = index(problem_.edges[e][1]);
    std::vector<double>& values = u < v ? table(u, v).values : table(v, u).values;
    for (std::size_t a = 0, k = offsets_[e]; a < labels_[u]; ++a)
      for (std::size_t b = 0; b < labels_[v]; ++b, ++k) values[u < v ? a * labels_[v] + b : b * labels_[u] + a] += weight_at(weights, k);
  }
  double negative = 0;
  for (const Table& pair : tables_)
    if (!pair.values.empty()) negative -= std::min(0.0, *std::min_element(pair.values.begin(), pair.values.end()));
  for (std::size_t c = 0; c < labels_[2]; ++c)
    lowest_last_[c] = *std::min_element(table(2, 3).row(c), table(2, 3).row(c) + labels_[3]);
  lowest_pair_ = *std::min_element(lowest_last_.begin(), lowest_last_.end());
  return negative;
}

// The best labels of the last two points beside a and b, if better than the best so far. Rounding is monotone, and sums
// are added in one order: what is left out is no better as computed.
void LocalMatchingOracle::look_at(std::size_t a, std::size_t b, double& best) {
  const double here = table(0, 1).row(a)[b];
  if (here == kInfinity) return;
  const auto join = [](const double* one, const double* two, std::vector<double>& out) {
    double lowest = kInfinity;
    for (std::size_t k = 0; k < out.size(); ++k) lowest = std::min(lowest, out[k] = one[k] + two[k]);
    return lowest;
  };
  const double least_third = join(table(0, 2).row(a), table(1, 2).row(b), third_);
  const double least_fourth = join(table(0, 3).row(a), table(1, 3).row(b), fourth_);
  if (!((here + least_third) + (least_fourth + lowest_pair_) < best)) return;
  for (std::size_t c = 0; c < labels_[2]; ++c) {
    const double upto = here + third_[c];
    if (!(upto + (least_fourth + lowest_last_[c]) < best)) continue;
    const double* last = table(2, 3).row(c);
    for (std::size_t d = 0; d < labels_[3]; ++d) {
      const double value = upto + (fourth_[d] + last[d]);
      if (value < best) {
        best = value;
        labeling_ = {a, b, c, d};
      }
    }
  }
}

Minimum LocalMatchingOracle::minimize(std::span<const double> weights, std::vector<Index>& support) {
  support.clear();
  const double negative = fill(weights);
  Minimum result;
  result.value = kInfinity;
  for (std::size_t a = 0; a < labels_[0]; ++a)
    for (std::size_t b = 0; b < labels_[1]; ++b) look_at(a, b, result.value);
  if (result.value == kInfinity) return {kInfinity, kInfinity, 0};
  for (std::size_t e = 0; e < problem_.edges.size(); ++e) {
    const auto u = index(problem_.edges[e][0]), v = index(problem_.edges[e][1]);
    support.push_back(static_cast<Index>(offsets_[e] + labeling_[u] * labels_[v] + labeling_[v]));
  }
  result.rounding = 1.01 * rounding_factor(6) * (std::abs(result.value) + 2 * negative);
  return result;
}

double LocalMatchingOracle::cost(std::span<const Index> support) const {
  if (support.size() != problem_.edges.size()) return kInfinity;
  std::array<std::size_t, kPoints> chosen;
  chosen.fill(std::numeric_limits<std::size_t>::max());
  const auto set = [&](std::size_t point, std::size_t label) {
    if (chosen[point] == std::numeric_limits<std::size_t>::max()) chosen[point] = label;
    return chosen[point] == label;
  };
  for (std::size_t e = 0; e < support.size(); ++e) {
    const auto i = index(support[e]), u = index(problem_.edges[e][0]), v = index(problem_.edges[e][1]);
    if (support[e] < 0 || i < offsets_[e] || i >= offsets_[e + 1]) return kInfinity;  // not one entry per edge
    if (!set(u, (i - offsets_[e]) / labels_[v]) || !set(v, (i - offsets_[e]) % labels_[v])) return kInfinity;
  }
  for (std::size_t u = 0; u < kPoints; ++u)
    for (std::size_t v = u + 1; v < kPoints; ++v)
      if (chosen[u] < labels_[u] && chosen[v] < labels_[v] && tables_[u * kPoints + v].base[chosen[u] * labels_[v] + chosen[v]] > 0)
        return kInfinity;
  return 0;
}

}  // namespace fwmap
