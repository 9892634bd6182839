// Times ways to minimise over a ray, and to convolve the two halves of its parts, on weights that a run left behind.
//
// Reads rays from a text file: per ray one line "n_pixels n_labels sum", then n_pixels * n_labels costs. Prints one
// line per question and size: what, size, number of cases, CPU nanoseconds of each way.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "oracles/projection.hpp"

namespace {

using fwmap::Index;
using Numbers = std::vector<double>;

constexpr double kInf = fwmap::kInfinity;

struct Ray {
  std::size_t n_pixels, n_labels;
  Index sum;
  Numbers costs;
};

// --- three convolutions of the same two sequences ------------------------------------------------------------------

Numbers by_kernel(const Numbers& x, const Numbers& y_padded) {
  const std::size_t n_y = y_padded.size() - 2 * fwmap::kLanes;
  Numbers out(x.size() + n_y - 1);
  fwmap::kernels().min_convolution(x.data(), x.size(), y_padded.data() + fwmap::kLanes, n_y, 0, out.size(), out.data());
  return out;
}

/// Bussieck, Hassler, Woeginger, Zimmermann (1994): pairs by increasing entries of x and of y; a row ends where its sum
/// is no less than the largest value that is still in the result, since all further ones are larger.
Numbers by_sorting(const Numbers& x, const Numbers& y) {
  const auto sorted = [](const Numbers& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    return order;
  };
  const std::vector<std::size_t> of_x = sorted(x), of_y = sorted(y);
  Numbers out(x.size() + y.size() - 1, kInf);
  double largest = kInf;
  for (std::size_t p = 0; p < of_x.size(); ++p) {
    if (x[of_x[p]] + y[of_y[0]] >= largest) break;
    for (const std::size_t j : of_y) {
      const double sum = x[of_x[p]] + y[j];
      if (sum >= largest) break;
      double& value = out[of_x[p] + j];
      value = std::min(value, sum);
    }
    if ((p & (p + 1)) == 0 || p % 16 == 0) largest = *std::max_element(out.begin(), out.end());  // now and then: it costs a pass
  }
  return out;
}

Numbers by_double_loop(const Numbers& x, const Numbers& y) {
  Numbers out(x.size() + y.size() - 1, kInf);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < y.size(); ++j) out[i + j] = std::min(out[i + j], x[i] + y[j]);
  return out;
}

// --- the minimum over a whole ray, pixel by pixel ------------------------------------------------------------------

/// best[s] over the pixels so far, only sums that can still lead to the one required; the row of each pixel is kept
/// for the way back.
double pixel_by_pixel(const Ray& ray, std::vector<Numbers>& rows, std::vector<Index>& labels) {
  const auto most = static_cast<Index>(ray.n_labels) - 1;
  const auto n = static_cast<Index>(ray.n_pixels);
  rows.resize(ray.n_pixels + 1);
  const auto low = [&](Index k) { return std::max(0, ray.sum - (n - k) * most); };
  const auto high = [&](Index k) { return std::min(ray.sum, k * most); };
  rows[0].assign(1, 0.0);
  for (Index k = 0; k < n; ++k) {
    const Numbers& before = rows[static_cast<std::size_t>(k)];
    Numbers& after = rows[static_cast<std::size_t>(k) + 1];
    const Index from = low(k), to = high(k), begin = low(k + 1), end = high(k + 1);
    after.assign(static_cast<std::size_t>(end - begin) + 1, kInf);
    for (Index a = 0; a <= most; ++a) {
      const double cost = ray.costs[static_cast<std::size_t>(k * (most + 1) + a)];
      const Index first = std::max(from, begin - a), last = std::min(to, end - a);
      const double* source = before.data() + (first - from);
      double* target = after.data() + (first + a - begin);
      for (Index t = 0; t <= last - first; ++t) target[t] = std::min(target[t], source[t] + cost);  // vectorised
    }
  }
  Index sum = ray.sum;
  labels.resize(ray.n_pixels);
  for (Index k = n; k-- > 0;) {
    const Numbers& before = rows[static_cast<std::size_t>(k)];
    for (Index a = 0; a <= most; ++a) {
      const Index rest = sum - a;
      if (rest < low(k) || rest > high(k)) continue;
      if (before[static_cast<std::size_t>(rest - low(k))] + ray.costs[static_cast<std::size_t>(k * (most + 1) + a)] ==
          rows[static_cast<std::size_t>(k) + 1][static_cast<std::size_t>(sum - low(k + 1))]) {
        labels[static_cast<std::size_t>(k)] = a;
        sum = rest;
        break;
      }
    }
  }
  return rows.back().front();
}

