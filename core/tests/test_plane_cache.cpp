// Tests of the plane cache: what it keeps, and that y^t survives what it drops.

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "exact.hpp"
#include "plane_cache.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

constexpr Index kShared = 12, kAll = 15;  // slots

std::vector<Index> random_support(Random& random) {
  std::vector<Index> support;
  for (Index i = 0; i < kAll; ++i)
    if (chance(random, 0.4)) support.push_back(i);
  return support;
}

std::vector<double> random_metric(Random& random) {
  std::vector<double> metric(index(kShared));
  for (double& m : metric) m = 1 - 1 / static_cast<double>(integer(random, 2, 5));
  return metric;
}

/// A cache with planes of random weight, and the metric of its products.
struct Filled {
  std::vector<double> metric;
  PlaneCache cache{kShared};

  Filled(Random& random, int n_planes) : metric(random_metric(random)) {
    for (int k = 0; k < n_planes; ++k) insert(random, k);
  }

  void insert(Random& random, std::int64_t iteration) {
    double saved = 0;
    const std::size_t plane = cache.insert(random_support(random), real(random), iteration, metric, &saved);
    cache.mix(plane, cache.size() == 1 ? 1.0 : 0.5 + 0.5 * real(random));
  }
};

struct Combination {
  std::vector<double> y = std::vector<double>(index(kShared), 7.0);
  double cost;
  explicit Combination(PlaneCache& cache) : cost(cache.combination(y)) {}
};

double distance(const Combination& a, const Combination& b) {
  double most = std::abs(a.cost - b.cost);
  for (std::size_t i = 0; i < a.y.size(); ++i) most = std::max(most, std::abs(a.y[i] - b.y[i]));
  return most;
}

double total_weight(const PlaneCache& cache) {
  double sum = cache.aggregate_weight();
  for (std::size_t k = 0; k < cache.size(); ++k) sum += cache[k].weight;
  return sum;
}

bool gram_is_right(const Filled& filled) {
  const PlaneCache& cache = filled.cache;
  bool right = true;
  for (std::size_t k = 0; k < cache.size(); ++k)
    for (std::size_t l = 0; l < cache.size(); ++l) {
      double sum = 0;
      for (const Index i : cache[k].shared())
        if (std::ranges::count(cache[l].shared(), i) == 1) sum += filled.metric[index(i)];
      right = right && cache.gram(k).size() == cache.size() && std::abs(cache.gram(k)[l] - sum) <= 1e-14;
    }
  return right;
}

void of_planes_with_equal_shared_support_the_cheaper_stays_under_its_number() {
  const std::vector<double> metric(index(kShared), 0.5);
  PlaneCache cache(kShared);
  double saved = 0;
  CHECK(cache.insert({1, 3, 12}, 5, 0, metric, &saved) == 0);
  CHECK(cache.insert({1, 4, 12}, 5, 0, metric, &saved) == 1);
  cache.mix(0, 1.0);
  cache.mix(1, 0.75);
  CHECK(cache.insert({1, 3, 14}, 6, 1, metric, &saved) == 0);  // dearer
  CHECK(cache.size() == 2 && saved == 0 && cache[0].cost == 5 && cache[0].last_used == 1);
  CHECK((cache[0].support == std::vector<Index>{1, 3, 12}));
  CHECK(cache.insert({1, 3, 13, 14}, 3, 2, metric, &saved) == 0);  // cheaper
  CHECK(cache.size() == 2 && saved == 0.25 * 2 && cache[0].cost == 3 && cache[0].last_used == 2);
  CHECK((cache[0].support == std::vector<Index>{1, 3, 13, 14}) && cache[0].n_shared == 2);
  CHECK(cache[0].weight == 0.25 && cache[1].weight == 0.75 && cache[1].last_used == 0);
  CHECK(cache.scan_operations() == 4);
}

void what_a_cheaper_plane_saves_is_what_the_combination_falls_by() {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    Filled filled(random, 8);
    const Combination before(filled.cache);
    const std::size_t k = random.below(filled.cache.size());
    const std::vector<Index> shared(filled.cache[k].shared().begin(), filled.cache[k].shared().end());
    double saved = 1;  // added to
    CHECK(filled.cache.insert(shared, filled.cache[k].cost - 0.5, 9, filled.metric, &saved) == k);
    Combination after(filled.cache);
    CHECK(std::abs(before.cost - after.cost - (saved - 1)) <= 1e-14);
    after.cost = before.cost;
    CHECK(distance(before, after) <= 1e-14);
  }
}

void inner_products_equal_direct_ones_through_insertions_and_evictions() {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    Filled filled(random, 0);
    for (std::int64_t iteration = 0; iteration < 40; ++iteration) {
      filled.insert(random, iteration);
      CHECK(gram_is_right(filled));
      if (!chance(random, 0.3)) continue;
      for (std::size_t k = 0; k < filled.cache.size(); ++k)  // not only the oldest go
        if (chance(random, 0.5)) filled.cache[k].last_used = iteration;
      filled.cache.evict(iteration - integer(random, 0, 5));
      CHECK(gram_is_right(filled));
      std::size_t n_entries = 0;
      for (std::size_t k = 0; k < filled.cache.size(); ++k) n_entries += filled.cache[k].n_shared;
      CHECK(filled.cache.scan_operations() == static_cast<double>(n_entries));
    }
  }
}

