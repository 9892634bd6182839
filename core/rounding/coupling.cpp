#include "rounding/coupling.hpp"

#include <algorithm>
#include <cmath>

#include "poll.hpp"

namespace fwmap {

// Prices keep cost + row price - column price >= 0 on finite pairs, and = 0 where there is flow, so that the shortest
// augmenting path can be found by Dijkstra's method. Vertices: rows, then columns.
Coupling::Outcome Coupling::solve(std::span<std::int64_t> rows, std::span<std::int64_t> columns,
                                  std::span<const double> costs) {
  const std::size_t n = rows.size(), m = columns.size();
  Outcome outcome;
  flow_.assign(n * m, 0);
  row_price_.assign(n, 0.0);
  column_price_.assign(m, kInfinity);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < m; ++b) column_price_[b] = std::min(column_price_[b], costs[a * m + b]);
  outcome.operations += static_cast<double>(n * m);

  for (;;) {
    poll();
    distance_.assign(n + m, kInfinity);
    from_.assign(n + m, -1);
    settled_.assign(n + m, 0);
    for (std::size_t a = 0; a < n; ++a)
      if (rows[a] > 0) distance_[a] = 0;
    std::size_t end = n + m;
    for (;;) {
      std::size_t next = n + m;
      for (std::size_t k = 0; k < n + m; ++k)
        if (!settled_[k] && distance_[k] < kInfinity && (next == n + m || distance_[k] < distance_[next])) next = k;
      outcome.operations += static_cast<double>(n + m);
      if (next == n + m) break;
      settled_[next] = 1;
      if (next >= n && columns[next - n] > 0) {
        end = next;
        break;
      }
      const double so_far = distance_[next];
      const auto reach = [&](std::size_t k, double length) {
        const double total = so_far + std::max(0.0, length);
        if (!settled_[k] && total < distance_[k]) {
          distance_[k] = total;
          from_[k] = static_cast<std::ptrdiff_t>(next);
        }
      };
      if (next < n) {
        for (std::size_t b = 0; b < m; ++b)
          if (costs[next * m + b] < kInfinity)
            reach(n + b, costs[next * m + b] + row_price_[next] - column_price_[b]);
        outcome.operations += static_cast<double>(m);
      } else {
        for (std::size_t a = 0; a < n; ++a)
          if (flow_[a * m + next - n] > 0) reach(a, 0.0);
        outcome.operations += static_cast<double>(n);
      }
    }
    if (end == n + m) break;

    const double length = distance_[end];
    for (std::size_t a = 0; a < n; ++a) row_price_[a] += std::min(distance_[a], length);
    for (std::size_t b = 0; b < m; ++b) column_price_[b] += std::min(distance_[n + b], length);
    std::int64_t amount = columns[end - n];
    std::size_t k = end;
    for (; from_[k] >= 0; k = static_cast<std::size_t>(from_[k]))
      if (k < n) amount = std::min(amount, flow_[k * m + static_cast<std::size_t>(from_[k]) - n]);
    amount = std::min(amount, rows[k]);
    rows[k] -= amount;
    columns[end - n] -= amount;
    for (k = end; from_[k] >= 0; k = static_cast<std::size_t>(from_[k])) {
      const auto before = static_cast<std::size_t>(from_[k]);
      if (k >= n)
        flow_[before * m + k - n] += amount;
      else
        flow_[k * m + before - n] -= amount;
    }
    outcome.paired += amount;
  }
  for (std::size_t k = 0; k < n * m; ++k)
    if (flow_[k] > 0) {
      const double part = static_cast<double>(flow_[k]) * costs[k];
      outcome.cost += part;
      outcome.magnitude += std::abs(part);
      ++outcome.pairs;
    }
  return outcome;
}

}  // namespace fwmap