// --- measuring -----------------------------------------------------------------------------------------------------

double cpu_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

volatile double sink;

/// Nanoseconds of one call: the least of nine rounds of about half a millisecond.
template <class Call>
double time_of(Call call) {
  int n = 1;
  const auto round = [&] {
    const double start = cpu_nanoseconds();
    for (int k = 0; k < n; ++k) sink = call();
    return cpu_nanoseconds() - start;
  };
  while (round() < 5e5) n *= 2;
  double best = kInf;
  for (int k = 0; k < 9; ++k) best = std::min(best, round() / n);
  return best;
}

struct Mean {
  int n = 0;
  std::vector<double> sums;
  void add(const std::vector<double>& values) {
    sums.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) sums[k] += values[k];
    ++n;
  }
};

/// phi of the pixels begin .. end - 1 over all sums, by the definition.
Numbers phi(const Ray& ray, std::size_t begin, std::size_t end) {
  Numbers best{0.0};
  for (std::size_t k = begin; k < end; ++k) {
    const auto own = ray.costs.begin() + static_cast<std::ptrdiff_t>(k * ray.n_labels);
    best = by_double_loop(best, Numbers(own, own + static_cast<std::ptrdiff_t>(ray.n_labels)));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  std::map<std::size_t, Mean> convolutions, rays;
  for (Ray ray; file >> ray.n_pixels >> ray.n_labels >> ray.sum;) {
    ray.costs.resize(ray.n_pixels * ray.n_labels);
    for (double& cost : ray.costs) file >> cost;

    for (std::size_t half = 1; 2 * half <= ray.n_pixels; half *= 2) {
      const Numbers x = phi(ray, 0, half), y = phi(ray, half, 2 * half);
      Numbers padded(y.size() + 2 * fwmap::kLanes, kInf);
      std::copy(y.begin(), y.end(), padded.begin() + fwmap::kLanes);
      const Numbers expected = by_double_loop(x, y);
      if (by_kernel(x, padded) != expected || by_sorting(x, y) != expected) return std::puts("they differ"), 1;
      convolutions[x.size()].add({time_of([&] { return by_kernel(x, padded)[0]; }), time_of([&] { return by_sorting(x, y)[0]; }),
                                  time_of([&] { return by_double_loop(x, y)[0]; })});
    }
    fwmap::Projection projection;
    projection.n_labels.assign(ray.n_pixels, static_cast<Index>(ray.n_labels));
    projection.unaries.assign(ray.costs.size(), 0.0);
    projection.sum_costs.assign(static_cast<std::size_t>(ray.sum) + 1, kInf);
    projection.sum_costs.back() = 0.0;
    fwmap::ProjectionOracle oracle(projection);
    std::vector<Index> support, labels;
    std::vector<Numbers> rows;
    const double halving = time_of([&] { return oracle.minimize(ray.costs, support).value; });
    const double sequential = time_of([&] { return pixel_by_pixel(ray, rows, labels); });
    const double difference = oracle.minimize(ray.costs, support).value - pixel_by_pixel(ray, rows, labels);
    if (difference > 1e-9 || difference < -1e-9) return std::puts("minima differ"), 1;
    rays[ray.n_pixels].add({halving, sequential});
  }
  const auto print = [](const char* what, const std::map<std::size_t, Mean>& means) {
    for (const auto& [size, mean] : means) {
      std::printf("%s %zu %d", what, size, mean.n);
      for (const double sum : mean.sums) std::printf(" %.1f", sum / mean.n);
      std::puts("");
    }
  };
  print("convolution", convolutions);
  print("ray", rays);
}