void eviction_changes_neither_the_combination_nor_its_cost() {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    Filled filled(random, 1);
    for (std::int64_t iteration = 1; iteration < 30; ++iteration) {
      filled.insert(random, iteration);
      const Combination before(filled.cache);
      filled.cache.evict(iteration - integer(random, 0, 6));
      CHECK(std::abs(total_weight(filled.cache) - 1) <= 1e-14);
      CHECK(distance(before, Combination(filled.cache)) <= 1e-14);
      for (std::size_t k = 0; k < filled.cache.size(); ++k) CHECK(filled.cache[k].last_used >= iteration - 6);
    }
    CHECK(filled.cache.aggregate_weight() > 0);
  }
}

void planes_without_weight_are_evicted_without_an_aggregate() {
  Random random(4);
  Filled filled(random, 4);
  filled.cache.mix(3, 1.0);
  filled.cache.evict(3);
  CHECK(filled.cache.size() == 1 && filled.cache[0].weight == 1);
  CHECK(filled.cache.aggregate_weight() == 0 && filled.cache.aggregate().empty());
}

void mixing_is_a_step_towards_the_plane() {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    Filled filled(random, 10);
    filled.cache.evict(4);  // with an aggregate
    const Combination before(filled.cache);
    const std::size_t plane = random.below(filled.cache.size());
    const double gamma = 0.5 + 0.5 * real(random);
    filled.cache.mix(plane, gamma);
    Combination expected = before;
    for (double& y : expected.y) y *= 1 - gamma;
    for (const Index k : filled.cache[plane].shared()) expected.y[index(k)] += gamma;
    expected.cost += gamma * (filled.cache[plane].cost - expected.cost);
    CHECK(distance(expected, Combination(filled.cache)) <= 1e-14);
  }
}

void a_combination_makes_weights_sum_to_one_again() {
  Random random(6);
  Filled filled(random, 10);
  filled.cache.evict(4);
  const Combination before(filled.cache);
  for (std::size_t k = 0; k < filled.cache.size(); ++k) filled.cache[k].weight *= 3;
  filled.cache.set_aggregate_weight(3 * filled.cache.aggregate_weight());
  CHECK(distance(before, Combination(filled.cache)) <= 1e-14);
  CHECK(std::abs(total_weight(filled.cache) - 1) <= 1e-15);
}

void the_best_plane_is_the_first_of_the_lowest_value() {
  Random random(7);
  for (int i = 0; i < 300; ++i) {
    Filled filled(random, 8);
    PlaneCache& cache = filled.cache;
    for (std::size_t k = 0; k < cache.size(); ++k) cache[k].cost = integer(random, 0, 2);
    const std::vector<double> weights = random_vector(random, index(kShared), [](Random& r) { return double(integer(r, -1, 1)); });
    std::vector<double> values;
    for (std::size_t k = 0; k < cache.size(); ++k) {
      values.push_back(cache[k].cost);
      for (const Index s : cache[k].shared()) values.back() += weights[index(s)];
      CHECK(std::abs(cache.value(k, weights) - values.back()) <= 1e-14);
      values.back() = cache.value(k, weights);
    }
    CHECK(cache.best(weights) == static_cast<std::size_t>(std::ranges::min_element(values) - values.begin()));
  }
}

void products_and_value_of_the_aggregate_equal_direct_ones() {
  Random random(8);
  for (int i = 0; i < 100; ++i) {
    Filled filled(random, 12);
    PlaneCache& cache = filled.cache;
    cache.evict(6);
    const std::vector<double> weights = random_vector(random, index(kShared), real);
    for (int k = 0; k < 4; ++k) filled.insert(random, 12 + k);
    cache.evict(9);
    const std::span<const double> products = cache.aggregate_products();
    CHECK(products.size() == cache.size());
    double norm = 0, value = cache.aggregate_cost();
    for (std::size_t s = 0; s < index(kShared); ++s) {
      norm += filled.metric[s] * cache.aggregate()[s] * cache.aggregate()[s];
      value += weights[s] * cache.aggregate()[s];
    }
    CHECK(std::abs(cache.aggregate_norm() - norm) <= 1e-14);
    CHECK(std::abs(cache.aggregate_value(weights) - value) <= 1e-14);
    for (std::size_t k = 0; k < cache.size(); ++k) {
      double sum = 0;
      for (const Index s : cache[k].shared()) sum += filled.metric[index(s)] * cache.aggregate()[index(s)];
      CHECK(std::abs(products[k] - sum) <= 1e-14);
    }
  }
}

void a_term_that_shares_nothing_keeps_one_plane() {
  PlaneCache cache(0);
  double saved = 0;
  CHECK(cache.insert({0, 2}, 4, 0, {}, &saved) == 0);
  cache.mix(0, 1.0);
  CHECK(cache.insert({1, 2}, 3, 0, {}, &saved) == 0);
  CHECK(cache.size() == 1 && saved == 1 && cache[0].n_shared == 0 && cache.best({}) == 0 && cache.gram(0)[0] == 0);
  std::vector<double> y;
  CHECK(cache.combination(y) == 3);
}

const Test kTests[] = {
    TEST(of_planes_with_equal_shared_support_the_cheaper_stays_under_its_number),
    TEST(what_a_cheaper_plane_saves_is_what_the_combination_falls_by),
    TEST(inner_products_equal_direct_ones_through_insertions_and_evictions),
    TEST(eviction_changes_neither_the_combination_nor_its_cost),
    TEST(planes_without_weight_are_evicted_without_an_aggregate),
    TEST(mixing_is_a_step_towards_the_plane),
    TEST(a_combination_makes_weights_sum_to_one_again),
    TEST(the_best_plane_is_the_first_of_the_lowest_value),
    TEST(products_and_value_of_the_aggregate_equal_direct_ones),
    TEST(a_term_that_shares_nothing_keeps_one_plane),
};

}  // namespace

int main() { return run_tests(kTests); }
