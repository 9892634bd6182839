// Tests of the projection oracle against brute force.

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "kernels/kernels.hpp"
#include "oracle_checks.hpp"
#include "oracles/projection.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

std::size_t n_sums(const std::vector<Index>& n_labels) {
  std::size_t result = 1;
  for (const Index n : n_labels) result += index(n) - 1;
  return result;
}

/// A hard projection at one sum, or a cost for each sum; sometimes with costs of sums that cannot occur.
Projection random_projection(Random& random, const std::vector<Index>& n_labels, CostMaker cost, double forbidden) {
  Projection projection;
  projection.n_labels = n_labels;
  std::size_t n_unaries = 0;
  for (const Index n : n_labels) n_unaries += index(n);
  projection.unaries = random_vector(random, n_unaries, cost, forbidden);
  const std::size_t n = n_sums(n_labels);
  if (chance(random, 0.5)) {
    projection.sum_costs.assign(random.below(n + 2) + 1, kInfinity);
    projection.sum_costs.back() = cost(random);
  } else {
    projection.sum_costs = random_vector(random, random.below(n + 3), cost, 2 * forbidden);
  }
  return projection;
}

std::vector<Index> random_labels(Random& random, int most_pixels, int most_labels) {
  std::vector<Index> n_labels(index(integer(random, 1, most_pixels)));
  for (Index& n : n_labels) n = integer(random, 1, most_labels);
  return n_labels;
}

Exact exact_cost(const Projection& projection, const std::vector<Index>& labeling) {
  Exact sum = 0;
  std::size_t offset = 0, total = 0;
  for (std::size_t k = 0; k < labeling.size(); ++k) {
    sum += projection.unaries[offset + index(labeling[k])];
    offset += index(projection.n_labels[k]);
    total += index(labeling[k]);
  }
  return sum + (total < projection.sum_costs.size() ? projection.sum_costs[total] : kInfinity);
}

BruteForce brute_force(const Projection& projection, std::span<const double> weights, Index n_coordinates) {
  BruteForce result(index(n_coordinates));
  for_each_labeling(projection.n_labels, [&](const std::vector<Index>& labeling) {
    const std::vector<Index> support = one_hot(projection.n_labels, labeling);
    result.see(support, exact_cost(projection, labeling) + weight_of(support, weights));
  });
  return result;
}

template <class Visit>
void for_each_projection(CostMaker cost, Visit visit) {
  Random random(7);
  for (const double forbidden : {0.0, 0.05, 0.3})
    for (int i = 0; i < 500; ++i) {
      const bool many_labels = chance(random, 0.3);
      const Projection projection = random_projection(
          random, many_labels ? random_labels(random, 3, 8) : random_labels(random, 7, 3), cost, forbidden);
      const std::size_t n = projection.unaries.size();
      visit(projection, random_vector(random, chance(random, 0.5) ? n : random.below(n + 1), cost, forbidden));
    }
}

/// Least cost of each total, pixel by pixel.
std::vector<Exact> pixel_by_pixel(const Projection& projection, std::span<const double> weights) {
  std::vector<Exact> best{0};
  std::size_t offset = 0;
  for (const Index n : projection.n_labels) {
    std::vector<Exact> next(best.size() + index(n) - 1, Exact(kInfinity));
    for (std::size_t s = 0; s < best.size(); ++s)
      for (std::size_t a = 0; a < index(n); ++a) {
        const Exact value = best[s] + Exact(projection.unaries[offset + a]) + Exact(weight_at(weights, offset + a));
        if (value < next[s + a]) next[s + a] = value;
      }
    best = next;
    offset += index(n);
  }
  return best;
}

Exact exact_minimum(const Projection& projection, std::span<const double> weights) {
  const std::vector<Exact> best = pixel_by_pixel(projection, weights);
  Exact lowest = kInfinity;
  for (std::size_t s = 0; s < std::min(best.size(), projection.sum_costs.size()); ++s)
    if (best[s] + projection.sum_costs[s] < lowest) lowest = best[s] + projection.sum_costs[s];
  return lowest;
}

