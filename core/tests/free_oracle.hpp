#pragma once
// The simplest term: free Booleans with a cost each.

#include "decomposition.hpp"
#include "exact.hpp"

namespace fwmap::test {

class FreeOracle final : public Oracle {
 public:
  explicit FreeOracle(std::vector<double> costs) : costs_(std::move(costs)) {}

  Index n_coordinates() const override { return static_cast<Index>(costs_.size()); }

  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override {
    last_weights.assign(weights.begin(), weights.end());
    support.clear();
    Minimum result;
    double magnitude = 0;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      const double value = costs_[i] + weight_at(weights, i);
      if (!(value < 0)) continue;
      support.push_back(static_cast<Index>(i));
      result.cost += costs_[i];
      result.value += value;
      magnitude -= value;
    }
    result.rounding = 1.01 * rounding_factor(static_cast<double>(costs_.size()) + 2) * magnitude;
    return result;
  }

  double operations() const override { return static_cast<double>(costs_.size()); }

  std::vector<double> last_weights;  ///< of the last call

 private:
  std::vector<double> costs_;
};

/// Terms over random variables in random order; `scattered` false: over consecutive ones, in long runs.
inline void add_random_terms(Random& random, Decomposition& decomposition, int n_terms, bool scattered) {
  const auto n = static_cast<std::size_t>(decomposition.n_variables());
  for (int t = 0; t < n_terms; ++t) {
    std::vector<std::int64_t> variables;
    if (scattered) {
      for (std::size_t i = 0; i < n; ++i)
        if (chance(random, 0.5)) variables.push_back(static_cast<std::int64_t>(i));
      if (chance(random, 0.5)) random.shuffle(variables);
    } else {
      const std::size_t begin = random.below(n / 2), end = n / 2 + random.below(n / 2);
      for (std::size_t i = begin; i < end; ++i) variables.push_back(static_cast<std::int64_t>(i));
    }
    decomposition.add(std::make_unique<FreeOracle>(random_vector(random, variables.size(), real)), variables,
                      "term " + std::to_string(t));
  }
  decomposition.connect();
}

}  // namespace fwmap::test
