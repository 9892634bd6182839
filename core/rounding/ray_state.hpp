#pragma once
// A labeling of a field with rays (sets of pixels with a cost for the sum of their labels), and what changes of it cost.

#include <memory>
#include <span>
#include <vector>

#include "rounding/field_graph.hpp"

namespace fwmap {

/// Rays of a model: pixels, and the cost of each sum of their labels from 0 on; +inf and the end of the list forbid.
struct Rays {
  std::vector<std::int64_t> offsets;  ///< first pixel of each ray, and the end
  std::vector<Index> pixels;
  std::vector<std::int64_t> cost_offsets;
  std::vector<double> costs;

  std::size_t size() const { return offsets.size() - 1; }
};

/// Difference of two labelings: of the costs of field and rays, where a forbidden sum costs what the nearest allowed
/// one does, and of the violation, which is the sum over rays of the distance to the nearest allowed sum.
struct RayChange {
  double energy = 0;
  std::int64_t violation = 0;

  RayChange& operator+=(const RayChange& other) {
    energy += other.energy;
    violation += other.violation;
    return *this;
  }
};

/// The field's costs must be finite (penalties in place of what is forbidden). A change looks at the edges, factors
/// and rays of one pixel and allocates nothing.
class RayState {
 public:
  /// Throws std::invalid_argument where a ray allows no sum within reach of its pixels.
  RayState(std::shared_ptr<const FieldGraph> graph, Rays rays);

  void start(std::span<const Index> labeling);

  std::span<const Index> labels() const { return labels_; }
  Index label(Index pixel) const { return labels_[static_cast<std::size_t>(pixel)]; }
  const FieldGraph& graph() const { return *graph_; }
  const Rays& rays() const { return rays_; }
  std::span<const std::int32_t> rays_of(Index pixel) const { return part(ray_begin_, rays_at_, pixel); }
  std::span<const Index> pixels_of(std::int32_t ray) const {
    const auto r = static_cast<std::size_t>(ray);
    return std::span<const Index>(rays_.pixels)
        .subspan(static_cast<std::size_t>(rays_.offsets[r]), static_cast<std::size_t>(rays_.offsets[r + 1] - rays_.offsets[r]));
  }
  std::size_t n_neighbours(Index pixel) const { return part(neighbour_begin_, neighbours_, pixel).size(); }
  Index neighbour(Index pixel, std::size_t k) const { return part(neighbour_begin_, neighbours_, pixel)[k].other; }

  /// Typical cost of a step from one label to the next, in the field; 1 where all are 0.
  double unit() const { return unit_; }

  /// Violation of the present labeling, and how it would change if the sum of a ray were another.
  std::int64_t violation() const;
  std::int64_t violation_change(std::int32_t ray, Index step) const {
    const std::int64_t at = at_[static_cast<std::size_t>(ray)];
    const auto r = static_cast<std::size_t>(ray);
    if (at + step < first_[r] || at + step >= first_[r + 1]) return kFar;
    return distance_[static_cast<std::size_t>(at + step)] - distance_[static_cast<std::size_t>(at)];
  }

  /// What another label of a pixel would change.
  RayChange look(Index pixel, Index label) const;

  void set(Index pixel, Index label);

 private:
  static constexpr std::int64_t kFar = std::int64_t{1} << 40;

  struct Neighbour {
    Index other;
    std::int32_t profile;  // where the costs of |a - b| stand; -1: of a table
    std::int32_t edge;
  };

  template <class T>
  static std::span<const T> part(const std::vector<std::size_t>& begin, const std::vector<T>& items, Index pixel) {
    const auto v = static_cast<std::size_t>(pixel);
    return {items.data() + begin[v], begin[v + 1] - begin[v]};
  }

  void list_neighbours();
  void tabulate_sums();
  double typical_step() const;
  double field_change(Index pixel, Index label) const;

  std::shared_ptr<const FieldGraph> graph_;
  Rays rays_;
  std::vector<std::size_t> neighbour_begin_, ray_begin_;  // per pixel
  std::vector<Neighbour> neighbours_;
  std::vector<std::int32_t> rays_at_;
  std::vector<double> profiles_;
  std::vector<std::int64_t> first_;     // per ray: where its sum 0 stands in the next two, and the end
  std::vector<std::int64_t> distance_;  // per sum: to the nearest allowed one
  std::vector<double> sum_costs_;       // per sum: of the nearest allowed one
  bool has_sum_costs_ = false;          // any that is not 0
  double unit_ = 1;

  std::vector<Index> labels_;
  std::vector<std::int64_t> at_;  // per ray: where its present sum stands
};

}  // namespace fwmap
