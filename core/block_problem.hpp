#pragma once
// One block of the proximal problem restricted to its cached planes: a small quadratic programme.

#include <vector>

#include "plane_cache.hpp"

namespace fwmap {

/// Memory that block problems use one after the other.
struct BlockScratch {
  std::vector<double> values, before, weights;
};

/// min over y^t in the hull of the cached planes (and the aggregate) of f_{mu,c}, all other blocks fixed.
///
/// In the weights of the planes the gradient is value_p = cost_p + <lambda^t, p> and the second derivative
/// c <p, q> in the metric 1 - 1/|T_i| (docs/theory.md). A pairwise step moves weight from the used plane of
/// the highest value to the plane of the lowest, exactly as far as pays; values follow from the cached inner
/// products, so that a step costs a few operations per plane, whatever the size of a plane.
class BlockProblem {
 public:
  /// `lambda` is over the shared slots of the term. Costs one scan of the planes.
  BlockProblem(PlaneCache& cache, std::span<const double> lambda, double c, BlockScratch& scratch);

  /// Takes up to `steps` pairwise steps; planes that gain weight are marked as used in `iteration`.
  /// Returns by how much f_{mu,c} fell. The cache's weights are changed, y^t is not.
  double solve(int steps, std::int64_t iteration);

  /// Calls change(plane's shared support, difference of its weight) for every plane whose weight changed, and
  /// change_aggregate(aggregate, difference) where that did; returns the change of y^t's cost.
  template <class Change, class ChangeAggregate>
  double apply(Change change, ChangeAggregate change_aggregate) const {
    double cost = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      const double difference = weights_[k] - before_[k];
      if (difference == 0) continue;
      change(cache_[k].shared(), difference);
      cost += difference * cache_[k].cost;
    }
    if (aggregate_) {
      const double difference = weights_[n_] - before_[n_];
      if (difference != 0) {
        change_aggregate(cache_.aggregate(), difference);
        cost += difference * cache_.aggregate_cost();
      }
    }
    return cost;
  }

 private:
  double norm(std::size_t k) const { return k < n_ ? cache_.gram(k)[k] : cache_.aggregate_norm(); }
  double product(std::size_t k, std::size_t l) const;
  std::span<const double> products(std::size_t k) const;
  void move(std::size_t away, std::size_t toward, double amount);

  PlaneCache& cache_;
  double c_;
  std::size_t n_;                   // planes; number n_ is the aggregate
  bool aggregate_;
  std::vector<double>&values_, &before_, &weights_;
};

}  // namespace fwmap
