#pragma once
// The message over an edge, whatever kind of cost it has.

#include "kernels/distance_transform.hpp"
#include "oracles/pairwise_costs.hpp"

namespace fwmap {

/// out[b] = min_a x[a] + cost, where x is of the edge's first end (`from_first`: the cost of (a, b)) or of its second
/// one (of (b, a)). `entries` are the costs instead of the edge's own where they are not null. `out` needs room for
/// max(n_in, n_out) entries.
void edge_message(const EdgeCost& edge, const TablePool& tables, const double* entries, bool from_first, const double* x,
                  std::size_t n_in, std::size_t n_out, double* out, Envelope& envelope);

}  // namespace fwmap
