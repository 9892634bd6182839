#pragma once
// A few points that choose partners, no partner twice, with weights of pairs: what forests and one assignment for all
// points cannot see together.

#include <array>

#include "oracle.hpp"

namespace fwmap {

/// Three or four points. Of a pair of points with an edge the entries carry weights.
struct LocalMatching {
  std::vector<Index> n_labels;              ///< per point, >= 1
  std::vector<Index> partners;              ///< per label, concatenated: what it takes, or -1
  std::vector<std::array<Index, 2>> edges;  ///< two points, the rows' first; a pair of points at most once
  std::vector<char> forbidden;              ///< concatenated tables: entries that no labeling uses; empty: none
};

/// Minimises the weights of the entries that a labeling of the points uses, exactly, by branch and bound over the labels
/// of two points and then the others. Two points never choose the same partner, whether they have an edge or not. A term
/// without costs of its own, added to tighten a relaxation.
///
/// Coordinates: the entries of the tables of edge 0, of edge 1, ..., row-major. A labeling sets one of each.
/// Cost of a call: up to the product of the numbers of labels; counted is what it takes without branching further than
/// two points, twice.
class LocalMatchingOracle final : public Oracle {
 public:
  /// Throws std::invalid_argument where sizes do not match.
  explicit LocalMatchingOracle(LocalMatching problem);

  Index n_coordinates() const override { return static_cast<Index>(offsets_.back()); }
  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override;
  double operations() const override { return operations_; }
  double cost(std::span<const Index> support) const override;

 private:
  static constexpr std::size_t kPoints = 4;  // a missing fourth point has one label, which takes nothing

  /// The table of points i < j, rows are labels of i.
  struct Table {
    std::vector<double> base, values;  // 0 or +inf; with weights
    std::size_t columns = 0;
    const double* row(std::size_t a) const { return values.data() + a * columns; }
  };

  Table& table(std::size_t i, std::size_t j) { return tables_[i * kPoints + j]; }
  double fill(std::span<const double> weights);
  void look_at(std::size_t a, std::size_t b, double& best);

  LocalMatching problem_;
  std::array<std::size_t, kPoints> labels_{};
  std::array<Table, kPoints * kPoints> tables_;
  std::vector<std::size_t> offsets_;  // first coordinate of each edge, and the end
  double operations_ = 0;
  std::vector<double> third_, fourth_, lowest_last_;  // scratch: per label of the third, the fourth point
  double lowest_pair_ = 0;                            // of the table of the last two points
  std::array<std::size_t, kPoints> labeling_{};
};

}  // namespace fwmap
