#include "frank_wolfe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "step.hpp"

namespace fwmap {
namespace {

// Operations per entry, in the unit of Oracle::operations: streaming lambda, y and the mean costs a few
// memory accesses per slot, gathering along a support about as much per entry.
constexpr double kStream = 4;
constexpr double kGather = 2;
constexpr double kVisit = 30;  // of a term, whatever its size

}  // namespace

FrankWolfe::FrankWolfe(Decomposition& decomposition, std::uint64_t seed, std::int64_t cache_iterations)
    : decomposition_(decomposition),
      point_(decomposition),
      minimizers_(decomposition.terms().size()),
      order_(decomposition.terms().size()),
      random_(seed),
      cache_iterations_(cache_iterations) {
  Index most = 0;
  for (const Term& term : decomposition.terms()) {
    caches_.emplace_back(term.n_shared);
    most = std::max(most, term.n_shared);
  }
  lambda_.resize(static_cast<std::size_t>(most));
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

Pass FrankWolfe::initialize(Watch& watch) {
  Pass result;
  for (std::size_t t = 0; t < caches_.size(); ++t) {
    if (watch.stop()) {
      result.complete = false;
      return result;
    }
    Term& term = decomposition_.terms()[t];
    const std::span<double> lambda = lambda_of(term);
    for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] = point_.center()[term.offset + i];
    const Minimum minimum = term.minimize(lambda, support_);
    ++oracle_calls_;
    result.work += term.oracle->operations() + kVisit;
    if (minimum.value == kInfinity) {
      result.infeasible = true;
      result.term = t;
      return result;
    }
    double saved = 0;
    const std::size_t plane = caches_[t].insert(support_, minimum.cost, 0, metric_of(term), &saved);
    caches_[t].mix(plane, 1.0);
  }
  work_ += result.work;
  refresh();
  return result;
}

double FrankWolfe::take_step(std::size_t t, std::size_t plane, double plane_value, const DualPoint::Products& products) {
  const Term& term = decomposition_.terms()[t];
  const std::span<const Index> support = caches_[t][plane].shared();
  const std::span<const double> y = point_.y(term);
  double crossed = 0, plane_norm = 0;  // sum over the support of metric * y, and of metric
  std::size_t next = 0;
  for (const Run& run : term.shared)
    for (; next < support.size() && support[next] < run.slot + run.length; ++next) {
      const double metric = point_.metric(run.variable + (support[next] - run.slot));
      crossed += metric * y[static_cast<std::size_t>(support[next])];
      plane_norm += metric;
    }
  double& cost = point_.costs()[t];
  const double slope = products.lambda_y + cost - plane_value;
  const double curvature = c_ * (products.y_norm - 2 * crossed + plane_norm);
  const Step step = exact_step(slope, curvature);
  if (step.gamma == 0) return 0;
  point_.mix(term, support, step.gamma);
  caches_[t].mix(plane, step.gamma);
  cost += step.gamma * (caches_[t][plane].cost - cost);
  objective_ -= step.decrease;
  return step.decrease;
}

Pass FrankWolfe::exact_pass(Watch& watch) {
  Pass result;
  ++iteration_;
  random_.shuffle(order_);
  for (const std::size_t t : order_) {
    if (watch.stop()) {
      result.complete = false;
      break;
    }
    Term& term = decomposition_.terms()[t];
    const std::span<double> lambda = lambda_of(term);
    const DualPoint::Products products = point_.lambda(term, c_, lambda);
    const Minimum minimum = term.minimize(lambda, support_);
    ++oracle_calls_;
    result.work += term.oracle->operations() + kStream * 2 * static_cast<double>(lambda.size()) + kVisit;
    double saved = 0;
    caches_[t].evict(iteration_ - cache_iterations_);
    const std::size_t plane = caches_[t].insert(support_, minimum.cost, iteration_, metric_of(term), &saved);
    point_.costs()[t] -= saved;
    objective_ -= saved;
    if (exact_steps > 0)
      result.decrease += saved + correct(t, lambda, exact_steps);
    else
      result.decrease += saved + take_step(t, plane, minimum.value, products);
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
    Term& term = decomposition_.terms()[t];
    const std::span<double> lambda = lambda_of(term);
    const DualPoint::Products products = point_.lambda(term, c_, lambda);
    double value = 0;
    const std::size_t plane = caches_[t].best(lambda, &value);
    caches_[t][plane].last_used = iteration_;
    result.work += kStream * 2 * static_cast<double>(lambda.size()) + kGather * caches_[t].scan_operations() + kVisit;
    result.decrease += take_step(t, plane, value, products);
  }
  work_ += result.work;
  return result;
}

std::span<const double> FrankWolfe::metric_of(const Term& term) {
  metric_.resize(static_cast<std::size_t>(term.n_shared));
  for (const Run& run : term.shared)
    for (Index k = 0; k < run.length; ++k) metric_[static_cast<std::size_t>(run.slot + k)] = point_.metric(run.variable + k);
  return metric_;
}

double FrankWolfe::correct(std::size_t t, std::span<const double> lambda, int steps) {
  PlaneCache& cache = caches_[t];
  const Term& term = decomposition_.terms()[t];
  const std::size_t n = cache.size();
  const bool aggregate = cache.aggregate_weight() > 1e-12;
  values_.resize(n + 1);
  before_.resize(n + 1);
  double aggregate_norm = 0;
  for (std::size_t k = 0; k < n; ++k) {
    double sum = cache[k].cost;
    for (const Index i : cache[k].shared()) sum += lambda[static_cast<std::size_t>(i)];
    values_[k] = sum;
    before_[k] = cache[k].weight;
  }
  if (aggregate) {
    aggregate_products_.resize(n);
    aggregate_norm = cache.aggregate_gram(metric_of(term), aggregate_products_);
    values_[n] = cache.aggregate_value(lambda);
    before_[n] = cache.aggregate_weight();
  }
  double aggregate_weight = cache.aggregate_weight();
  double decrease = 0;
  const std::size_t none = n + 1;
  for (int step = 0; step < steps; ++step) {
    std::size_t toward = 0, away = none;
    for (std::size_t k = 0; k < n; ++k) {
      if (values_[k] < values_[toward]) toward = k;
      if (cache[k].weight > 0 && (away == none || values_[k] > values_[away])) away = k;
    }
    if (aggregate && aggregate_weight > 0 && (away == none || values_[n] > values_[away])) away = n;
    if (step == 0) cache[toward].last_used = iteration_;
    if (away == none || away == toward) break;
    const double slope = values_[away] - values_[toward];
    if (!(slope > 1e-12 * std::abs(values_[toward]))) break;
    const auto row = cache.gram(toward);
    const double cross = away == n ? aggregate_products_[toward] : row[away];
    const double norm = away == n ? aggregate_norm : cache.gram(away)[away];
    const double curvature = c_ * (row[toward] + norm - 2 * cross);
    double& give = away == n ? aggregate_weight : cache[away].weight;
    double gamma = give;
    if (curvature > 0 && slope < curvature * give) gamma = slope / curvature;
    decrease += gamma * (slope - 0.5 * gamma * std::max(curvature, 0.0));
    if (gamma == give)
      give = 0;
    else
      give -= gamma;
    cache[toward].weight += gamma;
    cache[toward].last_used = iteration_;
    const double move = c_ * gamma;
    if (away == n) {
      for (std::size_t k = 0; k < n; ++k) values_[k] += move * (row[k] - aggregate_products_[k]);
      values_[n] += move * (aggregate_products_[toward] - aggregate_norm);
    } else {
      const auto other = cache.gram(away);
      for (std::size_t k = 0; k < n; ++k) values_[k] += move * (row[k] - other[k]);
      if (aggregate) values_[n] += move * (aggregate_products_[toward] - aggregate_products_[away]);
    }
  }
  double cost = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double change = cache[k].weight - before_[k];
    if (change == 0) continue;
    point_.add(term, cache[k].shared(), change);
    cost += change * cache[k].cost;
  }
  if (aggregate && aggregate_weight != before_[n]) {
    const double change = aggregate_weight - before_[n];
    point_.add_dense(term, cache.aggregate(), change);
    cost += change * cache.aggregate_cost();
    cache.set_aggregate_weight(aggregate_weight);
  }
  point_.costs()[t] += cost;
  objective_ -= decrease;
  return decrease;
}

