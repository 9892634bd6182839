#pragma once
// How far costs lie apart, whatever is forbidden and whatever lies far out.

#include <cstddef>
#include <span>
#include <vector>

namespace fwmap {

/// Median distance from the median, among the finite ones of at most `most` of the values, spread over all of them, that
/// differ from it; 0 where there are none. Of an even number the upper one of both is the median. `scratch` is reused.
double typical_spread(std::span<const double> values, std::size_t most, std::vector<double>& scratch);

}  // namespace fwmap
