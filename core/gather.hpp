#pragma once
// Sums along a support.

#include <span>

#include "oracle.hpp"

namespace fwmap {

/// sum of values[i] over the support, in four lanes: one chain of additions would take their latency each.
inline double gather_sum(const double* values, std::span<const Index> support) {
  const Index* next = support.data();
  const Index* const end = next + support.size();
  double a = 0, b = 0, c = 0, d = 0;
  for (; end - next >= 4; next += 4) {
    a += values[next[0]];
    b += values[next[1]];
    c += values[next[2]];
    d += values[next[3]];
  }
  for (; next != end; ++next) a += values[*next];
  return (a + b) + (c + d);
}

}  // namespace fwmap
