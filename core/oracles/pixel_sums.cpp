#include "oracles/pixel_sums.hpp"

#include <algorithm>
#include <stdexcept>

namespace fwmap {

PixelSums::PixelSums(Projection projection, const std::string& what)
    : unaries_(std::move(projection.unaries)), sum_costs_(std::move(projection.sum_costs)) {
  const std::vector<Index>& n_labels = projection.n_labels;
  const std::size_t n = n_labels.size();
  if (n == 0) throw std::invalid_argument(what + " has no pixel");
  offsets_.resize(n + 1, 0);
  for (std::size_t k = 0; k < n; ++k) {
    if (n_labels[k] < 1) throw std::invalid_argument("pixel " + std::to_string(k) + " of " + what + " has no label");
    offsets_[k + 1] = offsets_[k] + static_cast<std::size_t>(n_labels[k]);
    allowed_.push_back({0, n_labels[k] - 1});
  }
  if (offsets_.back() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw std::invalid_argument(what + " has more than 2^31 - 1 coordinates");
  if (unaries_.size() != offsets_.back())
    throw std::invalid_argument(what + " has " + std::to_string(unaries_.size()) + " unary costs; expected " +
                                std::to_string(offsets_.back()));
  labels_.resize(offsets_.back());
  const std::size_t n_sums = offsets_.back() - n + 1;
  if (sum_costs_.size() > n_sums) sum_costs_.resize(n_sums);
  for (std::size_t s = 0; s < sum_costs_.size(); ++s) {
    if (sum_costs_[s] == kInfinity) continue;
    totals_.reach(static_cast<Index>(s));
    negative_ = std::max(negative_, -sum_costs_[s]);
  }
}

bool PixelSums::take(std::span<const double> weights, double& negative) {
  bool same = true;
  for (std::size_t k = 0; k < allowed_.size(); ++k) {
    const std::size_t begin = offsets_[k], end = offsets_[k + 1];
    double lowest = 0;
    Window allowed;
    for (std::size_t i = begin; i < end; ++i) {
      const double value = unaries_[i] + weight_at(weights, i) + 0.0;  // 0 has one sign: equal bits
      labels_[i] = value;
      lowest = std::min(lowest, value);
      if (value != kInfinity) allowed.reach(static_cast<Index>(i - begin));
    }
    negative -= lowest;
    same = same && allowed == allowed_[k];
    allowed_[k] = allowed;
  }
  return !same;
}

double PixelSums::sum_cost_of(std::span<const Index> support) const {
  if (support.size() != n_pixels()) return kInfinity;
  std::size_t total = 0;
  for (std::size_t k = 0; k < support.size(); ++k) {
    const auto i = static_cast<std::size_t>(support[k]);
    if (i < offsets_[k] || i >= offsets_[k + 1]) return kInfinity;
    total += i - offsets_[k];
  }
  return total < sum_costs_.size() ? sum_costs_[total] : kInfinity;
}

}  // namespace fwmap
