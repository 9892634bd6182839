#pragma once
// A proximal bundle method on the dual as one function. When to accept a point, and how the weight changes,
// is the caller's: see solvers/bundle.py.

#include <algorithm>
#include <vector>

#include "dual_function.hpp"
#include "dual_point.hpp"
#include "simplex_qp.hpp"

namespace fwmap {

/// The minimisers of all terms at one lambda: a plane above h.
struct WholePlane {
  std::vector<Index> slots;         ///< supports of all terms, one after another
  std::vector<std::size_t> starts;  ///< where each term's begins, and the end
  std::vector<std::size_t> owns;    ///< where the slots begin that the term does not share
  std::vector<double> costs;        ///< of each term
  double cost = 0;                  ///< their sum
  std::int64_t last_used = 0;       ///< iteration in which it had weight
};

/// h is at most min_j <lambda, x_j> + cost_j over the planes met so far. Its maximiser within reach of the centre,
///   max_{lambda in Lambda}  min_j (<lambda, x_j> + cost_j) - |lambda - mu|^2 / 2c,
/// is lambda = mu + c (y - mean of y), where y = sum_j a_j x_j and the weights a minimise the f_{mu,c} of the paper over
/// the simplex: one convex combination for all terms, where Frank-Wolfe has one for each.
///
/// Supports are kept, not vectors: a plane is as large as a labeling of all terms. When there are too many, planes without
/// weight are forgotten and those of least weight folded into one aggregate, so that y stays a point of the model.
class Bundle {
 public:
  /// The decomposition must be connected and must outlive this. Starts at lambda = 0. Keeps 3 to `room` planes.
  Bundle(Decomposition& decomposition, std::size_t room, int threads = 1);

  /// Replaces the centre and the trial point, made to sum to zero over the copies of each variable. Before any evaluation.
  void move_to(std::span<const double> lambda);

  /// Counts on from an earlier solve.
  void count_from(std::int64_t iteration, std::int64_t oracle_calls, double work) {
    iteration_ = iteration;
    dual_.count_from(oracle_calls, work);
  }

  /// h at the trial point, whose plane joins the model; A and B are left 0. The first evaluation sets y to the
  /// minimisers and is of the centre.
  Evaluation evaluate(Watch& watch);

  /// So many planes are kept from now on, up to the room there is; never fewer than before.
  void keep_more(std::size_t most_planes) { most_ = std::max(most_, std::min(most_planes, room_)); }

  /// Solves for y and moves the trial point to mu + c (y - mean).
  void propose(double c);

  /// mu <- the trial point that was just evaluated.
  void accept();

  /// The best lambda so far, with A and B of the current y. Costs passes over all slots.
  Evaluation best();

  double promised() const { return promised_; }  ///< by the model: its value at the trial point - h at the centre
  double risen() const { return trial_value_ - center_value_; }  ///< h at the trial point - h at the centre
  double newest_error() const { return linear_.empty() ? 0.0 : linear_.back() - center_value_; }  ///< of the newest plane at the centre
  double spread() const { return qp_.norm(); }                   ///< |y - mean|^2

  std::int64_t iteration() const { return iteration_; }
  std::size_t most_planes() const { return most_; }
  std::size_t n_planes() const { return planes_.size() + (has_aggregate_ ? 1 : 0); }
  const DualFunction& dual() const { return dual_; }
  const std::vector<double>& trial() const { return trial_; }
  const std::vector<double>& center() const { return center_; }

  /// Per variable of the decomposition the mean of y over its terms.
  std::vector<double> marginals() const;

  /// A term's part of a plane, and its weight in y.
  struct TermPlane {
    std::span<const Index> support;  ///< slots
    double cost, weight;
  };
  /// Those of the planes with weight; what was folded into the aggregate is lost.
  std::vector<TermPlane> planes(std::size_t term) const;

 private:
  void join();
  void make_room();
  std::size_t fold(const std::vector<bool>& left);
  void project(std::span<const double> vector, std::span<double> out) const;
  void combine();
  double product(const WholePlane& plane, std::span<const double> vector) const;
  std::size_t number(std::size_t plane) const { return plane + (has_aggregate_ ? 1 : 0); }

  DualFunction dual_;
  DualPoint point_;  // its y, mean, costs and centre
  SimplexQp qp_;     // over the aggregate, where there is one, and then the planes
  std::size_t room_, most_ = 3;
  std::vector<WholePlane> planes_;
  bool has_aggregate_ = false;
  std::vector<double> aggregate_, aggregate_projected_, aggregate_costs_, aggregate_own_;
  std::vector<double> linear_;  // <mu, x_j> + cost_j: values at the centre
  std::vector<double> center_, trial_;
  std::vector<std::size_t> own_offsets_;  // of each term's own variables in arrays over all
  std::vector<double> projected_, products_;  // scratch
  double center_value_ = 0, trial_value_ = 0, promised_ = 0;
  std::int64_t iteration_ = 0;
};

}  // namespace fwmap
