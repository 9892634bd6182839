#pragma once
// A factor of higher order, given by its table.

#include <memory>

#include "oracle.hpp"

namespace fwmap {

/// What a factor term is made of.
struct Factor {
  std::vector<Index> n_labels;         ///< per variable of the scope
  std::vector<double> unaries;         ///< this term's share of the unary costs, concatenated
  std::span<const double> table;       ///< C order, last variable fastest; +inf forbids
  std::shared_ptr<const void> owner;   ///< keeps the table alive
  std::vector<std::vector<Index>> blocks;  ///< scopes (ascending positions) whose joint labels are coordinates too
};

/// Minimises a table plus weights by looking at every entry.
///
/// Coordinates: the labels of each variable of the scope in turn, then for each block the joint labels of its
/// variables, last one fastest.
class FactorOracle final : public Oracle {
 public:
  /// Throws std::invalid_argument where the sizes do not match.
  explicit FactorOracle(Factor factor);

  Index n_coordinates() const override { return n_coordinates_; }
  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override;
  double operations() const override { return operations_; }
  double cost(std::span<const Index> support) const override;
  bool min_marginals(std::span<const double> weights, std::span<double> out) override;
  bool block_min_marginals(std::span<const double> weights, std::size_t first, std::span<double> out) override;
  std::span<const double> unaries() const override { return factor_.unaries; }

 private:
  // A group of variables whose joint label is a coordinate: entry e of the table has joint label
  // sum over its members of (e / stride % labels) * multiplier.
  struct Member {
    std::size_t stride, labels, multiplier;
  };
  struct Group {
    std::vector<Member> members;
    std::size_t first;  // coordinate of joint label 0
    std::size_t size;   // number of joint labels
    bool single;
  };

  double fill_sums(std::span<const double> weights);
  void lower_to_minima(const Group& group, std::span<double> out) const;
  std::size_t coordinate(const Group& group, std::size_t entry) const;
  double unary(std::size_t coordinate) const {
    return coordinate < factor_.unaries.size() ? factor_.unaries[coordinate] : 0.0;
  }

  Factor factor_;
  Index n_coordinates_ = 0;
  double operations_ = 0;
  double table_negative_part_ = 0;
  std::vector<Group> groups_;
  std::vector<double> sums_, weights_;
};

}  // namespace fwmap
