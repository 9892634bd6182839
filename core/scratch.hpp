#pragma once
// Memory that is needed during a call only.

#include <vector>

namespace fwmap {

/// Scratch of `n` items: the thread's, where that is no more than what stays in its cache, so that thousands of small
/// owners need it once for each thread and not once for each of them; else the owner's. Enlarged by zeros.
inline std::vector<double>& scratch(std::size_t n, std::vector<double>& of_thread, std::vector<double>& of_owner) {
  constexpr std::size_t kSmall = 65536;
  std::vector<double>& result = n <= kSmall ? of_thread : of_owner;
  if (result.size() < n) result.resize(n, 0.0);
  return result;
}

}  // namespace fwmap
