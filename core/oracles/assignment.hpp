#pragma once
// Points that choose partners, no partner twice: the uniqueness term of graph matching.

#include "oracle.hpp"

namespace fwmap {

/// What an assignment term is made of.
struct Assignment {
  std::vector<Index> n_labels;  ///< per point, >= 1
  std::vector<Index> partners;  ///< per label, concatenated: 0 .. n_partners - 1, or -1 for none; a point has each once
  Index n_partners = 0;
  std::vector<double> unaries;  ///< this term's share of the unary costs, concatenated; +inf forbids
};

/// Minimises the unaries over the labelings in which no partner is chosen by two points, exactly, by shortest
/// augmenting paths (Dijkstra with potentials). Any number of points may choose none.
///
/// Coordinates: the labels of point 0, of point 1, ...; a labeling sets one of each point.
///
/// The prices of the partners (the dual, <= 0) are kept from call to call: where weights changed little, few paths
/// are left to be found. Which one of several equal minimisers is returned depends on them, and so on the calls
/// before; the same calls in the same order always give the same answers.
///
/// value - rounding is what the prices prove: sum over points of min(cost - price) plus the sum of prices.
class AssignmentOracle final : public Oracle {
 public:
  /// Throws std::invalid_argument where sizes do not match or a partner repeats.
  explicit AssignmentOracle(Assignment assignment);

  Index n_coordinates() const override { return static_cast<Index>(offsets_.back()); }
  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override;
  double operations() const override { return operations_; }
  double cost(std::span<const Index> support) const override;
  bool min_marginals(std::span<const double> weights, std::span<double> out) override;

  /// Of the labels of one point it costs little more than `minimize`.
  bool block_min_marginals(std::span<const double> weights, std::size_t first, std::span<double> out) override;
  std::span<const double> unaries() const override { return assignment_.unaries; }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// A partner, its distance from where a search began, and how it was reached.
  struct Reached {
    double distance = kInfinity;
    std::size_t label = kNone;  // of the point that would move there, or that would be taken by its new partner
    bool settled = false;
  };

  void fill_costs(std::span<const double> weights);
  bool solve();
  void choose_cheapest();
  bool find_partner(std::size_t point);
  void free_partner(std::size_t partner);
  std::size_t nearest_unsettled();
  void reach(std::size_t partner, double distance, std::size_t label);
  void forget_reached();
  void move(std::size_t point, std::size_t label);
  double proved(double& allowance) const;
  void distances_to(std::size_t target);

  bool is_none(std::size_t label) const { return assignment_.partners[label] < 0; }
  std::size_t partner_of(std::size_t label) const { return static_cast<std::size_t>(assignment_.partners[label]); }
  /// Cost of a label less the price of its partner.
  double net(std::size_t label) const { return is_none(label) ? costs_[label] : costs_[label] - prices_[partner_of(label)]; }
  /// What it costs a point more than its cheapest label, at the prices.
  double reduced(std::size_t point, std::size_t label) const { return std::max(0.0, net(label) - values_[point]); }
  std::size_t n_points() const { return assignment_.n_labels.size(); }

  Assignment assignment_;
  double operations_ = 0;
  std::vector<std::size_t> offsets_;            // first label of each point, and the end
  std::vector<std::size_t> takers_, taker_at_;  // labels of each partner, and where they begin
  std::vector<std::size_t> none_labels_;        // labels that stand for no partner
  std::vector<std::size_t> point_of_;           // per label
  std::vector<double> costs_;                   // unaries + weights
  std::vector<double> prices_, values_;         // the dual: of partners, of points
  std::vector<std::size_t> label_of_;           // per point, kNone: not yet
  std::vector<std::size_t> chosen_by_;          // per partner the point, kNone: free
  std::vector<Reached> reached_;                // per partner
  std::vector<std::size_t> touched_;            // partners reached in the current search
  std::vector<double> distance_;                // of distances_to
  std::vector<char> settled_;
};

}  // namespace fwmap
