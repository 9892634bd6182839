#pragma once
// Messages over structured edges in a number of operations linear in the labels.

#include <cstddef>
#include <vector>

#include "oracles/pairwise_costs.hpp"

namespace fwmap {

/// Scratch memory of the lower envelope; grows to the largest number of labels seen.
struct Envelope {
  std::vector<Index> apex;
  std::vector<double> from;
};

/// out[b] = min_a x[a] + cost(a, b) for a structured edge (not a table), 0 <= a < n_in, 0 <= b < n_out.
/// `out` needs room for max(n_in, n_out) entries. A weight below 0 is not convex: it takes n_in * n_out
/// operations, but for Potts.
void structured_message(const EdgeCost& edge, const double* x, std::size_t n_in, std::size_t n_out, double* out,
                        Envelope& envelope);

/// Bound of what rounding can add to such a message, beyond the roundings of a sum: of two items, and for the
/// truncated linear kind of as many more as there are labels (it adds the weight once per step).
double structured_message_rounding(const EdgeCost& edge, std::size_t n_in, std::size_t n_out);

}  // namespace fwmap
