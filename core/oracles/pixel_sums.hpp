#pragma once
// What a projection and a chain have in common: pixels with labels, and a cost of the sum of all labels.

#include <string>

#include "oracle.hpp"

namespace fwmap {

/// A tomographic projection: pixels whose labels must add up (section "Discrete tomography").
struct Projection {
  std::vector<Index> n_labels;    ///< per pixel, >= 1; label = intensity 0 .. n_labels - 1
  std::vector<double> unaries;    ///< this term's share of the unary costs, concatenated; +inf forbids
  std::vector<double> sum_costs;  ///< of each sum of labels; +inf forbids, and so does the end of the list
};

/// Labels or sums lowest .. highest; none where highest < lowest.
struct Window {
  Index lowest = std::numeric_limits<Index>::max(), highest = -1;

  bool operator==(const Window&) const = default;
  bool empty() const { return highest < lowest; }
  std::size_t size() const { return static_cast<std::size_t>(highest - lowest) + 1; }
  /// Of a value that is above all before.
  void reach(Index value) {
    highest = value;
    if (value < lowest) lowest = value;
  }
};

/// The costs of a projection, by pixel and label, with the weights of a call; which labels and totals are allowed.
/// Coordinates: the labels of pixel 0, of pixel 1, ...; a labeling sets one of each pixel.
class PixelSums {
 public:
  /// Throws std::invalid_argument where the sizes do not match; `what` says what has them, such as "a projection".
  PixelSums(Projection projection, const std::string& what);

  std::size_t n_pixels() const { return allowed_.size(); }
  std::size_t n_coordinates() const { return offsets_.back(); }
  std::size_t n_labels(Index pixel) const { return offset(pixel + 1) - offset(pixel); }
  /// The pixel's first coordinate.
  std::size_t offset(Index pixel) const { return offsets_[static_cast<std::size_t>(pixel)]; }
  double unary(Index coordinate) const { return unaries_[static_cast<std::size_t>(coordinate)]; }
  double sum_cost(Index sum) const { return sum_costs_[static_cast<std::size_t>(sum)]; }
  /// From the first to the last allowed total.
  Window totals() const { return totals_; }
  /// What sums can lower the energy by, at most.
  double negative() const { return negative_; }

  /// Takes the weights of a call, and adds to `negative` what labels can lower the energy by. Tells whether other labels
  /// are allowed than in the call before; at first all are.
  bool take(std::span<const double> weights, double& negative);
  /// unary + weight of each label of a pixel.
  const double* labels(Index pixel) const { return labels_.data() + offset(pixel); }
  /// From the first to the last allowed label.
  Window allowed(Index pixel) const { return allowed_[static_cast<std::size_t>(pixel)]; }

  /// The cost of the sum of a labeling; +inf too where `support` is none: not one label per pixel.
  double sum_cost_of(std::span<const Index> support) const;

 private:
  std::vector<double> unaries_, sum_costs_;
  std::vector<std::size_t> offsets_;  // first coordinate of each pixel, and the end
  Window totals_;
  double negative_ = 0;
  std::vector<double> labels_;
  std::vector<Window> allowed_;
};

}  // namespace fwmap
