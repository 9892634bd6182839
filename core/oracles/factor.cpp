#include "oracles/factor.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/kernels.hpp"

namespace fwmap {

FactorOracle::FactorOracle(Factor factor) : factor_(std::move(factor)) {
  const std::size_t arity = factor_.n_labels.size();
  std::vector<std::size_t> strides(arity, 1);
  std::size_t size = 1;
  for (std::size_t k = arity; k-- > 0;) {
    if (factor_.n_labels[k] < 1) throw std::invalid_argument("a variable of a factor has no label");
    strides[k] = size;
    size *= static_cast<std::size_t>(factor_.n_labels[k]);
  }
  if (factor_.table.size() != size)
    throw std::invalid_argument("a factor's table has " + std::to_string(factor_.table.size()) + " entries; expected " +
                                std::to_string(size));
  std::size_t next = 0;
  const auto add_group = [&](const std::vector<Index>& positions) {
    Group group{{}, next, 1, positions.size() == 1};
    for (std::size_t k = positions.size(); k-- > 0;) {
      const auto position = static_cast<std::size_t>(positions[k]);
      const auto labels = static_cast<std::size_t>(factor_.n_labels.at(position));
      group.members.push_back({strides[position], labels, group.size});
      group.size *= labels;
    }
    next += group.size;
    groups_.push_back(std::move(group));
  };
  for (std::size_t k = 0; k < arity; ++k) add_group({static_cast<Index>(k)});
  if (factor_.unaries.size() != next)
    throw std::invalid_argument("a factor has " + std::to_string(factor_.unaries.size()) + " unary costs; expected " +
                                std::to_string(next));
  for (const auto& block : factor_.blocks) add_group(block);
  n_coordinates_ = static_cast<Index>(next);
  weights_.resize(next);
  sums_.resize(size);
  operations_ = static_cast<double>(size * (groups_.size() + 1)) + 20.0;
  table_negative_part_ = std::max(0.0, -kernels().minimum(factor_.table.data(), size));
}

std::size_t FactorOracle::coordinate(const Group& group, std::size_t entry) const {
  std::size_t joint = 0;
  for (const Member& member : group.members) joint += entry / member.stride % member.labels * member.multiplier;
  return group.first + joint;
}

// sums_[e] = table[e] + unaries + weights of the labels of entry e; returns the sum of negative parts.
double FactorOracle::fill_sums(std::span<const double> weights) {
  double negative = table_negative_part_;
  std::copy(factor_.table.begin(), factor_.table.end(), sums_.begin());
  for (const Group& group : groups_) {
    double lowest = 0;
    for (std::size_t i = group.first; i < group.first + group.size; ++i) {
      weights_[i] = unary(i) + weight_at(weights, i);
      lowest = std::min(lowest, weights_[i]);
    }
    negative -= lowest;
    if (group.single) {
      const auto [stride, labels, multiplier] = group.members.front();
      for (std::size_t e = 0; e < sums_.size();)
        for (std::size_t a = 0; a < labels; ++a)
          for (std::size_t k = 0; k < stride; ++k, ++e) sums_[e] += weights_[group.first + a];
    } else {
      for (std::size_t e = 0; e < sums_.size(); ++e) sums_[e] += weights_[coordinate(group, e)];
    }
  }
  return negative;
}

Minimum FactorOracle::minimize(std::span<const double> weights, std::vector<Index>& support) {
  support.clear();
  const double negative = fill_sums(weights);
  std::size_t best = 0;
  for (std::size_t e = 1; e < sums_.size(); ++e)
    if (sums_[e] < sums_[best]) best = e;
  if (sums_[best] == kInfinity) return {kInfinity, kInfinity, 0};
  Minimum result;
  result.value = sums_[best];
  result.cost = factor_.table[best];
  for (const Group& group : groups_) {
    const std::size_t i = coordinate(group, best);
    result.cost += unary(i);
    support.push_back(static_cast<Index>(i));
  }
  const double depth = static_cast<double>(groups_.size()) + 2;
  result.rounding = 1.01 * rounding_factor(depth) * (std::abs(result.value) + 2 * negative);
  return result;
}

double FactorOracle::cost(std::span<const Index> support) const {
  const std::size_t arity = factor_.n_labels.size();
  if (support.size() < arity) return kInfinity;
  std::size_t entry = 0;
  double sum = 0;
  for (std::size_t k = 0; k < arity; ++k) {
    const Group& group = groups_[k];
    const auto i = static_cast<std::size_t>(support[k]);
    if (i < group.first || i >= group.first + group.size) return kInfinity;  // not one label per variable
    entry += (i - group.first) * group.members.front().stride;
    sum += factor_.unaries[i];
  }
  return sum + factor_.table[entry];
}

// out[k] = the lowest of the sums of the entries whose joint label in the group is k, as far as out goes.
void FactorOracle::lower_to_minima(const Group& group, std::span<double> out) const {
  if (group.single && out.size() == group.size) {
    const std::size_t stride = group.members.front().stride;
    for (std::size_t e = 0; e < sums_.size();)
      for (std::size_t a = 0; a < group.size; ++a)
        for (std::size_t k = 0; k < stride; ++k, ++e) out[a] = std::min(out[a], sums_[e]);
    return;
  }
  for (std::size_t e = 0; e < sums_.size(); ++e) {
    const std::size_t i = coordinate(group, e) - group.first;
    if (i < out.size()) out[i] = std::min(out[i], sums_[e]);
  }
}

bool FactorOracle::min_marginals(std::span<const double> weights, std::span<double> out) {
  return block_min_marginals(weights, 0, out);
}

bool FactorOracle::block_min_marginals(std::span<const double> weights, std::size_t first, std::span<double> out) {
  if (out.empty()) return true;
  fill_sums(weights);
  std::fill(out.begin(), out.end(), kInfinity);
  for (const Group& group : groups_) {
    if (group.first + group.size <= first || group.first >= first + out.size()) continue;
    if (group.first >= first) {
      lower_to_minima(group, out.subspan(group.first - first, std::min(group.size, first + out.size() - group.first)));
    } else {  // begins before what is asked for
      std::vector<double> whole(group.size, kInfinity);
      lower_to_minima(group, whole);
      const std::size_t n = std::min(group.first + group.size - first, out.size());
      std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(first - group.first), n, out.begin());
    }
  }
  return true;
}

}  // namespace fwmap
