// Tests of the cycle oracle against brute force.

#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "exact.hpp"
#include "kernels/kernels.hpp"
#include "oracles/cycle.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

Index next_node(const Cycle& cycle, std::size_t i) { return static_cast<Index>((i + 1) % cycle.n_labels.size()); }

Cycle random_cycle(Random& random, double forbidden) {
  Cycle cycle;
  const int n = integer(random, 3, 5);
  for (int i = 0; i < n; ++i) {
    cycle.n_labels.push_back(integer(random, 1, 4));
    cycle.flipped.push_back(chance(random, 0.5));
  }
  if (chance(random, 0.3)) return cycle;
  for (std::size_t i = 0; i < cycle.n_labels.size(); ++i)
    for (Index k = cycle.n_labels[i] * cycle.n_labels[index(next_node(cycle, i))]; k > 0; --k)
      cycle.forbidden.push_back(chance(random, forbidden));
  return cycle;
}

std::vector<Index> support_of(const Cycle& cycle, const std::vector<Index>& labeling) {
  std::vector<Index> support;
  Index offset = 0;
  for (std::size_t i = 0; i < labeling.size(); ++i) {
    const auto j = index(next_node(cycle, i));
    const auto [row, column] = cycle.flipped[i] ? std::pair{j, i} : std::pair{i, j};
    support.push_back(offset + labeling[row] * cycle.n_labels[column] + labeling[column]);
    offset += cycle.n_labels[i] * cycle.n_labels[j];
  }
  return support;
}

bool is_allowed(const Cycle& cycle, const std::vector<Index>& support) {
  for (const Index i : support)
    if (!cycle.forbidden.empty() && cycle.forbidden[index(i)]) return false;
  return true;
}

BruteForce brute_force(const Cycle& cycle, std::span<const double> weights, Index n_coordinates) {
  BruteForce result(index(n_coordinates));
  for_each_labeling(cycle.n_labels, [&](const std::vector<Index>& labeling) {
    const std::vector<Index> support = support_of(cycle, labeling);
    if (is_allowed(cycle, support)) result.see(support, weight_of(support, weights));
  });
  return result;
}

// Calls visit(cycle, weights); weights may end early and hold inf.
template <class Visit>
void for_each_cycle(CostMaker cost, Visit visit) {
  Random random(11);
  for (const double forbidden : {0.0, 0.1, 0.5})
    for (int i = 0; i < 500; ++i) {
      const Cycle cycle = random_cycle(random, forbidden);
      const auto n = static_cast<std::size_t>(CycleOracle(cycle).n_coordinates());
      visit(cycle, random_vector(random, chance(random, 0.3) ? random.below(n + 1) : n, cost, forbidden));
    }
}

void minima_and_min_marginals_of_integer_weights_equal_brute_force() {
  for_each_cycle(integer_cost, [](const Cycle& cycle, const std::vector<double>& weights) {
    CycleOracle oracle(cycle);
    const BruteForce expected = brute_force(cycle, weights, oracle.n_coordinates());
    std::vector<Index> support{7};
    const Minimum minimum = oracle.minimize(weights, support);
    std::vector<double> marginals(index(oracle.n_coordinates()), std::nan(""));
    CHECK(minimum.value == expected.minimum);
    CHECK(oracle.min_marginals(weights, marginals));
    for (std::size_t i = 0; i < marginals.size(); ++i) CHECK(marginals[i] == expected.min_marginals[i]);
    if (expected.minimum == kInfinity) {
      CHECK(support.empty());
      return;
    }
    CHECK(minimum.cost == 0 && oracle.cost(support) == 0);
    CHECK(weight_of(support, weights) == minimum.value);
  });
}

void value_minus_rounding_is_a_lower_bound_of_the_exact_minimum() {
  for_each_cycle(wild_cost, [](const Cycle& cycle, const std::vector<double>& weights) {
    CycleOracle oracle(cycle);
    const BruteForce expected = brute_force(cycle, weights, oracle.n_coordinates());
    std::vector<Index> support;
    const Minimum minimum = oracle.minimize(weights, support);
    if (expected.minimum == kInfinity) return;
    CHECK(Exact(minimum.value) - minimum.rounding <= expected.minimum);
    CHECK(absolute(minimum.value - expected.minimum) <= minimum.rounding);
    CHECK(weight_of(support, weights) <= expected.minimum + 2 * minimum.rounding);
  });
}

void only_supports_of_allowed_labelings_have_a_cost() {
  for_each_cycle(integer_cost, [](const Cycle& cycle, const std::vector<double>&) {
    const CycleOracle oracle(cycle);
    for_each_labeling(cycle.n_labels, [&](const std::vector<Index>& labeling) {
      std::vector<Index> support = support_of(cycle, labeling);
      CHECK(oracle.cost(support) == (is_allowed(cycle, support) ? 0 : kInfinity));
      support.pop_back();
      CHECK(oracle.cost(support) == kInfinity);
    });
  });
  const CycleOracle triangle({{2, 2, 2}, {0, 0, 0}, {}});
  CHECK(triangle.cost(std::vector<Index>{0, 4, 8}) == 0);
  CHECK(triangle.cost(std::vector<Index>{1, 4, 8}) == kInfinity);  // the second node has two labels
  CHECK(triangle.cost(std::vector<Index>{0, 1, 8}) == kInfinity);  // the first edge has two entries
}

void kernels_make_no_difference() {
  Random random(3);
  const char* widest = kernels().name;
  for (int i = 0; i < 30; ++i) {
    CycleOracle oracle({{integer(random, 1, 20), integer(random, 1, 20), integer(random, 1, 20)}, {0, 1, 0}, {}});
    const std::vector<double> weights = random_vector(random, index(oracle.n_coordinates()), real);
    std::vector<Index> first, second;
    const double value = oracle.minimize(weights, first).value;
    CHECK(use_kernels("baseline"));
    CHECK(oracle.minimize(weights, second).value == value && first == second);
    CHECK(use_kernels(widest));
  }
}

void wrong_input_is_refused() {
  CHECK_THROWS(std::invalid_argument, CycleOracle({{2, 2}, {0, 0}, {}}));
  CHECK_THROWS(std::invalid_argument, CycleOracle({{2, 0, 2}, {0, 0, 0}, {}}));
  CHECK_THROWS(std::invalid_argument, CycleOracle({{2, 2, 2}, {0, 0}, {}}));
  CHECK_THROWS(std::invalid_argument, CycleOracle({{2, 2, 2}, {0, 0, 0}, {0, 1}}));
}

const Test kTests[] = {
    TEST(minima_and_min_marginals_of_integer_weights_equal_brute_force),
    TEST(value_minus_rounding_is_a_lower_bound_of_the_exact_minimum),
    TEST(only_supports_of_allowed_labelings_have_a_cost),
    TEST(kernels_make_no_difference),
    TEST(wrong_input_is_refused),
};

}  // namespace

int main() { return run_tests(kTests); }
