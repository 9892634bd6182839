#pragma once
// What the solver asks of a subproblem: nothing but its minimum.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace fwmap {

/// A coordinate of a term: a label of a node, an entry of a pairwise table, a free Boolean.
using Index = std::int32_t;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kUnitRoundoff = std::numeric_limits<double>::epsilon() / 2;

/// gamma_k of error analysis: a sum in which no item passes through more than k roundings is off by at
/// most gamma_k times the sum of the items' magnitudes.
inline double rounding_factor(double k) { return k * kUnitRoundoff / (1 - k * kUnitRoundoff); }

/// Outcome of a minimisation.
struct Minimum {
  double cost = 0;      ///< f_t(x) of the minimiser, summed from the model's costs, without weights
  double value = 0;     ///< f_t(x) + <weights, x> as minimised; +inf: the term has no feasible x, x is empty
  double rounding = 0;  ///< value - rounding is a lower bound of the exact minimum
};

/// A term f_t of the energy, given by its min-oracle (F2 of the paper).
///
/// Coordinates are numbered from 0 to n_coordinates() - 1. x is given by its support, the ascending
/// list of the coordinates that are 1. Weights may be +inf (coordinate forbidden), never -inf or NaN.
/// `weights` may be shorter than n_coordinates(): the coordinates beyond have weight 0.
///
/// An oracle owns its scratch memory: it may be called again and again without allocating, but by one
/// thread at a time. Different oracles may be called by different threads at the same time.
class Oracle {
 public:
  virtual ~Oracle() = default;

  virtual Index n_coordinates() const = 0;

  /// argmin over dom f_t of f_t(x) + <weights, x>; among equals always the same one.
  virtual Minimum minimize(std::span<const double> weights, std::vector<Index>& support) = 0;

  /// Operations of one call, in the unit of one addition in a vectorised loop. A fixed number: the number
  /// of approximate passes depends on it, and must not depend on the clock.
  virtual double operations() const = 0;

  /// Whether it may be called by another thread than the one that called the solver.
  virtual bool any_thread() const { return true; }

  /// f_t of a support; NaN where the oracle cannot tell.
  virtual double cost(std::span<const Index> support) const;

  /// Adds to the coordinates of a support those that follow from them, where it lacks any: a plane of an earlier
  /// decomposition may not know a coordinate that is new in this one. The support stays ascending.
  virtual void complete(std::vector<Index>& support) const;

  /// out[i] = min { f_t(x) + <weights, x> : x_i = 1 } for each coordinate i < weights.size().
  /// Returns false where the oracle has no such method.
  virtual bool min_marginals(std::span<const double> weights, std::span<double> out);

  /// The same for the coordinates first .. first + out.size() - 1 only.
  virtual bool block_min_marginals(std::span<const double> weights, std::size_t first, std::span<double> out);

  /// The part of f_t that is a cost of each coordinate by itself, from coordinate 0 on; empty where there is none,
  /// or it is not known apart.
  virtual std::span<const double> unaries() const { return {}; }

 protected:
  Oracle() = default;
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;
};

inline double Oracle::cost(std::span<const Index>) const { return std::numeric_limits<double>::quiet_NaN(); }
inline void Oracle::complete(std::vector<Index>&) const {}
inline bool Oracle::min_marginals(std::span<const double>, std::span<double>) { return false; }

inline bool Oracle::block_min_marginals(std::span<const double> weights, std::size_t first, std::span<double> out) {
  std::vector<double> all(first + out.size());
  if (!min_marginals(weights, all)) return false;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = all[first + i];
  return true;
}

/// Weight of coordinate i, 0 beyond the end.
inline double weight_at(std::span<const double> weights, std::size_t i) {
  return i < weights.size() ? weights[i] : 0.0;
}

}  // namespace fwmap
