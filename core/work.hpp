#pragma once
// Operations of what solvers do beside calling oracles, in the unit of Oracle::operations.

namespace fwmap {

/// Streaming lambda, y and the mean costs a few memory accesses per slot, gathering along a support about as
/// much per entry.
inline constexpr double kStream = 4;
inline constexpr double kGather = 2;
inline constexpr double kVisit = 30;  ///< of a term, whatever its size

}  // namespace fwmap
