// Tests of the bundle method's core on free Booleans, whose dual optimum is sum_i min(0, sum_t cost of i in t).

#include <algorithm>
#include <cmath>

#include "bundle.hpp"
#include "check.hpp"
#include "free_oracle.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

constexpr double kConstant = 2.5;

struct Endless final : Watch {
  bool stop() override { return false; }
};

struct Example {
  Decomposition decomposition;
  std::vector<double> total;  // cost of each variable over all terms

  Example(Random& random, bool scattered) : decomposition(24, {}, kConstant), total(24, 0.0) {
    add_random_terms(random, decomposition, 4, scattered);
    for (Term& term : decomposition.terms()) {
      std::vector<Index> support;  // costs are what an oracle finds where all others are forbidden
      const std::vector<Run>& runs = term.variables;
      for (const Run& run : runs)
        for (Index k = 0; k < run.length; ++k) {
          std::vector<double> weights(index(term.oracle->n_coordinates()), 1000.0);
          weights[index(run.slot + k)] = -1000.0;
          total[index(run.variable + k)] += term.oracle->minimize(weights, support).cost;
        }
    }
  }

  double optimum() const {
    double sum = kConstant;
    for (const double cost : total) sum += std::min(0.0, cost);
    return sum;
  }
};

struct Limited : Bundle {
  Limited(Decomposition& decomposition, std::size_t most) : Bundle(decomposition, most) { keep_more(most); }
};

// Proposes and evaluates; every third point is not accepted, whatever it is.
template <class Check>
void run(Bundle& bundle, int iterations, double c, Check check) {
  Endless watch;
  bundle.evaluate(watch);
  for (int k = 0; k < iterations; ++k) {
    bundle.propose(c);
    const Evaluation point = bundle.evaluate(watch);
    check(point);
    if (bundle.risen() > 0 && k % 3 != 2) bundle.accept();
  }
}

void the_model_promises_at_least_what_comes() {
  Random random(1);
  for (const std::size_t most : {3U, 5U, 40U})
    for (const bool scattered : {false, true}) {
      Example example(random, scattered);
      Limited bundle(example.decomposition, most);
      run(bundle, 60, 0.3, [&](const Evaluation&) {
        CHECK(bundle.promised() >= bundle.risen() - 1e-10);
        CHECK(bundle.newest_error() >= -1e-10);
        CHECK(bundle.n_planes() <= most);
      });
    }
}

void copies_of_lambda_sum_to_zero() {
  Random random(2);
  Example example(random, true);
  Limited bundle(example.decomposition, 4);
  run(bundle, 40, 1.0, [&](const Evaluation&) {
    std::vector<double> sum(example.decomposition.n_shared(), 0.0);
    for (const Term& term : example.decomposition.terms())
      for (const Run& run : term.shared)
        for (Index k = 0; k < run.length; ++k) sum[index(run.variable + k)] += bundle.trial()[term.offset + index(run.slot + k)];
    for (const double rest : sum) CHECK(std::abs(rest) <= 1e-11);
  });
}

void the_optimum_is_reached_and_never_passed_however_few_planes_are_kept() {
  Random random(3);
  for (const std::size_t most : {3U, 8U, 100U})
    for (int round = 0; round < 4; ++round) {
      Example example(random, round % 2 == 0);
      Limited bundle(example.decomposition, most);
      run(bundle, most == 3 ? 3000 : 600, 0.1, [&](const Evaluation& point) { CHECK(point.bound <= example.optimum() + 1e-12); });
      CHECK(bundle.best().bound >= example.optimum() - 1e-3);
      CHECK(bundle.best().A >= -1e-10);
    }
}

void the_weights_of_planes_and_the_marginals_are_those_of_y() {
  Random random(4);
  Example example(random, true);
  Limited bundle(example.decomposition, 100);  // no aggregate
  run(bundle, 30, 0.5, [](const Evaluation&) {});
  std::vector<double> sum(24, 0.0), copies(24, 0.0);
  double a = -bundle.best().value + kConstant;
  for (std::size_t t = 0; t < example.decomposition.terms().size(); ++t) {
    const Term& term = example.decomposition.terms()[t];
    std::vector<Index> variable_of;
    for (const Run& run : term.variables)
      for (Index k = 0; k < run.length; ++k) variable_of.push_back(run.variable + k);
    for (const Index v : variable_of) copies[index(v)] += 1;
    double total = 0;
    for (const Bundle::TermPlane& plane : bundle.planes(t)) {
      total += plane.weight;
      a += plane.weight * plane.cost;
      const std::vector<Index> slots(plane.support.begin(), plane.support.end());
      for (const Index slot : slots)
        if (slot < term.n_shared) a += plane.weight * bundle.dual().best_lambda()[term.offset + index(slot)];
      for (const Index k : term.coordinates(slots)) sum[index(variable_of[index(k)])] += plane.weight;
    }
    CHECK(std::abs(total - 1) <= 1e-12);
  }
  CHECK(std::abs(bundle.best().A - a) <= 1e-10);
  const std::vector<double> marginals = bundle.marginals();
  for (std::size_t i = 0; i < 24; ++i)
    if (copies[i] > 0) CHECK(std::abs(marginals[i] - sum[i] / copies[i]) <= 1e-12);
}

void marginals_survive_the_folding_of_planes() {
  Random random(5);
  Example example(random, false);
  Limited bundle(example.decomposition, 3);
  run(bundle, 200, 0.2, [&](const Evaluation&) {
    for (const double y : bundle.marginals()) CHECK(y >= -1e-12 && y <= 1 + 1e-12);
  });
  const std::vector<double> marginals = bundle.marginals();  // near the end: what costs stays out, what pays is in
  for (std::size_t i = 0; i < 24; ++i)
    if (std::abs(example.total[i]) > 0.2) CHECK((marginals[i] > 0.5) == (example.total[i] < 0));
}

void a_start_is_the_first_point() {
  Random random(6);
  Example example(random, true);
  Limited first(example.decomposition, 10);
  run(first, 30, 0.5, [](const Evaluation&) {});
  Limited second(example.decomposition, 10);
  second.move_to(first.dual().best_lambda());
  Endless watch;
  CHECK(std::abs(second.evaluate(watch).value - first.best().value) <= 1e-12);
}

const Test kTests[] = {
    TEST(the_model_promises_at_least_what_comes),
    TEST(copies_of_lambda_sum_to_zero),
    TEST(the_optimum_is_reached_and_never_passed_however_few_planes_are_kept),
    TEST(the_weights_of_planes_and_the_marginals_are_those_of_y),
    TEST(marginals_survive_the_folding_of_planes),
    TEST(a_start_is_the_first_point),
};

}  // namespace

int main() { return run_tests(kTests); }
