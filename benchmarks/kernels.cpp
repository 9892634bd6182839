// How far the main kernels are from what the processor can do: bytes and operations per nanosecond of each
// variant, beside a plain sum of the same array (what memory or a cache delivers).
//
//     cmake -S core -B build/plain && cmake --build build/plain --target fwmap_core
//     g++ -std=c++20 -O3 -Icore benchmarks/kernels.cpp build/plain/libfwmap_core.a -o build/kernels && build/kernels

#include <chrono>
#include <cstdio>
#include <ctime>
#include <vector>

#include "kernels/kernels.hpp"

namespace {

double cpu_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// Least CPU time of one call, of seven rounds.
template <class Call>
double nanoseconds(Call call) {
  double best = 1e300;
  for (int round = 0; round < 7; ++round) {
    int calls = 0;
    const double start = cpu_nanoseconds();
    double spent = 0;
    do {
      for (int repetition = 0; repetition < 100; ++repetition) call();
      calls += 100;
      spent = cpu_nanoseconds() - start;
    } while (spent < 1e7);
    best = spent / calls < best ? spent / calls : best;
  }
  return best;
}

volatile double sink;

void report(const char* kernel, const char* variant, std::size_t n, double bytes, double operations, double time, double read) {
  std::printf("| %s | %s | %zu | %.1f | %.1f | %.0f %% |\n", kernel, variant, n, bytes / time, operations / time,
              100 * bytes / time / read);
}

}  // namespace

int main() {
  std::printf("| kernel | variant | labels or slots | GB/s | 10^9 operations/s | of a plain read |\n|---|---|---:|---:|---:|---:|\n");
  for (const std::size_t n : {4, 32, 80, 400, 2000}) {
    std::vector<double> table(n * n), x(n), out(n);
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<double>((i * 7919) % 1000);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>((i * 31) % 17);
    const double bytes = 8.0 * static_cast<double>(n * n), operations = 2.0 * static_cast<double>(n * n);
    const auto list = fwmap::available_kernels();
    const fwmap::Kernels* widest = list[0];
    for (auto next = list; *next != nullptr; ++next) widest = *next;
    const double read = bytes / nanoseconds([&] { sink = widest->minimum(table.data(), table.size()); });
    for (auto next = list; *next != nullptr; ++next) {
      const fwmap::Kernels& k = **next;
      report("min_plus_columns", k.name, n, bytes, operations,
             nanoseconds([&] { k.min_plus_columns(x.data(), table.data(), n, n, out.data()); sink = out[0]; }), read);
      report("min_plus_rows", k.name, n, bytes, operations,
             nanoseconds([&] { k.min_plus_rows(x.data(), table.data(), n, n, out.data()); sink = out[0]; }), read);
    }
  }
  for (const std::size_t n : {200, 4000, 1000000}) {
    std::vector<double> mu(n, 1), y(n, 0.5), mean(n, 0.25), metric(n, 0.5), lambda(n);
    const auto list = fwmap::available_kernels();
    const fwmap::Kernels* widest = list[0];
    for (auto next = list; *next != nullptr; ++next) widest = *next;
    const double bytes = 8.0 * static_cast<double>(n);
    const double read = bytes / nanoseconds([&] { sink = widest->minimum(mu.data(), n); });
    for (auto next = list; *next != nullptr; ++next) {
      const fwmap::Kernels& k = **next;
      double lambda_y = 0, y_norm = 0;
      report("dual_point", k.name, n, 5 * bytes, 7.0 * static_cast<double>(n), nanoseconds([&] {
               k.dual_point(mu.data(), y.data(), mean.data(), metric.data(), 0.3, n, lambda.data(), &lambda_y, &y_norm);
               sink = lambda[0];
             }),
             read);
    }
  }
}
