#include "frank_wolfe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dual_bound.hpp"
#include "step.hpp"
#include "work.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

FrankWolfe::FrankWolfe(Decomposition& decomposition, std::uint64_t seed, std::int64_t cache_iterations, BlockStep step)
    : decomposition_(decomposition),
      point_(decomposition),
      certificate_(decomposition),
      minimizers_(decomposition.terms().size()),
      minimizer_costs_(decomposition.terms().size(), 0.0),
      order_(decomposition.terms().size()),
      random_(seed),
      block_step_(step),
      cache_iterations_(cache_iterations) {
  Index most = 0;
  for (const Term& term : decomposition.terms()) {
    caches_.emplace_back(term.n_shared);
    most = std::max(most, term.n_shared);
  }
  lambda_.resize(index(most));
  metric_.resize(index(most));
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

Pass FrankWolfe::exact_pass(Watch& watch) {
  Pass result;
  result.estimate = decomposition_.constant();
  ++iteration_;
  random_.shuffle(order_);
  for (const std::size_t t : order_) {
    if (watch.stop()) {
      result.complete = false;
      break;
    }
    const Term& term = decomposition_.terms()[t];
    const std::span<double> lambda(lambda_.data(), index(term.n_shared));
    const DualPoint::Products products = point_.lambda(term, c_, lambda);
    Minimum minimum;
    if (!call_oracle(t, lambda, minimum, result)) return result;
    result.estimate += minimum.value;
    caches_[t].evict(iteration_ - cache_iterations_);
    const std::size_t plane = keep(t, minimum, result);
    result.work += kGather * caches_[t].scan_operations();
    result.decrease += visit(t, lambda, products, plane);
  }
  work_ += result.work;
  return result;
}

Pass FrankWolfe::approximate_pass(Watch& watch) {
  Pass result;
  random_.shuffle(order_);
  for (const std::size_t t : order_) {
    if (watch.stop()) {
      result.complete = false;
      break;
    }
    const Term& term = decomposition_.terms()[t];
    const std::span<double> lambda(lambda_.data(), index(term.n_shared));
    const DualPoint::Products products = point_.lambda(term, c_, lambda);
    result.work += kStream * 2 * static_cast<double>(lambda.size()) + kGather * caches_[t].scan_operations() + kVisit;
    const std::size_t plane = block_step_.pairwise_steps > 0 ? 0 : caches_[t].best(lambda);
    result.decrease += visit(t, lambda, products, plane);
  }
  work_ += result.work;
  return result;
}

// Moves block t, given lambda^t and the number of the plane that minimises there.
double FrankWolfe::visit(std::size_t t, std::span<const double> lambda, const DualPoint::Products& products,
                         std::size_t plane) {
  const Term& term = decomposition_.terms()[t];
  if (block_step_.pairwise_steps == 0) {
    caches_[t][plane].last_used = iteration_;
    return step_towards(t, plane, caches_[t].value(plane, lambda), products);
  }
  BlockProblem problem(caches_[t], lambda, c_, scratch_);
  const double decrease = problem.solve(block_step_.pairwise_steps, iteration_);
  if (decrease == 0) return 0;
  const std::span<double> y = point_.y(term);
  before_.assign(y.begin(), y.end());
  point_.costs()[t] += problem.apply(
      [&](std::span<const Index> support, double change) {
        for (const Index i : support) y[index(i)] += change;
      },
      [&](std::span<const double> aggregate, double change) {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] += change * aggregate[i];
      });
  point_.follow(term, before_);
  objective_ -= decrease;
  return decrease;
}

