#pragma once
// The oracle of a tomographic projection.

#include "oracles/pixel_sums.hpp"

namespace fwmap {

/// Minimises unaries plus a cost of the sum of all labels, exactly, by recursive halving: for each part of the
/// pixels phi(s) is the least cost of the labelings with sum s, and the phi of a part is the min-convolution of
/// its halves' (eq. message-computation of the paper). Sums that lead to no allowed total are not looked at.
///
/// Coordinates are those of PixelSums.
/// Among equal minimisers the one with the lowest total, then with the lowest sum of the first half, and so on.
class ProjectionOracle final : public Oracle {
 public:
  /// Throws std::invalid_argument where the sizes do not match.
  explicit ProjectionOracle(Projection projection);

  Index n_coordinates() const override { return static_cast<Index>(pixels_.n_coordinates()); }
  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override;
  double operations() const override { return operations_; }
  double cost(std::span<const Index> support) const override;
  bool min_marginals(std::span<const double> weights, std::span<double> out) override;

 private:
  /// A part of the pixels: a pixel, or two parts. Halves come before the whole, the root is last.
  struct Part {
    std::int32_t first, second;  // halves; of a pixel: first = -1, second = the pixel
    Window window;               // sums that can be reached and lead to an allowed total
    std::size_t values;          // where phi(window.lowest) stands
    bool is_pixel() const { return first < 0; }
  };

  std::int32_t build(std::size_t begin, std::size_t end);
  double n_pairs(const Part& whole) const;
  double take(std::span<const double> weights);
  void find_windows();
  void convolve();
  Index split(const Part& whole, Index sum) const;

  Part& part(std::int32_t k) { return parts_[static_cast<std::size_t>(k)]; }
  const Part& part(std::int32_t k) const { return parts_[static_cast<std::size_t>(k)]; }
  const Part& root() const { return parts_.back(); }
  double phi(const Part& whole, Index sum) const {
    return values_[whole.values + static_cast<std::size_t>(sum - whole.window.lowest)];
  }

  PixelSums pixels_;
  double depth_ = 0;         // roundings that an item passes through
  double operations_ = 0;
  bool feasible_ = false;    // as far as allowed labels and totals tell
  std::vector<Part> parts_;
  std::vector<double> values_;              // phi of every part, each with +inf around it
  std::vector<double> outside_, reversed_;  // of min_marginals
  std::vector<Index> sums_;                 // of the minimiser, per part
};

}  // namespace fwmap
