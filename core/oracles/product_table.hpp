#pragma once
// A square table that many edges use, each with weights of its own: quadratic assignment.

#include <cstddef>
#include <span>
#include <vector>

namespace fwmap {

/// Messages over edges that cost weight * T[a][b] + transposed * T[b][a], +inf where T[a][b] is +inf; T forbids
/// (a, b) and (b, a) alike. No table of an edge is ever formed: a message takes n^2 operations in a few tables that
/// all edges share. (Where weights or entries have few distinct values, the least of each class of labels could be
/// looked up instead; with the vectors of `min_plus_product` one pass over all labels is as fast, and depends on
/// nothing.)
class ProductTable {
 public:
  /// Throws std::invalid_argument where the table is not square, or forbids (a, b) and not (b, a).
  explicit ProductTable(std::span<const double> table);

  std::size_t n_labels() const { return n_; }

  /// out[b] = min_a x[a] + cost(a, b), or of cost(b, a) where `from_first` is false: x is of the second end.
  void message(double weight, double transposed, bool from_first, const double* x, double* out) const;

  /// max(0, -lowest cost).
  double negative_part(double weight, double transposed) const;

  /// Bound of the rounding of any of the costs; 0 where all are integers that doubles hold.
  double rounding(double weight, double transposed) const;

 private:
  /// The table read by rows, or by columns, with inf signed so that a weight of that sign makes it +inf.
  struct Reading {
    std::vector<double> finite, plus, minus;  ///< 0, +inf and -inf where forbidden
  };
  static Reading reading_of(std::span<const double> table, std::size_t n, bool transposed);
  const Reading& reading(bool transposed) const { return symmetric_ || !transposed ? rows_ : columns_; }

  std::size_t n_;
  bool symmetric_, whole_ = true;
  Reading rows_, columns_;
  std::vector<double> mask_;  ///< 0, +inf where forbidden
  double lowest_ = 0, highest_ = 0;
};

}  // namespace fwmap
