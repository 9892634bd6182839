// Tests of the pairwise steps of one block.

#include <algorithm>
#include <cmath>

#include "block_problem.hpp"
#include "check.hpp"
#include "exact.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

constexpr Index kSlots = 10;

/// One block: cached planes, and lambda^t at the y^t that their weights give.
struct Block {
  double c;
  std::vector<double> metric, lambda, start = std::vector<double>(index(kSlots));
  PlaneCache cache{kSlots};
  BlockScratch scratch;

  Block(Random& random, int n_planes, std::int64_t oldest_kept)
      : c(2 + real(random)), metric(index(kSlots)), lambda(random_vector(random, index(kSlots), real)) {
    for (double& m : metric) m = 1 - 1 / static_cast<double>(integer(random, 2, 5));
    for (int k = 0; k < n_planes; ++k) {
      std::vector<Index> support;
      for (Index i = 0; i < kSlots; ++i)
        if (chance(random, 0.4)) support.push_back(i);
      double saved = 0;
      const std::size_t plane = cache.insert(support, real(random), k, metric, &saved);
      cache.mix(plane, k == 0 ? 1.0 : chance(random, 0.7) ? 0.5 + 0.4 * real(random) : 0.0);
    }
    cache.evict(oldest_kept);
    cache.combination(start);
  }

  /// f_{mu,c} as a function of this block alone, up to a constant: from y it is quadratic in the metric.
  double objective() {
    std::vector<double> y(index(kSlots));
    double sum = cache.combination(y);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double d = y[i] - start[i];
      sum += lambda[i] * y[i] + 0.5 * c * metric[i] * d * d;
    }
    return sum;
  }

  /// lambda^t at the present y^t.
  std::vector<double> present_lambda() {
    std::vector<double> y(index(kSlots)), result = lambda;
    cache.combination(y);
    for (std::size_t i = 0; i < y.size(); ++i) result[i] += c * metric[i] * (y[i] - start[i]);
    return result;
  }

  /// Values of the planes there, and last that of the aggregate.
  std::vector<double> values() {
    const std::vector<double> weights = present_lambda();
    std::vector<double> result;
    for (std::size_t k = 0; k < cache.size(); ++k) result.push_back(cache.value(k, weights));
    if (cache.aggregate_weight() > 0) result.push_back(cache.aggregate_value(weights));
    return result;
  }

  double weight(std::size_t k) const { return k < cache.size() ? cache[k].weight : cache.aggregate_weight(); }

  double solve(int steps) { return BlockProblem(cache, lambda, c, scratch).solve(steps, 100); }
};

template <class Visit>
void for_each_block(Visit visit) {
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    Block block(random, integer(random, 1, 8), i % 2 == 0 ? 0 : integer(random, 0, 1) * 2);
    if (block.cache.size() > 0) visit(block);
  }
}

void the_objective_falls_by_what_the_steps_say() {
  for_each_block([](Block& block) {
    const double before = block.objective();
    const double decrease = block.solve(3);
    CHECK(decrease >= 0);
    CHECK(std::abs(before - decrease - block.objective()) <= 1e-13);
  });
}

void weights_stay_convex() {
  for_each_block([](Block& block) {
    block.solve(7);
    double sum = block.cache.aggregate_weight();
    CHECK(block.cache.aggregate_weight() >= 0);
    for (std::size_t k = 0; k < block.cache.size(); ++k) {
      CHECK(block.cache[k].weight >= 0);
      sum += block.cache[k].weight;
    }
    CHECK(std::abs(sum - 1) <= 1e-14);
  });
}