void minima_of_integer_costs_equal_brute_force() {
  int n_feasible = 0, n_infeasible = 0;
  for_each_projection(integer_cost, [&](const Projection& projection, const std::vector<double>& weights) {
    ProjectionOracle oracle(projection);
    const BruteForce expected = brute_force(projection, weights, oracle.n_coordinates());
    std::vector<Index> support;
    const bool is_feasible = check_exact_minimum(oracle, weights, expected, support);
    ++(is_feasible ? n_feasible : n_infeasible);
    if (!is_feasible) return;
    bool is_labeling = false;
    for_each_labeling(projection.n_labels, [&](const std::vector<Index>& labeling) {
      if (one_hot(projection.n_labels, labeling) != support) return;
      is_labeling = true;
      CHECK(oracle.cost(support) == exact_cost(projection, labeling));
    });
    CHECK(is_labeling);
  });
  CHECK(n_feasible > 300 && n_infeasible > 100);
}

void the_pixel_by_pixel_programme_agrees_with_brute_force() {
  for_each_projection(integer_cost, [](const Projection& projection, const std::vector<double>& weights) {
    const BruteForce expected = brute_force(projection, weights, static_cast<Index>(projection.unaries.size()));
    CHECK(exact_minimum(projection, weights) == expected.minimum);
  });
}

void value_minus_rounding_is_a_lower_bound_of_the_exact_minimum() {
  for_each_projection(wild_cost, [](const Projection& projection, const std::vector<double>& weights) {
    ProjectionOracle oracle(projection);
    check_minimum_within_rounding(oracle, weights, brute_force(projection, weights, oracle.n_coordinates()));
  });
}

void long_rays_equal_the_pixel_by_pixel_programme() {
  Random random(8);
  for (const CostMaker cost : {integer_cost, wild_cost})
    for (int i = 0; i < 60; ++i) {
      const Projection projection =
          random_projection(random, random_labels(random, 150, 4), cost, chance(random, 0.5) ? 0 : 0.01);
      ProjectionOracle oracle(projection);
      for (int call = 0; call < 3; ++call) {
        const std::vector<double> weights =
            random_vector(random, projection.unaries.size(), cost, chance(random, 0.5) ? 0 : 0.01);
        const Exact expected = exact_minimum(projection, weights);
        std::vector<Index> support;
        const Minimum minimum = oracle.minimize(weights, support);
        if (expected == kInfinity) {
          CHECK(minimum.value == kInfinity && support.empty());
          continue;
        }
        CHECK(absolute(minimum.value - expected) <= minimum.rounding);
        CHECK(oracle.cost(support) < kInfinity);
        CHECK(absolute(weight_of(support, weights) + minimum.cost - minimum.value) <= 64 * minimum.rounding);
        if (cost == integer_cost) CHECK(minimum.value == expected && oracle.cost(support) == minimum.cost);
      }
    }
}

void sums_at_their_extremes_and_fixed_labels_have_one_labeling() {
  Projection projection{{3, 3, 2, 3}, std::vector<double>(11, 1.0), {7.0}};
  std::vector<Index> support;
  const auto minimize = [&](const std::vector<double>& weights) {
    ProjectionOracle oracle(projection);
    return oracle.minimize(weights, support);
  };
  CHECK(minimize({}).value == 11 && support == (std::vector<Index>{0, 3, 6, 8}));
  projection.sum_costs.assign(7, kInfinity);
  projection.sum_costs.push_back(-7);
  CHECK(minimize({}).value == -3 && support == (std::vector<Index>{2, 5, 7, 10}));
  const double at_extreme = ProjectionOracle(projection).operations();
  projection.sum_costs.assign(4, kInfinity);
  projection.sum_costs.push_back(0);
  CHECK(at_extreme < ProjectionOracle(projection).operations());
  const double inf = kInfinity;
  CHECK(minimize({inf, 0, inf, 5, inf, inf, 0, inf, inf, inf, 2}).value == kInfinity);
  CHECK(minimize({inf, 0, inf, 5, inf, inf, inf, 3, inf, inf, 2}).value == 14);
  CHECK(support == (std::vector<Index>{1, 3, 7, 10}));
  CHECK(minimize({inf, inf, inf}).value == kInfinity && support.empty());
}

