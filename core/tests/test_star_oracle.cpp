// Tests of the star oracle against every labeling, warm and cold.

#include <cmath>

#include "check.hpp"
#include "exact.hpp"
#include "oracles/star.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

struct Example {
  std::vector<double> right;
  std::size_t n_places = 0;
  Star star;

  std::size_t n_points() const { return star.weights.size() + 1; }

  /// Exact cost of labels (n_places: none), +inf where a place is taken twice.
  Exact cost(const std::vector<Index>& labels, std::span<const double> weights) const {
    std::vector<char> taken(n_places, 0);
    Exact sum = 0;
    for (std::size_t j = 0; j < labels.size(); ++j) {
      const std::size_t l = index(labels[j]), i = j * (n_places + 1) + l;
      if (l < n_places && taken[l]++) return kInfinity;
      sum += Exact(star.unaries[i]) + Exact(weight_at(weights, i));
      const std::size_t k = index(labels[0]);
      if (j > 0 && l < n_places && k < n_places) sum += Exact(star.weights[j - 1]) * Exact(right[k * n_places + l]);
    }
    return sum;
  }
};

Example random_example(Random& random, CostMaker cost, double forbidden) {
  Example example;
  const std::size_t leaves = index(integer(random, 0, 3));
  example.star.may_have_none = chance(random, 0.5);
  example.n_places = leaves + 1 + random.below(2) - (example.star.may_have_none && leaves > 0 ? random.below(2) : 0);
  const std::size_t n = example.n_places;
  example.right = random_vector(random, n * n, cost);
  for (std::size_t j = 0; j < leaves; ++j) {
    double weight = cost(random);
    if (weight == 0) weight = 1;
    example.star.weights.push_back(weight);
  }
  example.star.unaries = random_vector(random, (leaves + 1) * (n + 1), cost, forbidden);
  for (std::size_t j = 0; j <= leaves; ++j)
    if (!example.star.may_have_none || chance(random, 0.3)) example.star.unaries[j * (n + 1) + n] = kInfinity;
  example.star.table = std::make_shared<const StarTable>(example.right, n, example.star.may_have_none ? leaves : 0);
  return example;
}

template <class Visit>
void for_each_call(CostMaker cost, Visit visit) {
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    const Example example = random_example(random, cost, (i % 4) * 0.1);
    StarOracle oracle(example.star);
    const auto size = index(oracle.n_coordinates());
    for (int call = 0; call < 4; ++call) {
      std::vector<double> weights = random_vector(random, call == 0 ? 0 : random.below(size + 1), cost, call == 3 ? 0.1 : 0.0);
      visit(example, oracle, weights);
    }
  }
}

void minima_are_those_of_all_labelings_within_the_rounding() {
  for (const CostMaker cost : {integer_cost, real, wild_cost})
    for_each_call(cost, [&](const Example& example, StarOracle& oracle, const std::vector<double>& weights) {
      Exact least = kInfinity;
      const std::vector<Index> n_labels(example.n_points(), static_cast<Index>(example.n_places) + 1);
      for_each_labeling(n_labels, [&](const std::vector<Index>& labels) {
        const Exact value = example.cost(labels, weights);
        if (value < least) least = value;
      });
      std::vector<Index> support;
      const Minimum found = oracle.minimize(weights, support);
      if (least == Exact(kInfinity)) {
        CHECK(found.value == kInfinity && support.empty());
        return;
      }
      CHECK(found.value < kInfinity && found.rounding >= 0);
      CHECK(Exact(found.value) - Exact(found.rounding) <= least);
      CHECK(least <= Exact(found.value) + Exact(found.rounding));
      if (cost == integer_cost) CHECK(Exact(found.value) == least && found.rounding < 1e-9);
      std::vector<Index> labels;
      for (std::size_t j = 0; j < support.size(); ++j)
        labels.push_back(support[j] - static_cast<Index>(j * (example.n_places + 1)));
      CHECK(absolute(example.cost(labels, weights) - Exact(found.value)) <= Exact(found.rounding));
      CHECK(absolute(example.cost(labels, {}) - Exact(found.cost)) <= 1e-12 * absolute(Exact(found.cost)) + 1e-6);
      CHECK(found.cost == oracle.cost(support));
    });
}

void the_same_calls_give_the_same_answers() {
  Random random(5);
  const Example example = random_example(random, real, 0.1);
  StarOracle one(example.star), two(example.star);
  for (int call = 0; call < 20; ++call) {
    const std::vector<double> weights = random_vector(random, index(one.n_coordinates()), real);
    std::vector<Index> first, second;
    const Minimum a = one.minimize(weights, first), b = two.minimize(weights, second);
    CHECK(first == second && a.value == b.value && a.rounding == b.rounding);
  }
}

void supports_that_are_no_labeling_cost_infinity() {
  Star star;
  star.weights = {1.0};
  star.unaries.assign(6, 0.0);
  star.may_have_none = true;
  const std::vector<double> right{0, 3, 5, 0};
  star.table = std::make_shared<const StarTable>(right, 2, 1);
  const StarOracle oracle(star);
  const auto cost = [&](std::vector<Index> support) { return oracle.cost(support); };
  CHECK(cost({0, 4}) == 3 && cost({1, 3}) == 5 && cost({0, 5}) == 0 && cost({2, 3}) == 0);
  CHECK(cost({0, 3}) == kInfinity && cost({0, 1}) == kInfinity && cost({0}) == kInfinity);
}

void wrong_sizes_are_refused() {
  const std::vector<double> right{0};
  const auto table = std::make_shared<const StarTable>(right, 1, 0);
  CHECK_THROWS(std::invalid_argument, StarTable(right, 2, 0));
  CHECK_THROWS(std::invalid_argument, StarOracle({{1.0}, {0, 0}, false, table}));
  CHECK_THROWS(std::invalid_argument, StarOracle({{0.0}, {0, 0, 0, 0}, false, table}));
  CHECK_THROWS(std::invalid_argument, StarOracle({{1.0}, {0, 0, 0, 0}, true, table}));
}

}  // namespace

int main() {
  const Test tests[] = {
      TEST(minima_are_those_of_all_labelings_within_the_rounding), TEST(the_same_calls_give_the_same_answers),
      TEST(supports_that_are_no_labeling_cost_infinity), TEST(wrong_sizes_are_refused),
  };
  return run_tests(tests);
}
