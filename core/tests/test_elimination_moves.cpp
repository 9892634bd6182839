// Tests of moves by elimination: exact where tables may be large, never raising an energy, repeatable.

#include <algorithm>

#include "rounding/elimination_moves.hpp"
#include "searches.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

constexpr std::size_t kMany = 1 << 20;  // entries: enough for any table here

void with_large_tables_a_move_finds_the_optimum() {
  for_each_field(0.6, true, [](const SmallField& e, const auto& graph, Random& random) {
    Labels labeling = e.labeling;
    EliminationMoves(graph).solve(all_nodes(e), labeling, kMany, random);
    CHECK(near(e.energy(labeling).finite, lowest(e)));
  });
}

void a_move_of_some_nodes_finds_the_best_labels_of_these() {
  for_each_field(0.6, true, [](const SmallField& e, const auto& graph, Random& random) {
    Labels some, labeling = e.labeling;
    for (const Index v : all_nodes(e))
      if (random.below(2) == 0) some.push_back(v);
    double best = kInfinity;
    for_each_labeling(e, {}, {}, [&](const Labels& x) {
      for (const Index v : all_nodes(e))
        if (std::find(some.begin(), some.end(), v) == some.end() && x[index(v)] != e.labeling[index(v)]) return;
      best = std::min(best, e.energy(x).finite);
    });
    EliminationMoves(graph).solve(some, labeling, kMany, random);
    CHECK(near(e.energy(labeling).finite, best));
    for (const Index v : all_nodes(e))
      CHECK(std::find(some.begin(), some.end(), v) != some.end() || labeling[index(v)] == e.labeling[index(v)]);
  });
}

void a_move_changes_the_energy_by_what_it_says_and_never_up() {
  for_each_field(0.8, true, [](const SmallField& e, const auto& graph, Random& random) {
    EliminationMoves moves(graph);
    Labels labeling = e.labeling;
    for (const std::size_t most : {1, 4, 8, 16, 64}) {
      const double before = e.energy(labeling).finite;
      const MoveOutcome outcome = moves.solve(all_nodes(e), labeling, most, random);
      const double after = e.energy(labeling).finite;
      CHECK(near(before + outcome.change, after));
      CHECK(after <= before + 1e-11 * (1 + std::abs(before)));
      for (std::size_t v = 0; v < labeling.size(); ++v) CHECK(labeling[v] >= 0 && labeling[v] < e.n_labels[v]);
    }
  });
}

void small_tables_leave_nodes_alone_and_larger_ones_find_more() {
  double small = 0, large = 0;
  for_each_field(0.9, false, [&](const SmallField& e, const auto& graph, Random& random) {
    Labels labeling = e.labeling;
    small += EliminationMoves(graph).solve(all_nodes(e), labeling, 4, random).change;
    labeling = e.labeling;
    large += EliminationMoves(graph).solve(all_nodes(e), labeling, 64, random).change;
  });
  CHECK(large < small && small < 0);
}

void equal_seeds_give_equal_labelings() {
  for_each_field(0.8, true, [](const SmallField& e, const auto& graph, Random&) {
    Labels first = e.labeling, second = e.labeling;
    Random one(7), two(7);
    EliminationMoves(graph).solve(all_nodes(e), first, 16, one);
    EliminationMoves(graph).solve(all_nodes(e), second, 16, two);
    CHECK(first == second);
  });
}

const Test kTests[] = {
    TEST(with_large_tables_a_move_finds_the_optimum),
    TEST(a_move_of_some_nodes_finds_the_best_labels_of_these),
    TEST(a_move_changes_the_energy_by_what_it_says_and_never_up),
    TEST(small_tables_leave_nodes_alone_and_larger_ones_find_more),
    TEST(equal_seeds_give_equal_labelings),
};

}  // namespace

int main() { return run_tests(kTests); }
