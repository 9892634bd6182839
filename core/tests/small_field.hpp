#pragma once
// Small random fields with a labeling, and their energy by definition.

#include "check.hpp"
#include "rounding/local_search.hpp"
#include "small_forest.hpp"

namespace fwmap::test {

struct SmallField {
  std::vector<Index> n_labels, labeling;
  Field field;

  /// `density` of edges; factors where `factors` holds and there are nodes enough.
  SmallField(Random& random, CostMaker cost, double forbidden, double density = 0.5, bool factors = true) {
    const int n = integer(random, 1, 8);
    field.offsets = {0};
    for (int v = 0; v < n; ++v) {
      n_labels.push_back(integer(random, 1, 4));
      labeling.push_back(integer(random, 0, n_labels.back() - 1));
      field.offsets.push_back(field.offsets.back() + n_labels.back());
    }
    // All numbers in one place: unaries, then the tables of factors.
    auto owner = std::make_shared<std::vector<double>>(
        random_vector(random, static_cast<std::size_t>(field.offsets.back()) + 3 * 64, cost, forbidden));
    field.unaries = std::span<const double>(*owner).first(static_cast<std::size_t>(field.offsets.back()));
    std::vector<std::int64_t> offsets{0};
    std::vector<double> values;
    for (Index v = 1; v < n; ++v)
      for (Index u = 0; u < v; ++u) {
        if (!chance(random, density)) continue;
        FieldEdge edge{u, v, random_structured_cost(random, cost)};
        if (chance(random, 0.5)) std::swap(edge.first, edge.second);
        if (chance(random, 0.5)) {
          edge.cost = {EdgeKind::kTable, static_cast<std::int64_t>(offsets.size()) - 1, 0, 0};
          for (const double entry : random_vector(random, index(n_labels[index(u)] * n_labels[index(v)]), cost, forbidden))
            values.push_back(entry);
          offsets.push_back(static_cast<std::int64_t>(values.size()));
        }
        field.edges.push_back(edge);
      }
    field.tables = pool_of(std::move(values), offsets);
    for (std::ptrdiff_t f = 0; factors && n >= 3 && f < 3; ++f) {
      std::vector<Index> nodes(index(n));
      for (Index v = 0; v < n; ++v) nodes[index(v)] = v;
      random.shuffle(nodes);  // scopes in any order
      nodes.resize(3);
      field.factors.push_back({nodes, owner->data() + field.offsets.back() + 64 * f});
    }
    field.owner = owner;
  }

  LocalSearch::Cost energy(const std::vector<Index>& of) const {
    LocalSearch::Cost total;
    const auto add = [&](double cost) { cost == kInfinity ? static_cast<void>(++total.forbidden) : static_cast<void>(total.finite += cost); };
    for (std::size_t v = 0; v < of.size(); ++v) add(field.unaries[static_cast<std::size_t>(field.offsets[v] + of[v])]);
    for (const FieldEdge& edge : field.edges)
      add(static_cast<double>(exact_edge_cost(edge.cost, *field.tables, of[index(edge.first)], of[index(edge.second)],
                                              n_labels[index(edge.second)])));
    for (const FieldFactor& factor : field.factors) {
      std::size_t entry = 0;
      for (const Index v : factor.scope) entry = entry * index(n_labels[index(v)]) + index(of[index(v)]);
      add(factor.table[entry]);
    }
    return total;
  }
};

}  // namespace fwmap::test
