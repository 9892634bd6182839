// Tests of the local search: it never raises an energy, and stops where no single change helps.

#include <algorithm>

#include "small_field.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;
using Cost = LocalSearch::Cost;

using Example = SmallField;

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
