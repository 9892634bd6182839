#include "oracles/projection.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"

namespace fwmap {
namespace {

constexpr double kOperationsPerPart = 60.0;  // what a part costs besides its sums

std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

ProjectionOracle::ProjectionOracle(Projection projection) : pixels_(std::move(projection), "a projection") {
  const std::size_t n = pixels_.n_pixels();
  parts_.reserve(2 * n - 1);
  build(0, n);
  sums_.resize(parts_.size());
  find_windows();  // no call will need wider ones: here all labels are allowed
  outside_.reserve(values_.size());
  operations_ = static_cast<double>(pixels_.n_coordinates()) + kOperationsPerPart * static_cast<double>(parts_.size());
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

// Makes new windows where other labels are allowed than before. Returns what all costs can lower the value by.
double ProjectionOracle::take(std::span<const double> weights) {
  double negative = pixels_.negative();
  if (pixels_.take(weights, negative)) find_windows();
  return negative;
}

// Which sums can be reached, from the pixels up, and which of them lead to an allowed total, from the root down.
void ProjectionOracle::find_windows() {
  feasible_ = false;
  for (Part& whole : parts_) {
    if (whole.is_pixel()) {
      whole.window = pixels_.allowed(whole.second);
      if (whole.window.empty()) return;
    } else {
      const Window a = part(whole.first).window, b = part(whole.second).window;
      whole.window = {a.lowest + b.lowest, a.highest + b.highest};
    }
  }
  Window& total = parts_.back().window;
  total = {std::max(total.lowest, pixels_.totals().lowest), std::min(total.highest, pixels_.totals().highest)};
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
      const double* labels = pixels_.labels(whole.second) + whole.window.lowest;
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
  const double negative = take(weights);
  if (!feasible_) return {kInfinity, kInfinity, 0};
  convolve();
  Minimum result;
  result.value = kInfinity;
  for (Index s = root().window.lowest; s <= root().window.highest; ++s) {
    const double value = phi(root(), s) + pixels_.sum_cost(s);
    if (value < result.value) {
      result.value = value;
      sums_.back() = s;
    }
  }
  if (result.value == kInfinity) return {kInfinity, kInfinity, 0};

  result.cost = pixels_.sum_cost(sums_.back());
  support.resize(pixels_.n_pixels());
  for (std::size_t k = parts_.size(); k-- > 0;) {
    const Part& whole = parts_[k];
    if (whole.is_pixel()) {
      support[index(whole.second)] = static_cast<Index>(pixels_.offset(whole.second)) + sums_[k];
    } else {
      const Index first = split(whole, sums_[k]);
      sums_[index(whole.first)] = first;
      sums_[index(whole.second)] = sums_[k] - first;
    }
  }
  for (const Index i : support) result.cost += pixels_.unary(i);
  result.rounding = 1.01 * rounding_factor(depth_) * (std::abs(result.value) + 2 * negative);
  return result;
}

double ProjectionOracle::cost(std::span<const Index> support) const {
  const double of_sum = pixels_.sum_cost_of(support);
  if (of_sum == kInfinity) return kInfinity;
  double sum = 0;
  for (const Index i : support) sum += pixels_.unary(i);
  return of_sum + sum;
}

bool ProjectionOracle::min_marginals(std::span<const double> weights, std::span<double> out) {
  std::fill(out.begin(), out.end(), kInfinity);
  take(weights);
  if (!feasible_) return true;
  convolve();

  // outside_: as values_, of everything but the part, given the part's sum; from the root down.
  const Kernels& kernel = kernels();
  outside_.assign(values_.size(), kInfinity);
  for (Index s = root().window.lowest; s <= root().window.highest; ++s)
    outside_[root().values + index(s - root().window.lowest)] = pixels_.sum_cost(s);
  for (std::size_t k = parts_.size(); k-- > 0;) {
    const Part& whole = parts_[k];
    const double* above = outside_.data() + whole.values;
    if (whole.is_pixel()) {
      for (Index a = whole.window.lowest; a <= whole.window.highest; ++a) {
        const std::size_t i = pixels_.offset(whole.second) + index(a);
        if (i < out.size()) out[i] = pixels_.labels(whole.second)[a] + above[a - whole.window.lowest];
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
