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
  totals_ = {0, -1};
  for (std::size_t s = 0; s < projection_.sum_costs.size(); ++s) {
    if (projection_.sum_costs[s] == kInfinity) continue;
    if (totals_.empty()) totals_.lowest = static_cast<Index>(s);
    totals_.highest = static_cast<Index>(s);
    lowest_sum_cost_ = std::min(lowest_sum_cost_, projection_.sum_costs[s]);
  }

  parts_.reserve(2 * n - 1);
  build(0, n);
  sums_.resize(parts_.size());
  labels_.resize(offsets_.back());
  allowed_.resize(n);
  for (std::size_t k = 0; k < n; ++k) allowed_[k] = {0, projection_.n_labels[k] - 1};
  // Room for the widest windows that can occur: those with every label allowed.
  feasible_ = find_windows();
  operations_ = static_cast<double>(offsets_.back());
  std::size_t widest = 0, room = kLanes;
  for (const Part& whole : parts_) {
    operations_ += kOperationsPerPart;
    if (!feasible_) continue;
    widest = std::max(widest, whole.window.size());
    room += whole.window.size() + kLanes;
    if (whole.is_pixel()) continue;
    const Window a = part(whole.first).window, b = part(whole.second).window;
    for (Index i = a.lowest; i <= a.highest; ++i)
      operations_ += std::max(0, std::min(b.highest, whole.window.highest - i) -
                                     std::max(b.lowest, whole.window.lowest - i) + 1);
  }
  values_.reserve(room);
  outside_.reserve(room);
  reversed_.reserve(widest);
}

// The part of the pixels begin .. end - 1; depth_ becomes 2 (a label's unary and weight, and one to spare) + the
// height of the tree + 1 (the cost of the sum).
std::int32_t ProjectionOracle::build(std::size_t begin, std::size_t end) {
  Part whole{-1, static_cast<std::int32_t>(begin), {}, 0};
  if (end - begin == 1) {
    depth_ = 3;
  } else {
    const std::size_t middle = begin + (end - begin) / 2;
    whole.first = build(begin, middle);
    whole.second = build(middle, end);  // not the smaller half: its depth is the one that counts
    depth_ += 1;
  }
  parts_.push_back(whole);
  return static_cast<std::int32_t>(parts_.size()) - 1;
}

// labels_ = unaries + weights; false where the labels allowed are no longer those of the windows.
bool ProjectionOracle::fill_labels(std::span<const double> weights, double& negative) {
  bool same = true;
  negative = std::max(0.0, -lowest_sum_cost_);
  for (std::size_t k = 0; k + 1 < offsets_.size(); ++k) {
    const std::size_t begin = offsets_[k], end = offsets_[k + 1];
    double lowest = 0;
    Window allowed{0, -1};
    for (std::size_t i = begin; i < end; ++i) {
      const double value = projection_.unaries[i] + weight_at(weights, i) + 0.0;  // not -0: minima of equals differ
      labels_[i] = value;
      lowest = std::min(lowest, value);
      if (value == kInfinity) continue;
      allowed.highest = static_cast<Index>(i - begin);
      if (allowed.lowest > allowed.highest || value == kInfinity) continue;
    }
    negative -= lowest;
    same = same && allowed == allowed_[k];
    allowed_[k] = allowed;
  }
  return same;
}
