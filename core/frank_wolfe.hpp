#pragma once
// Multi-plane block-coordinate Frank-Wolfe inside a proximal bundle method (section "Method" of the paper).
// The order of passes, evaluations and moves of the centre is the caller's: see solvers/frank_wolfe.py.

#include <cstdint>
#include <vector>

#include "decomposition.hpp"
#include "dual_point.hpp"
#include "plane_cache.hpp"
#include "random.hpp"

namespace fwmap {

/// Asked before each oracle call whether to stop now. May throw.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual bool stop() = 0;
};

/// What a pass over the terms did.
struct Pass {
  bool complete = true;     ///< false: the watch stopped it
  bool infeasible = false;  ///< some term has no feasible x; `term` says which
  std::size_t term = 0;
  double decrease = 0;      ///< of f_{mu,c}
  double work = 0;          ///< operations
};

/// h at the current lambda.
struct Evaluation : Pass {
  double bound = -kInfinity;  ///< certified lower bound of the energy (DESIGN, note 10)
  double value = -kInfinity;  ///< h(lambda) as computed, without allowances
  double A = 0, B = 0;        ///< eq. 8
};

class FrankWolfe {
 public:
  /// The decomposition must be connected and must outlive the solver. `cache_iterations` is K.
  FrankWolfe(Decomposition& decomposition, std::uint64_t seed, std::int64_t cache_iterations);

  /// Calls every oracle at lambda(mu, y), first time: y^t <- argmin at mu = 0. Must be called first.
  Pass initialize(Watch& watch);

  /// Algorithm 1, with the oracles; counts as a new iteration and evicts what is too old.
  Pass exact_pass(Watch& watch);

  /// Algorithm 1, with the cached planes in place of the oracles.
  Pass approximate_pass(Watch& watch);
  Pass corrective_pass(Watch& watch, int steps);
  int exact_steps = 0;

  /// Evaluates h at the current lambda and keeps the minimisers as planes. lambda and its value are remembered
  /// (`evaluated_lambda`), and as the best where its bound is the highest so far.
  Evaluation evaluate(Watch& watch);

  /// Moves the centre to base + momentum * (base - previous base), where base is the lambda evaluated last
  /// (`to_best`: the best one). y stays.
  void move_center(bool to_best, double momentum);

  /// Replaces the centre: a warm start. `target` is over slots.
  void set_center(std::span<const double> target);

  double proximal_weight() const { return c_; }
  void set_proximal_weight(double c);

  /// Support of the oracle's minimiser at the last evaluation (oracle coordinates), per term.
  std::span<const Index> minimizer(std::size_t term) const { return minimizers_[term]; }

  double objective() const { return objective_; }  ///< f_{mu,c}(y), accumulated
  void refresh();                                  ///< y, mean and objective recomputed from the planes' weights
  std::int64_t iteration() const { return iteration_; }
  std::int64_t oracle_calls() const { return oracle_calls_; }
  double work() const { return work_; }
  std::size_t n_planes() const;

  const Decomposition& decomposition() const { return decomposition_; }
  const DualPoint& point() const { return point_; }
  const PlaneCache& cache(std::size_t term) const { return caches_[term]; }
  const std::vector<double>& evaluated_lambda() const { return evaluated_; }
  const std::vector<double>& best_lambda() const { return best_; }
  double best_bound() const { return best_bound_; }

  /// Mean over the terms of y, per variable of the decomposition; a variable of one term only gets that term's y.
  /// Weight that was folded away is left out of private variables, and the others share it.
  std::vector<double> marginals() const;

 private:
  double correct(std::size_t t, std::span<const double> lambda, int steps);
  std::span<const double> metric_of(const Term& term);
  double take_step(std::size_t t, std::size_t plane, double plane_value, const DualPoint::Products& products);
  std::span<double> lambda_of(const Term& term) { return {lambda_.data(), static_cast<std::size_t>(term.n_shared)}; }

  Decomposition& decomposition_;
  DualPoint point_;
  std::vector<PlaneCache> caches_;
  std::vector<std::vector<Index>> minimizers_;
  std::vector<std::size_t> order_;
  Random random_;
  double c_ = 1;
  double objective_ = 0;
  std::int64_t iteration_ = 0, cache_iterations_, oracle_calls_ = 0;
  double work_ = 0;
  std::vector<double> lambda_;     // of one term
  std::vector<double> metric_, values_, before_, aggregate_products_;
  std::vector<Index> support_;
  std::vector<double> evaluated_, best_, previous_base_;  // over slots
  double best_bound_ = -kInfinity;
};

}  // namespace fwmap
