// Tests of the dual point against the definitions of Prop. 2.

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "dual_point.hpp"
#include "free_oracle.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

/// A decomposition with long runs or with short ones, and a point with everything random.
struct Example {
  Decomposition decomposition;
  DualPoint point;

  Example(Random& random, bool scattered) : decomposition(60, {}, 0), point(connected(random, scattered)) {
    for (const Term& term : decomposition.terms()) {
      for (double& y : point.y(term)) y = real(random);
    }
    for (double& cost : point.costs()) cost = real(random);
    point.refresh_mean();
    point.set_center(random_vector(random, decomposition.n_slots(), real));
  }

  const Decomposition& connected(Random& random, bool scattered) {
    add_random_terms(random, decomposition, 4, scattered);
    return decomposition;
  }

  std::vector<double> lambda(double c) {
    std::vector<double> all(decomposition.n_slots());
    for (const Term& term : decomposition.terms())
      point.lambda(term, c, std::span(all).subspan(term.offset, index(term.n_shared)));
    return all;
  }

  /// Number of the shared variable of each slot of all terms.
  std::vector<std::size_t> shared_of_slot() const {
    std::vector<std::size_t> result;
    for (const Term& term : decomposition.terms())
      for (const Run& run : term.shared)
        for (Index k = 0; k < run.length; ++k) result.push_back(index(run.variable + k));
    return result;
  }

  std::vector<double> sum_over_copies(std::span<const double> of_slots) const {
    std::vector<double> sum(decomposition.n_shared(), 0.0);
    const std::vector<std::size_t> shared = shared_of_slot();
    for (std::size_t s = 0; s < shared.size(); ++s) sum[shared[s]] += of_slots[s];
    return sum;
  }

  /// y minus its mean over copies, from the definition.
  std::vector<double> deviation() const {
    const std::vector<double> sum = sum_over_copies(point.all_y());
    const std::vector<std::size_t> shared = shared_of_slot();
    std::vector<double> result(point.all_y().begin(), point.all_y().end());
    for (std::size_t s = 0; s < shared.size(); ++s) result[s] -= sum[shared[s]] / decomposition.copies()[shared[s]];
    return result;
  }
};

