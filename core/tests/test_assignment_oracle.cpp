// Tests of the assignment oracle against brute force.

#include <cmath>
#include <stdexcept>

#include "oracle_checks.hpp"
#include "oracles/assignment.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

/// Points with some of the partners each, in random order, mostly with the choice of none.
Assignment random_assignment(Random& random, int most_points, int most_partners, CostMaker cost, double forbidden) {
  Assignment assignment;
  const int n_points = integer(random, 1, most_points);
  assignment.n_partners = integer(random, 0, most_partners);
  const double share = chance(random, 0.5) ? 1.0 : 0.6, none = chance(random, 0.5) ? 1.0 : 0.3;
  for (int i = 0; i < n_points; ++i) {
    std::vector<Index> partners;
    for (Index a = 0; a < assignment.n_partners; ++a)
      if (chance(random, share)) partners.push_back(a);
    if (partners.empty() || chance(random, none)) partners.push_back(-1);
    random.shuffle(partners);
    assignment.n_labels.push_back(static_cast<Index>(partners.size()));
    assignment.partners.insert(assignment.partners.end(), partners.begin(), partners.end());
  }
  assignment.unaries = random_vector(random, assignment.partners.size(), cost, forbidden);
  return assignment;
}

Exact exact_cost(const Assignment& assignment, const std::vector<Index>& support) {
  std::vector<int> uses(index(assignment.n_partners), 0);
  Exact sum = 0;
  for (const Index k : support) {
    const Index partner = assignment.partners[index(k)];
    if (partner >= 0 && ++uses[index(partner)] > 1) return kInfinity;
    sum += assignment.unaries[index(k)];
  }
  return sum;
}

BruteForce brute_force(const Assignment& assignment, std::span<const double> weights) {
  BruteForce result(assignment.partners.size());
  for_each_labeling(assignment.n_labels, [&](const std::vector<Index>& labeling) {
    const std::vector<Index> support = one_hot(assignment.n_labels, labeling);
    const Exact own = exact_cost(assignment, support);
    if (own < kInfinity) result.see(support, own + weight_of(support, weights));
  });
  return result;
}

template <class Visit>
void for_each_assignment(CostMaker cost, Visit visit) {
  Random random(11);
  for (const double forbidden : {0.0, 0.1, 0.4})
    for (int i = 0; i < 400; ++i) {
      const Assignment assignment = chance(random, 0.5) ? random_assignment(random, 5, 4, cost, forbidden)
                                                        : random_assignment(random, 4, 6, cost, forbidden);
      visit(assignment, random);
    }
}

std::vector<double> some_weights(Random& random, const Assignment& assignment, CostMaker cost) {
  const std::size_t n = assignment.partners.size();
  return random_vector(random, chance(random, 0.7) ? n : random.below(n + 1), cost, chance(random, 0.7) ? 0 : 0.2);
}

// One oracle is called again and again: prices of earlier calls must never show in a value.
void minima_of_integer_costs_equal_brute_force_call_after_call() {
  int n_feasible = 0, n_infeasible = 0;
  for_each_assignment(integer_cost, [&](const Assignment& assignment, Random& random) {
    AssignmentOracle oracle(assignment);
    for (int call = 0; call < 4; ++call) {
      const std::vector<double> weights = some_weights(random, assignment, integer_cost);
      const BruteForce expected = brute_force(assignment, weights);
      std::vector<Index> support;
      const bool is_feasible = check_exact_minimum(oracle, weights, expected, support);
      ++(is_feasible ? n_feasible : n_infeasible);
      if (is_feasible) CHECK(exact_cost(assignment, support) == oracle.cost(support));
    }
  });
  CHECK(n_feasible > 2000 && n_infeasible > 300);
}

void value_minus_rounding_is_a_lower_bound_of_the_exact_minimum() {
  for_each_assignment(wild_cost, [](const Assignment& assignment, Random& random) {
    AssignmentOracle oracle(assignment);
    for (int call = 0; call < 4; ++call) {
      const std::vector<double> weights = some_weights(random, assignment, wild_cost);
      const Minimum minimum = check_minimum_within_rounding(oracle, weights, brute_force(assignment, weights));
      CHECK(minimum.value == kInfinity || minimum.rounding < 1e-4);  // costs up to 1e8: 1e-12 of their size
    }
  });
}

