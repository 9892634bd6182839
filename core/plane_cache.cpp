#include "plane_cache.hpp"

#include <algorithm>

#include "gather.hpp"
#include "scratch.hpp"

namespace fwmap {
namespace {

std::uint64_t fingerprint(std::span<const Index> support) {
  std::uint64_t hash = 1469598103934665603ULL;
  for (const Index i : support) {
    hash ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(i));
    hash *= 1099511628211ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

std::size_t PlaneCache::insert(const std::vector<Index>& support, double cost, std::int64_t iteration,
                               std::span<const double> metric, double* saved) {
  const auto n_shared = static_cast<std::size_t>(
      std::lower_bound(support.begin(), support.end(), static_cast<Index>(n_slots_)) - support.begin());
  const std::span<const Index> shared(support.data(), n_shared);
  const std::uint64_t print = fingerprint(shared);
  for (std::size_t k = 0; k < planes_.size(); ++k) {
    Plane& plane = planes_[k];
    if (plane.fingerprint != print || !std::ranges::equal(plane.shared(), shared)) continue;
    plane.last_used = iteration;
    if (cost < plane.cost) {
      *saved += plane.weight * (plane.cost - cost);
      plane.cost = cost;
      plane.support = support;
    }
    return k;
  }
  if (spare_.empty()) {
    planes_.emplace_back();
  } else {
    planes_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  Plane& plane = planes_.back();
  plane.support.assign(support.begin(), support.end());
  plane.n_shared = n_shared;
  plane.cost = cost;
  plane.weight = 0;
  plane.last_used = iteration;
  plane.fingerprint = print;
  entries_ += n_shared;
  extend_gram(metric);
  return planes_.size() - 1;
}

// Row and column of the newest plane.
void PlaneCache::extend_gram(std::span<const double> metric) {
  const std::size_t newest = planes_.size() - 1;
  if (planes_.size() > stride_) {
    const std::size_t wider = std::max<std::size_t>(4, 2 * stride_);
    std::vector<double> copy(wider * wider);
    for (std::size_t k = 0; k < newest; ++k)
      std::copy_n(gram_.begin() + static_cast<std::ptrdiff_t>(k * stride_), newest, copy.begin() + static_cast<std::ptrdiff_t>(k * wider));
    gram_.swap(copy);
    stride_ = wider;
  }
  thread_local std::vector<double> small;
  std::vector<double>& marks = scratch(n_slots_, small, marks_);  // the metric on the plane's support, 0 elsewhere
  const std::span<const Index> support = planes_[newest].shared();
  double with_aggregate = 0;
  for (const Index i : support) {
    const auto slot = static_cast<std::size_t>(i);
    marks[slot] = metric[slot];
    if (!aggregate_.empty()) with_aggregate += metric[slot] * aggregate_[slot];
  }
  aggregate_products_.push_back(with_aggregate);
  for (std::size_t k = 0; k < planes_.size(); ++k)
    gram_[newest * stride_ + k] = gram_[k * stride_ + newest] = gather_sum(marks.data(), planes_[k].shared());
  for (const Index i : support) marks[static_cast<std::size_t>(i)] = 0;
}

double PlaneCache::aggregate_value(std::span<const double> weights) const {
  double sum = aggregate_cost_;
  for (std::size_t i = 0; i < n_slots_; ++i) sum += weights[i] * aggregate_[i];
  return sum;
}

double PlaneCache::value(std::size_t k, std::span<const double> weights) const {
  return planes_[k].cost + gather_sum(weights.data(), planes_[k].shared());
}

std::size_t PlaneCache::best(std::span<const double> weights) const {
  std::size_t best = 0;
  double lowest = kInfinity;
  for (std::size_t k = 0; k < planes_.size(); ++k) {
    const double candidate = value(k, weights);
    if (candidate < lowest) {
      lowest = candidate;
      best = k;
    }
  }
  return best;
}

void PlaneCache::mix(std::size_t plane, double gamma) {
  const double keep = 1 - gamma;
  for (Plane& p : planes_) p.weight *= keep;
  aggregate_weight_ *= keep;
  planes_[plane].weight += gamma;
}

bool PlaneCache::has_weight() const {
  return aggregate_weight_ > 0 || std::ranges::any_of(planes_, [](const Plane& p) { return p.weight > 0; });
}

// Of rows and columns only the kept ones stay, closed up.
void PlaneCache::keep_gram(const std::vector<std::size_t>& kept) {
  for (std::size_t to = 0; to < kept.size(); ++to) {
    const double* from_row = gram_.data() + kept[to] * stride_;
    double* row = gram_.data() + to * stride_;
    for (std::size_t k = 0; k < kept.size(); ++k) row[k] = from_row[kept[k]];
    aggregate_products_[to] = aggregate_products_[kept[to]];
  }
  aggregate_products_.resize(kept.size());
}

void PlaneCache::evict(std::int64_t oldest) {
  kept_.clear();
  for (std::size_t k = 0; k < planes_.size(); ++k)
    if (planes_[k].last_used >= oldest) kept_.push_back(k);
  if (kept_.size() == planes_.size()) return;
  for (std::size_t k = 0; k < planes_.size(); ++k) {
    if (planes_[k].last_used >= oldest) continue;
    if (planes_[k].weight > 0) fold(k);
    entries_ -= planes_[k].n_shared;
  }
  keep_gram(kept_);
  for (std::size_t to = 0; to < kept_.size(); ++to)
    if (kept_[to] != to) std::swap(planes_[to], planes_[kept_[to]]);
  while (planes_.size() > kept_.size()) {
    spare_.push_back(std::move(planes_.back()));
    planes_.pop_back();
  }
}

// Adds plane k with its weight to the aggregate. Inner products follow from those that are known.
void PlaneCache::fold(std::size_t k) {
  const Plane& plane = planes_[k];
  if (aggregate_.empty()) aggregate_.assign(n_slots_, 0.0);
  const double total = aggregate_weight_ + plane.weight;
  const double old_share = aggregate_weight_ / total, new_share = plane.weight / total;
  if (old_share != 1)
    for (double& a : aggregate_) a *= old_share;
  for (const Index i : plane.shared()) aggregate_[static_cast<std::size_t>(i)] += new_share;
  fold_own(plane, old_share, new_share);
  const std::span<const double> products = gram(k);
  aggregate_norm_ = old_share * old_share * aggregate_norm_ + 2 * old_share * new_share * aggregate_products_[k] +
                    new_share * new_share * products[k];
  for (std::size_t l = 0; l < products.size(); ++l)
    aggregate_products_[l] = old_share * aggregate_products_[l] + new_share * products[l];
  aggregate_cost_ = old_share * aggregate_cost_ + new_share * plane.cost;
  aggregate_weight_ = total;
}

void PlaneCache::fold_own(const Plane& plane, double old_share, double new_share) {
  const std::span<const Index> own = std::span(plane.support).subspan(plane.n_shared);
  for (double& a : own_aggregate_) a *= old_share;
  if (own.empty()) return;
  own_aggregate_.resize(std::max(own_aggregate_.size(), static_cast<std::size_t>(own.back()) - n_slots_ + 1), 0.0);
  for (const Index i : own) own_aggregate_[static_cast<std::size_t>(i) - n_slots_] += new_share;
}

double PlaneCache::combination(std::span<double> y) {
  double total = aggregate_weight_;
  for (const Plane& plane : planes_) total += plane.weight;
  if (total != 1 && total > 0) {  // 0: planes of an earlier solve whose aggregate had all the weight
    aggregate_weight_ /= total;
    for (Plane& plane : planes_) plane.weight /= total;
  }
  double cost = aggregate_weight_ * aggregate_cost_;
  if (aggregate_weight_ == 0)
    std::fill(y.begin(), y.end(), 0.0);
  else
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = aggregate_weight_ * aggregate_[i];
  for (const Plane& plane : planes_) {
    if (plane.weight == 0) continue;
    for (const Index i : plane.shared()) y[static_cast<std::size_t>(i)] += plane.weight;
    cost += plane.weight * plane.cost;
  }
  return cost;
}

}  // namespace fwmap
