#include "frank_wolfe.hpp"

#include <algorithm>
#include <cmath>

#include "dual_bound.hpp"
#include "step.hpp"
#include "work.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

FrankWolfe::FrankWolfe(Decomposition& decomposition, std::uint64_t seed, std::int64_t cache_iterations, BlockStep step,
                       int threads)
    : decomposition_(decomposition),
      point_(decomposition),
      certificate_(decomposition),
      minimizers_(decomposition.terms().size()),
      minimizer_costs_(decomposition.terms().size(), 0.0),
      order_(decomposition),
      workers_(decomposition.any_thread() ? threads : 1),
      random_(seed),
      block_step_(step),
      cache_iterations_(cache_iterations),
      scratch_(workers_.most()),
      visits_(decomposition.terms().size()) {
  for (const Term& term : decomposition.terms()) caches_.emplace_back(term.n_shared);
}

Pass FrankWolfe::exact_pass(Watch& watch) {
  ++iteration_;
  Pass result;
  result.estimate = decomposition_.constant();
  const auto operations = [&](std::size_t t) { return decomposition_.terms()[t].operations(); };
  visit_all(result, watch, operations, [&](std::size_t t, Scratch& scratch) {
    Visit visit;
    const Term& term = decomposition_.terms()[t];
    const std::span<double> lambda = scratch.over(term);
    const DualPoint::Products products = point_.lambda(term, c_, lambda);
    if (!call_oracle(t, lambda, visit, scratch)) return visit;
    caches_[t].evict(iteration_ - cache_iterations_);
    const std::size_t plane = keep(t, visit, scratch);
    visit.work += kGather * caches_[t].scan_operations();
    visit.decrease += move(t, lambda, products, plane, scratch);
    return visit;
  });
  return result;
}

Pass FrankWolfe::approximate_pass(Watch& watch) {
  Pass result;
  const auto operations = [&](std::size_t t) {
    return kStream * 2 * decomposition_.terms()[t].n_shared + kGather * caches_[t].scan_operations() + kVisit;
  };
  visit_all(result, watch, operations, [&](std::size_t t, Scratch& scratch) {
    Visit visit;
    const Term& term = decomposition_.terms()[t];
    const std::span<double> lambda = scratch.over(term);
    const DualPoint::Products products = point_.lambda(term, c_, lambda);
    visit.work = operations(t);
    const std::size_t plane = block_step_.pairwise_steps > 0 ? 0 : caches_[t].best(lambda);
    visit.decrease = move(t, lambda, products, plane, scratch);
    return visit;
  });
  return result;
}

// Visits all terms, batch by batch, and sums up what became of them in the order of the visits.
template <class Operations, class VisitTerm>
void FrankWolfe::visit_all(Pass& result, Watch& watch, Operations operations, VisitTerm visit_term) {
  const Shift shift(workers_);
  order_.shuffle(random_);
  for (std::size_t k = 0; k < order_.n_batches() && result.complete && !result.infeasible; ++k) {
    const std::span<const std::size_t> terms = order_.batch(k);
    double expected = 0;
    for (const std::size_t t : terms) {
      visits_[t] = Visit();
      expected += operations(t);
    }
    try {
      result.complete = workers_.each(terms.size(), expected, watch, [&](std::size_t item, std::size_t worker) {
        visits_[terms[item]] = visit_term(terms[item], scratch_[worker]);
      });
    } catch (...) {  // the visits before it count
      sum_up(terms, result);
      throw;
    }
    sum_up(terms, result);
  }
  work_ += result.work;
}

void FrankWolfe::sum_up(std::span<const std::size_t> terms, Pass& result) {
  for (const std::size_t t : terms) {
    const Visit& visit = visits_[t];
    oracle_calls_ += visit.oracle_calls;
    result.work += visit.work;
    if (visit.minimum.value == kInfinity && !result.infeasible) {
      result.infeasible = true;
      result.term = t;
    }
    result.estimate += visit.minimum.value;
    result.decrease += visit.decrease;
    objective_ -= visit.decrease;
  }
}

