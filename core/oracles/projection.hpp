#pragma once
// A tomographic projection: pixels whose labels must add up (section "Discrete tomography").

#include "oracle.hpp"

namespace fwmap {

/// What a projection term is made of.
struct Projection {
  std::vector<Index> n_labels;    ///< per pixel, >= 1; label = intensity 0 .. n_labels - 1
  std::vector<double> unaries;    ///< this term's share of the unary costs, concatenated; +inf forbids
  std::vector<double> sum_costs;  ///< of each sum of labels; +inf forbids, and so does the end of the list
};

/// Minimises unaries plus a cost of the sum of all labels, exactly, by recursive halving: for each part of the
/// pixels phi(s) is the least cost of the labelings with sum s, and the phi of a part is the min-convolution of
/// its halves' (eq. message-computation of the paper). Sums that lead to no allowed total are not looked at.
///
/// Coordinates: the labels of pixel 0, of pixel 1, ...; a labeling sets one of each pixel.
/// Among equal minimisers the one with the lowest total, then with the lowest sum of the first half, and so on.
class ProjectionOracle final : public Oracle {
 public:
  /// Throws std::invalid_argument where the sizes do not match.
  explicit ProjectionOracle(Projection projection);

  Index n_coordinates() const override { return static_cast<Index>(offsets_.back()); }
  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override;
  double operations() const override { return operations_; }
  double cost(std::span<const Index> support) const override;
  bool min_marginals(std::span<const double> weights, std::span<double> out) override;

 private:
  /// Sums lowest .. highest; none where highest < lowest.
  struct Window {
    Index lowest, highest;
    bool operator==(const Window&) const = default;
    bool empty() const { return highest < lowest; }
    std::size_t size() const { return static_cast<std::size_t>(highest - lowest) + 1; }
  };

  static constexpr Window kNone{std::numeric_limits<Index>::max(), -1};

  /// A part of the pixels: a pixel, or two parts. Halves come before the whole, the root is last.
  struct Part {
    std::int32_t first, second;  // halves; of a pixel: first = -1, second = the pixel
    Window window;               // sums that can be reached and lead to an allowed total
    std::size_t values;          // where phi(window.lowest) stands
    bool is_pixel() const { return first < 0; }
  };

  std::int32_t build(std::size_t begin, std::size_t end);
  double n_pairs(const Part& whole) const;
  void fill_labels(std::span<const double> weights, double& negative);
  void find_windows();
  void convolve();
  Index split(const Part& whole, Index sum) const;

  Part& part(std::int32_t k) { return parts_[static_cast<std::size_t>(k)]; }
  const Part& part(std::int32_t k) const { return parts_[static_cast<std::size_t>(k)]; }
  const Part& root() const { return parts_.back(); }
  double phi(const Part& whole, Index sum) const {
    return values_[whole.values + static_cast<std::size_t>(sum - whole.window.lowest)];
  }
  double sum_cost(Index sum) const { return projection_.sum_costs[static_cast<std::size_t>(sum)]; }

  Projection projection_;
  Window totals_ = kNone;    // from the first to the last allowed total
  double lowest_sum_cost_ = kInfinity;
  double depth_ = 0;         // roundings that an item passes through
  double operations_ = 0;
  bool feasible_ = false;    // as far as allowed_ and totals_ tell
  std::vector<std::size_t> offsets_;  // first coordinate of each pixel, and the end
  std::vector<Part> parts_;
  std::vector<Window> allowed_;       // per pixel the labels the windows were made for
  std::vector<double> labels_;        // unaries + weights
  std::vector<double> values_;        // phi of every part, each with +inf around it
  std::vector<double> outside_, reversed_;  // of min_marginals
  std::vector<Index> sums_;           // of the minimiser, per part
};

}  // namespace fwmap
