#pragma once
// Quadratic assignment: permutations improved by exchanging the places of two points.

#include <span>
#include <vector>

#include "oracle.hpp"
#include "random.hpp"
#include "rounding/forest_moves.hpp"

namespace fwmap {

/// sum over i of linear[i][p(i)] plus sum over i != j of left[i][j] * right[p(i)][p(j)], for permutations p of n
/// points; row-major, all finite (penalties in place of what is forbidden). Points from `n_real` on are there to make
/// the numbers of points and places equal: they cost nothing, and are never exchanged among themselves.
struct QuadraticAssignment {
  std::size_t n = 0, n_real = 0;
  std::vector<double> left, right, linear;
};

/// Keeps what every exchange would change, in n^2 numbers: after an exchange each is brought up to date in a few
/// operations but those of the two points themselves, which take n each.
class ExchangeSearch {
 public:
  /// Throws std::invalid_argument where sizes do not match.
  ExchangeSearch(QuadraticAssignment problem, std::uint64_t seed);

  double energy(std::span<const Index> permutation) const;

  /// Makes the best exchange until none helps or `max_operations` are spent.
  MoveOutcome descend(std::span<Index> permutation, double max_operations);

  /// Tabu search (after the idea of Taillard's robust one): the best exchange of all is made even where it makes
  /// things worse; what was given up does not come back for a while of random length, unless it leads to the best
  /// permutation so far, and what has not been tried for very long is tried. Where nothing better was found for long,
  /// it goes on from a random permutation. Starts from `permutation`, or goes on
  /// from where it was when that is the best one it had found. Ends with the best one.
  MoveOutcome wander(std::span<Index> permutation, double max_operations);

 private:
  struct Exchange {
    double change = kInfinity;
    std::size_t first = 0, second = 0;
  };

  void start(std::span<const Index> permutation);
  void refresh();
  void begin_anew();
  double change_of(std::size_t i, std::size_t j) const;
  void exchange(std::size_t r, std::size_t s);
  double left(std::size_t i, std::size_t j) const { return problem_.left[i * problem_.n + j]; }
  double right(std::size_t k, std::size_t l) const { return problem_.right[k * problem_.n + l]; }
  double linear(std::size_t i, std::size_t k) const { return problem_.linear[i * problem_.n + k]; }
  double cost_of_step() const;

  QuadraticAssignment problem_;
  bool symmetric_;
  Random random_;
  std::vector<std::size_t> at_;      // place of each point
  std::vector<double> changes_;      // [i][j], i < j: what their exchange would change
  std::vector<double> tabu_until_;   // [point][place]
  std::vector<Index> best_;
  std::vector<double> row_left_, row_right_, column_left_, column_right_;
  double here_ = 0;                  // energy less that of `best_`
  double step_ = 0, began_ = 0;      // and the step of the last success, or of a new beginning
  double exchanges_ = 0;             // since the changes were computed afresh
  double operations_ = 0;
};

}  // namespace fwmap