// Moves block t, given lambda^t and the number of the plane that minimises there.
double FrankWolfe::move(std::size_t t, std::span<const double> lambda, const DualPoint::Products& products,
                        std::size_t plane, Scratch& scratch) {
  const Term& term = decomposition_.terms()[t];
  if (block_step_.pairwise_steps == 0) {
    caches_[t][plane].last_used = iteration_;
    return step_towards(t, plane, caches_[t].value(plane, lambda), products);
  }
  BlockProblem problem(caches_[t], lambda, c_, scratch.block);
  const double decrease = problem.solve(block_step_.pairwise_steps, iteration_);
  if (decrease == 0) return 0;
  const std::span<double> y = point_.y(term);
  scratch.before.assign(y.begin(), y.end());
  point_.costs()[t] += problem.apply(
      [&](std::span<const Index> support, double change) {
        for (const Index i : support) y[index(i)] += change;
      },
      [&](std::span<const double> aggregate, double change) {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] += change * aggregate[i];
      });
  point_.follow(term, scratch.before);
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
  return step.decrease;
}

// Minimises term t; false where it has no feasible x. The minimiser is in scratch.support.
bool FrankWolfe::call_oracle(std::size_t t, std::span<const double> lambda, Visit& visit, Scratch& scratch) {
  Term& term = decomposition_.terms()[t];
  visit.minimum = term.minimize(lambda, scratch.support);
  visit.oracle_calls = 1;
  visit.work += term.operations();
  return visit.minimum.value != kInfinity;
}

// Caches the minimiser in scratch.support. A cheaper plane with the same shared part lowers y^t's cost at once.
std::size_t FrankWolfe::keep(std::size_t t, Visit& visit, Scratch& scratch) {
  const std::span<const double> metric = metric_of(decomposition_.terms()[t], scratch);
  double saved = 0;
  const std::size_t plane = caches_[t].insert(scratch.support, visit.minimum.cost, iteration_, metric, &saved);
  point_.costs()[t] -= saved;
  visit.decrease += saved;
  return plane;
}

std::span<const double> FrankWolfe::metric_of(const Term& term, Scratch& scratch) const {
  scratch.metric.resize(index(term.n_shared));
  for (const Run& run : term.shared)
    for (Index k = 0; k < run.length; ++k) scratch.metric[index(run.slot + k)] = point_.metric(run.variable + k);
  return scratch.metric;
}

bool FrankWolfe::take_plane(std::size_t t, const std::vector<Index>& given, double weight) {
  const Term& term = decomposition_.terms()[t];
  Scratch& scratch = scratch_.front();
  std::vector<Index>& support = scratch.support;
  support = given;
  term.oracle->complete(support);
  const double cost = term.oracle->cost(support);
  if (!std::isfinite(cost)) return false;
  if (!term.slot_of.empty()) {
    for (Index& i : support) i = term.slot_of[index(i)];
    std::sort(support.begin(), support.end());
  }
  double saved = 0;
  const std::size_t plane = caches_[t].insert(support, cost, iteration_, metric_of(term, scratch), &saved);
  caches_[t][plane].weight += weight;
  return true;
}

void FrankWolfe::count_from(std::int64_t iteration, std::int64_t oracle_calls, double work) {
  iteration_ = iteration;
  oracle_calls_ = oracle_calls;
  work_ = work;
}

void FrankWolfe::take_best(std::span<const double> lambda, double bound, double value) {
  best_.assign(lambda.begin(), lambda.end());
  best_bound_ = bound;
  best_value_ = value;
}

Evaluation FrankWolfe::initialize(Watch& watch) { return evaluate_at(true, watch); }

Evaluation FrankWolfe::evaluate(Watch& watch) { return evaluate_at(false, watch); }

