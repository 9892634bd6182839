#pragma once
// Improves a labeling of a Markov random field one node at a time (iterated conditional modes).

#include <memory>
#include <span>
#include <vector>

#include "oracles/pairwise_costs.hpp"

namespace fwmap {

/// A whole model, as the local search reads it.
struct FieldEdge {
  Index first, second;
  EdgeCost cost;
};

struct FieldFactor {
  std::vector<Index> scope;
  const double* table;  ///< C order, last variable fastest
};

struct Field {
  std::vector<std::int64_t> offsets;  ///< first label of each node in `unaries`, and the end
  std::span<const double> unaries;
  std::vector<FieldEdge> edges;
  std::vector<FieldFactor> factors;
  std::shared_ptr<const TablePool> tables;
  std::shared_ptr<const void> owner;  ///< keeps unaries and factor tables alive
};

class LocalSearch {
 public:
  /// Costs as two numbers, compared one after the other: forbidden entries in use, and the sum of the others.
  struct Cost {
    std::int64_t forbidden = 0;
    double finite = 0;
  };

  explicit LocalSearch(Field field);

  /// Lowers the energy of `labeling` by changing one node at a time until no change helps or `max_operations`
  /// are spent. A change helps when it lowers the number of forbidden entries in use, or leaves it and lowers
  /// the sum of the others. Returns the operations spent. Ties keep the label.
  double improve(std::span<Index> labeling, double max_operations);

  /// Energy of a labeling, without the model's constant; costs one look at each edge and factor.
  Cost energy(std::span<const Index> labeling) const;

 private:
  std::size_t entry(const FieldFactor& factor, std::span<const Index> labeling, Index except, std::size_t* stride) const;

  std::size_t n_labels(Index node) const;
  void local_costs(Index node, std::span<const Index> labeling);
  double visit(Index node, std::span<Index> labeling, bool* changed);

  Field field_;
  std::vector<std::size_t> edge_begin_, factor_begin_;      // per node, into the lists below
  std::vector<std::int32_t> incident_edges_, incident_factors_;
  std::vector<Cost> costs_;
};

}  // namespace fwmap
