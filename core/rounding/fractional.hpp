#pragma once
// A fractional point of a field's relaxation, made from marginals of its nodes.

#include <cstdint>
#include <span>
#include <vector>

#include "rounding/coupling.hpp"
#include "rounding/field_graph.hpp"

namespace fwmap {

/// Joint labels of one factor, as entries of its table, and how much of each to try first.
struct FactorHint {
  std::int32_t factor;
  std::int64_t entry;
  std::int64_t mass;
};

/// What completing the marginals came to.
struct Completion {
  bool within_budget = true;
  std::vector<double> costs;  ///< sums of mass * cost: of nodes, then edges, then factors
  double rounding = 0;        ///< the costs' exact sum differs by no more than this
  double operations = 0;
};

/// Completes marginals of nodes to a point of the relaxation over nodes, edges and factors: edges by their cheapest
/// coupling, factors by the hints and then by what is cheapest. Costs may be +inf.
///
/// `masses` is over all labels (Field::offsets), non-negative whole numbers, as many for all labels of one node
/// as for those of its neighbours. On return it holds what could be paired by everything that touches the node: the
/// point is complete if nothing changed. Hints are ordered by factor.
Completion complete(const FieldGraph& graph, std::span<std::int64_t> masses, std::span<const FactorHint> hints,
                    double max_operations);

}  // namespace fwmap
