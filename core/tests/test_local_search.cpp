// Tests of the local search: it never raises an energy, and stops where no single change helps.

#include <algorithm>

#include "check.hpp"
#include "rounding/local_search.hpp"
#include "small_forest.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;
using Cost = LocalSearch::Cost;

struct Example {
  std::vector<Index> n_labels, labeling;
  Field field;

  Example(Random& random, CostMaker cost, double forbidden) {
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
        if (!chance(random, 0.5)) continue;
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
    for (std::ptrdiff_t f = 0; n >= 3 && f < 3; ++f) {
      std::vector<Index> nodes(index(n));
      for (Index v = 0; v < n; ++v) nodes[index(v)] = v;
      random.shuffle(nodes);  // scopes in any order
      nodes.resize(3);
      field.factors.push_back({nodes, owner->data() + field.offsets.back() + 64 * f});
    }
    field.owner = owner;
  }

  Cost energy(const std::vector<Index>& of) const {
    Cost total;
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

/// Whether a is lower than b by more than `tolerance`.
bool lower(const Cost& a, const Cost& b, double tolerance = 0) {
  return a.forbidden != b.forbidden ? a.forbidden < b.forbidden : a.finite < b.finite - tolerance;
}

template <class Visit>
void for_each_example(CostMaker cost, Visit visit) {
  Random random(1);
  for (const double forbidden : {0.0, 0.1, 0.5})
    for (int i = 0; i < 300; ++i) {
      Example example(random, cost, forbidden);
      LocalSearch search(example.field);
      visit(example, search);
    }
}

void energies_are_sums_over_nodes_edges_and_factors() {
  for_each_example(integer_cost, [](const Example& e, LocalSearch& search) {
    const Cost expected = e.energy(e.labeling), found = search.energy(e.labeling);
    CHECK(found.forbidden == expected.forbidden && found.finite == expected.finite);
  });
}

void the_energy_never_rises_whatever_the_budget() {
  for (const CostMaker cost : {integer_cost, real})
    for_each_example(cost, [](const Example& e, LocalSearch& search) {
      for (const double budget : {0.0, 1.0, 100.0, 1e9}) {
        std::vector<Index> labeling = e.labeling;
        const double spent = search.improve(labeling, budget);
        CHECK(spent >= 0);
        CHECK(!lower(e.energy(e.labeling), e.energy(labeling), 1e-12));
        if (labeling != e.labeling) CHECK(spent > 0 && lower(e.energy(labeling), e.energy(e.labeling)));
        for (std::size_t v = 0; v < labeling.size(); ++v) CHECK(labeling[v] >= 0 && labeling[v] < e.n_labels[v]);
      }
    });
}

void without_a_budget_nothing_changes() {
  for_each_example(integer_cost, [](const Example& e, LocalSearch& search) {
    std::vector<Index> labeling = e.labeling;
    CHECK(search.improve(labeling, 0) == 0 && labeling == e.labeling);
  });
}

void it_ends_where_no_single_change_helps_and_stays_there() {
  for_each_example(integer_cost, [](const Example& e, LocalSearch& search) {
    std::vector<Index> labeling = e.labeling;
    search.improve(labeling, kInfinity);
    const Cost found = e.energy(labeling);
    for (std::size_t v = 0; v < labeling.size(); ++v)
      for (Index a = 0; a < e.n_labels[v]; ++a) {
        std::vector<Index> other = labeling;
        other[v] = a;
        CHECK(!lower(e.energy(other), found));
      }
    std::vector<Index> again = labeling;
    search.improve(again, kInfinity);
    CHECK(again == labeling);  // ties keep the label
  });
}

const Test kTests[] = {
    TEST(energies_are_sums_over_nodes_edges_and_factors),
    TEST(the_energy_never_rises_whatever_the_budget),
    TEST(without_a_budget_nothing_changes),
    TEST(it_ends_where_no_single_change_helps_and_stays_there),
};

}  // namespace

int main() { return run_tests(kTests); }
