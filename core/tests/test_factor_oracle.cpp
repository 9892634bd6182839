// Tests of the factor oracle against brute force.

#include <cmath>
#include <stdexcept>

#include "oracle_checks.hpp"
#include "oracles/factor.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

Factor random_factor(Random& random, CostMaker cost, double forbidden) {
  Factor factor;
  std::size_t size = 1, n_unaries = 0;
  const int arity = integer(random, 1, 4);
  for (int k = 0; k < arity; ++k) {
    factor.n_labels.push_back(integer(random, 1, 4));
    size *= index(factor.n_labels.back());
    n_unaries += index(factor.n_labels.back());
  }
  factor.unaries = random_vector(random, n_unaries, cost, forbidden);
  const auto table = std::make_shared<const std::vector<double>>(random_vector(random, size, cost, forbidden));
  factor.table = *table;
  factor.owner = table;
  for (int b = integer(random, 0, 2); b > 0; --b) {
    std::vector<Index> block;
    for (Index k = 0; k < arity; ++k)
      if (chance(random, 0.6)) block.push_back(k);
    if (block.size() >= 2) factor.blocks.push_back(block);
  }
  return factor;
}

std::vector<Index> support_of(const Factor& factor, const std::vector<Index>& labeling) {
  std::vector<Index> support = one_hot(factor.n_labels, labeling);
  Index offset = 0;
  for (const Index n : factor.n_labels) offset += n;
  for (const std::vector<Index>& block : factor.blocks) {
    Index joint = 0, size = 1;
    for (const Index k : block) {
      joint = joint * factor.n_labels[index(k)] + labeling[index(k)];
      size *= factor.n_labels[index(k)];
    }
    support.push_back(offset + joint);
    offset += size;
  }
  return support;
}

Exact exact_cost(const Factor& factor, const std::vector<Index>& labeling) {
  std::size_t entry = 0, offset = 0;
  Exact sum = 0;
  for (std::size_t k = 0; k < labeling.size(); ++k) {
    entry = entry * index(factor.n_labels[k]) + index(labeling[k]);
    sum += factor.unaries[offset + index(labeling[k])];
    offset += index(factor.n_labels[k]);
  }
  return sum + factor.table[entry];
}

BruteForce brute_force(const Factor& factor, std::span<const double> weights, Index n_coordinates) {
  BruteForce result(index(n_coordinates));
  for_each_labeling(factor.n_labels, [&](const std::vector<Index>& labeling) {
    const std::vector<Index> support = support_of(factor, labeling);
    result.see(support, exact_cost(factor, labeling) + weight_of(support, weights));
  });
  return result;
}

template <class Visit>
void for_each_factor(CostMaker cost, Visit visit) {
  Random random(5);
  for (const double forbidden : {0.0, 0.1, 0.5})
    for (int i = 0; i < 700; ++i) {
      const Factor factor = random_factor(random, cost, forbidden);
      const auto n = index(FactorOracle(factor).n_coordinates());
      visit(factor, random_vector(random, chance(random, 0.5) ? n : random.below(n + 1), cost, forbidden / 2));
    }
}

void minima_of_integer_costs_equal_brute_force() {
  for_each_factor(integer_cost, [](const Factor& factor, const std::vector<double>& weights) {
    FactorOracle oracle(factor);
    const BruteForce expected = brute_force(factor, weights, oracle.n_coordinates());
    std::vector<Index> support;
    if (!check_exact_minimum(oracle, weights, expected, support)) return;
    bool is_labeling = false;
    for_each_labeling(factor.n_labels, [&](const std::vector<Index>& labeling) {
      if (support_of(factor, labeling) != support) return;
      is_labeling = true;
      CHECK(oracle.cost(support) == exact_cost(factor, labeling));
    });
    CHECK(is_labeling);
  });
}

void value_minus_rounding_is_a_lower_bound_of_the_exact_minimum() {
  for_each_factor(wild_cost, [](const Factor& factor, const std::vector<double>& weights) {
    FactorOracle oracle(factor);
    check_minimum_within_rounding(oracle, weights, brute_force(factor, weights, oracle.n_coordinates()));
  });
}

void min_marginals_equal_brute_force() {
  for_each_factor(integer_cost, [](const Factor& factor, const std::vector<double>& weights) {
    FactorOracle oracle(factor);
    const BruteForce expected = brute_force(factor, weights, oracle.n_coordinates());
    const std::vector<double> out = check_exact_min_marginals(oracle, weights, expected);
    for (std::size_t first = 0; first < out.size(); first += 2) {
      std::vector<double> block(std::min<std::size_t>(3, out.size() - first), std::nan(""));
      CHECK(oracle.block_min_marginals(weights, first, block));
      for (std::size_t i = 0; i < block.size(); ++i) CHECK(block[i] == out[first + i]);
    }
  });
}

void weights_beyond_the_end_are_zero_and_calls_leave_no_trace() {
  for_each_factor(wild_cost, [](const Factor& factor, const std::vector<double>& weights) {
    FactorOracle oracle(factor);
    check_calls_leave_no_trace(oracle, weights);
  });
}

void what_is_no_labeling_costs_infinity_and_wrong_sizes_are_refused() {
  const std::vector<double> table{1, 2, 3, 4, 5, 6};
  Factor factor{{2, 3}, {0, 10, 0, 20, 30}, table, nullptr, {}};
  const FactorOracle oracle(factor);
  const auto cost = [&](const std::vector<Index>& support) { return oracle.cost(support); };
  CHECK(cost({0, 2}) == 1);
  CHECK(cost({1, 4}) == 46);
  CHECK(cost({1}) == kInfinity);
  CHECK(cost({0, 1}) == kInfinity);
  CHECK(cost({2, 3}) == kInfinity);
  const auto refused = [&](auto change) {
    Factor wrong = factor;
    change(wrong);
    CHECK_THROWS(std::invalid_argument, FactorOracle(std::move(wrong)));
  };
  refused([](Factor& f) { f.n_labels = {3, 3}; });
  refused([](Factor& f) { f.n_labels = {0, 3}; });
  refused([](Factor& f) { f.unaries.push_back(0); });
}

const Test kTests[] = {
    TEST(minima_of_integer_costs_equal_brute_force),
    TEST(value_minus_rounding_is_a_lower_bound_of_the_exact_minimum),
    TEST(min_marginals_equal_brute_force),
    TEST(weights_beyond_the_end_are_zero_and_calls_leave_no_trace),
    TEST(what_is_no_labeling_costs_infinity_and_wrong_sizes_are_refused),
};

}  // namespace

int main() { return run_tests(kTests); }
