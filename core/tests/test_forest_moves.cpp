// Tests of searches by forest moves: exact where the field is a forest, never raising an energy, repeatable.

#include "rounding/forest_moves.hpp"
#include "rounding/labeling_search.hpp"
#include "rounding/sequential.hpp"
#include "searches.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;
bool is_forest(const SmallField& e) {
  std::vector<Index> tree = all_nodes(e);
  for (const FieldEdge& edge : e.field.edges) {
    const Index from = tree[index(edge.first)], to = tree[index(edge.second)];
    if (from == to) return false;
    for (Index& t : tree)
      if (t == from) t = to;
  }
  return e.field.factors.empty();
}

void a_sweep_over_a_forest_finds_the_optimum() {
  int met = 0;
  for_each_field(0.25, false, [&](const SmallField& e, const auto& graph, Random& random) {
    if (!is_forest(e)) return;
    ++met;
    ForestMoves moves(graph);
    Labels labeling = e.labeling;
    moves.sweep(all_nodes(e), labeling, random);
    CHECK(near(e.energy(labeling).finite, lowest(e)));
  });
  CHECK(met > 50);
}

void fusion_on_a_forest_takes_the_best_of_both() {
  for_each_field(0.25, false, [&](const SmallField& e, const auto& graph, Random& random) {
    if (!is_forest(e)) return;
    ForestMoves moves(graph);
    const Labels other = random_labels(e, random);
    Labels labeling = e.labeling;
    moves.fuse(all_nodes(e), labeling, other, random);
    CHECK(near(e.energy(labeling).finite, lowest(e, e.labeling, other)));
  });
}

void a_sweep_changes_the_energy_by_what_it_says_and_never_up() {
  for_each_field(0.6, true, [&](const SmallField& e, const auto& graph, Random& random) {
    ForestMoves moves(graph);
    Labels labeling = e.labeling;
    const double before = e.energy(labeling).finite;
    const MoveOutcome outcome = moves.sweep(all_nodes(e), labeling, random);
    const double after = e.energy(labeling).finite;
    CHECK(near(before + outcome.change, after));
    CHECK(after <= before + 1e-11 * (1 + std::abs(before)));
    for (std::size_t v = 0; v < labeling.size(); ++v) CHECK(labeling[v] >= 0 && labeling[v] < e.n_labels[v]);
  });
}

void a_sweep_changes_only_the_nodes_it_is_given() {
  for_each_field(0.6, true, [&](const SmallField& e, const auto& graph, Random& random) {
    ForestMoves moves(graph);
    Labels labeling = e.labeling;
    const Index only = static_cast<Index>(random.below(labeling.size()));
    moves.sweep(std::vector<Index>{only}, labeling, random);
    for (std::size_t v = 0; v < labeling.size(); ++v) CHECK(static_cast<Index>(v) == only || labeling[v] == e.labeling[v]);
  });
}

void every_search_changes_the_energy_by_what_it_says_and_never_up() {
  for_each_field(0.6, true, [&](const SmallField& e, const auto& graph, Random& random) {
    LabelingSearch search(graph, 7);
    const Labels other = random_labels(e, random);
    Labels labeling = e.labeling;
    double energy = e.energy(labeling).finite;
    const auto follow = [&](const MoveOutcome& outcome) {
      const double now = e.energy(labeling).finite;
      CHECK(near(energy + outcome.change, now));
      CHECK(now <= energy + 1e-11 * (1 + std::abs(energy)));
      energy = now;
    };
    follow(search.fuse(labeling, other, 1e4));
    follow(search.expand(labeling, 1e4));
    follow(search.descend(labeling, 1e4));
    follow(search.kick(labeling, other, 1e4));
    follow(search.kick(labeling, {}, 1e4));
    follow(search.resolve(labeling, 1e4));
  });
}

void kicks_find_the_optimum_of_small_fields() {
  int missed = 0;
  for_each_field(0.6, true, [&](const SmallField& e, const auto& graph, Random&) {
    LabelingSearch search(graph, 7);
    Labels labeling = e.labeling;
    search.kick(labeling, {}, 2e5);
    missed += near(e.energy(labeling).finite, lowest(e)) ? 0 : 1;
  });
  CHECK(missed == 0);
}

void equal_seeds_give_equal_labelings() {
  for_each_field(0.6, true, [&](const SmallField& e, const auto& graph, Random&) {
    Labels first = e.labeling, second = e.labeling;
    LabelingSearch(graph, 7).kick(first, {}, 3e3);
    LabelingSearch(graph, 7).kick(second, {}, 3e3);
    CHECK(first == second);
  });
}

void without_a_budget_a_search_changes_nothing() {
  for_each_field(0.6, true, [&](const SmallField& e, const auto& graph, Random&) {
    Labels labeling = e.labeling;
    LabelingSearch search(graph, 7);
    CHECK(search.descend(labeling, 0).operations == 0 && search.kick(labeling, {}, 0).operations == 0);
    CHECK(search.resolve(labeling, 0).operations == 0);
    CHECK(labeling == e.labeling);
  });
}

void rounding_decided_marginals_never_raises_their_energy() {
  for_each_field(0.6, true, [&](const SmallField& e, const auto& graph, Random&) {
    std::vector<double> marginals(static_cast<std::size_t>(e.field.offsets.back()), 0.0);
    for (std::size_t v = 0; v < e.labeling.size(); ++v)
      marginals[static_cast<std::size_t>(e.field.offsets[v] + e.labeling[v])] = 1.0;
    Labels labeling(e.labeling.size());
    round_sequentially(*graph, marginals, labeling);
    CHECK(e.energy(labeling).finite <= e.energy(e.labeling).finite + 1e-11);
  });
}

const Test kTests[] = {
    TEST(a_sweep_over_a_forest_finds_the_optimum),
    TEST(fusion_on_a_forest_takes_the_best_of_both),
    TEST(a_sweep_changes_the_energy_by_what_it_says_and_never_up),
    TEST(a_sweep_changes_only_the_nodes_it_is_given),
    TEST(every_search_changes_the_energy_by_what_it_says_and_never_up),
    TEST(kicks_find_the_optimum_of_small_fields),
    TEST(equal_seeds_give_equal_labelings),
    TEST(without_a_budget_a_search_changes_nothing),
    TEST(rounding_decided_marginals_never_raises_their_energy),
};

}  // namespace

int main() { return run_tests(kTests); }
