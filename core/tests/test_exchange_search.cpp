// Tests of the search by exchanges: what it says of a change is the change, it ends where none helps, and goes on.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "check.hpp"
#include "exact.hpp"
#include "rounding/exchange_search.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

QuadraticAssignment random_problem(Random& random, bool symmetric) {
  QuadraticAssignment problem;
  problem.n = index(integer(random, 1, 9));
  problem.n_real = problem.n - random.below(std::min<std::size_t>(problem.n, 3));
  const std::size_t n = problem.n;
  for (std::vector<double>* matrix : {&problem.left, &problem.right, &problem.linear})
    *matrix = random_vector(random, n * n, integer_cost);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (symmetric && j < i) {
        problem.left[i * n + j] = problem.left[j * n + i];
        problem.right[i * n + j] = problem.right[j * n + i];
      }
      if (i >= problem.n_real) problem.linear[i * n + j] = 0;
      if (i >= problem.n_real || j >= problem.n_real) problem.left[i * n + j] = 0;
    }
  return problem;
}

double energy(const QuadraticAssignment& problem, const std::vector<Index>& permutation) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.n; ++i) {
    sum += problem.linear[i * problem.n + index(permutation[i])];
    for (std::size_t j = 0; j < problem.n; ++j)
      if (i != j)
        sum += problem.left[i * problem.n + j] * problem.right[index(permutation[i]) * problem.n + index(permutation[j])];
  }
  return sum;
}

bool is_permutation_of_all(const std::vector<Index>& permutation) {
  std::vector<Index> sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<Index>(i)) return false;
  return true;
}

template <class Visit>
void for_each_example(Visit visit) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const QuadraticAssignment problem = random_problem(random, i % 2 == 0);
    std::vector<Index> start(problem.n);
    std::iota(start.begin(), start.end(), 0);
    random.shuffle(start);
    ExchangeSearch search(problem, static_cast<std::uint64_t>(i));
    visit(problem, search, start);
  }
}

void energies_are_those_of_the_definition() {
  for_each_example([](const QuadraticAssignment& problem, ExchangeSearch& search, const std::vector<Index>& start) {
    CHECK(search.energy(start) == energy(problem, start));
  });
}

void changes_are_those_of_the_energy_whatever_the_budget() {
  for_each_example([](const QuadraticAssignment& problem, ExchangeSearch& search, const std::vector<Index>& start) {
    for (const double budget : {0.0, 50.0, 2000.0, 1e5})
      for (const bool tabu : {false, true}) {
        std::vector<Index> found = start;
        const MoveOutcome outcome = tabu ? search.wander(found, budget) : search.descend(found, budget);
        CHECK(is_permutation_of_all(found));
        CHECK(energy(problem, found) == energy(problem, start) + outcome.change);
        CHECK(outcome.change <= 0);
      }
  });
}

void a_descent_ends_where_no_exchange_helps() {
  for_each_example([](const QuadraticAssignment& problem, ExchangeSearch& search, const std::vector<Index>& start) {
    std::vector<Index> found = start;
    search.descend(found, 1e9);
    const double least = energy(problem, found);
    for (std::size_t i = 0; i < problem.n; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        std::swap(found[i], found[j]);
        CHECK(energy(problem, found) >= least);
        std::swap(found[i], found[j]);
      }
  });
}

void tabu_search_finds_the_optimum_of_small_problems() {
  for_each_example([](const QuadraticAssignment& problem, ExchangeSearch& search, const std::vector<Index>& start) {
    if (problem.n > 6) return;
    std::vector<Index> every(problem.n), found = start;
    std::iota(every.begin(), every.end(), 0);
    double least = kInfinity;
    do least = std::min(least, energy(problem, every));
    while (std::next_permutation(every.begin(), every.end()));
    search.wander(found, 3e5);
    CHECK(energy(problem, found) == least);
  });
}

void wrong_sizes_are_refused() {
  CHECK_THROWS(std::invalid_argument, ExchangeSearch({2, 2, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, 0));
  CHECK_THROWS(std::invalid_argument, ExchangeSearch({1, 2, {0}, {0}, {0}}, 0));
}

}  // namespace

int main() {
  const Test tests[] = {
      TEST(energies_are_those_of_the_definition), TEST(changes_are_those_of_the_energy_whatever_the_budget),
      TEST(a_descent_ends_where_no_exchange_helps), TEST(tabu_search_finds_the_optimum_of_small_problems),
      TEST(wrong_sizes_are_refused),
  };
  return run_tests(tests);
}
