#include "reduced_costs.hpp"

#include <algorithm>

#include "dual_bound.hpp"
#include "work.hpp"

namespace fwmap {
namespace {

// Min-marginals and their minimum are sums of the same items, each in at most some times as many roundings as the
// minimiser's. What exceeds the minimum is off by a part of itself, and by some times what the minimum is off by.
constexpr double kRoundings = 16;
constexpr double kOwnPart = 1e-9;
constexpr double kPasses = 5;  // of a minimiser's operations: messages both ways, without its tricks

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

ReducedCosts reduced_costs(Decomposition& decomposition, std::span<const double> lambda, Watch& watch) {
  ReducedCosts result;
  result.excess.assign(index(decomposition.n_variables()), 0.0);
  DualBound certificate(decomposition);
  double rounding = 0;
  std::vector<Index> support;
  std::vector<double> weights, marginals;
  for (std::size_t t = 0; t < decomposition.terms().size(); ++t) {
    if (watch.stop()) {
      result.complete = false;
      return result;
    }
    Term& term = decomposition.terms()[t];
    const std::span<const double> own = lambda.subspan(term.offset, index(term.n_shared));
    const Minimum minimum = term.minimize(own, support);
    result.work += (1 + kPasses) * term.oracle->operations() + kStream * static_cast<double>(own.size()) + kVisit;
    if (minimum.value == kInfinity) {
      result.infeasible = true;
      result.term = t;
      return result;
    }
    certificate.add(term, own, minimum);
    rounding += minimum.rounding;
    weights.assign(index(term.oracle->n_coordinates()), 0.0);
    for (std::size_t slot = 0; slot < own.size(); ++slot)
      weights[term.coordinate_of.empty() ? slot : index(term.coordinate_of[slot])] = own[slot];
    marginals.resize(weights.size());
    if (!term.oracle->min_marginals(weights, marginals)) continue;
    for (const Run& run : term.variables)
      for (Index k = 0; k < run.length; ++k) {
        const double more = marginals[index(run.slot + k)] - minimum.value;
        if (more > 0) result.excess[index(run.variable + k)] += std::max(0.0, (1 - kOwnPart) * more - kRoundings * minimum.rounding);
      }
  }
  result.bound = certificate.bound() - kRoundings * rounding;
  return result;
}

}  // namespace fwmap