// y^t <- (1 - gamma) y^t + gamma z^t with the exact step.
double FrankWolfe::step_towards(std::size_t t, std::size_t plane, double value, const DualPoint::Products& products) {
  const Term& term = decomposition_.terms()[t];
  const std::span<const Index> support = caches_[t][plane].shared();
  const std::span<const double> y = point_.y(term);
  double crossed = 0;  // <y, z> in the metric
  std::size_t next = 0;
  for (const Run& run : term.shared)
    for (; next < support.size() && support[next] < run.slot + run.length; ++next)
      crossed += point_.metric(run.variable + (support[next] - run.slot)) * y[index(support[next])];
  double& cost = point_.costs()[t];
  const double here = products.lambda_y + cost, slope = here - value;
  if (!(slope > kEqual * (std::abs(here) + std::abs(value)))) return 0;
  const double curvature = c_ * (products.y_norm - 2 * crossed + caches_[t].gram(plane)[plane]);
  const Step step = exact_step(slope, curvature);
  if (step.gamma == 0) return 0;
  point_.mix(term, support, step.gamma);
  caches_[t].mix(plane, step.gamma);
  cost += step.gamma * (caches_[t][plane].cost - cost);
  objective_ -= step.decrease;
  return step.decrease;
}

// Minimises term t; false where it has no feasible x. The minimiser is in support_.
bool FrankWolfe::call_oracle(std::size_t t, std::span<const double> lambda, Minimum& minimum, Pass& pass) {
  Term& term = decomposition_.terms()[t];
  minimum = term.minimize(lambda, support_);
  ++oracle_calls_;
  pass.work += term.oracle->operations() + kStream * 2 * static_cast<double>(lambda.size()) + kVisit;
  if (minimum.value != kInfinity) return true;
  pass.infeasible = true;
  pass.term = t;
  return false;
}

// Caches the minimiser in support_. A cheaper plane with the same shared part lowers y^t's cost at once.
std::size_t FrankWolfe::keep(std::size_t t, const Minimum& minimum, Pass& pass) {
  double saved = 0;
  const std::size_t plane = caches_[t].insert(support_, minimum.cost, iteration_, metric_of(decomposition_.terms()[t]), &saved);
  point_.costs()[t] -= saved;
  objective_ -= saved;
  pass.decrease += saved;
  return plane;
}

std::span<const double> FrankWolfe::metric_of(const Term& term) {
  for (const Run& run : term.shared)
    for (Index k = 0; k < run.length; ++k) metric_[index(run.slot + k)] = point_.metric(run.variable + k);
  return {metric_.data(), index(term.n_shared)};
}

bool FrankWolfe::take_plane(std::size_t t, const std::vector<Index>& support, double weight) {
  const Term& term = decomposition_.terms()[t];
  support_ = support;
  term.oracle->complete(support_);
  const double cost = term.oracle->cost(support_);
  if (!std::isfinite(cost)) return false;
  if (!term.slot_of.empty()) {
    for (Index& i : support_) i = term.slot_of[index(i)];
    std::sort(support_.begin(), support_.end());
  }
  double saved = 0;
  const std::size_t plane = caches_[t].insert(support_, cost, iteration_, metric_of(term), &saved);
  caches_[t][plane].weight += weight;
  return true;
}

void FrankWolfe::count_from(std::int64_t iteration, std::int64_t oracle_calls, double work) {
  iteration_ = iteration;
  oracle_calls_ = oracle_calls;
  work_ = work;
}

Evaluation FrankWolfe::initialize(Watch& watch) { return evaluate_at(true, watch); }

Evaluation FrankWolfe::evaluate(Watch& watch) { return evaluate_at(false, watch); }

