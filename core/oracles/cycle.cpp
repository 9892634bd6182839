#include "oracles/cycle.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/kernels.hpp"

namespace fwmap {
namespace {

// Operations of a call of a kernel, whatever the size of its table.
constexpr double kKernelCall = 10;

}  // namespace

CycleOracle::CycleOracle(Cycle cycle) : cycle_(std::move(cycle)) {
  const std::size_t n = size();
  if (n < 3) throw std::invalid_argument("a cycle has " + std::to_string(n) + " nodes; expected at least 3");
  if (cycle_.flipped.size() != n) throw std::invalid_argument("a cycle needs a direction for each of its edges");
  offsets_.assign(1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (cycle_.n_labels[i] < 1) throw std::invalid_argument("a node of a cycle has no label");
    if (cycle_.n_labels[i] < cycle_.n_labels[first_]) first_ = i;
  }
  for (std::size_t i = 0; i < n; ++i) offsets_.push_back(offsets_.back() + labels(i) * labels(i + 1));
  if (offsets_.back() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw std::invalid_argument("a cycle has more than 2^31 - 1 coordinates");
  if (!cycle_.forbidden.empty() && cycle_.forbidden.size() != offsets_.back())
    throw std::invalid_argument("a cycle says of " + std::to_string(cycle_.forbidden.size()) +
                                " entries whether they are forbidden; it has " + std::to_string(offsets_.back()));
  const double steps = static_cast<double>(labels(first_) * n);
  operations_ = static_cast<double>(labels(first_) * offsets_.back()) + kKernelCall * steps;
  entries_.resize(offsets_.back());
  for (std::size_t i = 0; i < n; ++i) reached_.emplace_back(labels(at(i)));
  labeling_.resize(n);
}

// Weights, +inf where forbidden; returns the sum over edges of max(0, -lowest).
double CycleOracle::fill_entries(std::span<const double> weights) {
  const std::size_t given = std::min(weights.size(), entries_.size());
  std::copy_n(weights.begin(), given, entries_.begin());
  std::fill(entries_.begin() + static_cast<std::ptrdiff_t>(given), entries_.end(), 0.0);
  for (std::size_t i = 0; i < cycle_.forbidden.size(); ++i)
    if (cycle_.forbidden[i]) entries_[i] = kInfinity;
  double negative = 0;
  for (std::size_t e = 0; e < size(); ++e)
    negative -= std::min(0.0, kernels().minimum(entries_.data() + offsets_[e], offsets_[e + 1] - offsets_[e]));
  return negative;
}

// to[b] = min_a from[a] + entry (a, b) of the edge.
void CycleOracle::step(std::size_t edge, const double* from, double* to) const {
  const double* table = entries_.data() + offsets_[edge];
  if (cycle_.flipped[edge])
    kernels().min_plus_rows(from, table, labels(edge), labels(edge + 1), to);
  else
    kernels().min_plus_columns(from, table, labels(edge), labels(edge + 1), to);
}

// Least weight of the cycle where the first node has this label; fills reached_.
double CycleOracle::walk(std::size_t label) {
  for (std::size_t b = 0; b < reached_[1].size(); ++b) reached_[1][b] = entries_[entry(first_, label, b)];
  for (std::size_t k = 1; k + 1 < size(); ++k) step(at(k), reached_[k].data(), reached_[k + 1].data());
  const std::size_t last = size() - 1;
  double lowest = kInfinity;
  for (std::size_t a = 0; a < reached_[last].size(); ++a)
    lowest = std::min(lowest, reached_[last][a] + entries_[entry(at(last), a, label)]);
  return lowest;
}

Minimum CycleOracle::minimize(std::span<const double> weights, std::vector<Index>& support) {
  support.clear();
  const double negative = fill_entries(weights);
  std::size_t best = 0;
  double lowest = kInfinity;
  for (std::size_t label = 0; label < labels(first_); ++label) {
    const double value = walk(label);
    if (value < lowest) {
      lowest = value;
      best = label;
    }
  }
  if (lowest == kInfinity) return {kInfinity, kInfinity, 0};
  walk(best);
  labeling_[0] = best;
  for (std::size_t k = size() - 1, next = best; k > 0; next = labeling_[k--]) {
    double least = kInfinity;
    for (std::size_t a = 0; a < reached_[k].size(); ++a) {
      const double value = reached_[k][a] + entries_[entry(at(k), a, next)];
      if (value < least) {
        least = value;
        labeling_[k] = a;
      }
    }
  }
  for (std::size_t k = 0; k < size(); ++k)
    support.push_back(static_cast<Index>(entry(at(k), labeling_[k], labeling_[(k + 1) % size()])));
  std::sort(support.begin(), support.end());
  Minimum result;
  result.value = lowest;
  result.rounding = 1.01 * rounding_factor(static_cast<double>(size()) + 1) * (std::abs(lowest) + 2 * negative);
  return result;
}

double CycleOracle::cost(std::span<const Index> support) const {
  if (support.size() != size()) return kInfinity;
  std::vector<std::size_t> from(size()), to(size());
  for (std::size_t e = 0; e < size(); ++e) {
    const auto i = static_cast<std::size_t>(support[e]);
    if (i < offsets_[e] || i >= offsets_[e + 1]) return kInfinity;  // not one entry per edge
    if (!cycle_.forbidden.empty() && cycle_.forbidden[i]) return kInfinity;
    const std::size_t columns = cycle_.flipped[e] ? labels(e) : labels(e + 1), row = (i - offsets_[e]) / columns;
    const std::size_t column = (i - offsets_[e]) % columns;
    from[e] = cycle_.flipped[e] ? column : row;
    to[e] = cycle_.flipped[e] ? row : column;
  }
  for (std::size_t e = 0; e < size(); ++e)
    if (to[e] != from[(e + 1) % size()]) return kInfinity;  // not one label per node
  return 0;
}

// Least weights of walks from each label of the first node to each label of the others, and of those on from there
// back to the first node; an entry's min-marginal joins two of them.
bool CycleOracle::min_marginals(std::span<const double> weights, std::span<double> out) {
  fill_entries(weights);
  const std::size_t n = size(), starts = labels(first_);
  std::vector<std::vector<double>> to(n), back(n);  // rows: labels of the first node
  for (std::size_t k = 0; k < n; ++k) {
    to[k].assign(starts * labels(at(k)), kInfinity);
    back[k].assign(starts * labels(at(k)), kInfinity);
  }
  for (std::size_t s = 0; s < starts; ++s) {
    to[0][s * starts + s] = back[0][s * starts + s] = 0;
    for (std::size_t k = 0; k + 1 < n; ++k)
      step(at(k), to[k].data() + s * labels(at(k)), to[k + 1].data() + s * labels(at(k + 1)));
  }
  for (std::size_t k = n; k-- > 1;) {
    const std::size_t edge = at(k), next = (k + 1) % n, here = labels(edge), there = labels(edge + 1);
    for (std::size_t s = 0; s < starts; ++s) {
      const double* from = back[next].data() + s * there;
      double* least = back[k].data() + s * here;
      if (cycle_.flipped[edge])
        kernels().min_plus_columns(from, entries_.data() + offsets_[edge], there, here, least);
      else
        kernels().min_plus_rows(from, entries_.data() + offsets_[edge], there, here, least);
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t edge = at(k), here = labels(edge), there = labels(edge + 1);
    for (std::size_t a = 0; a < here; ++a)
      for (std::size_t b = 0; b < there; ++b) {
        const std::size_t i = entry(edge, a, b);
        if (i >= out.size()) continue;
        double rest = kInfinity;
        for (std::size_t s = 0; s < starts; ++s)
          rest = std::min(rest, to[k][s * here + a] + back[(k + 1) % n][s * there + b]);
        out[i] = entries_[i] + rest;
      }
  }
  return true;
}

}  // namespace fwmap
