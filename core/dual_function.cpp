#include "dual_function.hpp"

#include <algorithm>
#include <optional>

#include "dual_bound.hpp"
#include "work.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

DualFunction::DualFunction(Decomposition& decomposition, int threads)
    : decomposition_(decomposition),
      workers_(decomposition.any_thread() ? threads : 1),
      minimizers_(decomposition.terms().size()) {
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
  const Shift shift(workers_);
  Evaluation result;
  DualBound certificate(decomposition_);
  std::vector<std::optional<Minimum>> minima(minimizers_.size());
  const auto own = [&](const Term& term) { return lambda.subspan(term.offset, index(term.n_shared)); };
  double sum = 0;
  for (const TermGroup& group : decomposition_.term_groups()) {
    result.complete = workers_.each(group.terms.size(), group.operations, watch, [&](std::size_t item, std::size_t) {
      const std::size_t t = group.terms[item];
      minima[t] = minimize(t, lambda);
      if (group.independent) certificate.add_multipliers(decomposition_.terms()[t], own(decomposition_.terms()[t]));
    });
    for (const std::size_t t : group.terms) {
      if (!minima[t]) continue;
      const Term& term = decomposition_.terms()[t];
      ++oracle_calls_;
      result.work += term.oracle->operations() + kStream * static_cast<double>(term.n_shared) + kVisit;
      if (minima[t]->value == kInfinity && !result.infeasible) {
        result.infeasible = true;
        result.term = t;
      }
      sum += minima[t]->value;
      certificate.add_minimum(*minima[t]);
      if (!group.independent) certificate.add_multipliers(term, own(term));
    }
    if (!result.complete || result.infeasible) break;
  }
  work_ += result.work;
  if (!result.complete || result.infeasible) return result;
  minima_ = sum;
  result.value = certificate.value();
  result.bound = certificate.bound();
  if (result.bound > best_bound_) {
    best_bound_ = result.bound;
    best_value_ = result.value;
    best_.assign(lambda.begin(), lambda.end());
  }
  return result;
}

Minimum DualFunction::minimize(std::size_t t, std::span<const double> lambda) {
  Term& term = decomposition_.terms()[t];
  Minimizer& minimizer = minimizers_[t];
  const Minimum minimum = term.minimize(lambda.subspan(term.offset, index(term.n_shared)), minimizer.support);
  minimizer.n_shared = static_cast<std::size_t>(
      std::lower_bound(minimizer.support.begin(), minimizer.support.end(), term.n_shared) - minimizer.support.begin());
  minimizer.cost = minimum.cost;
  return minimum;
}

std::vector<Index> DualFunction::coordinates(std::size_t t) const {
  return decomposition_.terms()[t].coordinates(minimizers_[t].support);
}

}  // namespace fwmap
