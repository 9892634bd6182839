#pragma once
// Supergradient ascent on the dual as one function, with deflected directions. How far to step, and how much
// to deflect, is the caller's: see solvers/subgradient.py.

#include <vector>

#include "dual_function.hpp"
#include "dual_point.hpp"

namespace fwmap {

/// What a rule for the step length reads, all over the supergradient g = x - mean of x (the minimisers x of the
/// last evaluation, projected onto Lambda) and the direction d = y - mean of y.
struct DirectionProducts {
  double gradient_norm = 0;  ///< |g|^2
  double crossed = 0;        ///< <g, d>
  double norm = 0;           ///< |d|^2
  double slack = 0;          ///< <lambda, y> + cost of y - h(lambda) = A of eq. 8, never negative but for rounding
};

/// lambda moves along d = y - mean, where y is a running average of minimisers: a convex combination of planes, so
/// that A and B of eq. 8 have their meaning and y rounds to labelings.
///
/// Products are accumulated from the minimisers' supports, at a few operations per entry; lambda and y are
/// streamed once per step.
class Subgradient {
 public:
  /// The decomposition must be connected and must outlive this. Starts at lambda = 0.
  explicit Subgradient(Decomposition& decomposition, int threads = 1);

  /// Replaces lambda, made to sum to zero over the copies of each variable. y stays.
  void move_to(std::span<const double> lambda);

  /// Counts on from an earlier solve.
  void count_from(std::int64_t iteration, std::int64_t oracle_calls, double work) {
    iteration_ = iteration;
    dual_.count_from(oracle_calls, work);
  }

  /// h at the current lambda, and A; B is left 0. The first evaluation sets y to the minimisers.
  Evaluation evaluate(Watch& watch);

  /// The best lambda so far, with A and B of the current y. Costs passes over all slots.
  Evaluation best();

  const DirectionProducts& products() const { return products_; }

  /// y <- (1 - share) y + share x, then lambda <- lambda + length (y - mean).
  void advance(double share, double length);

  std::int64_t iteration() const { return iteration_; }
  const DualFunction& dual() const { return dual_; }
  const std::vector<double>& lambda() const { return lambda_; }

  /// Per variable of the decomposition the mean of y over its terms.
  std::vector<double> marginals() const;

 private:
  template <class Visit>
  void each_shared(Visit visit) const;
  void measure_products();
  void mix(double share);
  void refresh();

  DualFunction dual_;
  DualPoint point_;  // its y, mean and costs; the centre is not used
  std::vector<double> lambda_;
  DirectionProducts products_;
  double linear_ = 0;                  // <lambda, y> + cost of y
  std::vector<Index> chosen_;          // scratch over shared variables: by how many minimisers
  std::vector<double> private_;        // over variables: y of those of one term only, divided by private_scale_
  double private_scale_ = 1;
  bool started_ = false;
  std::int64_t iteration_ = 0;
};

}  // namespace fwmap
