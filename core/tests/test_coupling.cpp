// Tests of couplings and of completed marginals: against all ways to pair units, and against their definition.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rounding/fractional.hpp"
#include "small_field.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

struct Best {
  std::int64_t paired = -1;
  double cost = 0;
};

/// The most units that can be paired, and the least cost of that, by trying every permutation of the columns' units.
Best by_trying_everything(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                          const std::vector<double>& costs) {
  std::vector<std::size_t> row_of, column_of;
  for (std::size_t a = 0; a < rows.size(); ++a) row_of.insert(row_of.end(), static_cast<std::size_t>(rows[a]), a);
  for (std::size_t b = 0; b < columns.size(); ++b) column_of.insert(column_of.end(), static_cast<std::size_t>(columns[b]), b);
  Best best;
  do {
    Best one{0, 0};
    for (std::size_t k = 0; k < std::min(row_of.size(), column_of.size()); ++k) {
      const double cost = costs[row_of[k] * columns.size() + column_of[k]];
      if (cost == kInfinity) continue;
      ++one.paired;
      one.cost += cost;
    }
    if (one.paired > best.paired || (one.paired == best.paired && one.cost < best.cost)) best = one;
  } while (std::next_permutation(column_of.begin(), column_of.end()));
  return best;
}

std::vector<std::int64_t> random_masses(Random& random, int total) {
  std::vector<std::int64_t> masses(static_cast<std::size_t>(integer(random, 1, 4)), 0);
  for (int k = 0; k < total; ++k) ++masses[static_cast<std::size_t>(integer(random, 0, static_cast<int>(masses.size()) - 1))];
  return masses;
}

void couplings_are_the_cheapest_of_all() {
  Random random(1);
  Coupling coupling;
  for (const double forbidden : {0.0, 0.2, 0.6})
    for (int i = 0; i < 200; ++i) {
      const int total = integer(random, 0, 6);
      const std::vector<std::int64_t> rows = random_masses(random, total), columns = random_masses(random, total);
      const std::vector<double> costs = random_vector(random, rows.size() * columns.size(), integer_cost, forbidden);
      const Best expected = by_trying_everything(rows, columns, costs);
      std::vector<std::int64_t> rows_left = rows, columns_left = columns;
      const Coupling::Outcome found = coupling.solve(rows_left, columns_left, costs);
      CHECK(found.paired == expected.paired);
      if (found.paired == total) CHECK(found.cost == expected.cost);
      CHECK(std::accumulate(rows_left.begin(), rows_left.end(), std::int64_t{0}) == total - found.paired);
      CHECK(std::accumulate(columns_left.begin(), columns_left.end(), std::int64_t{0}) == total - found.paired);
      CHECK(std::all_of(rows_left.begin(), rows_left.end(), [](std::int64_t left) { return left >= 0; }));
      CHECK(std::all_of(columns_left.begin(), columns_left.end(), [](std::int64_t left) { return left >= 0; }));
    }
}

void large_masses_are_paired_to_the_unit() {
  Random random(2);
  Coupling coupling;
  const std::int64_t whole = std::int64_t{1} << 40;
  for (int i = 0; i < 100; ++i) {
    const std::size_t n = static_cast<std::size_t>(integer(random, 1, 9)), m = static_cast<std::size_t>(integer(random, 1, 9));
    const auto spread = [&](std::size_t size) {
      std::vector<std::int64_t> masses(size, 0);
      std::int64_t left = whole;
      for (std::size_t k = 0; k + 1 < size; ++k) left -= masses[k] = static_cast<std::int64_t>(random.below(static_cast<std::size_t>(left) + 1));
      masses.back() = left;
      return masses;
    };
    std::vector<std::int64_t> rows = spread(n), columns = spread(m);
    const Coupling::Outcome found = coupling.solve(rows, columns, random_vector(random, n * m, real, 0.0));
    CHECK(found.paired == whole);
    CHECK(std::all_of(rows.begin(), rows.end(), [](std::int64_t left) { return left == 0; }));
    CHECK(std::abs(found.cost) <= found.magnitude);
  }
}

void a_labeling_is_completed_to_itself_and_costs_its_energy() {
  Random random(3);
  for (const double forbidden : {0.0, 0.1})
    for (int i = 0; i < 200; ++i) {
      SmallField example(random, integer_cost, forbidden);
      FieldGraph graph(example.field);
      std::vector<std::int64_t> masses(static_cast<std::size_t>(example.field.offsets.back()), 0);
      for (std::size_t v = 0; v < example.labeling.size(); ++v)
        masses[static_cast<std::size_t>(example.field.offsets[v] + example.labeling[v])] = 8;
      std::vector<std::int64_t> paired = masses;
      const Completion found = complete(graph, paired, {}, 1e9);
      const LocalSearch::Cost expected = example.energy(example.labeling);
      CHECK((paired == masses) == (expected.forbidden == 0));
      if (expected.forbidden == 0)
        CHECK(std::abs(std::accumulate(found.costs.begin(), found.costs.end(), 0.0) - 8 * expected.finite) <= found.rounding);
    }
}

void what_exceeds_the_budget_is_cut_and_says_so() {
  Random random(4);
  int cut = 0;
  for (int i = 0; i < 50; ++i) {
    SmallField example(random, integer_cost, 0.0);
    std::vector<std::int64_t> masses(static_cast<std::size_t>(example.field.offsets.back()), 1);
    cut += !complete(FieldGraph(example.field), masses, {}, 0).within_budget;
  }
  CHECK(cut > 0);
}

}  // namespace

int main() {
  const Test tests[] = {
      TEST(couplings_are_the_cheapest_of_all),
      TEST(large_masses_are_paired_to_the_unit),
      TEST(a_labeling_is_completed_to_itself_and_costs_its_energy),
      TEST(what_exceeds_the_budget_is_cut_and_says_so),
  };
  return run_tests(tests);
}
