#include "dual_bound.hpp"

#include <cmath>

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

DualBound::DualBound(const Decomposition& decomposition) : decomposition_(decomposition) { clear(); }

void DualBound::clear() {
  residual_.assign(decomposition_.n_shared(), 0.0);
  magnitude_.assign(decomposition_.n_shared(), 0.0);
  value_ = decomposition_.constant();
  value_magnitude_ = std::abs(value_);
  rounding_ = 0;
}

void DualBound::add_minimum(const Minimum& minimum) {
  value_ += minimum.value;
  value_magnitude_ += std::abs(minimum.value);
  rounding_ += minimum.rounding;
}

void DualBound::add_multipliers(const Term& term, std::span<const double> lambda) {
  for (const Run& run : term.shared)
    for (Index k = 0; k < run.length; ++k) {
      const double l = lambda[index(run.slot + k)];
      residual_[index(run.variable + k)] += l;
      magnitude_[index(run.variable + k)] += std::abs(l);
    }
}

double DualBound::bound() {
  std::vector<double>& residual = residual_;
  double residual_magnitude = 0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    residual[i] += 1.01 * rounding_factor(static_cast<double>(decomposition_.copies()[i])) * magnitude_[i];
    residual_magnitude += std::abs(residual[i]);
  }
  const double worst = decomposition_.worst_residual(residual);
  const double n_terms = static_cast<double>(decomposition_.terms().size());
  const double summing = rounding_factor(n_terms + 8) * (value_magnitude_ + rounding_) +
                         rounding_factor(static_cast<double>(residual.size()) + 8) * residual_magnitude;
  return value_ - worst - 1.01 * (rounding_ + summing);
}

}  // namespace fwmap
