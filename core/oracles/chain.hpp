#pragma once
// A ray of an image together with the edges between its successive pixels: a projection and a path in one term.

#include <memory>

#include "oracle.hpp"
#include "oracles/forest.hpp"
#include "oracles/pairwise_costs.hpp"

namespace fwmap {

/// What a chain term is made of.
struct Chain {
  std::vector<Index> n_labels;    ///< per pixel, >= 1; label = intensity 0 .. n_labels - 1
  std::vector<double> unaries;    ///< this term's share of the unary costs, concatenated; +inf forbids
  std::vector<Index> order;       ///< every pixel once, as they follow each other along the ray
  std::vector<ForestEdge> edges;  ///< between pixels that follow each other, at most one for each such pair
  std::shared_ptr<const TablePool> tables;
  std::vector<double> sum_costs;  ///< of each sum of labels; +inf forbids, and so does the end of the list
};

/// Minimises unaries, costs of edges and a cost of the sum of all labels, exactly, by going along the chain: for each
/// pixel, label and sum so far the least cost of the pixels up to there. A projection and a path of the field that are
/// minimised together prove more than each by itself. Sums that lead to no allowed total are not looked at.
///
/// Coordinates: the labels of pixel 0, of pixel 1, ...; a labeling sets one of each pixel.
/// Cost of a call: for each pixel the sums that are looked at, times the labels of both ends of its edge.
/// Scratch memory is the calling thread's, shared by all chains.
class ChainOracle final : public Oracle {
 public:
  /// Throws std::invalid_argument where sizes do not match, pixels are missing in the order, or an edge is not
  /// between pixels that follow each other, or costs a product.
  explicit ChainOracle(Chain chain);

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

  /// A place in the order.
  struct Step {
    Index pixel;
    std::size_t table;    // costs of (label before, label here) begin there in tables_; none of the first step
    Window window;        // sums up to here that can be reached and lead to an allowed total
    std::size_t values;   // where label 0's costs by sum begin in the scratch memory
    std::size_t stride;   // from one label to the next
  };

  void take_edges();
  void find_windows();
  void fill_labels(std::span<const double> weights, double& negative);
  void go_along(std::vector<double>& values) const;
  double sum_cost(Index sum) const { return chain_.sum_costs[static_cast<std::size_t>(sum)]; }
  std::size_t labels(const Step& step) const {
    return static_cast<std::size_t>(chain_.n_labels[static_cast<std::size_t>(step.pixel)]);
  }

  Chain chain_;
  double operations_ = 0;
  double fixed_negative_ = 0;  // what edges and sums can lower the energy by
  double depth_ = 0;           // roundings that an item passes through
  bool feasible_ = false;      // as far as allowed_ and the allowed totals tell
  Window totals_ = kNone;      // from the first to the last allowed total
  std::size_t n_values_ = 0;   // scratch memory of one call
  std::vector<std::size_t> offsets_;  // first coordinate of each pixel, and the end
  std::vector<Step> steps_;
  std::vector<double> tables_;        // of the links, row-major; equal ones stand there once
  std::vector<Window> allowed_;       // per pixel the labels the windows were made for
  std::vector<double> labels_;        // unaries + weights
};

}  // namespace fwmap
