// Tests of the chain oracle against brute force, and against the exact programme along the chain.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "kernels/kernels.hpp"
#include "oracle_checks.hpp"
#include "oracles/chain.hpp"
#include "small_forest.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

/// A chain through all pixels in a random order, some links without an edge, tables and structured costs, hard or soft.
Chain random_chain(Random& random, int most_pixels, int most_labels, CostMaker cost, double forbidden) {
  Chain chain;
  chain.n_labels.resize(index(integer(random, 1, most_pixels)));
  std::size_t n_unaries = 0, n_sums = 1;
  for (Index& n : chain.n_labels) {
    n = integer(random, 1, most_labels);
    n_unaries += index(n);
    n_sums += index(n) - 1;
  }
  chain.unaries = random_vector(random, n_unaries, cost, forbidden);
  chain.order.resize(chain.n_labels.size());
  std::iota(chain.order.begin(), chain.order.end(), 0);
  random.shuffle(chain.order);
  std::vector<double> values;
  std::vector<std::int64_t> offsets{0};
  const bool alike = chance(random, 0.5);  // one structured cost everywhere, as in images
  const EdgeCost same = random_structured_cost(random, cost);
  for (std::size_t k = 1; k < chain.order.size(); ++k) {
    if (chance(random, 0.2)) continue;
    ForestEdge edge{chain.order[k - 1], chain.order[k], alike ? same : random_structured_cost(random, cost)};
    if (chance(random, 0.5)) std::swap(edge.first, edge.second);
    if (!alike && chance(random, 0.5)) {
      edge.cost = {EdgeKind::kTable, static_cast<std::int64_t>(offsets.size()) - 1, 0, 0};
      const std::size_t entries = index(chain.n_labels[index(edge.first)]) * index(chain.n_labels[index(edge.second)]);
      for (const double entry : random_vector(random, entries, cost, forbidden)) values.push_back(entry);
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
    chain.edges.push_back(edge);
  }
  random.shuffle(chain.edges);
  chain.tables = pool_of(std::move(values), offsets);
  if (chance(random, 0.5)) {
    chain.sum_costs.assign(random.below(n_sums + 2) + 1, kInfinity);
    chain.sum_costs.back() = cost(random);
  } else {
    chain.sum_costs = random_vector(random, random.below(n_sums + 3), cost, 2 * forbidden);
  }
  return chain;
}

Exact exact_cost(const Chain& chain, const std::vector<Index>& labeling) {
  Exact sum = 0;
  std::size_t total = 0;
  for (const Index i : one_hot(chain.n_labels, labeling)) sum += chain.unaries[index(i)];
  for (const Index a : labeling) total += index(a);
  for (const ForestEdge& edge : chain.edges)
    sum += exact_edge_cost(edge.cost, *chain.tables, labeling[index(edge.first)], labeling[index(edge.second)],
                           chain.n_labels[index(edge.second)]);
  return sum + (total < chain.sum_costs.size() ? chain.sum_costs[total] : kInfinity);
}

BruteForce brute_force(const Chain& chain, std::span<const double> weights) {
  BruteForce result(chain.unaries.size());
  for_each_labeling(chain.n_labels, [&](const std::vector<Index>& labeling) {
    const std::vector<Index> support = one_hot(chain.n_labels, labeling);
    result.see(support, exact_cost(chain, labeling) + weight_of(support, weights));
  });
  return result;
}

template <class Visit>
void for_each_chain(CostMaker cost, Visit visit) {
  Random random(17);
  for (const double forbidden : {0.0, 0.05, 0.3})
    for (int i = 0; i < 500; ++i) {
      const bool many_labels = chance(random, 0.3);  // more than fit into registers
      const Chain chain = random_chain(random, many_labels ? 3 : 7, many_labels ? 8 : 3, cost, forbidden);
      const std::size_t n = chain.unaries.size();
      visit(chain, random_vector(random, chance(random, 0.5) ? n : random.below(n + 1), cost, forbidden));
    }
}

void minima_of_integer_costs_equal_brute_force() {
  int n_feasible = 0, n_infeasible = 0;
  for_each_chain(integer_cost, [&](Chain chain, const std::vector<double>& weights) {
    for (ForestEdge& edge : chain.edges)
      if (edge.cost.kind != EdgeKind::kTable) edge.cost.truncation = std::floor(edge.cost.truncation);  // exact sums
    ChainOracle oracle(chain);
    const BruteForce expected = brute_force(chain, weights);
    std::vector<Index> support;
    const bool is_feasible = check_exact_minimum(oracle, weights, expected, support);
    ++(is_feasible ? n_feasible : n_infeasible);
    if (!is_feasible) return;
    bool is_labeling = false;
    for_each_labeling(chain.n_labels, [&](const std::vector<Index>& labeling) {
      if (one_hot(chain.n_labels, labeling) != support) return;
      is_labeling = true;
      CHECK(oracle.cost(support) == exact_cost(chain, labeling));
    });
    CHECK(is_labeling);
  });
  CHECK(n_feasible > 300 && n_infeasible > 100);
}

void value_minus_rounding_is_a_lower_bound_of_the_exact_minimum() {
  for_each_chain(wild_cost, [](const Chain& chain, const std::vector<double>& weights) {
    ChainOracle oracle(chain);
    check_minimum_within_rounding(oracle, weights, brute_force(chain, weights));
  });
}

/// Least cost by label and sum, in wide arithmetic, pixel by pixel along the chain.
Exact exact_minimum(const Chain& chain, std::span<const double> weights) {
  std::vector<std::size_t> offsets{0};
  for (const Index n : chain.n_labels) offsets.push_back(offsets.back() + index(n));
  std::vector<std::vector<Exact>> best{{Exact(0)}};
  for (std::size_t k = 0; k < chain.order.size(); ++k) {
    const Index pixel = chain.order[k], before = k > 0 ? chain.order[k - 1] : -1;
    const auto edge = std::find_if(chain.edges.begin(), chain.edges.end(), [&](const ForestEdge& e) {
      return (e.first == pixel && e.second == before) || (e.first == before && e.second == pixel);
    });
    const std::size_t n_sums = best[0].size(), n = index(chain.n_labels[index(pixel)]);
    std::vector<std::vector<Exact>> next(n, std::vector<Exact>(n_sums + n - 1, Exact(kInfinity)));
    for (std::size_t a = 0; a < best.size(); ++a)
      for (std::size_t b = 0; b < n; ++b) {
        Exact link = 0;
        if (edge != chain.edges.end()) {
          const bool forward = edge->first == before;
          const Index first = static_cast<Index>(forward ? a : b), second = static_cast<Index>(forward ? b : a);
          link = exact_edge_cost(edge->cost, *chain.tables, first, second, chain.n_labels[index(edge->second)]);
        }
        const std::size_t i = offsets[index(pixel)] + b;
        const Exact own = link + Exact(chain.unaries[i]) + Exact(weight_at(weights, i));
        for (std::size_t s = 0; s < n_sums; ++s)
          if (best[a][s] + own < next[b][s + b]) next[b][s + b] = best[a][s] + own;
      }
    best = next;
  }
  Exact lowest = kInfinity;
  for (const std::vector<Exact>& sums : best)
    for (std::size_t s = 0; s < std::min(sums.size(), chain.sum_costs.size()); ++s)
      if (sums[s] + chain.sum_costs[s] < lowest) lowest = sums[s] + chain.sum_costs[s];
  return lowest;
}

void long_chains_equal_the_exact_programme() {
  Random random(8);
  for (int i = 0; i < 60; ++i) {
    const Chain chain = random_chain(random, 120, 5, wild_cost, chance(random, 0.5) ? 0 : 0.01);
    ChainOracle oracle(chain);
    for (int call = 0; call < 3; ++call) {
      const std::vector<double> weights =
          random_vector(random, chain.unaries.size(), wild_cost, chance(random, 0.5) ? 0 : 0.01);
      const Exact expected = exact_minimum(chain, weights);
      std::vector<Index> support;
      const Minimum minimum = oracle.minimize(weights, support);
      if (expected == kInfinity) {
        CHECK(minimum.value == kInfinity && support.empty());
        continue;
      }
      CHECK(absolute(minimum.value - expected) <= minimum.rounding);
      CHECK(oracle.cost(support) < kInfinity);
      CHECK(absolute(weight_of(support, weights) + minimum.cost - minimum.value) <= 64 * minimum.rounding);
    }
  }
}

void min_marginals_equal_brute_force() {
  for_each_chain(integer_cost, [](Chain chain, const std::vector<double>& weights) {
    for (ForestEdge& edge : chain.edges) edge.cost.truncation = std::floor(edge.cost.truncation);
    ChainOracle oracle(chain);
    check_exact_min_marginals(oracle, weights, brute_force(chain, weights));
  });
}

void calls_leave_no_trace_in_other_chains() {
  Random random(21);
  for (int i = 0; i < 200; ++i) {
    const Chain one = random_chain(random, 12, 4, wild_cost, 0.1), other = random_chain(random, 20, 6, wild_cost, 0.1);
    const std::vector<double> weights = random_vector(random, one.unaries.size(), wild_cost, 0.1);
    ChainOracle first(one), second(other);
    std::vector<Index> expected, support;
    std::vector<double> marginals(weights.size()), again(weights.size());
    const Minimum minimum = first.minimize(weights, expected);
    first.min_marginals(weights, marginals);
    second.minimize({}, support);
    CHECK(first.minimize(weights, support).value == minimum.value && support == expected);
    second.minimize({}, support);
    first.min_marginals(weights, again);
    CHECK(again == marginals);
  }
}

void every_variant_of_the_kernels_gives_the_same_bits() {
  Random random(9);
  const char* widest = kernels().name;
  for (int i = 0; i < 40; ++i) {
    const Chain chain = random_chain(random, 60, 6, wild_cost, 0.02);
    const std::vector<double> weights = random_vector(random, chain.unaries.size(), wild_cost, 0.02);
    ChainOracle oracle(chain);
    std::vector<Index> expected, support;
    std::vector<double> expected_marginals(weights.size()), marginals(weights.size());
    const Minimum minimum = oracle.minimize(weights, expected);
    oracle.min_marginals(weights, expected_marginals);
    for (const Kernels* const* k = available_kernels(); *k != nullptr; ++k) {
      use_kernels((*k)->name);
      const Minimum same = oracle.minimize(weights, support);
      oracle.min_marginals(weights, marginals);
      CHECK(std::memcmp(&minimum.value, &same.value, sizeof(double)) == 0 && minimum.rounding == same.rounding);
      CHECK(support == expected);
      CHECK(std::memcmp(marginals.data(), expected_marginals.data(), marginals.size() * sizeof(double)) == 0);
    }
    use_kernels(widest);
  }
}

void what_is_no_labeling_costs_infinity_and_wrong_chains_are_refused() {
  Chain chain;
  chain.n_labels = {2, 3};
  chain.unaries = {0, 10, 0, 20, 30};
  chain.order = {1, 0};
  chain.edges = {{0, 1, {EdgeKind::kPotts, -1, 100, 0}}};
  chain.tables = pool_of({}, {0});
  chain.sum_costs = {kInfinity, 5, 6};
  const ChainOracle oracle(chain);
  const auto cost = [&](const std::vector<Index>& support) { return oracle.cost(support); };
  CHECK(cost({0, 3}) == 125);
  CHECK(cost({1, 3}) == 36);
  CHECK(cost({0, 2}) == kInfinity);  // sum 0
  CHECK(cost({1, 4}) == kInfinity);  // sum 3
  CHECK(cost({1}) == kInfinity);
  CHECK(cost({0, 1}) == kInfinity);
  const auto refused = [&](auto change) {
    Chain wrong = chain;
    change(wrong);
    CHECK_THROWS(std::invalid_argument, ChainOracle(std::move(wrong)));
  };
  refused([](Chain& c) { c.n_labels = {3, 3}; });
  refused([](Chain& c) { c.n_labels = {0, 5}; });
  refused([](Chain& c) { c.unaries.push_back(0); });
  refused([](Chain& c) { c.order = {0, 0}; });
  refused([](Chain& c) { c.order = {0}; });
  refused([](Chain& c) { c.order = {0, 2}; });
  refused([](Chain& c) { c.edges.push_back(c.edges[0]); });
  refused([](Chain& c) { c.edges[0].second = 0; });
  refused([](Chain& c) { c.edges[0].second = 7; });
  refused([](Chain& c) { c.edges[0].cost.kind = EdgeKind::kProduct; });
  refused([](Chain& c) { c = {}; });
}

const Test kTests[] = {
    TEST(minima_of_integer_costs_equal_brute_force),
    TEST(value_minus_rounding_is_a_lower_bound_of_the_exact_minimum),
    TEST(long_chains_equal_the_exact_programme),
    TEST(min_marginals_equal_brute_force),
    TEST(calls_leave_no_trace_in_other_chains),
    TEST(every_variant_of_the_kernels_gives_the_same_bits),
    TEST(what_is_no_labeling_costs_infinity_and_wrong_chains_are_refused),
};

}  // namespace

int main() { return run_tests(kTests); }
