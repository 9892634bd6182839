// Tests of the search for labelings with given sums: changes and violations by definition, and what it ends with.

#include <algorithm>

#include "rounding/ray_search.hpp"
#include "small_field.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

/// A random field with rays of random nodes; each allows a few sums.
struct Example {
  SmallField small;
  Rays rays;

  explicit Example(Random& random) : small(random, integer_cost, 0.0) {
    const Index n = static_cast<Index>(small.n_labels.size());
    rays.offsets = rays.cost_offsets = {0};
    for (int r = integer(random, 0, 5); r > 0; --r) {
      std::size_t n_sums = 1;
      for (Index v = 0; v < n; ++v)
        if (chance(random, 0.5)) {
          rays.pixels.push_back(v);
          n_sums += index(small.n_labels[index(v)]) - 1;
        }
      if (static_cast<std::int64_t>(rays.pixels.size()) == rays.offsets.back()) continue;
      rays.offsets.push_back(static_cast<std::int64_t>(rays.pixels.size()));
      const std::size_t allowed = random.below(n_sums);
      for (std::size_t s = 0; s < n_sums; ++s)
        rays.costs.push_back(s == allowed || chance(random, 0.2) ? integer(random, 0, 3) : kInfinity);
      rays.cost_offsets.push_back(static_cast<std::int64_t>(rays.costs.size()));
    }
  }

  std::shared_ptr<const FieldGraph> graph() const { return std::make_shared<const FieldGraph>(small.field); }

  /// Energy and violation by definition: a forbidden sum costs what the nearest allowed one costs, the cheaper of two.
  RayChange of(const std::vector<Index>& labeling) const {
    RayChange total{small.energy(labeling).finite, 0};
    for (std::size_t r = 0; r + 1 < rays.offsets.size(); ++r) {
      std::int64_t sum = 0;
      for (auto k = rays.offsets[r]; k < rays.offsets[r + 1]; ++k) sum += labeling[index(rays.pixels[index(k)])];
      std::pair<std::int64_t, double> nearest{1 << 20, 0};
      for (auto s = rays.cost_offsets[r]; s < rays.cost_offsets[r + 1]; ++s) {
        const double cost = rays.costs[static_cast<std::size_t>(s)];
        if (cost < kInfinity) nearest = std::min(nearest, {std::abs(s - rays.cost_offsets[r] - sum), cost});
      }
      total += {nearest.second, nearest.first};
    }
    return total;
  }

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
};

void changes_are_differences_of_energies_and_violations() {
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    const Example example(random);
    RayState state(example.graph(), example.rays);
    std::vector<Index> labeling = example.small.labeling;
    state.start(labeling);
    CHECK(state.violation() == example.of(labeling).violation);
    for (int k = 0; k < 20; ++k) {
      const std::size_t v = random.below(labeling.size());
      const Index label = integer(random, 0, example.small.n_labels[v] - 1);
      const RayChange before = example.of(labeling), change = state.look(static_cast<Index>(v), label);
      labeling[v] = label;
      const RayChange after = example.of(labeling);
      CHECK(change.energy == after.energy - before.energy);
      CHECK(change.violation == after.violation - before.violation);
      state.set(static_cast<Index>(v), label);
      CHECK(state.violation() == after.violation);
    }
    CHECK(state.unit() > 0);
  }
}

void annealings_end_with_their_best_labeling_and_find_most_optima() {
  Random random(2);
  int n = 0, n_optimal = 0;
  for (int i = 0; i < 150; ++i) {
    const Example example(random);
    RaySearch search(example.graph(), example.rays, static_cast<std::uint64_t>(i));
    search.begin(example.small.labeling, {2, 0.3, 4}, 50'000);
    while (!search.is_over()) search.anneal(7'000);
    const std::vector<Index> found(search.best().begin(), search.best().end());
    const RayChange reached = example.of(found), start = example.of(example.small.labeling);
    CHECK(reached.violation == search.best_violation());
    CHECK(std::pair(reached.violation, reached.energy) <= std::pair(start.violation, start.energy));
    std::pair<std::int64_t, double> best{reached.violation, reached.energy};
    for_each_labeling(example.small.n_labels, [&](const std::vector<Index>& labeling) {
      const RayChange other = example.of(labeling);
      best = std::min(best, {other.violation, other.energy});
    });
    ++n;
    n_optimal += best == std::pair(reached.violation, reached.energy);
  }
  CHECK(n_optimal > 0.9 * n);
}

void exchanges_never_violate_more_and_need_two_sides() {
  Random random(3);
  int n_sided = 0, n_other = 0;
  for (int i = 0; i < 300; ++i) {
    const Example example(random);
    RaySearch search(example.graph(), example.rays, 0);
    std::vector<Index> labeling = example.small.labeling;
    search.exchange(labeling, 1e6);
    CHECK(example.of(labeling).violation <= example.of(example.small.labeling).violation);
    ++(search.has_exchanges() ? n_sided : n_other);
    if (!search.has_exchanges()) CHECK(labeling == example.small.labeling);
  }
  CHECK(n_sided > 50 && n_other > 50);
}

void a_ray_that_allows_no_sum_is_refused() {
  Random random(4);
  Example example(random);
  example.rays = {{0, 1}, {0}, {0, 2}, {kInfinity, kInfinity}};
  CHECK_THROWS(std::invalid_argument, RaySearch(example.graph(), example.rays, 0));
}

const Test kTests[] = {
    TEST(changes_are_differences_of_energies_and_violations),
    TEST(annealings_end_with_their_best_labeling_and_find_most_optima),
    TEST(exchanges_never_violate_more_and_need_two_sides),
    TEST(a_ray_that_allows_no_sum_is_refused),
};

}  // namespace

int main() { return run_tests(kTests); }
