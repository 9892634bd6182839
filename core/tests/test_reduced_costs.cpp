// Tests of reduced costs: what labelings cost at least that have a given label, against all labelings.

#include <algorithm>

#include "check.hpp"
#include "free_oracle.hpp"
#include "oracles/factor.hpp"
#include "reduced_costs.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

struct Never final : Watch {
  bool stop() override { return false; }
};

constexpr Index kLabels = 3;
constexpr std::size_t kVariables = 3 * kLabels, kEntries = kLabels * kLabels * kLabels;

void no_labeling_with_a_label_costs_less() {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const double forbidden = i % 3 == 0 ? 0.2 : 0;
    Decomposition d(kVariables, {0, kLabels, 2 * kLabels, kVariables}, 0.5);
    std::vector<std::vector<double>> unaries, tables;
    for (int t = 0; t < 2; ++t) {
      unaries.push_back(random_vector(random, kVariables, real, forbidden));
      tables.push_back(random_vector(random, kEntries, real, forbidden));
      Factor factor;
      factor.n_labels = {kLabels, kLabels, kLabels};
      factor.unaries = unaries.back();
      factor.table = tables.back();
      std::vector<std::int64_t> variables(kVariables);
      for (std::size_t k = 0; k < kVariables; ++k) variables[k] = static_cast<std::int64_t>(k);
      d.add(std::make_unique<FactorOracle>(std::move(factor)), variables, "factor");
    }
    d.connect();
    std::vector<double> lambda = random_vector(random, kVariables, real);
    for (std::size_t k = 0; k < kVariables; ++k) lambda.push_back(-lambda[k]);
    Never watch;
    const ReducedCosts found = reduced_costs(d, lambda, watch);
    CHECK(found.complete && (found.infeasible || found.work > 0));
    if (found.infeasible) continue;
    std::vector<double> least(kVariables, kInfinity);
    for (std::size_t e = 0; e < kEntries; ++e) {
      const std::size_t own[] = {e / 9, kLabels + e / 3 % 3, 2 * kLabels + e % 3};
      double cost = 0.5;
      for (std::size_t t = 0; t < 2; ++t) {
        cost += tables[t][e];
        for (const std::size_t k : own) cost += unaries[t][k];
      }
      for (const std::size_t k : own) least[k] = std::min(least[k], cost);
    }
    for (std::size_t k = 0; k < kVariables; ++k) {
      CHECK(found.excess[k] >= 0);
      CHECK(found.bound + found.excess[k] <= least[k]);
    }
  }
}

void of_one_term_they_are_its_min_marginals() {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    Decomposition d(kVariables, {0, kLabels, 2 * kLabels, kVariables}, 0);
    const std::vector<double> table = random_vector(random, kEntries, real, 0.3);
    Factor factor;
    factor.n_labels = {kLabels, kLabels, kLabels};
    factor.unaries.assign(kVariables, 0);
    factor.table = table;
    std::vector<std::int64_t> variables(kVariables);
    for (std::size_t k = 0; k < kVariables; ++k) variables[k] = static_cast<std::int64_t>(k);
    d.add(std::make_unique<FactorOracle>(std::move(factor)), variables, "factor");
    d.connect();
    Never watch;
    const ReducedCosts found = reduced_costs(d, {}, watch);
    for (std::size_t a = 0; a < 3; ++a) {
      const double least = *std::min_element(table.begin() + static_cast<std::ptrdiff_t>(9 * a),
                                             table.begin() + static_cast<std::ptrdiff_t>(9 * a + 9));
      if (least == kInfinity)
        CHECK(found.excess[a] == kInfinity);
      else
        CHECK(std::abs(found.bound + found.excess[a] - least) < 1e-7);
    }
  }
}

const Test kTests[] = {
    TEST(no_labeling_with_a_label_costs_less),
    TEST(of_one_term_they_are_its_min_marginals),
};

}  // namespace

int main() { return run_tests(kTests); }
