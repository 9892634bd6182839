// Tests of tabu search: it ends with the best labeling met, finds optima of small fields, and is repeatable.

#include "rounding/tabu_search.hpp"
#include "searches.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

void a_search_changes_the_energy_by_what_it_says_and_never_up() {
  for_each_field(0.6, true, [](const SmallField& e, const auto& graph, Random&) {
    TabuSearch search(graph, 7);
    Labels labeling = e.labeling;
    for (const double budget : {1e2, 1e3, 1e4}) {
      const double before = e.energy(labeling).finite;
      const MoveOutcome outcome = search.wander(labeling, budget);
      const double after = e.energy(labeling).finite;
      CHECK(near(before + outcome.change, after));
      CHECK(after <= before);
      for (std::size_t v = 0; v < labeling.size(); ++v) CHECK(labeling[v] >= 0 && labeling[v] < e.n_labels[v]);
    }
  });
}

void a_search_finds_the_optimum_of_small_fields() {
  int missed = 0;
  for_each_field(0.6, true, [&](const SmallField& e, const auto& graph, Random&) {
    Labels labeling = e.labeling;
    TabuSearch(graph, 7).wander(labeling, 1e6);
    missed += near(e.energy(labeling).finite, lowest(e)) ? 0 : 1;
  });
  CHECK(missed == 0);
}

void a_search_keeps_to_its_budget() {
  for_each_field(0.6, true, [](const SmallField& e, const auto& graph, Random&) {
    Labels labeling = e.labeling;
    CHECK(TabuSearch(graph, 7).wander(labeling, 0).operations == 0 && labeling == e.labeling);
    CHECK(TabuSearch(graph, 7).wander(labeling, 1e4).operations <= 1.2e4);
  });
}

void equal_seeds_give_equal_labelings() {
  for_each_field(0.6, true, [](const SmallField& e, const auto& graph, Random&) {
    Labels first = e.labeling, second = e.labeling;
    TabuSearch(graph, 7).wander(first, 3e3);
    TabuSearch(graph, 7).wander(second, 3e3);
    CHECK(first == second);
  });
}

const Test kTests[] = {
    TEST(a_search_changes_the_energy_by_what_it_says_and_never_up),
    TEST(a_search_finds_the_optimum_of_small_fields),
    TEST(a_search_keeps_to_its_budget),
    TEST(equal_seeds_give_equal_labelings),
};

}  // namespace

int main() { return run_tests(kTests); }
