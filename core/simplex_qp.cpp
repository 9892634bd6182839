#include "simplex_qp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fwmap {
namespace {

// Of the shift: makes the factor of dependent planes regular. A direction without curvature becomes a long
// step, which ends where a weight meets zero.
constexpr double kRidge = 1e-11;
constexpr double kRounding = 1e-15;

}  // namespace

SimplexQp::SimplexQp(std::size_t most) : most_(most), gram_(most * most, 0.0), factor_(most * most, 0.0) {}

void SimplexQp::add(std::span<const double> products) {
  const std::size_t n = size();
  for (std::size_t j = 0; j <= n; ++j) entry(n, j) = entry(j, n) = products[j];
  weights_.push_back(n == 0 ? 1.0 : 0.0);
  products_.push_back(0.0);
  if (n == 0) factorize();
}

void SimplexQp::keep(std::span<const std::size_t> kept) {
  const std::vector<double> old_gram(gram_), old_weights(weights_), old_products(products_);
  weights_.resize(kept.size());
  products_.resize(kept.size());
  for (std::size_t j = 0; j < kept.size(); ++j) {
    for (std::size_t k = 0; k < kept.size(); ++k) entry(j, k) = old_gram[kept[j] * most_ + kept[k]];
    weights_[j] = old_weights[kept[j]];
    products_[j] = old_products[kept[j]];
  }
  factorize();
}

void SimplexQp::combine(std::size_t k, std::span<const double> shares) {
  double total = 0, weight = 0;
  for (std::size_t j = 0; j < size(); ++j) {
    total += shares[j];
    if (shares[j] > 0) weight += weights_[j];
  }
  std::vector<double> row(size(), 0.0);
  double norm = 0;
  for (std::size_t j = 0; j < size(); ++j) {
    if (shares[j] == 0) continue;
    for (std::size_t i = 0; i < size(); ++i) row[i] += shares[j] / total * gram(j, i);
  }
  for (std::size_t j = 0; j < size(); ++j) norm += shares[j] / total * row[j];
  for (std::size_t j = 0; j < size(); ++j) {
    entry(k, j) = entry(j, k) = row[j];
    if (shares[j] > 0) weights_[j] = 0;
  }
  entry(k, k) = norm;
  weights_[k] = weight;
}

double SimplexQp::norm() const {
  double sum = 0;
  for (std::size_t j = 0; j < size(); ++j) sum += weights_[j] * products_[j];
  return std::max(0.0, sum);
}

// G a, from scratch: it does not drift.
void SimplexQp::multiply() {
  std::fill(products_.begin(), products_.end(), 0.0);
  for (const std::size_t j : used_)
    for (std::size_t k = 0; k < size(); ++k) products_[k] += weights_[j] * gram(j, k);
}

void SimplexQp::factorize() {
  used_.clear();
  double largest = 0;
  for (std::size_t j = 0; j < size(); ++j) largest = std::max(largest, gram(j, j));
  shift_ = largest > 0 ? largest : 1.0;
  ridge_ = kRidge * shift_;
  for (std::size_t j = 0; j < size(); ++j)
    if (weights_[j] > 0) use(j);
}

// Appends a row to the factor.
void SimplexQp::use(std::size_t plane) {
  const std::size_t n = used_.size();
  double* row = factor_.data() + n * most_;
  double rest = gram(plane, plane) + shift_ + ridge_;
  for (std::size_t i = 0; i < n; ++i) {
    const double* other = factor_.data() + i * most_;
    double sum = gram(plane, used_[i]) + shift_;
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * other[k];
    row[i] = sum / other[i];
    rest -= row[i] * row[i];
  }
  row[n] = std::sqrt(std::max(rest, ridge_));
  used_.push_back(plane);
}

// Takes a row out of the factor; rotations make it triangular again.
void SimplexQp::drop(std::size_t position) {
  const std::size_t n = used_.size();
  for (std::size_t i = position + 1; i < n; ++i) {
    double* row = factor_.data() + i * most_;
    std::copy(row, row + i + 1, row - most_);
  }
  used_.erase(used_.begin() + static_cast<std::ptrdiff_t>(position));
  for (std::size_t i = position; i + 1 < n; ++i) {
    double* pivot = factor_.data() + i * most_;
    const double radius = std::hypot(pivot[i], pivot[i + 1]);
    const double cosine = pivot[i] / radius, sine = pivot[i + 1] / radius;
    for (std::size_t k = i; k + 1 < n; ++k) {
      double* row = factor_.data() + k * most_;
      const double left = row[i], right = row[i + 1];
      row[i] = cosine * left + sine * right;
      row[i + 1] = cosine * right - sine * left;
    }
  }
}

void SimplexQp::solve_factor(std::vector<double>& x) const {
  const std::size_t n = used_.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = factor_.data() + i * most_;
    double sum = x[i];
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * x[k];
    x[i] = sum / row[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    const double* row = factor_.data() + i * most_;
    x[i] /= row[i];
    for (std::size_t k = 0; k < i; ++k) x[k] -= row[k] * x[i];
  }
}

// Goes to the minimiser over the affine hull of the planes in use, or as far as the weights allow: then the one
// that is zero leaves. Returns the share of the way.
double SimplexQp::step(double level, double c) {
  const std::size_t n = used_.size();
  direction_.resize(n);
  ones_.assign(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) direction_[i] = (level - gradient_[used_[i]]) / c;
  solve_factor(direction_);
  solve_factor(ones_);
  double sum = 0, unit = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += direction_[i];
    unit += ones_[i];
  }
  double length = 1;
  std::size_t blocking = n;
  for (std::size_t i = 0; i < n; ++i) {
    direction_[i] -= sum / unit * ones_[i];
    if (direction_[i] >= 0) continue;
    const double room = -weights_[used_[i]] / direction_[i];
    if (room < length) length = room, blocking = i;
  }
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double& weight = weights_[used_[i]];
    weight = i == blocking ? 0.0 : std::max(0.0, weight + length * direction_[i]);
    total += weight;
  }
  for (const std::size_t plane : used_) weights_[plane] /= total;
  if (blocking < n) drop(blocking);
  return length;
}

void SimplexQp::solve(std::span<const double> linear, double c, double relative) {
  gradient_.resize(size());
  bool at_minimum = false, refined = false;  // over the affine hull
  for (std::size_t cycle = 0; cycle < 4 * size() + 20; ++cycle) {
    multiply();
    double level = 0, largest = 0;
    for (std::size_t j = 0; j < size(); ++j) {
      gradient_[j] = linear[j] + c * products_[j];
      level += weights_[j] * gradient_[j];
      largest = std::max(largest, weights_[j] > 0 ? std::abs(gradient_[j]) : 0.0);
    }
    if (at_minimum) {
      const auto lowest = std::min_element(gradient_.begin(), gradient_.end());
      const auto plane = static_cast<std::size_t>(lowest - gradient_.begin());
      if (level - *lowest <= relative * c * norm() + kRounding * largest) return;
      const bool is_used = std::find(used_.begin(), used_.end(), plane) != used_.end();
      if (is_used && refined) return;  // what is left is rounding, or the ridge
      refined = is_used;
      if (!is_used) use(plane);
    }
    at_minimum = step(level, c) == 1;
  }
  multiply();
}

}  // namespace fwmap
