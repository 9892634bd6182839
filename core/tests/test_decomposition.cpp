// Tests of the decomposition: slots, runs, and what a residual of the multipliers costs.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "free_oracle.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

std::unique_ptr<Oracle> oracle_of(std::size_t n) { return std::make_unique<FreeOracle>(std::vector<double>(n, -1)); }

/// Variable of each oracle coordinate, as the runs tell it.
std::vector<Index> variables_of(const Term& term) {
  std::vector<Index> result;
  for (const Run& run : term.variables) {
    CHECK(run.slot == static_cast<Index>(result.size()) && run.length > 0);
    for (Index k = 0; k < run.length; ++k) result.push_back(run.variable + k);
  }
  return result;
}

void shared_variables_are_those_of_several_terms() {
  Decomposition d(6, {}, 1.5);
  d.add(oracle_of(3), std::vector<std::int64_t>{0, 1, 4}, "a");
  d.add(oracle_of(3), std::vector<std::int64_t>{1, 2, 4}, "b");
  d.add(oracle_of(2), std::vector<std::int64_t>{4, 3}, "c");
  d.connect();
  CHECK(d.n_shared() == 2 && d.n_slots() == 5 && d.constant() == 1.5);
  CHECK((d.variable_of_shared() == std::vector<Index>{1, 4}));
  CHECK((d.copies() == std::vector<Index>{2, 3}));
  CHECK(d.terms()[0].offset == 0 && d.terms()[1].offset == 2 && d.terms()[2].offset == 4);
  CHECK((d.terms()[0].coordinate_of == std::vector<Index>{1, 2, 0}));
  CHECK((d.terms()[0].slot_of == std::vector<Index>{2, 0, 1}));
  CHECK(d.terms()[2].n_shared == 1 && d.terms()[2].coordinate_of.empty());  // the shared one comes first already
}

void slots_are_a_permutation_of_coordinates_with_the_shared_ones_first() {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    Decomposition d(20, {}, 0);
    add_random_terms(random, d, 2 + static_cast<int>(random.below(3)), chance(random, 0.7));
    d.connect();  // twice is as good as once
    std::vector<Index> copies(20, 0);
    for (const Term& term : d.terms())
      for (const Index v : variables_of(term)) ++copies[index(v)];
    std::size_t n_slots = 0;
    for (const Term& term : d.terms()) {
      const std::vector<Index> variables = variables_of(term);
      CHECK(term.offset == n_slots);
      n_slots += index(term.n_shared);
      std::vector<Index> shared_of_slot;
      for (const Run& run : term.shared) {
        CHECK(run.slot == static_cast<Index>(shared_of_slot.size()) && run.length > 0);
        for (Index k = 0; k < run.length; ++k) shared_of_slot.push_back(run.variable + k);
      }
      CHECK(shared_of_slot.size() == index(term.n_shared));
      for (std::size_t slot = 0; slot < variables.size(); ++slot) {
        const std::size_t coordinate = term.coordinate_of.empty() ? slot : index(term.coordinate_of[slot]);
        if (!term.slot_of.empty()) CHECK(term.slot_of[coordinate] == static_cast<Index>(slot));
        const Index v = variables[coordinate];
        CHECK((copies[index(v)] >= 2) == (slot < shared_of_slot.size()));
        if (slot < shared_of_slot.size()) {
          CHECK(d.variable_of_shared()[index(shared_of_slot[slot])] == v);
          CHECK(d.copies()[index(shared_of_slot[slot])] == copies[index(v)]);
        }
      }
    }
    CHECK(d.n_slots() == n_slots);
  }
}

void runs_are_as_long_as_variables_go_on() {
  Decomposition d(10, {}, 0);
  const std::vector<std::int64_t> variables{2, 3, 4, 7, 8, 0, 1};
  d.add(oracle_of(7), variables, "a");
  d.add(oracle_of(7), variables, "b");
  d.connect();
  CHECK(d.terms()[0].variables.size() == 3 && d.terms()[0].shared.size() == 2);  // 5 and 6 are nobody's
  CHECK(d.terms()[0].shared[0].variable == 2 && d.terms()[0].shared[0].length == 5);
  CHECK(d.terms()[0].shared[1].variable == 0 && d.terms()[0].shared[1].slot == 5);
}

void a_term_passes_weights_and_supports_through_its_permutation() {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    Decomposition d(20, {}, 0);
    add_random_terms(random, d, 3, true);
    for (Term& term : d.terms()) {
      const std::vector<double> weights = random_vector(random, index(term.n_shared), real);
      std::vector<Index> slots, coordinates;
      const Minimum minimum = term.minimize(weights, slots);
      CHECK(std::is_sorted(slots.begin(), slots.end()));
      const std::vector<double> seen = static_cast<FreeOracle&>(*term.oracle).last_weights;
      const auto n = index(term.oracle->n_coordinates());
      for (std::size_t slot = 0; slot < n; ++slot) {
        const std::size_t coordinate = term.coordinate_of.empty() ? slot : index(term.coordinate_of[slot]);
        CHECK(weight_at(seen, coordinate) == weight_at(weights, slot));
      }
      CHECK(term.oracle->minimize(seen, coordinates).value == minimum.value);
      for (Index& c : coordinates) c = term.slot_of.empty() ? c : term.slot_of[index(c)];
      std::sort(coordinates.begin(), coordinates.end());
      CHECK(coordinates == slots);
    }
  }
}