void min_marginals_of_integer_costs_equal_brute_force() {
  for_each_assignment(integer_cost, [](const Assignment& assignment, Random& random) {
    AssignmentOracle oracle(assignment);
    const std::vector<double> weights = some_weights(random, assignment, integer_cost);
    const BruteForce expected = brute_force(assignment, weights);
    check_exact_min_marginals(oracle, weights, expected);
    std::size_t first = 0;
    for (const Index n : assignment.n_labels) {  // of one point
      std::vector<double> block(index(n), std::nan(""));
      CHECK(oracle.block_min_marginals(weights, first, block));
      for (std::size_t i = 0; i < block.size(); ++i) CHECK(block[i] == expected.min_marginals[first + i]);
      first += block.size();
    }
  });
}

// A new oracle has no prices.
void kept_prices_change_no_value_where_weights_change_little() {
  Random random(12);
  for (int i = 0; i < 30; ++i) {
    const Assignment assignment = random_assignment(random, 40, 40, real, chance(random, 0.5) ? 0 : 0.05);
    AssignmentOracle oracle(assignment);
    std::vector<double> weights = random_vector(random, assignment.partners.size(), real);
    for (int call = 0; call < 20; ++call) {
      for (double& w : weights) w += 0.05 * real(random);
      std::vector<Index> support, other;
      const Minimum minimum = oracle.minimize(weights, support);
      const Minimum expected = AssignmentOracle(assignment).minimize(weights, other);
      if (expected.value == kInfinity) {
        CHECK(minimum.value == kInfinity);
        continue;
      }
      CHECK(absolute(minimum.value - expected.value) <= minimum.rounding + expected.rounding);
      CHECK(minimum.rounding < 1e-11 && support == other);
    }
  }
}

void the_same_calls_in_the_same_order_give_the_same_answers() {
  for_each_assignment(integer_cost, [](const Assignment& assignment, Random& random) {
    AssignmentOracle one(assignment), two(assignment);
    for (int call = 0; call < 3; ++call) {
      const std::vector<double> weights = some_weights(random, assignment, integer_cost);
      std::vector<Index> first, second;
      CHECK(one.minimize(weights, first).value == two.minimize(weights, second).value && first == second);
    }
  });
}

void costs_times_a_power_of_two_give_the_same_choices() {
  Random random(13);
  for (int i = 0; i < 50; ++i) {
    Assignment assignment = random_assignment(random, 20, 20, real, 0.1);
    AssignmentOracle oracle(assignment);
    for (double& cost : assignment.unaries) cost *= 1024;
    AssignmentOracle scaled(assignment);
    for (int call = 0; call < 3; ++call) {
      std::vector<double> weights = random_vector(random, assignment.partners.size(), real);
      std::vector<Index> support, other;
      const Minimum minimum = oracle.minimize(weights, support);
      for (double& w : weights) w *= 1024;
      const Minimum of_scaled = scaled.minimize(weights, other);
      CHECK(support == other && (minimum.value == kInfinity || of_scaled.value == 1024 * minimum.value));
      CHECK(of_scaled.rounding == 1024 * minimum.rounding);
    }
  }
}

void what_is_no_assignment_costs_infinity_and_wrong_sizes_are_refused() {
  const Assignment assignment{{2, 3}, {0, -1, 1, 0, -1}, 2, {1, 2, 4, 8, 16}};
  const AssignmentOracle oracle(assignment);
  const auto cost = [&](const std::vector<Index>& support) { return oracle.cost(support); };
  CHECK(cost({0, 2}) == 5);
  CHECK(cost({1, 4}) == 18);
  CHECK(cost({0, 3}) == kInfinity);  // partner 0 twice
  CHECK(cost({0}) == kInfinity);
  CHECK(cost({2, 3}) == kInfinity);
  const auto refused = [&](auto change) {
    Assignment wrong = assignment;
    change(wrong);
    CHECK_THROWS(std::invalid_argument, AssignmentOracle(std::move(wrong)));
  };
  refused([](Assignment& a) { a.n_labels = {2, 2}; });
  refused([](Assignment& a) { a.n_labels = {0, 5}; });
  refused([](Assignment& a) { a.partners[1] = 0; });
  refused([](Assignment& a) { a.partners[0] = -1; });
  refused([](Assignment& a) { a.partners[0] = 2; });
  refused([](Assignment& a) { a.unaries.pop_back(); });
}

const Test kTests[] = {
    TEST(minima_of_integer_costs_equal_brute_force_call_after_call),
    TEST(value_minus_rounding_is_a_lower_bound_of_the_exact_minimum),
    TEST(min_marginals_of_integer_costs_equal_brute_force),
    TEST(kept_prices_change_no_value_where_weights_change_little),
    TEST(the_same_calls_in_the_same_order_give_the_same_answers),
    TEST(costs_times_a_power_of_two_give_the_same_choices),
    TEST(what_is_no_assignment_costs_infinity_and_wrong_sizes_are_refused),
};

}  // namespace

int main() { return run_tests(kTests); }
