#include "block_problem.hpp"

#include <algorithm>
#include <cmath>

#include "step.hpp"

namespace fwmap {

BlockProblem::BlockProblem(PlaneCache& cache, std::span<const double> lambda, double c, BlockScratch& scratch)
    : cache_(cache),
      c_(c),
      n_(cache.size()),
      aggregate_(cache.aggregate_weight() > 0),
      values_(scratch.values),
      before_(scratch.before),
      weights_(scratch.weights) {
  const std::size_t size = n_ + (aggregate_ ? 1 : 0);
  values_.resize(size);
  before_.resize(size);
  for (std::size_t k = 0; k < n_; ++k) {
    values_[k] = cache.value(k, lambda);
    before_[k] = cache[k].weight;
  }
  if (aggregate_) {
    values_[n_] = cache.aggregate_value(lambda);
    before_[n_] = cache.aggregate_weight();
  }
  weights_ = before_;
}

// Inner products with the planes.
std::span<const double> BlockProblem::products(std::size_t k) const {
  return k < n_ ? cache_.gram(k) : cache_.aggregate_products();
}

double BlockProblem::product(std::size_t k, std::size_t l) const {
  if (l < n_) return products(k)[l];
  return k < n_ ? cache_.aggregate_products()[k] : cache_.aggregate_norm();
}

// All values follow when weight moves between two planes.
void BlockProblem::move(std::size_t away, std::size_t toward, double amount) {
  const double* from = products(away).data();
  const double* to = products(toward).data();
  const double change = c_ * amount;
  double* values = values_.data();
  for (std::size_t k = 0; k < n_; ++k) values[k] += change * (to[k] - from[k]);
  if (aggregate_) values[n_] += change * (product(toward, n_) - product(away, n_));
}

double BlockProblem::solve(int steps, std::int64_t iteration) {
  const std::size_t size = values_.size();
  double decrease = 0;
  for (int step = 0; step < steps; ++step) {
    std::size_t toward = 0, away = size;
    double lowest = kInfinity, highest = -kInfinity;
    for (std::size_t k = 0; k < size; ++k) {
      const double value = values_[k];
      if (value < lowest) {
        lowest = value;
        toward = k;
      }
      if (value > highest && weights_[k] > 0) {
        highest = value;
        away = k;
      }
    }
    if (step == 0 && toward < n_) cache_[toward].last_used = iteration;
    if (away == size || away == toward) break;
    const double slope = highest - lowest;
    if (!(slope > kEqual * (std::abs(highest) + std::abs(lowest)))) break;
    const double curvature = c_ * (norm(toward) + norm(away) - 2 * product(toward, away));
    const double most = weights_[away];
    const bool all = !(curvature > 0) || slope >= curvature * most;
    const double moved = all ? most : slope / curvature;
    decrease += moved * (slope - 0.5 * moved * std::max(curvature, 0.0));
    weights_[away] = all ? 0.0 : most - moved;
    weights_[toward] += moved;
    if (toward < n_) cache_[toward].last_used = iteration;
    move(away, toward, moved);
  }
  for (std::size_t k = 0; k < n_; ++k) cache_[k].weight = weights_[k];
  if (aggregate_) cache_.set_aggregate_weight(weights_[n_]);
  return decrease;
}

}  // namespace fwmap
