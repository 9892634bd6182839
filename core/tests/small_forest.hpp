#pragma once
// Random forests of a few nodes, and their energies without any dynamic programme.

#include <memory>

#include "exact.hpp"
#include "oracles/forest.hpp"

namespace fwmap::test {

inline std::shared_ptr<const TablePool> pool_of(std::vector<double> values, const std::vector<std::int64_t>& offsets) {
  const auto owner = std::make_shared<const std::vector<double>>(std::move(values));
  return std::make_shared<const TablePool>(*owner, offsets, owner);
}

/// A random cost that needs no table. Truncations are multiples of one half, so that integers stay exact.
inline EdgeCost random_structured_cost(Random& random, CostMaker cost) {
  constexpr double kTruncations[] = {0, 0.5, 1, 2, 2.5, 4, 1000, kInfinity};
  constexpr EdgeKind kKinds[] = {EdgeKind::kPotts, EdgeKind::kTruncatedLinear, EdgeKind::kTruncatedQuadratic};
  return {kKinds[random.below(3)], -1, cost(random), kTruncations[random.below(8)]};
}

/// A random product of a table; weights are often 0.
inline EdgeCost random_product(Random& random, CostMaker cost, std::int64_t table) {
  const double weight = chance(random, 0.3) ? 0.0 : cost(random), transposed = chance(random, 0.5) ? 0.0 : cost(random);
  return {EdgeKind::kProduct, table, weight, transposed};
}

/// A table of products: symmetric or not, and forbidding (a, b) and (b, a) alike.
inline std::vector<double> random_square(Random& random, std::size_t n, CostMaker cost, double forbidden) {
  std::vector<double> table = random_vector(random, n * n, cost);
  const bool symmetric = chance(random, 0.5);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      if (symmetric) table[a * n + b] = table[b * n + a];
      if (chance(random, forbidden)) table[a * n + b] = table[b * n + a] = kInfinity;
    }
  return table;
}

struct ForestRecipe {
  int most_nodes = 6, most_labels = 4;
  double forbidden = 0.1;      ///< probability of an infinite cost
  double share_entries = 0.3;  ///< probability that an edge's entries are coordinates
};

inline Forest random_forest(Random& random, CostMaker cost, const ForestRecipe& recipe) {
  Forest forest;
  const auto n = static_cast<std::size_t>(integer(random, 1, recipe.most_nodes));
  std::size_t n_unaries = 0;
  std::vector<Index> name;
  for (std::size_t v = 0; v < n; ++v) {
    forest.n_labels.push_back(integer(random, 1, recipe.most_labels));
    n_unaries += index(forest.n_labels.back());
    name.push_back(static_cast<Index>(v));
  }
  forest.unaries = random_vector(random, n_unaries, cost, recipe.forbidden);
  random.shuffle(name);
  std::vector<double> values;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t v = 1; v < n; ++v) {
    if (chance(random, 0.2)) continue;  // a new tree
    ForestEdge edge{name[v], name[random.below(v)], {}, chance(random, recipe.share_entries)};
    if (chance(random, 0.5)) std::swap(edge.first, edge.second);
    const Index rows = forest.n_labels[index(edge.first)], columns = forest.n_labels[index(edge.second)];
    if (rows == columns && chance(random, 0.5)) {
      edge.cost = random_product(random, cost, static_cast<std::int64_t>(offsets.size()) - 1);
      for (const double entry : random_square(random, index(rows), cost, recipe.forbidden)) values.push_back(entry);
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    } else if (chance(random, 0.4)) {
      edge.cost.table = static_cast<std::int64_t>(offsets.size()) - 1;
      const std::size_t size = index(rows) * index(columns);
      for (const double entry : random_vector(random, size, cost, recipe.forbidden)) values.push_back(entry);
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    } else {
      edge.cost = random_structured_cost(random, cost);
    }
    forest.edges.push_back(edge);
  }
  random.shuffle(forest.edges);
  forest.tables = pool_of(std::move(values), offsets);
  return forest;
}

/// The cost as the model defines it, without rounding.
inline Exact exact_edge_cost(const EdgeCost& edge, const TablePool& tables, Index a, Index b, Index n_columns) {
  const Exact distance = a > b ? a - b : b - a, truncation = edge.truncation, weight = edge.weight;
  switch (edge.kind) {
    case EdgeKind::kTable: return tables.table(edge.table)[index(a) * index(n_columns) + index(b)];
    case EdgeKind::kPotts: return a == b ? Exact(0) : weight;
    case EdgeKind::kTruncatedLinear: return weight * (distance < truncation ? distance : truncation);
    case EdgeKind::kTruncatedQuadratic:
      return weight * (distance * distance < truncation ? distance * distance : truncation);
    case EdgeKind::kProduct: {
      const double* table = tables.table(edge.table);
      const Exact entry = table[index(a) * index(n_columns) + index(b)], mirrored = table[index(b) * index(n_columns) + index(a)];
      return entry == Exact(kInfinity) ? entry : weight * entry + truncation * mirrored;
    }
  }
  return 0;
}

inline Exact exact_cost(const Forest& forest, const std::vector<Index>& labeling) {
  Exact sum = 0;
  std::size_t offset = 0;
  for (std::size_t v = 0; v < labeling.size(); ++v) {
    sum += forest.unaries[offset + index(labeling[v])];
    offset += index(forest.n_labels[v]);
  }
  for (const ForestEdge& edge : forest.edges)
    sum += exact_edge_cost(edge.cost, *forest.tables, labeling[index(edge.first)], labeling[index(edge.second)],
                           forest.n_labels[index(edge.second)]);
  return sum;
}

/// The coordinates that a labeling sets.
inline std::vector<Index> support_of(const Forest& forest, const std::vector<Index>& labeling) {
  std::vector<Index> support;
  Index offset = 0;
  for (std::size_t v = 0; v < labeling.size(); ++v) {
    support.push_back(offset + labeling[v]);
    offset += forest.n_labels[v];
  }
  for (const ForestEdge& edge : forest.edges) {
    if (!edge.shares_entries) continue;
    const Index columns = forest.n_labels[index(edge.second)];
    support.push_back(offset + labeling[index(edge.first)] * columns + labeling[index(edge.second)]);
    offset += forest.n_labels[index(edge.first)] * columns;
  }
  return support;
}

inline BruteForce brute_force(const Forest& forest, std::span<const double> weights, Index n_coordinates) {
  BruteForce result(index(n_coordinates));
  for_each_labeling(forest.n_labels, [&](const std::vector<Index>& labeling) {
    const std::vector<Index> support = support_of(forest, labeling);
    result.see(support, exact_cost(forest, labeling) + weight_of(support, weights));
  });
  return result;
}

}  // namespace fwmap::test
