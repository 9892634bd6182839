#pragma once
// The quadratic programme of a bundle method: the best convex combination of planes.

#include <cstddef>
#include <span>
#include <vector>

namespace fwmap {

/// Minimises <e, a> + c/2 <a, G a> over the simplex {a >= 0, sum a = 1}, by an active set: the minimiser over the
/// affine hull of the planes in use, as far as all weights stay positive; then the plane of the lowest gradient joins.
///
/// G is the Gram matrix of the planes, which come and go at its end and keep their weights and, as long as they are in
/// use, a Cholesky factor of their part of G, whatever e and c are: a solve after one more plane costs a few
/// multiples of n^2. Planes may be equal or dependent.
class SimplexQp {
 public:
  /// Room for so many planes.
  explicit SimplexQp(std::size_t most);

  std::size_t size() const { return weights_.size(); }

  /// A plane joins with weight 0, or 1 where it is the first; its inner products with all planes, itself last.
  void add(std::span<const double> products);

  /// Keeps the planes of these numbers, under new numbers 0, 1, ... Those left out must have weight 0.
  void keep(std::span<const std::size_t> kept);

  /// Replaces plane k by the convex combination sum_j shares[j] j / sum shares, which takes over the weights of the
  /// planes whose share is positive. These have weight 0 then, and are to be left out by `keep`.
  void combine(std::size_t k, std::span<const double> shares);

  /// Solves; e in `linear`, one number per plane. Stops where the gap is below `relative` times c <a, G a>, or lost in rounding.
  void solve(std::span<const double> linear, double c, double relative);

  std::span<const double> weights() const { return weights_; }
  /// G a of the last solve.
  std::span<const double> products() const { return products_; }
  /// <a, G a> of the last solve.
  double norm() const;
  double gram(std::size_t j, std::size_t k) const { return gram_[j * most_ + k]; }

 private:
  double& entry(std::size_t j, std::size_t k) { return gram_[j * most_ + k]; }
  void multiply();
  void use(std::size_t plane);
  void drop(std::size_t position);
  void factorize();
  void solve_factor(std::vector<double>& x) const;
  double step(double level, double c);

  std::size_t most_;
  std::vector<double> gram_;          // most_ x most_
  std::vector<double> weights_, products_;
  std::vector<std::size_t> used_;     // planes whose weight may be positive, in the order of the factor
  std::vector<double> factor_;        // lower triangle, most_ x most_, of G + shift 11' + ridge I over used_
  double shift_ = 0, ridge_ = 0;
  std::vector<double> direction_, ones_, gradient_;  // scratch
};

}  // namespace fwmap
