#pragma once
// A ray of an image together with the edges between its successive pixels: a projection and a path in one term.

#include <memory>

#include "oracles/forest.hpp"
#include "oracles/pairwise_costs.hpp"
#include "oracles/pixel_sums.hpp"

namespace fwmap {

/// What a chain term is made of.
struct Chain : Projection {
  std::vector<Index> order;       ///< every pixel once, as they follow each other along the ray
  std::vector<ForestEdge> edges;  ///< between pixels that follow each other, at most one for each such pair
  std::shared_ptr<const TablePool> tables;
};

/// Minimises unaries, costs of edges and a cost of the sum of all labels, exactly, by going along the chain: for each
/// pixel, label and sum so far the least cost of the pixels up to there. A projection and a path of the field that are
/// minimised together prove more than each by itself. Sums that lead to no allowed total are not looked at.
///
/// Coordinates are those of PixelSums.
/// Cost of a call: for each pixel the sums that are looked at, times the labels of both ends of its edge.
/// Scratch memory is the calling thread's, shared by all chains.
class ChainOracle final : public Oracle {
 public:
  /// Throws std::invalid_argument where sizes do not match, pixels are missing in the order, or an edge is not
  /// between pixels that follow each other, or costs a product.
  explicit ChainOracle(Chain chain);

  Index n_coordinates() const override { return static_cast<Index>(pixels_.n_coordinates()); }
  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override;
  double operations() const override { return operations_; }
  double cost(std::span<const Index> support) const override;
  bool min_marginals(std::span<const double> weights, std::span<double> out) override;

 private:
  /// A place in the order.
  struct Step {
    Index pixel;
    std::size_t table;    // costs of (label before, label here) begin there in tables_; none of the first step
    Window window;        // sums up to here that can be reached and lead to an allowed total
    std::size_t values;   // where label 0's costs by sum begin in the scratch memory
    std::size_t stride;   // from one label to the next
  };

  void take_edges(const Chain& chain);
  void find_windows();
  double take(std::span<const double> weights);
  void go_along(std::vector<double>& values) const;
  std::size_t labels(const Step& step) const { return pixels_.n_labels(step.pixel); }

  PixelSums pixels_;
  double operations_ = 0;
  double fixed_negative_ = 0;  // what edges and sums can lower the energy by
  double depth_ = 0;           // roundings that an item passes through
  bool feasible_ = false;      // as far as allowed labels and totals tell
  std::size_t n_values_ = 0;   // scratch memory of one call
  std::vector<Step> steps_;
  std::vector<double> tables_;  // of the links, row-major; equal ones stand there once
};

}  // namespace fwmap