Pass FrankWolfe::corrective_pass(Watch& watch, int steps) {
  Pass result;
  random_.shuffle(order_);
  for (const std::size_t t : order_) {
    if (watch.stop()) {
      result.complete = false;
      break;
    }
    Term& term = decomposition_.terms()[t];
    const std::span<double> lambda = lambda_of(term);
    point_.lambda(term, c_, lambda);
    result.work += kStream * static_cast<double>(lambda.size()) + 2 * kGather * caches_[t].scan_operations() + kVisit;
    result.decrease += correct(t, lambda, steps);
  }
  work_ += result.work;
  return result;
}

Evaluation FrankWolfe::evaluate(Watch& watch) {
  Evaluation result;
  evaluated_.resize(decomposition_.n_slots());
  std::vector<double> residual(decomposition_.n_shared(), 0.0), magnitude(decomposition_.n_shared(), 0.0);
  double bound = decomposition_.constant(), bound_magnitude = std::abs(bound), rounding = 0, linear = 0;
  double value = bound;
  for (std::size_t t = 0; t < caches_.size(); ++t) {
    if (watch.stop()) {
      result.complete = false;
      work_ += result.work;
      return result;
    }
    Term& term = decomposition_.terms()[t];
    const std::span<double> lambda(evaluated_.data() + term.offset, static_cast<std::size_t>(term.n_shared));
    const DualPoint::Products products = point_.lambda(term, c_, lambda);
    const Minimum minimum = term.minimize(lambda, support_);
    ++oracle_calls_;
    result.work += term.oracle->operations() + kStream * 2 * static_cast<double>(lambda.size()) + kVisit;
    if (minimum.value == kInfinity) {
      result.infeasible = true;
      result.term = t;
      return result;
    }
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < static_cast<std::size_t>(run.length); ++k) {
        const double l = lambda[static_cast<std::size_t>(run.slot) + k];
        residual[static_cast<std::size_t>(run.variable) + k] += l;
        magnitude[static_cast<std::size_t>(run.variable) + k] += std::abs(l);
      }
    linear += products.lambda_y + point_.costs()[t];
    value += minimum.value;
    bound_magnitude += std::abs(minimum.value);
    rounding += minimum.rounding;
    double saved = 0;
    caches_[t].insert(support_, minimum.cost, iteration_, metric_of(term), &saved);
    point_.costs()[t] -= saved;
    objective_ -= saved;
    minimizers_[t].assign(support_.begin(), support_.end());
    if (!term.coordinate_of.empty()) {
      for (Index& i : minimizers_[t]) i = term.coordinate_of[static_cast<std::size_t>(i)];
      std::sort(minimizers_[t].begin(), minimizers_[t].end());
    }
  }
  // The residual itself is a rounded sum.
  double residual_magnitude = 0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    residual[i] += 1.01 * rounding_factor(static_cast<double>(decomposition_.copies()[i])) * magnitude[i];
    residual_magnitude += std::abs(residual[i]);
  }
  const double worst = decomposition_.worst_residual(residual);
  const double summing = rounding_factor(static_cast<double>(caches_.size()) + 8) * (bound_magnitude + rounding) +
                         rounding_factor(static_cast<double>(residual.size()) + 8) * residual_magnitude;
  result.value = value;
  result.bound = value - worst - 1.01 * (rounding + summing);
  result.A = linear + decomposition_.constant() - value;
  result.B = point_.disagreement();
  if (result.bound > best_bound_) {
    best_bound_ = result.bound;
    best_ = evaluated_;
  }
  work_ += result.work;
  return result;
}

