// Tests of the quadratic programme of a bundle, against its optimality conditions.

#include <cmath>
#include <vector>

#include "check.hpp"
#include "exact.hpp"
#include "simplex_qp.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;
using Vectors = std::vector<std::vector<double>>;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// Adds the last of the vectors.
void add_last(SimplexQp& qp, const Vectors& planes) {
  std::vector<double> products;
  for (const auto& other : planes) products.push_back(dot(other, planes.back()));
  qp.add(products);
}

std::vector<double> random_plane(Random& random, std::size_t dimension) {
  std::vector<double> plane(dimension);
  for (double& x : plane) x = real(random);
  return plane;
}

// Weights are a point of the simplex, and no plane's gradient is lower than those in use but for rounding.
void check_optimal(const SimplexQp& qp, const Vectors& planes, const std::vector<double>& linear, double c) {
  std::vector<double> y(planes[0].size(), 0.0);
  double total = 0, level = 0, largest = 1;
  for (std::size_t j = 0; j < planes.size(); ++j) {
    CHECK(qp.weights()[j] >= 0);
    total += qp.weights()[j];
    for (std::size_t k = 0; k < y.size(); ++k) y[k] += qp.weights()[j] * planes[j][k];
  }
  CHECK(std::abs(total - 1) <= 1e-12);
  for (std::size_t j = 0; j < planes.size(); ++j) {
    level += qp.weights()[j] * (linear[j] + c * dot(planes[j], y));
    largest = std::max(largest, std::abs(linear[j]));
  }
  for (std::size_t j = 0; j < planes.size(); ++j)
    CHECK(linear[j] + c * dot(planes[j], y) >= level - 1e-8 * c * dot(y, y) - 1e-12 * largest);
  CHECK(std::abs(qp.norm() - dot(y, y)) <= 1e-12 * (1 + dot(planes[0], planes[0])));
}

void planes_that_join_one_by_one_are_combined_optimally() {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const std::size_t dimension = index(integer(random, 1, 12)), most = index(integer(random, 2, 30));
    SimplexQp qp(most);
    Vectors planes;
    std::vector<double> linear;
    for (std::size_t j = 0; j < most; ++j) {
      planes.push_back(j > 0 && chance(random, 0.2) ? planes[j / 2] : random_plane(random, dimension));  // equal ones, too
      linear.push_back(100 + real(random));
      add_last(qp, planes);
      const double c = std::exp(4 * real(random));
      qp.solve(linear, c, 1e-9);
      check_optimal(qp, planes, linear, c);
    }
  }
}

void the_minimum_norm_point_of_a_triangle_is_its_projection() {
  // Corners (1, -1), (1, 1), (3, 0): the point of least norm is (1, 0).
  SimplexQp qp(3);
  const Vectors all{{3, 0}, {1, -1}, {1, 1}};
  Vectors planes;
  for (const auto& plane : all) {
    planes.push_back(plane);
    add_last(qp, planes);
  }
  qp.solve(std::vector<double>(3, 0.0), 2.0, 1e-12);
  CHECK(qp.weights()[0] == 0);
  CHECK(std::abs(qp.weights()[1] - 0.5) <= 1e-9);
  CHECK(std::abs(qp.norm() - 1) <= 1e-9);
}

void planes_are_combined_and_left_out_without_changing_the_combination() {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    SimplexQp qp(8);
    Vectors planes;
    std::vector<double> linear;
    for (int j = 0; j < 8; ++j) {
      planes.push_back(random_plane(random, 10));
      linear.push_back(real(random));
      add_last(qp, planes);
    }
    qp.solve(linear, 0.5, 1e-9);
    std::vector<double> shares(8, 0.0), mixed(10, 0.0), combined(10, 0.0);
    double total = 0, value = 0;
    for (const std::size_t j : {1U, 4U, 6U}) total += shares[j] = qp.weights()[j];
    if (total == 0) continue;
    std::vector<double> y(10, 0.0);
    for (std::size_t j = 0; j < 8; ++j)
      for (std::size_t k = 0; k < 10; ++k) {
        y[k] += qp.weights()[j] * planes[j][k];
        mixed[k] += shares[j] / total * planes[j][k];
      }
    for (std::size_t j = 0; j < 8; ++j) value += shares[j] / total * linear[j];
    qp.combine(4, shares);
    const std::vector<std::size_t> kept{4, 0, 2, 3, 5, 7};
    qp.keep(kept);
    Vectors now{mixed};
    std::vector<double> linear_now{value};
    for (std::size_t j = 1; j < kept.size(); ++j) {
      now.push_back(planes[kept[j]]);
      linear_now.push_back(linear[kept[j]]);
    }
    for (std::size_t j = 0; j < now.size(); ++j) {
      for (std::size_t k = 0; k < 10; ++k) combined[k] += qp.weights()[j] * now[j][k];
      for (std::size_t i = 0; i < now.size(); ++i) CHECK(std::abs(qp.gram(i, j) - dot(now[i], now[j])) <= 1e-12);
    }
    for (std::size_t k = 0; k < 10; ++k) CHECK(std::abs(combined[k] - y[k]) <= 1e-12);
    qp.solve(linear_now, 2.0, 1e-9);
    check_optimal(qp, now, linear_now, 2.0);
  }
}

const Test kTests[] = {
    TEST(planes_that_join_one_by_one_are_combined_optimally),
    TEST(the_minimum_norm_point_of_a_triangle_is_its_projection),
    TEST(planes_are_combined_and_left_out_without_changing_the_combination),
};

}  // namespace

int main() { return run_tests(kTests); }