Evaluation FrankWolfe::evaluate_at(bool at_center, Watch& watch) {
  Evaluation result;
  evaluated_.resize(decomposition_.n_slots());
  DualBound& certificate = certificate_;
  certificate.clear();
  for (std::size_t t = 0; t < caches_.size(); ++t) {
    if (watch.stop()) {
      result.complete = false;
      work_ += result.work;
      return result;
    }
    const Term& term = decomposition_.terms()[t];
    const std::span<double> lambda(evaluated_.data() + term.offset, index(term.n_shared));
    if (at_center)
      std::copy_n(point_.center().begin() + static_cast<std::ptrdiff_t>(term.offset), lambda.size(), lambda.begin());
    else
      point_.lambda(term, c_, lambda);
    Minimum minimum;
    if (!call_oracle(t, lambda, minimum, result)) return result;
    certificate.add(term, lambda, minimum);
    const std::size_t plane = keep(t, minimum, result);
    if (at_center && !caches_[t].has_weight()) caches_[t].mix(plane, 1.0);
    if (!at_center) result.slope += point_.along_step(term, lambda, caches_[t][plane].shared());
    minimizer_costs_[t] = minimum.cost;
    minimizers_[t] = term.coordinates(support_);
  }
  if (at_center) refresh();
  work_ += result.work;
  result.value = certificate.value();
  result.bound = certificate.bound();
  const bool is_best = result.bound > best_bound_;
  if (is_best) {
    best_bound_ = result.bound;
    best_value_ = result.value;
    best_ = evaluated_;
  }
  result.A = point_.linear(evaluated_) + decomposition_.constant() - result.value;
  result.A_best = is_best ? result.A : point_.linear(best_) + decomposition_.constant() - best_value_;
  result.B = point_.disagreement();
  result.spread = c_ * point_.spread();
  return result;
}

void FrankWolfe::move_center(bool to_best, double momentum) {
  const std::vector<double>& base = to_best ? best_ : evaluated_;
  if (momentum != 0 && previous_base_.size() == base.size()) {
    for (std::size_t i = 0; i < base.size(); ++i) previous_base_[i] = base[i] + momentum * (base[i] - previous_base_[i]);
    point_.set_center(previous_base_);
  } else {
    point_.set_center(base);
  }
  previous_base_ = base;
  refresh();
}

void FrankWolfe::set_center(std::span<const double> target) {
  point_.set_center(target);
  previous_base_.clear();
  refresh();
}

void FrankWolfe::set_proximal_weight(double c) {
  c_ = c;
  objective_ = point_.objective(c_);
}

void FrankWolfe::refresh() {
  for (std::size_t t = 0; t < caches_.size(); ++t) {
    if (!caches_[t].has_weight()) continue;  // before the first oracle call
    point_.costs()[t] = caches_[t].combination(point_.y(decomposition_.terms()[t]));
  }
  point_.refresh_mean();
  objective_ = point_.objective(c_);
}

std::size_t FrankWolfe::n_planes() const {
  std::size_t n = 0;
  for (const PlaneCache& cache : caches_) n += cache.size();
  return n;
}

std::vector<double> FrankWolfe::marginals() const {
  std::vector<double> result(index(decomposition_.n_variables()), 0.0);
  for (std::size_t i = 0; i < decomposition_.n_shared(); ++i)
    result[index(decomposition_.variable_of_shared()[i])] = point_.mean()[i];
  for (std::size_t t = 0; t < caches_.size(); ++t) {
    const Term& term = decomposition_.terms()[t];
    if (term.oracle->n_coordinates() == term.n_shared) continue;
    std::vector<Index> variable_of;  // of each oracle coordinate
    for (const Run& run : term.variables)
      for (Index k = 0; k < run.length; ++k) variable_of.push_back(run.variable + k);
    const auto at = [&](std::size_t slot) -> double& {
      return result[index(variable_of[term.coordinate_of.empty() ? slot : index(term.coordinate_of[slot])])];
    };
    const PlaneCache& cache = caches_[t];
    double total = cache.aggregate_weight();
    for (std::size_t p = 0; p < cache.size(); ++p) total += cache[p].weight;
    if (total == 0) continue;
    const std::span<const double> folded = cache.own_aggregate();
    for (std::size_t k = 0; k < folded.size(); ++k)
      at(index(term.n_shared) + k) += cache.aggregate_weight() / total * folded[k];
    for (std::size_t p = 0; p < cache.size(); ++p)
      for (std::size_t k = cache[p].n_shared; k < cache[p].support.size(); ++k)
        at(index(cache[p].support[k])) += cache[p].weight / total;
  }
  return result;
}

}  // namespace fwmap
