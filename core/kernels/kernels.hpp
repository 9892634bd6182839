#pragma once
// Inner loops that are worth a processor's widest vectors, chosen once at run time.
//
// Every variant returns the same bits: minima do not depend on their order, and sums are always
// formed in eight lanes that are added in one fixed order, whatever the width of the vectors.

#include <cstddef>

namespace fwmap {

inline constexpr std::size_t kLanes = 8;

/// Table of the kernels for one instruction set.
struct Kernels {
  const char* name;

  /// out[b] = min_a x[a] + table[a * n_out + b].
  void (*min_plus_columns)(const double* x, const double* table, std::size_t n_in, std::size_t n_out,
                           double* out);

  /// out[b] = min_a x[a] + table[b * n_in + a].
  void (*min_plus_rows)(const double* x, const double* table, std::size_t n_in, std::size_t n_out,
                        double* out);

  /// out[b] = min_a x[a] + (weight * table[a * n_out + b] + weight2 * table2[a * n_out + b]); table2 may be null.
  void (*min_plus_product)(const double* x, double weight, const double* table, double weight2, const double* table2,
                           std::size_t n_in, std::size_t n_out, double* out);

  /// Minimum of x[0..n); +inf where n is 0.
  double (*minimum)(const double* x, std::size_t n);

  /// out[i] = a[i] + b[i]; returns the minimum of out.
  double (*add_minimum)(const double* a, const double* b, std::size_t n, double* out);

  /// accumulator[i] += x[i].
  void (*accumulate)(const double* x, std::size_t n, double* accumulator);

  /// lambda[i] = mu[i] + c * (y[i] - mean[i])  (Prop. 2, with nu written as c * mean of y);
  /// adds sum lambda[i] * y[i] to *lambda_y and sum metric[i] * y[i]^2 to *y_norm.
  void (*dual_point)(const double* mu, const double* y, const double* mean, const double* metric, double c,
                     std::size_t n, double* lambda, double* lambda_y, double* y_norm);

  /// y[i] *= 1 - gamma, and mean[i] follows: mean[i] -= share[i] * gamma * y[i].
  void (*shrink)(double gamma, const double* share, std::size_t n, double* y, double* mean);

  /// out[i] = min(x[i] - min x, highest); returns min x. Where all are +inf, out is of no use.
  double (*lower_to_zero)(const double* x, std::size_t n, double highest, double* out);

  /// message[i] = share * costs[i] - message[i].
  void (*share_less)(double share, const double* costs, std::size_t n, double* message);

  /// accumulator[i] += factor * x[i].
  void (*add_scaled)(double factor, const double* x, std::size_t n, double* accumulator);

  /// out[k] = min { x[i] + y[j] : i + j = first + k }, +inf where there is no such pair, for k < n_out.
  /// y must be readable, and +inf, in the kLanes entries before it and after it. out must not overlap x or y.
  void (*min_convolution)(const double* x, std::size_t n_x, const double* y, std::size_t n_y, std::size_t first,
                          std::size_t n_out, double* out);

  /// out[i] = (min_a x[a * stride + i] + costs[a * cost_stride]) + offset for i < n. x must be readable up to the next
  /// multiple of kLanes of i, and out is written up to there.
  void (*min_plus_stacked)(const double* x, std::size_t stride, std::size_t n_in, const double* costs,
                           std::size_t cost_stride, double offset, std::size_t n, double* out);
};

/// The kernels in use: the widest that this processor runs, unless `use_kernels` said otherwise.
const Kernels& kernels();

/// Variants that this processor runs, narrowest first; a null-terminated array.
const Kernels* const* available_kernels();

/// Forces a variant by its name ("baseline", "avx2", "avx512"). Returns false where it is not available.
/// Meant for tests; must not be called while another thread solves.
bool use_kernels(const char* name);

}  // namespace fwmap
