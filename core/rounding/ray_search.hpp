#pragma once
// Searches for labelings whose sums along rays are allowed.

#include <array>

#include "random.hpp"
#include "rounding/ray_state.hpp"

namespace fwmap {

/// How an annealing goes; all in units of RayState::unit().
struct Cooling {
  double hot, cold;  ///< temperatures at its beginning and its end
  double penalty;    ///< of one unit of violation
};

/// Everything here is random with the seed given, and counted: two searches with the same seed and the same calls
/// give the same labelings.
class RaySearch {
 public:
  RaySearch(std::shared_ptr<const FieldGraph> graph, Rays rays, std::uint64_t seed);

  const RayState& state() const { return state_; }

  /// Simulated annealing of about `max_operations`, from a labeling: a pixel takes a neighbour's label or any other,
  /// often together with another pixel of one of its rays that makes up for it. The penalty lets it pass through
  /// labelings that violate rays. `begin` prepares it, and `anneal` goes on with it for about so many operations,
  /// until all are spent; it returns how many it took. What the best labeling is does not depend on the pieces.
  void begin(std::span<const Index> labeling, const Cooling& cooling, double max_operations);
  double anneal(double max_operations);

  /// True when the annealing is over.
  bool is_over() const { return spent_ >= planned_; }

  /// The labeling with the least violation that the annealing has met, and among those with the least energy.
  std::span<const Index> best() const { return best_; }
  std::int64_t best_violation() const { return best_violation_; }

  /// True where the rays fall into at most two sets of disjoint ones: labels are then a flow from one to the other.
  bool has_exchanges() const { return has_exchanges_; }

  /// Lessens the violation by exchanges along cheapest paths of rays and pixels, one unit at a time, until none is
  /// left or no path exists. Exact where rays fall into two sets: if the sums allowed of each ray are an interval, no
  /// path exists only where no labeling satisfies the rays. Ends an annealing. Returns the operations spent.
  double exchange(std::span<Index> labeling, double max_operations);

 private:
  struct Step {  // how a node of the exchange graph is reached
    std::int32_t from = -1;
    Index pixel = -1;
    double cost = kInfinity;
    bool done = false;
  };

  void find_sides();
  std::int32_t other_end(std::int32_t node, Index pixel) const;
  std::span<const Index> pixels_at(std::int32_t node) const;
  bool takes(std::int32_t node, Index step, std::int64_t at_most) const;
  std::int32_t cheapest_path(std::int32_t source, Index sign, double* operations);
  void propose(double penalty);
  void place(Index pixel, Index label);
  void find_edges();
  void count_edges(Index pixel, int change);
  void keep();

  RayState state_;
  Random random_;
  std::vector<Index> movable_;                    // pixels with a choice
  std::vector<double> levels_;                    // -log(u) for u evenly spread
  std::vector<Index> changed_;                    // pixels set since the best labeling; as many as there are: any
  Cooling cooling_{1, 1, 1};
  double planned_ = 0, spent_ = 0;                // operations
  double temperature_ = 0;
  std::size_t n_proposals_ = 0;
  std::vector<std::int32_t> n_edges_;             // of each pixel to neighbours with another label
  std::vector<Index> edge_pixels_;                // where there are any, in the order they came
  std::vector<std::int32_t> edge_place_;          // of each pixel in that list, -1: not there
  std::vector<Index> best_;
  double energy_ = 0, best_energy_ = 0;           // relative to the start
  std::int64_t violation_ = 0, best_violation_ = 0;
  bool has_exchanges_ = true;
  std::vector<std::uint8_t> side_;                // of each ray
  std::vector<std::array<std::int32_t, 2>> ends_; // of each pixel: its ray on each side, or the side's free node
  std::array<std::vector<Index>, 2> free_;        // pixels without a ray on a side
  std::vector<Step> steps_;
};

}  // namespace fwmap
