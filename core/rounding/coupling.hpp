#pragma once
// The cheapest way to pair two marginals: a transportation problem in whole numbers.

#include <cstdint>
#include <span>
#include <vector>

#include "oracle.hpp"

namespace fwmap {

/// Pairs masses of rows with masses of columns, by successive shortest paths: as much as finite costs allow, and where
/// that is everything, at the least cost up to the rounding of path lengths.
class Coupling {
 public:
  struct Outcome {
    std::int64_t paired = 0;  ///< mass that was paired
    double cost = 0;          ///< sum of mass * cost over the pairs
    double magnitude = 0;     ///< the same of |cost|: the sum is off by rounding_factor(pairs + 2) times this at most
    std::size_t pairs = 0;
    double operations = 0;
  };

  /// `costs` is row-major; +inf forbids a pair. What stays unpaired is left in `rows` and `columns`.
  Outcome solve(std::span<std::int64_t> rows, std::span<std::int64_t> columns, std::span<const double> costs);

 private:
  std::vector<std::int64_t> flow_;
  std::vector<double> row_price_, column_price_, distance_;
  std::vector<std::ptrdiff_t> from_;
  std::vector<char> settled_;
};

}  // namespace fwmap
