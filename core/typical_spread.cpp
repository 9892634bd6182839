#include "typical_spread.hpp"

#include <algorithm>
#include <cmath>

namespace fwmap {
namespace {

double upper_median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double typical_spread(std::span<const double> values, std::size_t most, std::vector<double>& scratch) {
  scratch.clear();
  const std::size_t n = std::min(values.size(), most), stride = n == 0 ? 1 : values.size() / n;
  for (std::size_t k = 0; k < n; ++k) {
    // One somewhere in each stride: equal steps could see one column of a table only.
    const double value = values[k * values.size() / n + (k * 2654435761u >> 8) % stride];
    if (std::isfinite(value)) scratch.push_back(value);
  }
  if (scratch.empty()) return 0;
  const double median = upper_median(scratch);
  for (double& value : scratch) value = std::abs(value - median);
  scratch.erase(std::remove(scratch.begin(), scratch.end(), 0.0), scratch.end());
  return scratch.empty() ? 0.0 : upper_median(scratch);
}

}  // namespace fwmap