/// Over all labelings the largest sum of residuals, with brute force; `groups` as the decomposition has them.
double worst_by_brute_force(const Decomposition& d, const std::vector<std::int64_t>& groups,
                            const std::vector<double>& residual) {
  std::vector<double> of_variable(index(d.n_variables()), 0.0);
  for (std::size_t i = 0; i < residual.size(); ++i) of_variable[index(d.variable_of_shared()[i])] = residual[i];
  std::vector<Index> n_labels;
  if (groups.empty()) n_labels.assign(of_variable.size(), 2);
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) n_labels.push_back(static_cast<Index>(groups[g + 1] - groups[g]));
  double worst = -kInfinity;
  for_each_labeling(n_labels, [&](const std::vector<Index>& labeling) {
    double sum = 0;
    for (std::size_t g = 0; g < labeling.size(); ++g)
      sum += groups.empty() ? labeling[g] * of_variable[g]
                            : of_variable[static_cast<std::size_t>(groups[g]) + index(labeling[g])];
    worst = std::max(worst, sum);
  });
  return worst;
}

void residuals_are_charged_at_their_worst_labeling() {
  Random random(3);
  for (const std::vector<std::int64_t>& groups :
       {std::vector<std::int64_t>{}, std::vector<std::int64_t>{0, 1, 3, 6, 8}, std::vector<std::int64_t>{0, 8}})
    for (int i = 0; i < 200; ++i) {
      Decomposition d(8, groups, 0);
      add_random_terms(random, d, 2, true);
      const std::vector<double> residual =
          random_vector(random, d.n_shared(), [](Random& r) { return static_cast<double>(integer(r, -4, 1)); });
      CHECK(d.worst_residual(residual) == worst_by_brute_force(d, groups, residual));
    }
}

void a_group_that_is_shared_whole_may_have_a_negative_worst_residual() {
  Decomposition d(3, {0, 2, 3}, 0);
  d.add(oracle_of(3), std::vector<std::int64_t>{0, 1, 2}, "a");
  d.add(oracle_of(2), std::vector<std::int64_t>{0, 1}, "b");
  d.connect();
  CHECK(d.worst_residual(std::vector<double>{-3, -2}) == -2);
  d.add(oracle_of(1), std::vector<std::int64_t>{2}, "c");
  d.connect();
  CHECK(d.worst_residual(std::vector<double>{-3, -2, -4}) == -6);
}

void variables_behind_the_last_group_are_free() {
  Decomposition d(5, {0, 2}, 0);
  for (const char* name : {"a", "b"}) d.add(oracle_of(5), std::vector<std::int64_t>{0, 1, 2, 3, 4}, name);
  d.connect();
  CHECK(d.worst_residual(std::vector<double>{-3, -2, -4, 5, -1}) == -2 + 5);
  CHECK(d.worst_residual(std::vector<double>{1, 2, -4, -5, -1}) == 2);
}

void wrong_input_is_refused_with_the_term_by_name() {
  CHECK_THROWS(std::invalid_argument, Decomposition(-1, {}, 0));
  CHECK_THROWS(std::invalid_argument, Decomposition(std::int64_t{1} << 31, {}, 0));
  CHECK_THROWS(std::invalid_argument, Decomposition(4, {0, 5}, 0));
  CHECK_THROWS(std::invalid_argument, Decomposition(4, {1, 4}, 0));
  CHECK_THROWS(std::invalid_argument, Decomposition(4, {0, 3, 2, 4}, 0));
  Decomposition d(4, {0, 2, 4}, 0);
  for (const std::vector<std::int64_t>& variables : {std::vector<std::int64_t>{0, 1}, std::vector<std::int64_t>{0, 1, 4},
                                                     std::vector<std::int64_t>{0, -1, 2}, std::vector<std::int64_t>{2, 0, 2}}) {
    std::string message;
    try {
      d.add(oracle_of(3), variables, "the forest");
    } catch (const std::invalid_argument& error) {
      message = error.what();
    }
    CHECK(message.find("the forest") != std::string::npos);
  }
  CHECK(d.terms().empty());
}

const Test kTests[] = {
    TEST(shared_variables_are_those_of_several_terms),
    TEST(slots_are_a_permutation_of_coordinates_with_the_shared_ones_first),
    TEST(runs_are_as_long_as_variables_go_on),
    TEST(a_term_passes_weights_and_supports_through_its_permutation),
    TEST(residuals_are_charged_at_their_worst_labeling),
    TEST(a_group_that_is_shared_whole_may_have_a_negative_worst_residual),
    TEST(variables_behind_the_last_group_are_free),
    TEST(wrong_input_is_refused_with_the_term_by_name),
};

}  // namespace

int main() { return run_tests(kTests); }
