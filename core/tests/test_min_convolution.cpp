// Tests of the min-convolution kernel: every variant against the plain double loop, bit by bit.

#include <algorithm>
#include <cstring>

#include "check.hpp"
#include "exact.hpp"
#include "kernels/kernels.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;
using Numbers = std::vector<double>;  // of the exact size: a read beyond the end is seen by the sanitizer

double few_values(Random& random) { return integer(random, 0, 2); }

double huge_range(Random& random) {
  constexpr double kScales[] = {1e-300, 1e-9, 1.0, 1e9, 1e300};
  return kScales[random.below(5)] * real(random);
}

Numbers padded(const Numbers& y) {
  Numbers result(y.size() + 2 * kLanes, kInfinity);
  std::copy(y.begin(), y.end(), result.begin() + kLanes);
  return result;
}

void check_against_the_double_loop(const Numbers& x, const Numbers& y, std::size_t first, std::size_t n_out) {
  Numbers expected(n_out, kInfinity);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < y.size(); ++j)
      if (i + j >= first && i + j < first + n_out)
        expected[i + j - first] = std::min(expected[i + j - first], x[i] + y[j]);
  const Numbers y_padded = padded(y);
  for (const Kernels* const* k = available_kernels(); *k != nullptr; ++k) {
    Numbers out(n_out);
    (*k)->min_convolution(x.data(), x.size(), y_padded.data() + kLanes, y.size(), first, n_out, out.data());
    CHECK(n_out == 0 || std::memcmp(out.data(), expected.data(), n_out * sizeof(double)) == 0);
  }
}

void all_small_sizes_equal_the_double_loop() {
  Random random(1);
  for (std::size_t n_x = 1; n_x <= 36; ++n_x)
    for (std::size_t n_y = 1; n_y <= 36; ++n_y) {
      const double forbidden = random.below(2) == 0 ? 0 : 0.3;
      check_against_the_double_loop(random_vector(random, n_x, real, forbidden),
                                    random_vector(random, n_y, real, forbidden), 0, n_x + n_y - 1);
    }
}

void a_window_of_sums_equals_the_double_loop_and_is_infinite_where_no_pair_is() {
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    const std::size_t n_x = 1 + random.below(40), n_y = 1 + random.below(60);
    check_against_the_double_loop(random_vector(random, n_x, wild_cost, 0.1), random_vector(random, n_y, wild_cost, 0.1),
                                  random.below(n_x + n_y + 20), random.below(50));
  }
}

void ties_infinities_and_huge_ranges_equal_the_double_loop() {
  Random random(3);
  for (const CostMaker cost : {few_values, huge_range, wild_cost})
    for (const double forbidden : {0.0, 0.5, 0.95, 1.0})
      for (int i = 0; i < 20; ++i) {
        const std::size_t n_x = 1 + random.below(200), n_y = 1 + random.below(200);
        check_against_the_double_loop(random_vector(random, n_x, cost, forbidden),
                                      random_vector(random, n_y, cost, forbidden), 0, n_x + n_y - 1);
      }
}

void convex_concave_and_equal_sequences_equal_the_double_loop() {
  const auto sequence = [](std::size_t n, auto value) {
    Numbers result(n);
    for (std::size_t i = 0; i < n; ++i) result[i] = value(static_cast<double>(i) - 0.3 * static_cast<double>(n));
    return result;
  };
  const Numbers sequences[] = {sequence(77, [](double t) { return t * t / 3; }), sequence(130, [](double t) { return -t * t / 3; }),
                               sequence(64, [](double) { return 0.1; }), sequence(65, [](double t) { return t / 7; })};
  for (const Numbers& x : sequences)
    for (const Numbers& y : sequences) check_against_the_double_loop(x, y, 0, x.size() + y.size() - 1);
}

const Test kTests[] = {
    TEST(all_small_sizes_equal_the_double_loop),
    TEST(a_window_of_sums_equals_the_double_loop_and_is_infinite_where_no_pair_is),
    TEST(ties_infinities_and_huge_ranges_equal_the_double_loop),
    TEST(convex_concave_and_equal_sequences_equal_the_double_loop),
};

}  // namespace

int main() { return run_tests(kTests); }