Evaluation FrankWolfe::evaluate_at(bool at_center, Watch& watch) {
  const Shift shift(workers_);
  Evaluation result;
  evaluated_.resize(decomposition_.n_slots());
  certificate_.clear();
  for (const TermGroup& group : decomposition_.term_groups()) {
    for (const std::size_t t : group.terms) visits_[t] = Visit();
    result.complete = workers_.each(group.terms.size(), group.operations, watch, [&](std::size_t item, std::size_t worker) {
      const std::size_t t = group.terms[item];
      visits_[t] = evaluate_term(t, at_center, scratch_[worker]);
      if (group.independent) certificate_.add_multipliers(decomposition_.terms()[t], lambda_of(t));
    });
    sum_up(group.terms, result);
    for (const std::size_t t : group.terms) {
      result.slope += visits_[t].slope;
      certificate_.add_minimum(visits_[t].minimum);
      if (!group.independent) certificate_.add_multipliers(decomposition_.terms()[t], lambda_of(t));
    }
    if (!result.complete || result.infeasible) break;
  }
  work_ += result.work;
  if (!result.complete || result.infeasible) return result;
  if (at_center) refresh();
  result.value = certificate_.value();
  result.bound = certificate_.bound();
  const bool is_best = result.bound > best_bound_;
  if (is_best) {
    best_bound_ = result.bound;
    best_value_ = result.value;
    best_ = evaluated_;
  }
  result.A = point_.linear(evaluated_, workers_) + decomposition_.constant() - result.value;
  result.A_best = is_best ? result.A : point_.linear(best_, workers_) + decomposition_.constant() - best_value_;
  result.B = point_.disagreement(workers_);
  result.spread = c_ * point_.spread(workers_);
  return result;
}

FrankWolfe::Visit FrankWolfe::evaluate_term(std::size_t t, bool at_center, Scratch& scratch) {
  Visit visit;
  const Term& term = decomposition_.terms()[t];
  const std::span<double> lambda(evaluated_.data() + term.offset, index(term.n_shared));
  if (at_center)
    std::copy_n(point_.center().begin() + static_cast<std::ptrdiff_t>(term.offset), lambda.size(), lambda.begin());
  else
    point_.lambda(term, c_, lambda);
  if (!call_oracle(t, lambda, visit, scratch)) return visit;
  const std::size_t plane = keep(t, visit, scratch);
  if (at_center && !caches_[t].has_weight()) caches_[t].mix(plane, 1.0);
  if (!at_center) visit.slope = point_.along_step(term, lambda, caches_[t][plane].shared());
  minimizer_costs_[t] = visit.minimum.cost;
  minimizers_[t] = term.coordinates(scratch.support);
  return visit;
}

void FrankWolfe::move_center(bool to_best, double momentum) {
  const Shift shift(workers_);
  const std::vector<double>& base = to_best ? best_ : evaluated_;
  if (momentum != 0 && previous_base_.size() == base.size()) {
    workers_.each_block(base.size(), kStream, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) previous_base_[i] = base[i] + momentum * (base[i] - previous_base_[i]);
    });
    point_.set_center(previous_base_, workers_);
  } else {
    point_.set_center(base, workers_);
  }
  previous_base_ = base;
  refresh();
}

void FrankWolfe::set_center(std::span<const double> target) {
  const Shift shift(workers_);
  point_.set_center(target, workers_);
  previous_base_.clear();
  refresh();
}

void FrankWolfe::set_proximal_weight(double c) {
  const Shift shift(workers_);
  c_ = c;
  objective_ = point_.objective(c_, workers_);
}

void FrankWolfe::refresh() {
  double entries = kStream * static_cast<double>(decomposition_.n_slots());
  for (const PlaneCache& cache : caches_) entries += kGather * cache.scan_operations();
  workers_.each(caches_.size(), entries, [&](std::size_t t, std::size_t) {
    if (!caches_[t].has_weight()) return;  // before the first oracle call
    point_.costs()[t] = caches_[t].combination(point_.y(decomposition_.terms()[t]));
  });
  point_.refresh_mean(workers_);
  objective_ = point_.objective(c_, workers_);
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
