#pragma once
// What every oracle promises, against brute force.

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "exact.hpp"

namespace fwmap::test {

/// Coordinates of one label for each node, the nodes' labels one after another.
inline std::vector<Index> one_hot(const std::vector<Index>& n_labels, const std::vector<Index>& labeling) {
  std::vector<Index> support;
  Index offset = 0;
  for (std::size_t k = 0; k < labeling.size(); ++k) {
    support.push_back(offset + labeling[k]);
    offset += n_labels[k];
  }
  return support;
}

/// The minimum is that of brute force, to the bit, since sums of integers are exact, and what the oracle says of
/// its minimiser agrees with it. Tells whether there is one, and leaves it in `support`.
inline bool check_exact_minimum(Oracle& oracle, std::span<const double> weights, const BruteForce& expected,
                                std::vector<Index>& support) {
  support = {3};  // of an earlier call
  const Minimum minimum = oracle.minimize(weights, support);
  CHECK(minimum.value == expected.minimum);
  if (expected.minimum == kInfinity) {
    CHECK(support.empty() && minimum.cost == kInfinity && minimum.rounding == 0);
    return false;
  }
  CHECK(minimum.cost + weight_of(support, weights) == minimum.value);
  CHECK(oracle.cost(support) == minimum.cost);
  return true;
}

/// `value - rounding` is at most the exact minimum, and no further from it than `rounding` says.
inline Minimum check_minimum_within_rounding(Oracle& oracle, std::span<const double> weights,
                                             const BruteForce& expected) {
  std::vector<Index> support;
  const Minimum minimum = oracle.minimize(weights, support);
  if (expected.minimum == kInfinity)
    CHECK(minimum.value == kInfinity);
  else
    CHECK(absolute(minimum.value - expected.minimum) <= minimum.rounding);
  return minimum;
}

/// Min-marginals of all coordinates, and of the first ones alone, are those of brute force.
inline std::vector<double> check_exact_min_marginals(Oracle& oracle, std::span<const double> weights,
                                                     const BruteForce& expected) {
  std::vector<double> out(index(oracle.n_coordinates()), std::nan("")), some(weights.size());
  CHECK(oracle.min_marginals(weights, out) && oracle.min_marginals(weights, some));
  for (std::size_t i = 0; i < out.size(); ++i) CHECK(out[i] == expected.min_marginals[i]);
  for (std::size_t i = 0; i < some.size(); ++i) CHECK(some[i] == out[i]);
  return out;
}

/// Weights beyond the end are zero, and what was asked before shows in no answer.
inline void check_calls_leave_no_trace(Oracle& oracle, std::span<const double> weights) {
  std::vector<double> padded(weights.begin(), weights.end());
  padded.resize(index(oracle.n_coordinates()), 0.0);
  std::vector<Index> first, second, third;
  const Minimum minimum = oracle.minimize(weights, first);
  CHECK(oracle.minimize(padded, second).value == minimum.value);
  std::vector<double> out(padded.size());
  oracle.min_marginals(padded, out);
  oracle.minimize({}, third);
  CHECK(oracle.minimize(weights, third).value == minimum.value);
  CHECK(first == second && first == third);
}

}  // namespace fwmap::test
