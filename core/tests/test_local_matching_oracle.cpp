// Tests of the oracle of a few points of a matching against brute force.

#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "exact.hpp"
#include "oracles/local_matching.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

LocalMatching random_problem(Random& random, double forbidden) {
  LocalMatching problem;
  const int n = integer(random, 3, 4);
  for (int i = 0; i < n; ++i) {
    std::vector<Index> partners;
    for (Index a = 0; a < 4; ++a)
      if (chance(random, 0.6)) partners.push_back(a);
    partners.push_back(-1);
    problem.n_labels.push_back(static_cast<Index>(partners.size()));
    problem.partners.insert(problem.partners.end(), partners.begin(), partners.end());
  }
  for (Index u = 0; u < n; ++u)
    for (Index v = u + 1; v < n; ++v)
      if (chance(random, 0.8)) problem.edges.push_back(chance(random, 0.5) ? std::array{u, v} : std::array{v, u});
  if (chance(random, 0.3)) return problem;
  for (const auto& [u, v] : problem.edges)
    for (Index k = problem.n_labels[index(u)] * problem.n_labels[index(v)]; k > 0; --k)
      problem.forbidden.push_back(chance(random, forbidden));
  return problem;
}

std::vector<Index> support_of(const LocalMatching& problem, const std::vector<Index>& labeling) {
  std::vector<Index> support;
  Index offset = 0;
  for (const auto& [u, v] : problem.edges) {
    support.push_back(offset + labeling[index(u)] * problem.n_labels[index(v)] + labeling[index(v)]);
    offset += problem.n_labels[index(u)] * problem.n_labels[index(v)];
  }
  return support;
}

bool is_allowed(const LocalMatching& problem, const std::vector<Index>& labeling) {
  std::vector<Index> taken;
  Index offset = 0;
  for (std::size_t i = 0; i < labeling.size(); ++i) {
    const Index partner = problem.partners[index(offset + labeling[i])];
    for (const Index other : taken)
      if (partner >= 0 && partner == other) return false;
    taken.push_back(partner);
    offset += problem.n_labels[i];
  }
  for (const Index i : support_of(problem, labeling))
    if (!problem.forbidden.empty() && problem.forbidden[index(i)]) return false;
  return true;
}

template <class Visit>
void for_each_problem(CostMaker cost, Visit visit) {
  Random random(17);
  for (const double forbidden : {0.0, 0.1, 0.6})
    for (int i = 0; i < 300; ++i) {
      const LocalMatching problem = random_problem(random, forbidden);
      const auto n = static_cast<std::size_t>(LocalMatchingOracle(problem).n_coordinates());
      visit(problem, random_vector(random, chance(random, 0.3) ? random.below(n + 1) : n, cost, 0.5 * forbidden));
    }
}

void minima_of_integer_weights_equal_brute_force() {
  for_each_problem(integer_cost, [](const LocalMatching& problem, const std::vector<double>& weights) {
    LocalMatchingOracle oracle(problem);
    Exact expected = kInfinity;
    for_each_labeling(problem.n_labels, [&](const std::vector<Index>& labeling) {
      if (is_allowed(problem, labeling)) expected = std::min(expected, weight_of(support_of(problem, labeling), weights));
    });
    std::vector<Index> support{7};
    const Minimum minimum = oracle.minimize(weights, support);
    CHECK(Exact(minimum.value) == expected);
    if (expected == kInfinity) {
      CHECK(support.empty());
      return;
    }
    CHECK(minimum.cost == 0 && oracle.cost(support) == 0);
    CHECK(weight_of(support, weights) == minimum.value);
  });
}

void value_minus_rounding_is_a_lower_bound_of_the_exact_minimum() {
  for_each_problem(wild_cost, [](const LocalMatching& problem, const std::vector<double>& weights) {
    LocalMatchingOracle oracle(problem);
    std::vector<Index> support;
    const Minimum minimum = oracle.minimize(weights, support);
    for_each_labeling(problem.n_labels, [&](const std::vector<Index>& labeling) {
      if (!is_allowed(problem, labeling)) return;
      Exact sum = 0;
      for (const Index i : support_of(problem, labeling)) sum += weight_at(weights, index(i));
      CHECK(Exact(minimum.value) - Exact(minimum.rounding) <= sum);
    });
  });
}

void cost_tells_labelings_from_other_supports() {
  LocalMatching problem{{2, 2, 2}, {0, -1, 0, -1, 1, -1}, {{0, 1}, {2, 1}}, {}};
  const LocalMatchingOracle oracle(problem);
  CHECK(oracle.cost(std::vector<Index>{1, 5}) == 0);          // labels 0, 1, 0
  CHECK(oracle.cost(std::vector<Index>{0, 4}) == kInfinity);  // a partner twice
  CHECK(oracle.cost(std::vector<Index>{1, 4}) == kInfinity);  // two labels of one point
  CHECK(oracle.cost(std::vector<Index>{1}) == kInfinity);
}

void sizes_that_do_not_match_are_refused() {
  CHECK_THROWS(std::invalid_argument, LocalMatchingOracle({{2, 2}, {0, -1, 0, -1}, {{0, 1}}, {}}));
  CHECK_THROWS(std::invalid_argument, LocalMatchingOracle({{1, 1, 1}, {0, 1}, {{0, 1}}, {}}));
  CHECK_THROWS(std::invalid_argument, LocalMatchingOracle({{1, 1, 1}, {0, 1, 2}, {{0, 3}}, {}}));
  CHECK_THROWS(std::invalid_argument, LocalMatchingOracle({{1, 1, 1}, {0, 1, 2}, {{0, 1}, {1, 0}}, {}}));
  CHECK_THROWS(std::invalid_argument, LocalMatchingOracle({{1, 1, 1}, {0, 1, 2}, {{0, 1}}, {0, 0}}));
}

const Test kTests[] = {
    TEST(minima_of_integer_weights_equal_brute_force),
    TEST(value_minus_rounding_is_a_lower_bound_of_the_exact_minimum),
    TEST(cost_tells_labelings_from_other_supports),
    TEST(sizes_that_do_not_match_are_refused),
};

}  // namespace

int main() { return run_tests(kTests); }
