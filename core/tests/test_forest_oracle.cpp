// Tests of the forest oracle against brute force.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "kernels/kernels.hpp"
#include "small_forest.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

/// The labeling of a support, or an empty one where the support is not that of a labeling.
std::vector<Index> labeling_of(const Forest& forest, const std::vector<Index>& support) {
  std::vector<Index> labeling;
  Index offset = 0;
  for (std::size_t v = 0; v < forest.n_labels.size() && v < support.size(); ++v) {
    labeling.push_back(support[v] - offset);
    if (labeling[v] < 0 || labeling[v] >= forest.n_labels[v]) return {};
    offset += forest.n_labels[v];
  }
  if (labeling.size() < forest.n_labels.size() || support_of(forest, labeling) != support) return {};
  return labeling;
}

/// Calls visit(forest, weights) with weights as long as the coordinates or shorter, some of them infinite.
template <class Visit>
void for_each_forest(int n, CostMaker cost, const ForestRecipe& recipe, Visit visit) {
  Random random(17);
  for (int i = 0; i < n; ++i) {
    const Forest forest = random_forest(random, cost, recipe);
    const auto n_coordinates = index(ForestOracle(forest).n_coordinates());
    const std::size_t n_weights = chance(random, 0.5) ? n_coordinates : random.below(n_coordinates + 1);
    visit(forest, random_vector(random, n_weights, cost, chance(random, 0.5) ? 0 : recipe.forbidden));
  }
}

void minima_of_integer_costs_equal_brute_force() {
  for (const double forbidden : {0.0, 0.1, 0.4})
    for_each_forest(700, integer_cost, {6, 4, forbidden, 0.3}, [](const Forest& forest, const std::vector<double>& weights) {
      ForestOracle oracle(forest);
      const BruteForce expected = brute_force(forest, weights, oracle.n_coordinates());
      std::vector<Index> support{7, 7, 7};
      const Minimum minimum = oracle.minimize(weights, support);
      CHECK(minimum.value == expected.minimum);
      if (expected.minimum == kInfinity) {
        CHECK(support.empty());
        return;
      }
      const std::vector<Index> labeling = labeling_of(forest, support);
      CHECK(!labeling.empty());
      if (labeling.empty()) return;
      CHECK(minimum.cost == exact_cost(forest, labeling));
      CHECK(minimum.cost == oracle.cost(support));
      CHECK(minimum.cost + weight_of(support, weights) == minimum.value);
      CHECK(minimum.rounding >= 0 && minimum.rounding < 1e-9);
    });
}

void value_minus_rounding_is_a_lower_bound_of_the_exact_minimum() {
  for_each_forest(3000, wild_cost, {6, 5, 0.1, 0.3}, [](const Forest& forest, const std::vector<double>& weights) {
    ForestOracle oracle(forest);
    const BruteForce expected = brute_force(forest, weights, oracle.n_coordinates());
    std::vector<Index> support;
    const Minimum minimum = oracle.minimize(weights, support);
    if (expected.minimum == kInfinity) {
      CHECK(minimum.value == kInfinity);
      return;
    }
    CHECK(Exact(minimum.value) - minimum.rounding <= expected.minimum);
    CHECK(absolute(minimum.value - expected.minimum) <= minimum.rounding);
    const std::vector<Index> labeling = labeling_of(forest, support);
    CHECK(!labeling.empty());
    if (!labeling.empty())
      CHECK(exact_cost(forest, labeling) + weight_of(support, weights) <= expected.minimum + 2 * minimum.rounding);
  });
}

void the_allowance_covers_costs_that_cancel() {
  // A large negative edge cost against a large unary: the value is small, the rounding is not. The last
  // labels' edge cost is the one that cancels, whatever the shape of the table.
  Random random(3);
  for (const bool shares_entries : {false, true})
    for (const EdgeKind kind : {EdgeKind::kPotts, EdgeKind::kTruncatedLinear, EdgeKind::kTruncatedQuadratic})
      for (const auto& [rows, columns] : {std::pair<Index, Index>{9, 1}, {1, 9}, {9, 2}, {2, 9}, {5, 5}})
        for (int i = 0; i < 50; ++i) {
          Forest forest;
          forest.n_labels = {rows, columns};
          forest.tables = pool_of({}, {0});
          const EdgeCost cost{kind, -1, 1e15 * (real(random) - 1.1), kInfinity};
          forest.edges.push_back({0, 1, cost, shares_entries});
          for (Index a = 0; a < rows; ++a)
            forest.unaries.push_back(-edge_cost(cost, *forest.tables, a, 0, columns) + real(random));
          for (Index b = 0; b < columns; ++b) forest.unaries.push_back(real(random));
          if (columns > rows)
            for (Index b = 0; b < columns; ++b)
              forest.unaries[index(rows + b)] -= edge_cost(cost, *forest.tables, 0, b, columns);
          ForestOracle oracle(forest);
          std::vector<Index> support;
          const std::vector<double> weights = random_vector(random, forest.unaries.size(), real);
          const Minimum minimum = oracle.minimize(weights, support);
          const BruteForce expected = brute_force(forest, weights, oracle.n_coordinates());
          CHECK(absolute(minimum.value - expected.minimum) <= minimum.rounding);
        }
}