void FrankWolfe::move_center(bool to_best, double momentum) {
  const std::vector<double>& base = to_best ? best_ : evaluated_;
  if (momentum != 0 && previous_base_.size() == base.size()) {
    std::vector<double> target(base.size());
    for (std::size_t i = 0; i < base.size(); ++i) target[i] = base[i] + momentum * (base[i] - previous_base_[i]);
    point_.set_center(target);
  } else {
    point_.set_center(base);
  }
  previous_base_ = base;
  refresh();
}

void FrankWolfe::set_center(std::span<const double> target) {
  point_.set_center(target);
  refresh();
}

void FrankWolfe::set_proximal_weight(double c) {
  c_ = c;
  objective_ = point_.objective(c_);
}

void FrankWolfe::refresh() {
  for (std::size_t t = 0; t < caches_.size(); ++t)
    point_.costs()[t] = caches_[t].combination(point_.y(decomposition_.terms()[t]));
  point_.refresh_mean();
  objective_ = point_.objective(c_);
}

std::size_t FrankWolfe::n_planes() const {
  std::size_t n = 0;
  for (const PlaneCache& cache : caches_) n += cache.size();
  return n;
}

std::vector<double> FrankWolfe::marginals() const {
  std::vector<double> result(static_cast<std::size_t>(decomposition_.n_variables()), 0.0);
  for (std::size_t i = 0; i < decomposition_.n_shared(); ++i)
    result[static_cast<std::size_t>(decomposition_.variable_of_shared()[i])] = point_.mean()[i];
  for (std::size_t t = 0; t < caches_.size(); ++t) {
    const Term& term = decomposition_.terms()[t];
    std::vector<Index> variable;
    for (const Run& run : term.variables)
      for (Index k = 0; k < run.length; ++k) variable.push_back(run.variable + k);
    double total = 0;
    for (std::size_t p = 0; p < caches_[t].size(); ++p) total += caches_[t][p].weight;
    for (std::size_t p = 0; p < caches_[t].size(); ++p) {
      const Plane& plane = caches_[t][p];
      const double weight = total > 0 ? plane.weight / total : (p == 0 ? 1.0 : 0.0);
      for (std::size_t k = plane.n_shared; k < plane.support.size(); ++k) {
        const auto slot = static_cast<std::size_t>(plane.support[k]);
        const std::size_t coordinate = term.coordinate_of.empty() ? slot : static_cast<std::size_t>(term.coordinate_of[slot]);
        result[static_cast<std::size_t>(variable[coordinate])] += weight;
      }
    }
  }
  return result;
}

}  // namespace fwmap
