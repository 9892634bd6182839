#include "oracles/projection.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/kernels.hpp"

namespace fwmap {
namespace {

constexpr double kOperationsPerPart = 60.0;  // what a part costs besides its sums

std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

ProjectionOracle::ProjectionOracle(Projection projection) : projection_(std::move(projection)) {
  const std::size_t n = projection_.n_labels.size();
  if (n == 0) throw std::invalid_argument("a projection has no pixel");
  offsets_.resize(n + 1, 0);
  for (std::size_t k = 0; k < n; ++k) {
    if (projection_.n_labels[k] < 1)
      throw std::invalid_argument("pixel " + std::to_string(k) + " of a projection has no label");
    offsets_[k + 1] = offsets_[k] + index(projection_.n_labels[k]);
  }
  if (offsets_.back() > index(std::numeric_limits<Index>::max()))
    throw std::invalid_argument("a projection has more than 2^31 - 1 coordinates");
  if (projection_.unaries.size() != offsets_.back())
    throw std::invalid_argument("a projection has " + std::to_string(projection_.unaries.size()) +
                                " unary costs; expected " + std::to_string(offsets_.back()));
  const std::size_t n_sums = offsets_.back() - n + 1;
  if (projection_.sum_costs.size() > n_sums) projection_.sum_costs.resize(n_sums);
  totals_ = kNone;
  for (std::size_t s = 0; s < projection_.sum_costs.size(); ++s) {
    if (projection_.sum_costs[s] == kInfinity) continue;
    totals_.highest = static_cast<Index>(s);
    totals_.lowest = std::min(totals_.lowest, totals_.highest);
    lowest_sum_cost_ = std::min(lowest_sum_cost_, projection_.sum_costs[s]);
  }

  parts_.reserve(2 * n - 1);
  build(0, n);
  sums_.resize(parts_.size());
  labels_.resize(offsets_.back());
  allowed_.resize(n);
  for (std::size_t k = 0; k < n; ++k) allowed_[k] = {0, projection_.n_labels[k] - 1};
  find_windows();  // no call will need wider ones: here all labels are allowed
  outside_.reserve(values_.size());
  operations_ = static_cast<double>(offsets_.back()) + kOperationsPerPart * static_cast<double>(parts_.size());
  if (!feasible_) return;
  std::size_t widest = 0;
  for (const Part& whole : parts_) {
    widest = std::max(widest, whole.window.size());
    if (!whole.is_pixel()) operations_ += n_pairs(whole);
  }
  reversed_.reserve(widest);
}

// Pairs of the halves' sums that a convolution looks at.
double ProjectionOracle::n_pairs(const Part& whole) const {
  const Window a = part(whole.first).window, b = part(whole.second).window;
  double pairs = 0;
  for (Index i = a.lowest; i <= a.highest; ++i)
    pairs += std::max(0, std::min(b.highest, whole.window.highest - i) - std::max(b.lowest, whole.window.lowest - i) + 1);
  return pairs;
}

// Adds the part of the pixels begin .. end - 1. Roundings: of unary + weight, one for each level of the tree, of
// the sum's cost, and one to spare.
std::int32_t ProjectionOracle::build(std::size_t begin, std::size_t end) {
  Part whole{-1, static_cast<std::int32_t>(begin), {}, 0};
  if (end - begin == 1) {
    depth_ = 3;
  } else {
    const std::size_t middle = begin + (end - begin) / 2;
    whole.first = build(begin, middle);
    whole.second = build(middle, end);  // the larger half, whose depth counts
    depth_ += 1;
  }
  parts_.push_back(whole);
  return static_cast<std::int32_t>(parts_.size()) - 1;
}

// labels_ = unaries + weights, negative = sum of negative parts; makes new windows where other labels are allowed
// than before.
void ProjectionOracle::fill_labels(std::span<const double> weights, double& negative) {
  bool same = true;
  negative = std::max(0.0, -lowest_sum_cost_);
  for (std::size_t k = 0; k < allowed_.size(); ++k) {
    const std::size_t begin = offsets_[k], end = offsets_[k + 1];
    double lowest = 0;
    Window allowed = kNone;
    for (std::size_t i = begin; i < end; ++i) {
      const double value = projection_.unaries[i] + weight_at(weights, i) + 0.0;  // 0 has one sign: equal bits
      labels_[i] = value;
      lowest = std::min(lowest, value);
      if (value == kInfinity) continue;
      allowed.highest = static_cast<Index>(i - begin);
      allowed.lowest = std::min(allowed.lowest, allowed.highest);
    }
    negative -= lowest;
    same = same && allowed == allowed_[k];
    allowed_[k] = allowed;
  }
  if (!same) find_windows();
}

// Which sums can be reached, from the pixels up, and which of them lead to an allowed total, from the root down.
void ProjectionOracle::find_windows() {
  feasible_ = false;
  for (Part& whole : parts_) {
    if (whole.is_pixel()) {
      whole.window = allowed_[index(whole.second)];
      if (whole.window.empty()) return;
    } else {
      const Window a = part(whole.first).window, b = part(whole.second).window;
      whole.window = {a.lowest + b.lowest, a.highest + b.highest};
    }
  }
  Window& total = parts_.back().window;
  total = {std::max(total.lowest, totals_.lowest), std::min(total.highest, totals_.highest)};
  if (total.empty()) return;
  std::size_t end = kLanes;
  for (std::size_t k = parts_.size(); k-- > 0;) {
    const Part& whole = parts_[k];
    if (!whole.is_pixel()) {
      Window &first = part(whole.first).window, &second = part(whole.second).window;
      const Window a = first, b = second, needed = whole.window;
      first = {std::max(a.lowest, needed.lowest - b.highest), std::min(a.highest, needed.highest - b.lowest)};
      second = {std::max(b.lowest, needed.lowest - a.highest), std::min(b.highest, needed.highest - a.lowest)};
    }
    parts_[k].values = end;
    end += whole.window.size() + kLanes;
  }
  values_.assign(end, kInfinity);  // and so it stays between the parts
  feasible_ = true;
}

// values_, from the pixels up.
void ProjectionOracle::convolve() {
  const Kernels& kernel = kernels();
  for (const Part& whole : parts_) {
    double* values = values_.data() + whole.values;
    const std::size_t size = whole.window.size();
    if (whole.is_pixel()) {
      const double* labels = labels_.data() + offsets_[index(whole.second)] + whole.window.lowest;
      std::copy(labels, labels + size, values);
      continue;
    }
    const Part &a = part(whole.first), &b = part(whole.second);
    kernel.min_convolution(values_.data() + a.values, a.window.size(), values_.data() + b.values, b.window.size(),
                           static_cast<std::size_t>(whole.window.lowest - a.window.lowest - b.window.lowest), size,
                           values);
  }
}

// Sum of the first half of `whole` in its best labeling with this sum: the lowest one among equals.
Index ProjectionOracle::split(const Part& whole, Index sum) const {
  const Part &a = part(whole.first), &b = part(whole.second);
  const Index lowest = std::max(a.window.lowest, sum - b.window.highest);
  const Index highest = std::min(a.window.highest, sum - b.window.lowest);
  const double best = phi(whole, sum);
  for (Index i = lowest; i < highest; ++i)
    if (phi(a, i) + phi(b, sum - i) == best) return i;
  return highest;
}

Minimum ProjectionOracle::minimize(std::span<const double> weights, std::vector<Index>& support) {
  support.clear();
  double negative = 0;
  fill_labels(weights, negative);
  if (!feasible_) return {kInfinity, kInfinity, 0};
  convolve();
  Minimum result;
  result.value = kInfinity;
  for (Index s = root().window.lowest; s <= root().window.highest; ++s) {
    const double value = phi(root(), s) + sum_cost(s);
    if (value < result.value) {
      result.value = value;
      sums_.back() = s;
    }
  }
  if (result.value == kInfinity) return {kInfinity, kInfinity, 0};

  result.cost = sum_cost(sums_.back());
  support.resize(allowed_.size());
  for (std::size_t k = parts_.size(); k-- > 0;) {
    const Part& whole = parts_[k];
    if (whole.is_pixel()) {
      support[index(whole.second)] = static_cast<Index>(offsets_[index(whole.second)]) + sums_[k];
    } else {
      const Index first = split(whole, sums_[k]);
      sums_[index(whole.first)] = first;
      sums_[index(whole.second)] = sums_[k] - first;
    }
  }
  for (const Index i : support) result.cost += projection_.unaries[index(i)];
  result.rounding = 1.01 * rounding_factor(depth_) * (std::abs(result.value) + 2 * negative);
  return result;
}

double ProjectionOracle::cost(std::span<const Index> support) const {
  if (support.size() != allowed_.size()) return kInfinity;
  std::size_t total = 0;
  double sum = 0;
  for (std::size_t k = 0; k < support.size(); ++k) {
    const std::size_t i = index(support[k]);
    if (i < offsets_[k] || i >= offsets_[k + 1]) return kInfinity;  // not one label per pixel
    total += i - offsets_[k];
    sum += projection_.unaries[i];
  }
  return total < projection_.sum_costs.size() ? projection_.sum_costs[total] + sum : kInfinity;
}

bool ProjectionOracle::min_marginals(std::span<const double> weights, std::span<double> out) {
  std::fill(out.begin(), out.end(), kInfinity);
  double negative = 0;
  fill_labels(weights, negative);
  if (!feasible_) return true;
  convolve();

  // outside_: as values_, of everything but the part, given the part's sum; from the root down.
  const Kernels& kernel = kernels();
  outside_.assign(values_.size(), kInfinity);
  for (Index s = root().window.lowest; s <= root().window.highest; ++s)
    outside_[root().values + index(s - root().window.lowest)] = sum_cost(s);
  for (std::size_t k = parts_.size(); k-- > 0;) {
    const Part& whole = parts_[k];
    const double* above = outside_.data() + whole.values;
    if (whole.is_pixel()) {
      for (Index a = whole.window.lowest; a <= whole.window.highest; ++a) {
        const std::size_t i = offsets_[index(whole.second)] + index(a);
        if (i < out.size()) out[i] = labels_[i] + above[a - whole.window.lowest];
      }
      continue;
    }
    // min over j of phi(other, j) + above(i + j) is a convolution with phi(other) read backwards.
    const auto send = [&](const Part& half, const Part& other) {
      const double* values = values_.data() + other.values;
      reversed_.assign(std::reverse_iterator(values + other.window.size()), std::reverse_iterator(values));
      kernel.min_convolution(reversed_.data(), other.window.size(), above, whole.window.size(),
                             index(half.window.lowest + other.window.highest - whole.window.lowest),
                             half.window.size(), outside_.data() + half.values);
    };
    send(part(whole.first), part(whole.second));
    send(part(whole.second), part(whole.first));
  }
  return true;
}

}  // namespace fwmap
