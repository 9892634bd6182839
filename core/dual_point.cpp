#include "dual_point.hpp"

#include <algorithm>

#include "kernels/kernels.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

// Runs of a few slots are not worth a call through the table of kernels.
constexpr Index kShortRun = 8;

}  // namespace

DualPoint::DualPoint(const Decomposition& decomposition)
    : decomposition_(decomposition),
      y_(decomposition.n_slots(), 0.0),
      mu_(decomposition.n_slots(), 0.0),
      mean_(decomposition.n_shared(), 0.0),
      share_(decomposition.n_shared()),
      metric_(decomposition.n_shared()),
      cost_(decomposition.terms().size(), 0.0) {
  for (std::size_t i = 0; i < share_.size(); ++i) {
    share_[i] = 1.0 / static_cast<double>(decomposition.copies()[i]);
    metric_[i] = 1.0 - share_[i];
  }
}

DualPoint::Products DualPoint::lambda(const Term& term, double c, std::span<double> out) const {
  const Kernels& kernel = kernels();
  Products result;
  for (const Run& run : term.shared) {
    const std::size_t slot = index(run.slot), i = index(run.variable), n = index(run.length);
    const double* y = y_.data() + term.offset + slot;
    const double* mu = mu_.data() + term.offset + slot;
    if (run.length >= kShortRun) {
      kernel.dual_point(mu, y, mean_.data() + i, metric_.data() + i, c, n, out.data() + slot, &result.lambda_y,
                        &result.y_norm);
      continue;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const double l = mu[k] + c * (y[k] - mean_[i + k]);
      out[slot + k] = l;
      result.lambda_y += l * y[k];
      result.y_norm += metric_[i + k] * (y[k] * y[k]);
    }
  }
  return result;
}

void DualPoint::mix(const Term& term, std::span<const Index> plane, double gamma) {
  const Kernels& kernel = kernels();
  std::size_t next = 0;  // in the plane
  for (const Run& run : term.shared) {
    const std::size_t slot = index(run.slot), i = index(run.variable), n = index(run.length);
    double* y = y_.data() + term.offset + slot;
    if (run.length >= kShortRun) {
      kernel.shrink(gamma, share_.data() + i, n, y, mean_.data() + i);
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        const double lost = gamma * y[k];
        y[k] -= lost;
        mean_[i + k] -= share_[i + k] * lost;
      }
    }
    for (; next < plane.size() && plane[next] < run.slot + run.length; ++next) {
      const std::size_t k = index(plane[next]) - slot;
      y[k] += gamma;
      mean_[i + k] += share_[i + k] * gamma;
    }
  }
}

void DualPoint::follow(const Term& term, std::span<const double> before) {
  const double* y = y_.data() + term.offset;
  for (const Run& run : term.shared)
    for (std::size_t k = 0; k < index(run.length); ++k) {
      const std::size_t slot = index(run.slot) + k;
      const double change = y[slot] - before[slot];
      if (change == 0) continue;  // most of them: neither line of memory is touched
      const std::size_t i = index(run.variable) + k;
      mean_[i] += share_[i] * change;
    }
}

void DualPoint::refresh_mean() {
  std::fill(mean_.begin(), mean_.end(), 0.0);
  for (const Term& term : decomposition_.terms())
    for (const Run& run : term.shared) {
      const double* y = y_.data() + term.offset + index(run.slot);
      const std::size_t i = index(run.variable);
      for (std::size_t k = 0; k < index(run.length); ++k) mean_[i + k] += share_[i + k] * y[k];
    }
}

void DualPoint::set_center(std::span<const double> target) {
  std::vector<double> drift(mean_.size(), 0.0);
  for (const Term& term : decomposition_.terms())
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < index(run.length); ++k)
        drift[index(run.variable) + k] += target[term.offset + index(run.slot) + k];
  for (const Term& term : decomposition_.terms())
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < index(run.length); ++k) {
        const std::size_t i = index(run.variable) + k, slot = term.offset + index(run.slot) + k;
        mu_[slot] = target[slot] - share_[i] * drift[i];
      }
}

double DualPoint::linear(std::span<const double> lambda) const {
  double sum = 0;
  for (const double cost : cost_) sum += cost;
  for (std::size_t slot = 0; slot < y_.size(); ++slot) sum += lambda[slot] * y_[slot];
  return sum;
}

double DualPoint::spread() const {
  double sum = 0;
  for (const Term& term : decomposition_.terms())
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < index(run.length); ++k) {
        const double d = y_[term.offset + index(run.slot) + k] - mean_[index(run.variable) + k];
        sum += d * d;
      }
  return sum;
}

double DualPoint::objective(double c) const { return linear(mu_) + 0.5 * c * spread(); }

double DualPoint::disagreement() const {
  std::vector<double> highest(mean_.size(), -kInfinity), lowest(mean_.size(), kInfinity);
  for (const Term& term : decomposition_.terms())
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < index(run.length); ++k) {
        const double y = y_[term.offset + index(run.slot) + k];
        const std::size_t i = index(run.variable) + k;
        highest[i] = std::max(highest[i], y);
        lowest[i] = std::min(lowest[i], y);
      }
  double sum = 0;
  for (std::size_t i = 0; i < mean_.size(); ++i) sum += highest[i] - lowest[i];
  return sum;
}

}  // namespace fwmap
