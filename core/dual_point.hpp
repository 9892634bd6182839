#pragma once
// Where the method stands: y, its mean over copies, and the proximal centre mu.

#include <vector>

#include "decomposition.hpp"
#include "workers.hpp"

namespace fwmap {

/// lambda^t = mu^t + c (y^t - mean), mean_i = sum over T_i of y^t_i / |T_i|  (Prop. 2; nu_i = c mean_i, since
/// the centre is kept in Lambda). Arrays over slots hold all terms one after another (Term::offset); arrays
/// over shared variables are streamed beside them along Term::shared.
///
/// Terms that share no variable may be given to `lambda`, `mix` and `follow` by several threads at once. Sums are formed
/// in an order that does not depend on who works.
class DualPoint {
 public:
  explicit DualPoint(const Decomposition& decomposition);

  /// Products that a step needs, formed while lambda^t is written.
  struct Products {
    double lambda_y = 0;  ///< <lambda^t, y^t_*>
    double y_norm = 0;    ///< sum over slots of (1 - 1/|T_i|) (y^t_i)^2
  };

  /// Writes lambda^t; costs one pass over the term's shared slots.
  Products lambda(const Term& term, double c, std::span<double> out) const;

  /// y^t <- (1 - gamma) y^t + gamma * plane; the mean follows.
  void mix(const Term& term, std::span<const Index> plane, double gamma);

  /// Makes the mean follow y^t, which was `before` and was changed in place.
  void follow(const Term& term, std::span<const double> before);

  /// Recomputes the mean from y.
  void refresh_mean(Workers& workers = Workers::alone());

  /// mu <- target, made to sum to zero over the copies of each variable.
  void set_center(std::span<const double> target, Workers& workers = Workers::alone());

  /// f_{mu,c}(y) = sum_t (<mu^t, y^t_*> + y^t_o) + c/2 sum_t |y^t - mean|^2  (Prop. 2).
  double objective(double c, Workers& workers = Workers::alone()) const;

  /// sum_t <y^t, [lambda^t 1]>; `lambda` is over slots.
  double linear(std::span<const double> lambda, Workers& workers = Workers::alone()) const;

  /// <lambda^t - mu^t, plane>.
  double along_step(const Term& term, std::span<const double> lambda, std::span<const Index> plane) const {
    double sum = 0;
    for (const Index i : plane) sum += lambda[static_cast<std::size_t>(i)] - mu_[term.offset + static_cast<std::size_t>(i)];
    return sum;
  }

  /// sum_t |y^t - mean|^2.
  double spread(Workers& workers = Workers::alone()) const;

  /// B of eq. 8: sum over variables of the largest difference between copies of y.
  double disagreement(Workers& workers = Workers::alone()) const;

  std::span<double> y(const Term& term) { return {y_.data() + term.offset, size(term)}; }
  std::span<const double> y(const Term& term) const { return {y_.data() + term.offset, size(term)}; }
  std::span<const double> center() const { return mu_; }
  std::span<const double> all_y() const { return y_; }
  std::span<const double> mean() const { return mean_; }
  double metric(Index shared_variable) const { return metric_[static_cast<std::size_t>(shared_variable)]; }
  std::vector<double>& costs() { return cost_; }  ///< y^t_o of each term
  const std::vector<double>& costs() const { return cost_; }

 private:
  template <class Body>
  void each_term(Workers& workers, Body body) const;
  template <class Body>
  void each_by_groups(Workers& workers, Body body) const;
  template <class Body>
  double sum_over_terms(Workers& workers, Body body) const;

  static std::size_t size(const Term& term) { return static_cast<std::size_t>(term.n_shared); }

  const Decomposition& decomposition_;
  std::vector<double> y_, mu_;                  // over slots
  std::vector<double> mean_, share_, metric_;   // over shared variables; share = 1/|T_i|, metric = 1 - share
  std::vector<double> cost_;                    // over terms
};

}  // namespace fwmap
