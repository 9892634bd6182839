#pragma once
// Arithmetic wide enough to judge roundings of double, and numbers to test with.

#include "oracle.hpp"
#include "random.hpp"

namespace fwmap::test {

#ifdef __SIZEOF_FLOAT128__
__extension__ using Exact = __float128;
#else
using Exact = long double;  // as wide, where the other is missing
#endif

inline Exact absolute(Exact x) { return x < 0 ? -x : x; }
inline std::size_t index(Index i) { return static_cast<std::size_t>(i); }

/// Uniform in low .. high.
inline int integer(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::size_t>(high - low + 1)));
}

inline bool chance(Random& random, double probability) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53 < probability;
}

/// Uniform in [-1, 1).
inline double real(Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-52 - 1; }

/// Integers have exact sums, so that equality can be asked for, and many ties.
inline double integer_cost(Random& random) { return integer(random, -9, 9); }

/// Magnitudes from 1e-6 to 1e8: sums of these round and cancel.
inline double wild_cost(Random& random) {
  constexpr double kScales[] = {1e-6, 1.0, 1e3, 1e8};
  return kScales[random.below(4)] * real(random);
}

using CostMaker = double (*)(Random&);

inline std::vector<double> random_vector(Random& random, std::size_t n, CostMaker cost, double forbidden = 0) {
  std::vector<double> result(n);
  for (double& x : result) x = chance(random, forbidden) ? kInfinity : cost(random);
  return result;
}

/// Calls visit(labeling) for every labeling, last node fastest.
template <class Visit>
void for_each_labeling(const std::vector<Index>& n_labels, Visit visit) {
  std::vector<Index> labeling(n_labels.size(), 0);
  for (;;) {
    visit(labeling);
    std::size_t v = labeling.size();
    while (v > 0 && ++labeling[v - 1] == n_labels[v - 1]) labeling[--v] = 0;
    if (v == 0) return;
  }
}

/// Minimum of a term and its min-marginals, by looking at every labeling; +inf where there is none.
struct BruteForce {
  Exact minimum = kInfinity;
  std::vector<Exact> min_marginals;

  explicit BruteForce(std::size_t n_coordinates) : min_marginals(n_coordinates, Exact(kInfinity)) {}

  void see(const std::vector<Index>& support, Exact value) {
    if (value < minimum) minimum = value;
    for (const Index i : support)
      if (value < min_marginals[index(i)]) min_marginals[index(i)] = value;
  }
};

inline Exact weight_of(const std::vector<Index>& support, std::span<const double> weights) {
  Exact sum = 0;
  for (const Index i : support) sum += weight_at(weights, index(i));
  return sum;
}

}  // namespace fwmap::test