void equal_minimisers_are_resolved_by_the_lowest_total_and_the_lowest_first_half() {
  std::vector<Index> support;
  ProjectionOracle hard({{3, 3, 3, 3}, std::vector<double>(12, 0.0), {kInfinity, kInfinity, kInfinity, 0}});
  hard.minimize({}, support);
  CHECK(support == (std::vector<Index>{0, 3, 7, 11}));
  ProjectionOracle soft({{3, 3}, std::vector<double>(6, 0.0), {kInfinity, 1, 1, 1}});
  soft.minimize({}, support);
  CHECK(support == (std::vector<Index>{0, 4}));
}

void min_marginals_equal_brute_force() {
  for_each_projection(integer_cost, [](const Projection& projection, const std::vector<double>& weights) {
    ProjectionOracle oracle(projection);
    check_exact_min_marginals(oracle, weights, brute_force(projection, weights, oracle.n_coordinates()));
  });
}

void weights_beyond_the_end_are_zero_and_calls_leave_no_trace() {
  for_each_projection(wild_cost, [](const Projection& projection, const std::vector<double>& weights) {
    ProjectionOracle oracle(projection);
    check_calls_leave_no_trace(oracle, weights);
  });
}

void every_variant_of_the_kernels_gives_the_same_bits() {
  Random random(9);
  const char* widest = kernels().name;
  for (int i = 0; i < 40; ++i) {
    const Projection projection = random_projection(random, random_labels(random, 120, 4), wild_cost, 0.02);
    const std::vector<double> weights = random_vector(random, projection.unaries.size(), wild_cost, 0.02);
    ProjectionOracle oracle(projection);
    std::vector<Index> expected, support;
    std::vector<double> expected_marginals(weights.size()), marginals(weights.size());
    const Minimum minimum = oracle.minimize(weights, expected);
    oracle.min_marginals(weights, expected_marginals);
    for (const Kernels* const* k = available_kernels(); *k != nullptr; ++k) {
      use_kernels((*k)->name);
      const Minimum other = oracle.minimize(weights, support);
      oracle.min_marginals(weights, marginals);
      CHECK(std::memcmp(&minimum.value, &other.value, sizeof(double)) == 0 && minimum.rounding == other.rounding);
      CHECK(support == expected);
      CHECK(std::memcmp(marginals.data(), expected_marginals.data(), marginals.size() * sizeof(double)) == 0);
    }
    use_kernels(widest);
  }
}

void what_is_no_labeling_costs_infinity_and_wrong_sizes_are_refused() {
  const Projection projection{{2, 3}, {0, 10, 0, 20, 30}, {kInfinity, 5, 6}};
  const ProjectionOracle oracle(projection);
  const auto cost = [&](const std::vector<Index>& support) { return oracle.cost(support); };
  CHECK(cost({0, 3}) == 25);
  CHECK(cost({1, 3}) == 36);
  CHECK(cost({0, 2}) == kInfinity);  // sum 0
  CHECK(cost({1, 4}) == kInfinity);  // sum 3
  CHECK(cost({1}) == kInfinity);
  CHECK(cost({0, 1}) == kInfinity);
  CHECK(cost({0, 3, 4}) == kInfinity);
  const auto refused = [&](auto change) {
    Projection wrong = projection;
    change(wrong);
    CHECK_THROWS(std::invalid_argument, ProjectionOracle(std::move(wrong)));
  };
  refused([](Projection& p) { p.n_labels = {3, 3}; });
  refused([](Projection& p) { p.n_labels = {0, 5}; });
  refused([](Projection& p) { p.unaries.push_back(0); });
  refused([](Projection& p) { p = {}; });
}

const Test kTests[] = {
    TEST(minima_of_integer_costs_equal_brute_force),
    TEST(the_pixel_by_pixel_programme_agrees_with_brute_force),
    TEST(value_minus_rounding_is_a_lower_bound_of_the_exact_minimum),
    TEST(long_rays_equal_the_pixel_by_pixel_programme),
    TEST(sums_at_their_extremes_and_fixed_labels_have_one_labeling),
    TEST(equal_minimisers_are_resolved_by_the_lowest_total_and_the_lowest_first_half),
    TEST(min_marginals_equal_brute_force),
    TEST(weights_beyond_the_end_are_zero_and_calls_leave_no_trace),
    TEST(every_variant_of_the_kernels_gives_the_same_bits),
    TEST(what_is_no_labeling_costs_infinity_and_wrong_sizes_are_refused),
};

}  // namespace

int main() { return run_tests(kTests); }
