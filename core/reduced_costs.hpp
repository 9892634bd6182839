#pragma once
// What labelings cost at least that set a given variable: the bound at lambda, and more for most variables.

#include <span>
#include <vector>

#include "decomposition.hpp"
#include "evaluation.hpp"

namespace fwmap {

/// Any x with x_i = 1 costs at least bound + excess[i]: the bound with min-marginals in place of the minima of the
/// terms of i.
struct ReducedCosts : Pass {
  double bound = -kInfinity;   ///< certified, as `Evaluation::bound`, and a little below it
  std::vector<double> excess;  ///< per variable, >= 0; +inf: no such x is feasible. 0 where its terms have no min-marginals
};

/// One minimisation and one pass of min-marginals for each term. `lambda` is over the slots of all terms.
ReducedCosts reduced_costs(Decomposition& decomposition, std::span<const double> lambda, Watch& watch);

}  // namespace fwmap
