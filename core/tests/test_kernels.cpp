// Tests of the vector kernels: every variant against the plain loop, bit by bit.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "check.hpp"
#include "exact.hpp"
#include "kernels/kernels.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;
using Numbers = std::vector<double>;  // of the exact size: a read beyond the end is seen by the sanitizer

bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

std::vector<const Kernels*> variants() {
  std::vector<const Kernels*> result;
  for (const Kernels* const* k = available_kernels(); *k != nullptr; ++k) result.push_back(*k);
  return result;
}

/// Whether run(kernels) gives the bits of `expected` with every variant.
bool all_give(const Numbers& expected, const std::function<Numbers(const Kernels&)>& run) {
  bool same = true;
  for (const Kernels* k : variants()) same = same && same_bits(run(*k), expected);
  return same;
}

void the_narrowest_variant_is_the_baseline_and_each_can_be_forced_by_name() {
  const Kernels* widest = variants().back();
  CHECK(std::strcmp(variants().front()->name, "baseline") == 0);
  CHECK(&kernels() == widest);
  for (const Kernels* k : variants()) {
    CHECK(use_kernels(k->name));
    CHECK(&kernels() == k);
  }
  CHECK(!use_kernels("abacus"));
  CHECK(&kernels() == widest);
}

void min_plus_products_equal_the_double_loop() {
  Random random(1);
  for (std::size_t n_in = 1; n_in <= 40; ++n_in)
    for (std::size_t n_out = 1; n_out <= 40; ++n_out) {
      const double forbidden = random.below(2) == 0 ? 0 : 0.5;
      const Numbers x = random_vector(random, n_in, wild_cost, forbidden);
      const Numbers table = random_vector(random, n_in * n_out, wild_cost, forbidden);
      Numbers columns(n_out, kInfinity), rows(n_out, kInfinity);
      for (std::size_t b = 0; b < n_out; ++b)
        for (std::size_t a = 0; a < n_in; ++a) {
          columns[b] = std::min(columns[b], x[a] + table[a * n_out + b]);
          rows[b] = std::min(rows[b], x[a] + table[b * n_in + a]);
        }
      CHECK(all_give(columns, [&](const Kernels& k) {
        Numbers out(n_out);
        k.min_plus_columns(x.data(), table.data(), n_in, n_out, out.data());
        return out;
      }));
      CHECK(all_give(rows, [&](const Kernels& k) {
        Numbers out(n_out);
        k.min_plus_rows(x.data(), table.data(), n_in, n_out, out.data());
        return out;
      }));
    }
}

void minima_equal_the_loop_and_that_of_nothing_is_infinite() {
  Random random(2);
  for (std::size_t n = 0; n <= 40; ++n)
    for (const double forbidden : {0.0, 0.5, 1.0}) {
      const Numbers x = random_vector(random, n, wild_cost, forbidden), y = random_vector(random, n, wild_cost, forbidden);
      Numbers lowest{kInfinity}, sums{kInfinity};
      for (const double item : x) lowest[0] = std::min(lowest[0], item);
      for (std::size_t i = 0; i < n; ++i) {
        sums.push_back(x[i] + y[i]);
        sums[0] = std::min(sums[0], sums.back());
      }
      CHECK(all_give(lowest, [&](const Kernels& k) { return Numbers{k.minimum(x.data(), n)}; }));
      CHECK(all_give(sums, [&](const Kernels& k) {
        Numbers out(n);
        const double best = k.add_minimum(x.data(), y.data(), n, out.data());
        out.insert(out.begin(), best);
        return out;
      }));
    }
}

void accumulation_equals_the_loop() {
  Random random(3);
  for (std::size_t n = 0; n <= 40; ++n) {
    const Numbers x = random_vector(random, n, wild_cost, 0.2), start = random_vector(random, n, wild_cost, 0.2);
    Numbers expected = start;
    for (std::size_t i = 0; i < n; ++i) expected[i] += x[i];
    CHECK(all_give(expected, [&](const Kernels& k) {
      Numbers out = start;
      k.accumulate(x.data(), n, out.data());
      return out;
    }));
  }
}

void dual_points_follow_proposition_2_with_the_same_bits_in_every_variant() {
  Random random(4);
  for (std::size_t n = 0; n <= 40; ++n) {
    const Numbers mu = random_vector(random, n, real), y = random_vector(random, n, real);
    const Numbers mean = random_vector(random, n, real), metric = random_vector(random, n, real);
    const double c = 1 + real(random);
    const auto run = [&](const Kernels& k) {
      Numbers out(n);
      double lambda_y = 0.25, y_norm = 0.5;  // added to, not replaced
      k.dual_point(mu.data(), y.data(), mean.data(), metric.data(), c, n, out.data(), &lambda_y, &y_norm);
      out.push_back(lambda_y);
      out.push_back(y_norm);
      return out;
    };
    const Numbers first = run(*variants().front());
    CHECK(all_give(first, run));
    double lambda_y = 0.25, y_norm = 0.5;
    for (std::size_t i = 0; i < n; ++i) {
      const double lambda = mu[i] + c * (y[i] - mean[i]);
      CHECK(first[i] == lambda);
      lambda_y += lambda * y[i];
      y_norm += metric[i] * y[i] * y[i];
    }
    CHECK(std::abs(first[n] - lambda_y) <= 1e-13 && std::abs(first[n + 1] - y_norm) <= 1e-13);
  }
}

