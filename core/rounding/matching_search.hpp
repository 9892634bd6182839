#pragma once
// Improves matchings: points change their partners, alone or two at a time.

#include <span>
#include <vector>

#include "oracle.hpp"
#include "random.hpp"
#include "rounding/forest_moves.hpp"

namespace fwmap {

/// A matching problem as searches read it; all costs finite (penalties in place of what is forbidden).
struct MatchingProblem {
  std::vector<std::int64_t> offsets;   ///< first label of each point, and the end
  std::vector<Index> partners;         ///< per label, ascending within a point; -1 (none) last, and always there
  Index n_partners = 0;
  std::vector<double> costs;           ///< per label
  std::vector<Index> first, second;    ///< labels of pairs, each pair once
  std::vector<double> pair_costs;      ///< paid where both labels are chosen
};

/// Searches among matchings: labelings in which no partner is chosen twice. What goes in must be one, and what
/// comes out is one.
class MatchingSearch {
 public:
  MatchingSearch(MatchingProblem problem, std::uint64_t seed);

  /// Makes the best move of each point in turn until none helps or `max_operations` are spent. A move takes a free
  /// partner or none, or takes the partner of another point, which gets the old one, another free one or none.
  MoveOutcome descend(std::span<Index> labeling, double max_operations);

  /// Tabu search from a labeling: the best move of all is made even where it makes things worse, and what was given up
  /// does not come back for a while, unless it leads to the best labeling so far. Ends with that one.
  MoveOutcome wander(std::span<Index> labeling, double max_operations);

  double energy(std::span<const Index> labeling) const;

 private:
  /// Point `first` gets a label, and point `second`, if it is one, too.
  struct Move {
    double change = kInfinity;
    Index first = -1, first_label = -1, second = -1, second_label = -1;
  };

  void start(std::span<const Index> labeling);
  void set(Index point, Index label);
  void make(const Move& move);
  template <class Allows>
  void look(Index point, const Allows& allows, Move& best);
  double pair_cost(Index p, Index q) const;
  Index label_with(Index point, Index partner) const;
  Index begin(Index point) const { return static_cast<Index>(problem_.offsets[static_cast<std::size_t>(point)]); }
  Index end(Index point) const { return begin(point + 1); }
  Index n_points() const { return static_cast<Index>(problem_.offsets.size()) - 1; }

  MatchingProblem problem_;
  Random random_;
  std::vector<std::size_t> neighbour_at_;  // pairs of each label
  std::vector<Index> neighbours_;          // ascending
  std::vector<double> neighbour_costs_;
  std::vector<Index> label_of_;            // per point, counted from the first label of all
  std::vector<Index> owner_;               // per partner the point, -1: free
  std::vector<double> gains_;              // per label: its cost and that of its pairs with the labels chosen
  std::vector<double> tabu_until_;         // per label
  double operations_ = 0;
};

}  // namespace fwmap
