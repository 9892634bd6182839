#pragma once
// One step of Frank-Wolfe along y^t -> z^t, in closed form.

#include <algorithm>

namespace fwmap {

/// Values of planes closer than this, relative, are equal up to how they were summed.
inline constexpr double kEqual = 1e-13;

struct Step {
  double gamma = 0;     ///< exact minimiser of f_{mu,c} on the segment, in [0, 1]
  double decrease = 0;  ///< what f_{mu,c} falls by
};

/// `slope` = <[lambda^t 1], y^t - z^t>, `curvature` = c sum_i (1 - 1/|T_i|) (y_i - z_i)^2
/// (docs/theory.md; the paper's c |y - z|^2 forgets that nu follows y).
inline Step exact_step(double slope, double curvature) {
  if (!(slope > 0)) return {};
  if (!(curvature > 0) || slope >= curvature) return {1.0, slope - 0.5 * std::max(curvature, 0.0)};
  const double gamma = slope / curvature;
  return {gamma, 0.5 * gamma * slope};
}

}  // namespace fwmap