template <class Visit>
void for_each_example(Visit visit) {
  Random random(1);
  for (int i = 0; i < 60; ++i) {
    Example example(random, i % 2 == 0);
    visit(example, random);
  }
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

std::vector<Index> random_plane(Random& random, const Term& term) {
  std::vector<Index> plane;
  for (Index k = 0; k < term.n_shared; ++k)
    if (chance(random, 0.3)) plane.push_back(k);
  return plane;
}

void multipliers_sum_to_zero_over_the_copies_of_a_variable() {
  for_each_example([](Example& e, Random& random) {
    CHECK(largest(e.sum_over_copies(e.lambda(1 + real(random)))) <= 1e-13);
    CHECK(largest(e.sum_over_copies(e.point.center())) <= 1e-13);
  });
}

void multipliers_and_their_products_follow_the_definition() {
  for_each_example([](Example& e, Random& random) {
    const double c = 1 + real(random);
    const std::vector<double> deviation = e.deviation(), lambda = e.lambda(c);
    for (std::size_t s = 0; s < lambda.size(); ++s)
      CHECK(std::abs(lambda[s] - (e.point.center()[s] + c * deviation[s])) <= 1e-14);
    const std::vector<std::size_t> shared = e.shared_of_slot();
    for (const Term& term : e.decomposition.terms()) {
      std::vector<double> out(index(term.n_shared));
      const DualPoint::Products products = e.point.lambda(term, c, out);
      double lambda_y = 0, y_norm = 0;
      for (std::size_t k = 0; k < out.size(); ++k) {
        const double y = e.point.y(term)[k];
        const Index i = static_cast<Index>(shared[term.offset + k]);
        CHECK(e.point.metric(i) == 1 - 1.0 / e.decomposition.copies()[index(i)]);
        lambda_y += out[k] * y;
        y_norm += e.point.metric(i) * y * y;
      }
      CHECK(std::abs(products.lambda_y - lambda_y) <= 1e-12 && std::abs(products.y_norm - y_norm) <= 1e-12);
    }
  });
}

void the_centre_is_the_target_without_its_mean_over_copies() {
  for_each_example([](Example& e, Random& random) {
    const std::vector<double> target = random_vector(random, e.decomposition.n_slots(), real);
    e.point.set_center(target);
    const std::vector<double> sum = e.sum_over_copies(target);
    const std::vector<std::size_t> shared = e.shared_of_slot();
    for (std::size_t s = 0; s < target.size(); ++s)
      CHECK(std::abs(e.point.center()[s] - (target[s] - sum[shared[s]] / e.decomposition.copies()[shared[s]])) <= 1e-15);
  });
}

void objective_spread_and_linear_part_follow_the_definition() {
  for_each_example([](Example& e, Random& random) {
    const double c = 1 + real(random);
    double spread = 0, linear = 0;
    for (const double d : e.deviation()) spread += d * d;
    for (std::size_t s = 0; s < e.decomposition.n_slots(); ++s) linear += e.point.center()[s] * e.point.all_y()[s];
    for (const double cost : e.point.costs()) linear += cost;
    CHECK(std::abs(e.point.spread() - spread) <= 1e-12);
    CHECK(std::abs(e.point.linear(e.point.center()) - linear) <= 1e-12);
    CHECK(std::abs(e.point.objective(c) - (linear + 0.5 * c * spread)) <= 1e-12);
  });
}

void disagreement_adds_the_largest_difference_of_copies() {
  for_each_example([](Example& e, Random&) {
    const std::vector<std::size_t> shared = e.shared_of_slot();
    std::vector<double> most(e.decomposition.n_shared(), 0.0);
    for (std::size_t s = 0; s < shared.size(); ++s)
      for (std::size_t r = 0; r < s; ++r)
        if (shared[r] == shared[s])
          most[shared[s]] = std::max(most[shared[s]], std::abs(e.point.all_y()[s] - e.point.all_y()[r]));
    double sum = 0;
    for (const double d : most) sum += d;
    CHECK(std::abs(e.point.disagreement() - sum) <= 1e-12);
  });
}

/// Whether changing one term's y leaves the others alone and takes the mean along.
template <class Change, class Expected>
void check_change(Change change, Expected expected) {
  for_each_example([&](Example& e, Random& random) {
    const Term& term = e.decomposition.terms()[random.below(e.decomposition.terms().size())];
    const std::vector<Index> plane = random_plane(random, term);
    std::vector<double> vector = random_vector(random, index(term.n_shared), real), after(e.point.all_y().begin(), e.point.all_y().end());
    const double amount = real(random);
    expected(std::span(after).subspan(term.offset, vector.size()), plane, vector, amount);
    change(e.point, term, plane, vector, amount);
    for (std::size_t s = 0; s < after.size(); ++s) CHECK(std::abs(e.point.all_y()[s] - after[s]) <= 1e-15);
    const std::vector<double> sum = e.sum_over_copies(after);
    for (std::size_t i = 0; i < sum.size(); ++i) CHECK(std::abs(e.point.mean()[i] - sum[i] / e.decomposition.copies()[i]) <= 1e-14);
    const std::vector<double> followed(e.point.mean().begin(), e.point.mean().end());
    e.point.refresh_mean();
    for (std::size_t i = 0; i < sum.size(); ++i) CHECK(std::abs(e.point.mean()[i] - followed[i]) <= 1e-14);
  });
}

using Vector = std::vector<double>;

void mixing_moves_one_term_towards_a_plane_and_the_mean_along() {
  check_change([](DualPoint& p, const Term& t, const std::vector<Index>& plane, const Vector&, double a) { p.mix(t, plane, a); },
               [](std::span<double> y, const std::vector<Index>& plane, const Vector&, double a) {
                 for (double& x : y) x *= 1 - a;
                 for (const Index k : plane) y[index(k)] += a;
               });
}

void the_mean_follows_a_term_that_was_changed_in_place() {
  check_change(
      [](DualPoint& p, const Term& t, const std::vector<Index>& plane, const Vector& v, double a) {
        const std::span<double> y = p.y(t);
        const Vector before(y.begin(), y.end());
        for (const Index k : plane) y[index(k)] += a * v[index(k)];
        p.follow(t, before);
      },
      [](std::span<double> y, const std::vector<Index>& plane, const Vector& v, double a) {
        for (const Index k : plane) y[index(k)] += a * v[index(k)];
      });
}

const Test kTests[] = {
    TEST(multipliers_sum_to_zero_over_the_copies_of_a_variable),
    TEST(multipliers_and_their_products_follow_the_definition),
    TEST(the_centre_is_the_target_without_its_mean_over_copies),
    TEST(objective_spread_and_linear_part_follow_the_definition),
    TEST(disagreement_adds_the_largest_difference_of_copies),
    TEST(mixing_moves_one_term_towards_a_plane_and_the_mean_along),
    TEST(the_mean_follows_a_term_that_was_changed_in_place),
};

}  // namespace

int main() { return run_tests(kTests); }