void shrinking_moves_the_mean_along() {
  Random random(5);
  for (std::size_t n = 0; n <= 40; ++n) {
    const Numbers share = random_vector(random, n, real), y = random_vector(random, n, real);
    const Numbers mean = random_vector(random, n, real);
    const double gamma = 0.5 + 0.5 * real(random);
    const auto run = [&](const Kernels& k) {
      Numbers out = y, means = mean;
      k.shrink(gamma, share.data(), n, out.data(), means.data());
      out.insert(out.end(), means.begin(), means.end());
      return out;
    };
    const Numbers first = run(*variants().front());
    CHECK(all_give(first, run));
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(std::abs(first[i] - (1 - gamma) * y[i]) <= 1e-15);
      CHECK(std::abs(first[n + i] - (mean[i] - share[i] * gamma * y[i])) <= 1e-15);
    }
  }
}

void messages_are_lowered_to_zero_and_cut_off() {
  Random random(6);
  for (std::size_t n = 1; n <= 40; ++n)
    for (const double highest : {0.5, 1e6, kInfinity}) {
      Numbers x = random_vector(random, n, real, 0.2);
      x[random.below(n)] = real(random);  // one is finite
      Numbers expected{kInfinity};
      for (const double item : x) expected[0] = std::min(expected[0], item);
      for (const double item : x) expected.push_back(std::min(item - expected[0], highest));
      CHECK(all_give(expected, [&](const Kernels& k) {
        Numbers out(n);
        const double lowest = k.lower_to_zero(x.data(), n, highest, out.data());
        out.insert(out.begin(), lowest);
        return out;
      }));
    }
}

void shares_less_messages_and_scaled_sums_equal_the_loop() {
  Random random(7);
  for (std::size_t n = 0; n <= 40; ++n) {
    const Numbers x = random_vector(random, n, wild_cost, 0.2), start = random_vector(random, n, wild_cost);
    Numbers shares = start, sums = start;
    for (std::size_t i = 0; i < n; ++i) {
      shares[i] = 0.3 * x[i] - shares[i];
      sums[i] += 0.3 * x[i];
    }
    CHECK(all_give(shares, [&](const Kernels& k) {
      Numbers out = start;
      k.share_less(0.3, x.data(), n, out.data());
      return out;
    }));
    CHECK(all_give(sums, [&](const Kernels& k) {
      Numbers out = start;
      k.add_scaled(0.3, x.data(), n, out.data());
      return out;
    }));
  }
}

void stacked_min_plus_products_equal_the_double_loop() {
  Random random(8);
  for (std::size_t n_in = 1; n_in <= 7; ++n_in)
    for (std::size_t n = 1; n <= 40; ++n) {
      const std::size_t stride = n + 2 * kLanes, cost_stride = 1 + random.below(3);
      const Numbers x = random_vector(random, n_in * stride, wild_cost, 0.2);
      const Numbers costs = random_vector(random, n_in * cost_stride, wild_cost, 0.2);
      const double offset = wild_cost(random);
      Numbers expected(n, kInfinity);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t a = 0; a < n_in; ++a) expected[i] = std::min(expected[i], x[a * stride + i] + costs[a * cost_stride]);
        expected[i] += offset;
      }
      CHECK(all_give(expected, [&](const Kernels& k) {
        Numbers out(n + kLanes, 7.0);
        k.min_plus_stacked(x.data(), stride, n_in, costs.data(), cost_stride, offset, n, out.data());
        out.resize(n);
        return out;
      }));
    }
}

const Test kTests[] = {
    TEST(the_narrowest_variant_is_the_baseline_and_each_can_be_forced_by_name),
    TEST(min_plus_products_equal_the_double_loop),
    TEST(minima_equal_the_loop_and_that_of_nothing_is_infinite),
    TEST(accumulation_equals_the_loop),
    TEST(dual_points_follow_proposition_2_with_the_same_bits_in_every_variant),
    TEST(shrinking_moves_the_mean_along),
    TEST(messages_are_lowered_to_zero_and_cut_off),
    TEST(shares_less_messages_and_scaled_sums_equal_the_loop),
    TEST(stacked_min_plus_products_equal_the_double_loop),
};

}  // namespace

int main() { return run_tests(kTests); }