void min_marginals_of_integer_costs_equal_brute_force() {
  for (const double forbidden : {0.0, 0.1, 0.4})
    for_each_forest(700, integer_cost, {6, 4, forbidden, 0.3}, [](const Forest& forest, const std::vector<double>& weights) {
      ForestOracle oracle(forest);
      const BruteForce expected = brute_force(forest, weights, oracle.n_coordinates());
      std::vector<double> out(index(oracle.n_coordinates()), std::nan(""));
      CHECK(oracle.min_marginals(weights, out));
      for (std::size_t i = 0; i < out.size(); ++i) CHECK(out[i] == expected.min_marginals[i]);
    });
}

void min_marginals_write_no_more_than_was_asked_for() {
  for_each_forest(200, integer_cost, {}, [](const Forest& forest, const std::vector<double>& weights) {
    ForestOracle oracle(forest);
    std::vector<double> all(index(oracle.n_coordinates())), some(weights.size());
    CHECK(oracle.min_marginals(weights, all) && oracle.min_marginals(weights, some));
    CHECK(std::equal(some.begin(), some.end(), all.begin()));
  });
}

void min_marginals_of_all_edges_equal_brute_force() {
  for_each_forest(500, integer_cost, {6, 4, 0.1, 0.3}, [](const Forest& forest, const std::vector<double>& weights) {
    ForestOracle oracle(forest);
    std::vector<std::vector<double>> found;
    std::vector<double*> out;
    for (const ForestEdge& edge : forest.edges) found.emplace_back(oracle.n_entries(edge), std::nan(""));
    for (std::vector<double>& entries : found) out.push_back(entries.data());
    if (!out.empty()) out.back() = nullptr;  // not asked for
    const BruteForce expected = brute_force(forest, weights, oracle.n_coordinates());
    CHECK(oracle.edge_min_marginals(weights, out) == expected.minimum);
    for (std::size_t e = 0; e + 1 < out.size(); ++e) {
      const std::size_t first = index(forest.edges[e].first), second = index(forest.edges[e].second);
      std::vector<Exact> least(found[e].size(), Exact(kInfinity));
      for_each_labeling(forest.n_labels, [&](const std::vector<Index>& labeling) {
        Exact& entry = least[index(labeling[first] * forest.n_labels[second] + labeling[second])];
        entry = std::min(entry, exact_cost(forest, labeling) + weight_of(support_of(forest, labeling), weights));
      });
      for (std::size_t i = 0; i < least.size(); ++i) CHECK(found[e][i] == least[i]);
    }
  });
}

void a_support_is_completed_from_its_labels() {
  for_each_forest(300, integer_cost, {6, 4, 0.0, 0.5}, [](const Forest& forest, const std::vector<double>&) {
    const ForestOracle oracle(forest);
    for_each_labeling(forest.n_labels, [&](const std::vector<Index>& labeling) {
      const std::vector<Index> whole = support_of(forest, labeling);
      std::vector<Index> support(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(labeling.size()));
      oracle.complete(support);
      CHECK(support == whole);
      oracle.complete(support);
      CHECK(support == whole);
    });
    std::vector<Index> nothing;
    oracle.complete(nothing);
    CHECK(oracle.cost(nothing) == kInfinity);
  });
}

void weights_beyond_the_end_are_zero() {
  for_each_forest(500, wild_cost, {}, [](const Forest& forest, const std::vector<double>& weights) {
    ForestOracle oracle(forest);
    std::vector<double> padded = weights;
    padded.resize(index(oracle.n_coordinates()), 0.0);
    std::vector<Index> support, other;
    CHECK(oracle.minimize(weights, support).value == oracle.minimize(padded, other).value);
    CHECK(support == other);
  });
}

void calls_leave_no_trace_and_kernels_make_no_difference() {
  const char* widest = kernels().name;
  for_each_forest(500, integer_cost, {6, 12, 0.1, 0.3}, [&](const Forest& forest, const std::vector<double>& weights) {
    ForestOracle oracle(forest);
    std::vector<Index> first, unweighted, second, baseline;
    const Minimum minimum = oracle.minimize(weights, first);
    oracle.minimize({}, unweighted);
    std::vector<double> scratch(index(oracle.n_coordinates()));
    oracle.min_marginals(weights, scratch);
    CHECK(oracle.minimize(weights, second).value == minimum.value);
    CHECK(use_kernels("baseline"));
    CHECK(oracle.minimize(weights, baseline).value == minimum.value);
    CHECK(use_kernels(widest));
    CHECK(first == second && first == baseline);
  });
}

