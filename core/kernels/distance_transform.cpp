#include "kernels/distance_transform.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"

namespace fwmap {
namespace {

void every_pair(const EdgeCost& edge, const double* x, std::size_t n_in, std::size_t n_out, double* out) {
  static const TablePool no_tables({}, {}, nullptr);
  for (std::size_t b = 0; b < n_out; ++b) {
    double best = kInfinity;
    for (std::size_t a = 0; a < n_in; ++a)
      best = std::min(best, x[a] + edge_cost(edge, no_tables, static_cast<Index>(a), static_cast<Index>(b),
                                             static_cast<Index>(n_out)));
    out[b] = best;
  }
}

void potts(double weight, const double* x, std::size_t n_in, std::size_t n_out, double* out) {
  double lowest = kInfinity, second = kInfinity;
  std::size_t where = n_in;
  if (weight >= 0) {
    lowest = kernels().minimum(x, n_in);
    second = lowest;  // staying at the lowest label costs no more than leaving it
  } else {
    for (std::size_t a = 0; a < n_in; ++a) {
      if (x[a] < lowest) {
        second = lowest;
        lowest = x[a];
        where = a;
      } else {
        second = std::min(second, x[a]);
      }
    }
  }
  const double change = lowest + weight, change_from_second = second + weight;
  for (std::size_t b = 0; b < n_out; ++b) {
    const double other = b == where ? change_from_second : change;
    out[b] = b < n_in && x[b] < other ? x[b] : other;
  }
}

void linear(const EdgeCost& edge, const double* x, std::size_t n_in, std::size_t n_out, double* out) {
  const double w = edge.weight;
  std::copy_n(x, std::min(n_in, n_out), out);
  std::fill(out + std::min(n_in, n_out), out + std::max(n_in, n_out), kInfinity);
  const std::size_t n = std::max(n_in, n_out);
  if (n_in > n_out) std::copy_n(x + n_out, n_in - n_out, out + n_out);  // out has room for n entries
  for (std::size_t b = 1; b < n; ++b) out[b] = std::min(out[b], out[b - 1] + w);
  for (std::size_t b = n - 1; b-- > 0;) out[b] = std::min(out[b], out[b + 1] + w);
  if (edge.truncation < static_cast<double>(n)) {
    const double cap = kernels().minimum(x, n_in) + w * edge.truncation;
    for (std::size_t b = 0; b < n_out; ++b) out[b] = std::min(out[b], cap);
  }
}

// Lower envelope of the parabolas x[a] + w (b - a)^2 (Felzenszwalb & Huttenlocher). Parabolas whose apex is
// above every value that can matter are left out first: the numbers that are compared then are no larger
// than w * n^2, which is what structured_message_rounding relies on.
void quadratic(const EdgeCost& edge, const double* x, std::size_t n_in, std::size_t n_out, double* out,
               Envelope& envelope) {
  const double w = edge.weight;
  const double lowest = kernels().minimum(x, n_in);
  if (lowest == kInfinity || w == 0) {
    std::fill_n(out, n_out, lowest);
    return;
  }
  const auto span = static_cast<double>(std::max(n_in, n_out));
  const double cap = lowest + w * std::min(edge.truncation, span * span);
  if (envelope.apex.size() < n_in) {
    envelope.apex.resize(n_in);
    envelope.from.resize(n_in);
  }
  Index* apex = envelope.apex.data();
  double* from = envelope.from.data();
  std::size_t size = 0;
  for (std::size_t a = 0; a < n_in; ++a) {
    if (x[a] > cap) continue;
    double start = -kInfinity;
    while (size > 0) {
      const auto p = static_cast<std::size_t>(apex[size - 1]);
      const auto gap = static_cast<double>(a - p);
      start = static_cast<double>(p) + ((x[a] - x[p]) / w + gap * gap) / (2 * gap);
      if (start > from[size - 1]) break;
      --size;
    }
    if (size == 0) start = -kInfinity;
    apex[size] = static_cast<Index>(a);
    from[size] = start;
    ++size;
  }
  std::size_t k = 0;
  for (std::size_t b = 0; b < n_out; ++b) {
    const auto position = static_cast<double>(b);
    while (k + 1 < size && from[k + 1] < position) ++k;
    const double distance = position - static_cast<double>(apex[k]);
    out[b] = std::min(x[apex[k]] + w * (distance * distance), cap);
  }
}

}  // namespace

void structured_message(const EdgeCost& edge, const double* x, std::size_t n_in, std::size_t n_out, double* out,
                        Envelope& envelope) {
  if (edge.kind == EdgeKind::kPotts) return potts(edge.weight, x, n_in, n_out, out);
  if (edge.weight < 0) return every_pair(edge, x, n_in, n_out, out);
  if (edge.kind == EdgeKind::kTruncatedLinear) return linear(edge, x, n_in, n_out, out);
  quadratic(edge, x, n_in, n_out, out, envelope);
}

double structured_message_rounding(const EdgeCost& edge, std::size_t n_in, std::size_t n_out) {
  const auto n = static_cast<double>(std::max(n_in, n_out));
  switch (edge.kind) {
    case EdgeKind::kTruncatedLinear:  // |a - b| additions instead of one product
      return 2 * n * kUnitRoundoff * std::abs(edge.weight) * n;
    case EdgeKind::kTruncatedQuadratic:  // an apex chosen on the wrong side of a rounded crossing
      return 16 * kUnitRoundoff * std::abs(edge.weight) * n * n * n;
    default: return 0;
  }
}

}  // namespace fwmap
