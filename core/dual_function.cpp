#include "dual_function.hpp"

#include <algorithm>

#include "dual_bound.hpp"
#include "work.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

DualFunction::DualFunction(Decomposition& decomposition)
    : decomposition_(decomposition), minimizers_(decomposition.terms().size()) {
  for (const Term& term : decomposition.terms()) {
    std::vector<Index> variables;  // of each oracle coordinate
    for (const Run& run : term.variables)
      for (Index k = 0; k < run.length; ++k) variables.push_back(run.variable + k);
    std::vector<Index>& own = own_variables_.emplace_back();
    for (std::size_t slot = index(term.n_shared); slot < variables.size(); ++slot)
      own.push_back(variables[term.coordinate_of.empty() ? slot : index(term.coordinate_of[slot])]);
  }
}

Evaluation DualFunction::evaluate(std::span<const double> lambda, Watch& watch) {
  Evaluation result;
  DualBound certificate(decomposition_);
  double minima = 0;
  for (std::size_t t = 0; t < minimizers_.size(); ++t) {
    if (watch.stop()) {
      result.complete = false;
      break;
    }
    Term& term = decomposition_.terms()[t];
    Minimizer& minimizer = minimizers_[t];
    const std::span<const double> own = lambda.subspan(term.offset, index(term.n_shared));
    const Minimum minimum = term.minimize(own, minimizer.support);
    ++oracle_calls_;
    result.work += term.oracle->operations() + kStream * static_cast<double>(own.size()) + kVisit;
    if (minimum.value == kInfinity) {
      result.infeasible = true;
      result.term = t;
      break;
    }
    minimizer.n_shared = static_cast<std::size_t>(
        std::lower_bound(minimizer.support.begin(), minimizer.support.end(), term.n_shared) - minimizer.support.begin());
    minimizer.cost = minimum.cost;
    minima += minimum.value;
    certificate.add(term, own, minimum);
  }
  work_ += result.work;
  if (!result.complete || result.infeasible) return result;
  minima_ = minima;
  result.value = certificate.value();
  result.bound = certificate.bound();
  if (result.bound > best_bound_) {
    best_bound_ = result.bound;
    best_value_ = result.value;
    best_.assign(lambda.begin(), lambda.end());
  }
  return result;
}

std::vector<Index> DualFunction::coordinates(std::size_t t) const {
  return decomposition_.terms()[t].coordinates(minimizers_[t].support);
}

}  // namespace fwmap
