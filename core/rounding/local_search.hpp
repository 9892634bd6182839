#pragma once
// Improves a labeling of a Markov random field one node at a time (iterated conditional modes).

#include <memory>
#include <span>
#include <vector>

#include "rounding/field_graph.hpp"

namespace fwmap {

class LocalSearch {
 public:
  /// Costs as two numbers, compared one after the other: forbidden entries in use, and the sum of the others.
  struct Cost {
    std::int64_t forbidden = 0;
    double finite = 0;
  };

  explicit LocalSearch(std::shared_ptr<const FieldGraph> graph) : graph_(std::move(graph)) {}
  explicit LocalSearch(Field field) : LocalSearch(std::make_shared<const FieldGraph>(std::move(field))) {}

  /// Lowers the energy of `labeling` by changing one node at a time until no change helps or `max_operations`
  /// are spent. A change helps when it lowers the number of forbidden entries in use, or leaves it and lowers
  /// the sum of the others. Returns the operations spent. Ties keep the label.
  double improve(std::span<Index> labeling, double max_operations);

  /// Energy of a labeling, without the model's constant; costs one look at each edge and factor.
  Cost energy(std::span<const Index> labeling) const;

  const std::shared_ptr<const FieldGraph>& graph() const { return graph_; }

 private:
  double visit(Index node, std::span<Index> labeling, bool* changed);

  std::shared_ptr<const FieldGraph> graph_;
  std::vector<Cost> costs_;
};

}  // namespace fwmap
