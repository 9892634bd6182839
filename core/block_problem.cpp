#include "block_problem.hpp"

#include <algorithm>
#include <cmath>

#include "step.hpp"

namespace fwmap {
BlockProblem::BlockProblem(PlaneCache& cache, std::span<const double> lambda, std::span<const double> metric, double c,
                           BlockScratch& scratch)
    : cache_(cache),
      c_(c),
      n_(cache.size()),
      aggregate_(cache.aggregate_weight() > 0),
      values_(scratch.values),
      before_(scratch.before),
      aggregate_products_(scratch.aggregate_products) {
  values_.resize(n_ + 1);
  before_.resize(n_ + 1);
  for (std::size_t k = 0; k < n_; ++k) {
    values_[k] = cache.value(k, lambda);
    before_[k] = cache[k].weight;
  }
  if (aggregate_) {
    aggregate_products_.resize(n_ + 1);
    cache.aggregate_products(metric, aggregate_products_);
    values_[n_] = cache.aggregate_value(lambda);
    before_[n_] = cache.aggregate_weight();
  }
}

void BlockProblem::set_weight(std::size_t k, double w) {
  if (k < n_)
    cache_[k].weight = w;
  else
    cache_.set_aggregate_weight(w);
}

double BlockProblem::product(std::size_t k, std::size_t l) const {
  if (k == n_) return aggregate_products_[l];
  if (l == n_) return aggregate_products_[k];
  return cache_.gram(k)[l];
}

double BlockProblem::solve(int steps, std::int64_t iteration) {
  const std::size_t size = n_ + (aggregate_ ? 1 : 0);
  double decrease = 0;
  for (int step = 0; step < steps; ++step) {
    std::size_t toward = 0, away = size;
    for (std::size_t k = 0; k < size; ++k) {
      if (values_[k] < values_[toward]) toward = k;
      if (weight(k) > 0 && (away == size || values_[k] > values_[away])) away = k;
    }
    if (step == 0 && toward < n_) cache_[toward].last_used = iteration;
    if (away == size || away == toward) break;
    const double slope = values_[away] - values_[toward];
    if (!(slope > kEqual * (std::abs(values_[away]) + std::abs(values_[toward])))) break;
    const double curvature = c_ * (product(toward, toward) + product(away, away) - 2 * product(toward, away));
    const double most = weight(away);
    const bool all = !(curvature > 0) || slope >= curvature * most;
    const double moved = all ? most : slope / curvature;
    decrease += moved * (slope - 0.5 * moved * std::max(curvature, 0.0));
    set_weight(away, all ? 0.0 : most - moved);
    set_weight(toward, weight(toward) + moved);
    if (toward < n_) cache_[toward].last_used = iteration;
    for (std::size_t k = 0; k < size; ++k) values_[k] += c_ * moved * (product(toward, k) - product(away, k));
  }
  return decrease;
}

}  // namespace fwmap
