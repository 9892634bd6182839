#pragma once
// h and its supergradients, for methods that see the dual as one function.

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition.hpp"
#include "evaluation.hpp"
#include "workers.hpp"

namespace fwmap {

/// A minimiser of one term.
struct Minimizer {
  std::vector<Index> support;  ///< slots, ascending: shared ones first
  std::size_t n_shared = 0;    ///< how many of them are shared
  double cost = 0;             ///< f_t of it

  std::span<const Index> shared() const { return {support.data(), n_shared}; }
  std::span<const Index> own() const { return {support.data() + n_shared, support.size() - n_shared}; }
};

/// Evaluates h(lambda) = sum_t h_t(lambda^t) by one oracle call per term.
///
/// The minimisers x^t are a supergradient of h as a function on all multipliers; on Lambda its projection
/// x^t_i - mean of x_i over the copies is one. The decomposition must be connected and outlive this.
class DualFunction {
 public:
  /// Up to `threads` threads share the terms; the bits are the same whatever their number.
  explicit DualFunction(Decomposition& decomposition, int threads = 1);

  /// h at lambda, which is over the slots of all terms; A and B of the result are left 0. Keeps the minimisers,
  /// and lambda as the best one where its certified bound is the highest so far. Where the watch stops it, or
  /// a term is infeasible, the minimisers are a mixture and of no use.
  Evaluation evaluate(std::span<const double> lambda, Watch& watch);

  const Decomposition& decomposition() const { return decomposition_; }

  /// Whoever shares its terms.
  Workers& workers() { return workers_; }
  const Minimizer& minimizer(std::size_t term) const { return minimizers_[term]; }

  /// Variables of the slots of a term that no other term shares, from slot n_shared on.
  std::span<const Index> own_variables(std::size_t term) const { return own_variables_[term]; }

  /// Support of a minimiser in the oracle's own coordinates, ascending.
  std::vector<Index> coordinates(std::size_t term) const;

  /// <lambda, x> + sum of the costs of the minimisers x = h(lambda) without the constant, as computed.
  double minima() const { return minima_; }

  const std::vector<double>& best_lambda() const { return best_; }
  double best_bound() const { return best_bound_; }
  double best_value() const { return best_value_; }
  std::int64_t oracle_calls() const { return oracle_calls_; }
  double work() const { return work_; }
  void add_work(double operations) { work_ += operations; }

  /// Counts on from an earlier solve.
  void count_from(std::int64_t oracle_calls, double work) {
    oracle_calls_ = oracle_calls;
    work_ = work;
  }

 private:
  Minimum minimize(std::size_t t, std::span<const double> lambda);

  Decomposition& decomposition_;
  Workers workers_;
  std::vector<Minimizer> minimizers_;
  std::vector<std::vector<Index>> own_variables_;
  std::vector<double> best_;
  double best_bound_ = -kInfinity, best_value_ = -kInfinity, minima_ = 0;
  std::int64_t oracle_calls_ = 0;
  double work_ = 0;
};

}  // namespace fwmap
