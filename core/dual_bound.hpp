#pragma once
// h(lambda) as a certified lower bound of the energy, whoever found lambda.

#include <span>
#include <vector>

#include "decomposition.hpp"

namespace fwmap {

/// A lower bound assembled from rounded sums (docs/theory.md): every sum is followed by an allowance for its
/// own rounding, and what lambda's copies do not sum to zero by is charged at its worst. Each term is added once,
/// with what its oracle said at its lambda. The decomposition must outlive it.
class DualBound {
 public:
  explicit DualBound(const Decomposition& decomposition);

  /// Begins anew, without allocating: whoever evaluates again and again keeps one.
  void clear();

  /// `lambda` is over the shared slots of the term; the minimum must be feasible.
  void add(const Term& term, std::span<const double> lambda, const Minimum& minimum) {
    add_minimum(minimum);
    add_multipliers(term, lambda);
  }

  /// The two halves of it. Multipliers may be added by several threads at once where the terms share no variable.
  void add_minimum(const Minimum& minimum);
  void add_multipliers(const Term& term, std::span<const double> lambda);

  double value() const { return value_; }  ///< h(lambda) as computed, without allowances
  double bound();        ///< the certified bound, once every term was added; then only `clear` is left

 private:
  const Decomposition& decomposition_;
  std::vector<double> residual_, magnitude_;  // over shared variables
  double value_ = 0, value_magnitude_ = 0, rounding_ = 0;
};

}  // namespace fwmap
