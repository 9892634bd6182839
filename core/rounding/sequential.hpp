#pragma once
// Rounds marginals to a labeling one node after the other, each given the labels already chosen.

#include <span>
#include <vector>

#include "rounding/field_graph.hpp"

namespace fwmap {

/// Chooses labels in the order of how decided the marginals are (their largest entry, ties by number). A node takes the
/// label of the lowest expected cost: its unaries, plus edges to chosen nodes as they are chosen, plus edges to
/// others averaged over the others' marginals. Factors count with the likeliest labels of nodes not yet chosen.
///
/// `marginals` is over all labels (Field::offsets), non-negative; costs must be finite. Returns the operations spent.
double round_sequentially(const FieldGraph& graph, std::span<const double> marginals, std::span<Index> labeling);

}  // namespace fwmap