void one_step_is_the_exact_line_search_from_the_worst_used_plane_to_the_best() {
  for_each_block([](Block& block) {
    const std::vector<double> values = block.values();
    const auto toward = static_cast<std::size_t>(std::ranges::min_element(values) - values.begin());
    std::size_t away = values.size();
    for (std::size_t k = 0; k < values.size(); ++k)
      if (block.weight(k) > 0 && (away == values.size() || values[k] > values[away])) away = k;
    if (std::max(away, toward) >= block.cache.size() || away == toward) return;
    const double most = block.cache[away].weight, kept = block.cache[toward].weight;
    const double after_step = block.objective() - block.solve(1);
    CHECK(std::abs(block.cache[away].weight + block.cache[toward].weight - most - kept) <= 1e-14);
    for (int k = 0; k <= 50; ++k) {
      block.cache[away].weight = most * (1 - k / 50.0);
      block.cache[toward].weight = kept + most * (k / 50.0);
      CHECK(block.objective() >= after_step - 1e-13);
    }
  });
}

void many_steps_end_at_the_optimum_over_the_hull() {
  // Convex problem: optimal where no plane is better than one in use, the aggregate included.
  for_each_block([](Block& block) {
    block.solve(5000);
    const std::vector<double> values = block.values();
    const double lowest = *std::ranges::min_element(values);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (block.weight(k) > 1e-9) CHECK(values[k] - lowest <= 1e-6);
    block.lambda = block.present_lambda();
    CHECK(block.solve(1) <= 1e-12);  // looked at afresh, there is nothing more to win
  });
}

void a_problem_of_two_planes_is_solved_in_one_step() {
  PlaneCache cache(2);
  const std::vector<double> metric{0.5, 0.5};
  double saved = 0;
  cache.insert({0}, 1, 0, metric, &saved);
  cache.insert({1}, 0, 0, metric, &saved);
  cache.mix(0, 1.0);
  BlockScratch scratch;
  // Slope 1, curvature c * (1/2 + 1/2) = 4: a quarter of the weight moves, and 1/8 is won.
  BlockProblem problem(cache, std::vector<double>{0.5, 0.5}, 4, scratch);
  CHECK(problem.solve(10, 7) == 0.125);
  CHECK(cache[0].weight == 0.75 && cache[1].weight == 0.25);
  CHECK(cache[1].last_used == 7 && cache[0].last_used == 0);
}

void equal_values_end_the_steps() {
  PlaneCache cache(2);
  const std::vector<double> metric{0.5, 0.5};
  double saved = 0;
  cache.insert({0}, 1, 0, metric, &saved);
  cache.insert({1}, 1, 0, metric, &saved);
  cache.mix(0, 1.0);
  BlockScratch scratch;
  CHECK(BlockProblem(cache, std::vector<double>{0, 0}, 4, scratch).solve(10, 7) == 0);
  CHECK(cache[0].weight == 1 && cache[1].weight == 0);
}

void applied_changes_are_those_of_the_combination() {
  for_each_block([](Block& block) {
    std::vector<double> y = block.start, after(index(kSlots));
    const double cost_before = block.cache.combination(after);
    BlockProblem problem(block.cache, block.lambda, block.c, block.scratch);
    problem.solve(4, 100);
    const double change = problem.apply(
        [&](std::span<const Index> support, double difference) {
          for (const Index i : support) y[index(i)] += difference;
        },
        [&](std::span<const double> aggregate, double difference) {
          for (std::size_t i = 0; i < y.size(); ++i) y[i] += difference * aggregate[i];
        });
    CHECK(std::abs(block.cache.combination(after) - cost_before - change) <= 1e-14);
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(y[i] - after[i]) <= 1e-14);
  });
}

const Test kTests[] = {
    TEST(the_objective_falls_by_what_the_steps_say),
    TEST(weights_stay_convex),
    TEST(one_step_is_the_exact_line_search_from_the_worst_used_plane_to_the_best),
    TEST(many_steps_end_at_the_optimum_over_the_hull),
    TEST(a_problem_of_two_planes_is_solved_in_one_step),
    TEST(equal_values_end_the_steps),
    TEST(applied_changes_are_those_of_the_combination),
};

}  // namespace

int main() { return run_tests(kTests); }
