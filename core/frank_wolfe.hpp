#pragma once
// Multi-plane block-coordinate Frank-Wolfe inside a proximal bundle method (section "Method" of the paper).
// The order of passes, evaluations and moves of the centre is the caller's: see solvers/frank_wolfe.py.

#include <cstdint>
#include <vector>

#include "block_problem.hpp"
#include "decomposition.hpp"
#include "dual_bound.hpp"
#include "dual_point.hpp"
#include "evaluation.hpp"
#include "plane_cache.hpp"
#include "random.hpp"
#include "visit_order.hpp"
#include "workers.hpp"

namespace fwmap {

/// How a block moves once its plane is there.
struct BlockStep {
  /// 0: one step towards the plane, as Algorithm 1 has it. Else up to so many pairwise steps among all cached
  /// planes of the block.
  int pairwise_steps = 0;
};

class FrankWolfe {
 public:
  /// The decomposition must be connected and must outlive the solver. `cache_iterations` is K. Up to `threads` threads
  /// share the terms that have no variable in common; what comes out has the same bits whatever their number.
  FrankWolfe(Decomposition& decomposition, std::uint64_t seed, std::int64_t cache_iterations, BlockStep step,
             int threads = 1);

  /// Takes a plane of an earlier solve into the cache, with its weight in y^t; before `initialize` only. Its
  /// support is over the oracle's coordinates, ascending; what the oracle knows to follow from it need not be
  /// there. The cost is the oracle's own opinion: costs may have changed since. False, and nothing happens, where
  /// the oracle calls it infeasible or cannot tell.
  bool take_plane(std::size_t term, const std::vector<Index>& support, double weight);

  /// Counts on from an earlier solve.
  void count_from(std::int64_t iteration, std::int64_t oracle_calls, double work);

  /// The best lambda of an earlier method on the same terms, and h there: best until a better one is found.
  void take_best(std::span<const double> lambda, double bound, double value);

  /// y^t <- argmin at the centre, where no plane with weight was taken, and h there. Must be called first.
  Evaluation initialize(Watch& watch);

  /// Algorithm 1, with the oracles; counts as a new iteration and evicts what is too old.
  Pass exact_pass(Watch& watch);

  /// Algorithm 1, with the cached planes in place of the oracles.
  Pass approximate_pass(Watch& watch);

  /// Evaluates h at the current lambda and keeps the minimisers as planes. lambda is remembered
  /// (`evaluated_lambda`), and as the best one where its bound is the highest so far.
  Evaluation evaluate(Watch& watch);

  /// Moves the centre to base + momentum * (base - previous base), where base is the lambda evaluated last
  /// (`to_best`: the best one). y stays; it is recomputed from the planes' weights, against drift.
  void move_center(bool to_best, double momentum);

  /// Replaces the centre. `target` is over slots.
  void set_center(std::span<const double> target);

  double proximal_weight() const { return c_; }
  void set_proximal_weight(double c);

  BlockStep block_step() const { return block_step_; }
  void set_block_step(BlockStep step) { block_step_ = step; }

  /// Support of the oracle's minimiser at the last evaluation (oracle coordinates, ascending), per term.
  std::span<const Index> minimizer(std::size_t term) const { return minimizers_[term]; }

  /// Its own cost.
  double minimizer_cost(std::size_t term) const { return minimizer_costs_[term]; }

  /// f_{mu,c}(y), accumulated step by step and recomputed when the centre moves (docs/theory.md).
  double objective() const { return objective_; }
  std::int64_t iteration() const { return iteration_; }
  std::int64_t oracle_calls() const { return oracle_calls_; }
  double work() const { return work_; }
  std::size_t n_planes() const;

  /// How often several threads shared something: 0 where there is too little to share.
  std::int64_t shared_loops() const { return workers_.shared_loops(); }

  const Decomposition& decomposition() const { return decomposition_; }
  const DualPoint& point() const { return point_; }
  const PlaneCache& cache(std::size_t term) const { return caches_[term]; }
  const std::vector<double>& evaluated_lambda() const { return evaluated_; }
  const std::vector<double>& best_lambda() const { return best_; }

  /// Per variable of the decomposition the mean of y over its terms.
  std::vector<double> marginals() const;

 private:
  /// Memory of one worker, for one term at a time.
  struct Scratch {
    std::vector<double> lambda, metric, before;
    std::vector<Index> support;
    BlockScratch block;

    std::span<double> over(const Term& term) {
      lambda.resize(static_cast<std::size_t>(term.n_shared));
      return lambda;
    }
  };

  /// What became of one term.
  struct Visit {
    Minimum minimum;
    double decrease = 0, work = 0, slope = 0;
    int oracle_calls = 0;
  };

  template <class Operations, class VisitTerm>
  void visit_all(Pass& result, Watch& watch, Operations operations, VisitTerm visit_term);
  void sum_up(std::span<const std::size_t> terms, Pass& result);
  Visit evaluate_term(std::size_t t, bool at_center, Scratch& scratch);
  std::span<const double> lambda_of(std::size_t t) const {
    const Term& term = decomposition_.terms()[t];
    return {evaluated_.data() + term.offset, static_cast<std::size_t>(term.n_shared)};
  }
  double move(std::size_t t, std::span<const double> lambda, const DualPoint::Products& products, std::size_t plane,
              Scratch& scratch);
  double step_towards(std::size_t t, std::size_t plane, double value, const DualPoint::Products& products);
  std::size_t keep(std::size_t t, Visit& visit, Scratch& scratch);
  bool call_oracle(std::size_t t, std::span<const double> lambda, Visit& visit, Scratch& scratch);
  std::span<const double> metric_of(const Term& term, Scratch& scratch) const;
  void refresh();
  Evaluation evaluate_at(bool at_center, Watch& watch);

  Decomposition& decomposition_;
  DualPoint point_;
  DualBound certificate_;
  std::vector<PlaneCache> caches_;
  std::vector<std::vector<Index>> minimizers_;
  std::vector<double> minimizer_costs_;
  VisitOrder order_;
  Workers workers_;
  Random random_;
  BlockStep block_step_;
  double c_ = 1;
  double objective_ = 0;
  std::int64_t iteration_ = 0, cache_iterations_, oracle_calls_ = 0;
  double work_ = 0;
  std::vector<Scratch> scratch_;  // of each worker
  std::vector<Visit> visits_;     // of each term, the latest
  std::vector<double> evaluated_, best_, previous_base_;  // over slots
  double best_bound_ = -kInfinity, best_value_ = -kInfinity;
};

}  // namespace fwmap