void what_is_no_labeling_costs_infinity() {
  Forest forest;
  forest.n_labels = {2, 3};
  forest.unaries = {1, 2, 3, 4, 5};
  forest.edges = {{1, 0, {EdgeKind::kPotts, -1, 10, 0}}};
  forest.tables = pool_of({}, {0});
  const ForestOracle oracle(forest);
  const auto cost = [&](const std::vector<Index>& support) { return oracle.cost(support); };
  CHECK(cost({0, 2}) == 4);
  CHECK(cost({1, 4}) == 17);
  CHECK(cost({}) == kInfinity);
  CHECK(cost({0}) == kInfinity);
  CHECK(cost({0, 1}) == kInfinity);
  CHECK(cost({2, 3}) == kInfinity);
}

void a_call_over_structured_edges_counts_labels_and_not_pairs() {
  Forest forest;
  forest.n_labels = {1000, 1000};
  forest.unaries.assign(2000, 0);
  forest.edges = {{0, 1, {EdgeKind::kTruncatedQuadratic, -1, 1, kInfinity}}};
  forest.tables = pool_of({}, {0});
  CHECK(ForestOracle(forest).operations() < 2e4);
  forest.edges[0].shares_entries = true;
  CHECK(ForestOracle(forest).operations() >= 1e6);
}

void wrong_input_is_refused() {
  const auto with = [](auto change) {
    Forest forest;
    forest.n_labels = {2, 2, 2};
    forest.unaries.assign(6, 0);
    forest.tables = pool_of({0, 0, 0, 0, 0}, {0, 4, 5});
    forest.edges = {{0, 1, {EdgeKind::kTable, 0, 0, 0}}, {2, 1, {EdgeKind::kPotts, -1, 1, 0}}};
    change(forest);
    return ForestOracle(std::move(forest)).n_nodes();
  };
  CHECK(with([](Forest&) {}) == 3);
  CHECK_THROWS(std::invalid_argument, with([](Forest& f) { f.n_labels[1] = 0; }));
  CHECK_THROWS(std::invalid_argument, with([](Forest& f) { f.unaries.pop_back(); }));
  CHECK_THROWS(std::invalid_argument, with([](Forest& f) { f.edges[0].cost.table = 1; }));
  CHECK_THROWS(std::invalid_argument, with([](Forest& f) { f.edges.push_back({0, 2, {EdgeKind::kPotts, -1, 1, 0}}); }));
  CHECK_THROWS(std::invalid_argument, with([](Forest& f) { f.edges.push_back(f.edges[0]); }));
  CHECK_THROWS(std::invalid_argument, with([](Forest& f) { f.edges[1] = {2, 2, {EdgeKind::kPotts, -1, 1, 0}}; }));
}

void a_long_chain_is_handled_without_recursion() {
  Forest forest;
  constexpr Index n = 100000;
  forest.n_labels.assign(index(n), 2);
  forest.unaries.assign(2 * index(n), 0);
  forest.unaries[0] = 1;
  for (Index v = 0; v + 1 < n; ++v) forest.edges.push_back({v, v + 1, {EdgeKind::kPotts, -1, 1, 0}});
  forest.tables = pool_of({}, {0});
  ForestOracle oracle(forest);
  std::vector<Index> support;
  const Minimum minimum = oracle.minimize({}, support);
  CHECK(minimum.value == 0 && support.front() == 1 && support.back() == 2 * n - 1);
}

const Test kTests[] = {
    TEST(minima_of_integer_costs_equal_brute_force),
    TEST(value_minus_rounding_is_a_lower_bound_of_the_exact_minimum),
    TEST(the_allowance_covers_costs_that_cancel),
    TEST(min_marginals_of_integer_costs_equal_brute_force),
    TEST(min_marginals_write_no_more_than_was_asked_for),
    TEST(min_marginals_of_all_edges_equal_brute_force),
    TEST(a_support_is_completed_from_its_labels),
    TEST(weights_beyond_the_end_are_zero),
    TEST(calls_leave_no_trace_and_kernels_make_no_difference),
    TEST(what_is_no_labeling_costs_infinity),
    TEST(a_call_over_structured_edges_counts_labels_and_not_pairs),
    TEST(wrong_input_is_refused),
    TEST(a_long_chain_is_handled_without_recursion),
};

}  // namespace

int main() { return run_tests(kTests); }
