#pragma once
// Planes of one term, and the convex combination y^t of them.

#include <cstdint>
#include <vector>

#include "oracle.hpp"

namespace fwmap {

/// A plane [x f_t(x)]: the support of x and its cost.
struct Plane {
  std::vector<Index> support;  ///< slots, ascending: shared ones first
  std::size_t n_shared = 0;    ///< how many of them are shared
  double cost = 0;
  double weight = 0;           ///< in y^t
  std::int64_t last_used = 0;  ///< iteration in which an oracle last chose it
  std::uint64_t fingerprint = 0;

  std::span<const Index> shared() const { return {support.data(), n_shared}; }
};

/// The set S~_t of cached planes, with y^t kept as weights over them and one aggregate (note 11): a plane
/// that is evicted while it has weight is folded into the aggregate, so y^t never changes by eviction.
class PlaneCache {
 public:
  explicit PlaneCache(Index n_shared_slots) : n_slots_(static_cast<std::size_t>(n_shared_slots)) {}

  /// Takes a minimiser in. Where a plane with the same shared support is cached, the cheaper one stays, under
  /// the same number. Returns its number, valid until the next `evict`; adds to *saved what y^t's cost fell by.
  /// `metric` (1 - 1/|T_i|) is over shared slots. Costs a scan of the planes, for the new one's inner products.
  std::size_t insert(const std::vector<Index>& support, double cost, std::int64_t iteration,
                     std::span<const double> metric, double* saved);

  /// Number of the plane of the lowest value. Needs at least one plane.
  std::size_t best(std::span<const double> weights) const;

  /// y^t <- (1 - gamma) y^t + gamma * plane, in weights only.
  void mix(std::size_t plane, double gamma);

  /// Whether y^t is anything yet.
  bool has_weight() const;

  /// Removes planes not used since iteration `oldest`.
  void evict(std::int64_t oldest);

  /// Inner products of plane k with every plane, itself included: sums over common shared slots of the metric.
  std::span<const double> gram(std::size_t k) const { return {gram_.data() + k * stride_, planes_.size()}; }

  /// Inner products of the aggregate with every plane, and with itself; where it has weight.
  std::span<const double> aggregate_products() const { return aggregate_products_; }
  double aggregate_norm() const { return aggregate_norm_; }

  /// Cost + <weights, x> of plane k, and of the aggregate.
  double value(std::size_t k, std::span<const double> weights) const;
  double aggregate_value(std::span<const double> weights) const;

  /// Writes y^t from the weights, which are made to sum to 1 again; returns its cost (y_o).
  double combination(std::span<double> y);

  std::size_t size() const { return planes_.size(); }
  Plane& operator[](std::size_t k) { return planes_[k]; }
  const Plane& operator[](std::size_t k) const { return planes_[k]; }
  std::span<const double> aggregate() const { return aggregate_; }
  /// The same over the slots that are not shared, as far as one of them was ever 1.
  std::span<const double> own_aggregate() const { return own_aggregate_; }
  double aggregate_cost() const { return aggregate_cost_; }
  double aggregate_weight() const { return aggregate_weight_; }
  void set_aggregate_weight(double w) { aggregate_weight_ = w; }

  /// Entries of supports that a scan reads.
  double scan_operations() const { return static_cast<double>(entries_); }

 private:
  void extend_gram(std::span<const double> metric);
  void fold(std::size_t plane);
  void fold_own(const Plane& plane, double old_share, double new_share);
  void keep_gram(const std::vector<std::size_t>& kept);

  std::size_t n_slots_;
  std::vector<Plane> planes_;
  std::vector<Plane> spare_;  // evicted planes whose memory is used again
  std::size_t entries_ = 0;
  std::vector<double> gram_;  // stride_ x stride_
  std::size_t stride_ = 0;
  std::vector<double> marks_;  // scratch of a large term, see extend_gram
  std::vector<double> aggregate_;  // a convex combination of folded planes, over shared slots
  std::vector<double> own_aggregate_;
  std::vector<double> aggregate_products_;
  double aggregate_norm_ = 0;
  double aggregate_cost_ = 0;
  double aggregate_weight_ = 0;
  std::vector<std::size_t> kept_;  // scratch
};

}  // namespace fwmap
