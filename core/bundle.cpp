#include "bundle.hpp"

#include <algorithm>

#include "work.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

constexpr double kAccuracy = 1e-6;  // of the quadratic programme, relative to its proximal term

// So much of the room for planes is made at once when there is none left.
constexpr std::size_t kRoom = 8;

}  // namespace

Bundle::Bundle(Decomposition& decomposition, std::size_t room, int threads)
    : dual_(decomposition, threads),
      point_(decomposition),
      qp_(std::max<std::size_t>(3, room)),
      room_(room),
      center_(decomposition.n_slots(), 0.0),
      trial_(center_),
      projected_(center_) {
  std::size_t offset = 0;
  for (std::size_t t = 0; t < decomposition.terms().size(); ++t) {
    own_offsets_.push_back(offset);
    offset += dual_.own_variables(t).size();
  }
  own_offsets_.push_back(offset);
}

void Bundle::move_to(std::span<const double> lambda) {
  point_.set_center(lambda);
  center_.assign(point_.center().begin(), point_.center().end());
  trial_ = center_;
}

Evaluation Bundle::evaluate(Watch& watch) {
  Evaluation result = dual_.evaluate(trial_, watch);
  if (!result.complete || result.infeasible) return result;
  trial_value_ = dual_.minima();
  const bool is_first = n_planes() == 0;
  if (is_first) center_value_ = trial_value_;
  join();
  if (is_first) combine();
  return result;
}

// Takes the minimisers in as a plane.
void Bundle::join() {
  if (n_planes() == most_) make_room();
  const std::vector<Term>& terms = dual_.decomposition().terms();
  WholePlane& plane = planes_.emplace_back();
  plane.last_used = iteration_;
  std::fill(projected_.begin(), projected_.end(), 0.0);
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const Minimizer& x = dual_.minimizer(t);
    plane.starts.push_back(plane.slots.size());
    plane.slots.insert(plane.slots.end(), x.support.begin(), x.support.end());
    plane.owns.push_back(plane.starts.back() + x.n_shared);
    plane.costs.push_back(x.cost);
    plane.cost += x.cost;
    for (const Index slot : x.shared()) projected_[terms[t].offset + index(slot)] = 1.0;
  }
  plane.starts.push_back(plane.slots.size());
  linear_.push_back(plane.cost + product(plane, center_));

  products_.clear();
  if (has_aggregate_) products_.push_back(product(plane, aggregate_projected_));
  project(projected_, projected_);
  double entries = 0;
  for (const WholePlane& other : planes_) {
    products_.push_back(product(other, projected_));
    entries += static_cast<double>(other.slots.size());
  }
  qp_.add(products_);
  dual_.add_work(kGather * entries + kStream * static_cast<double>(projected_.size()));
}

// sum of the vector over the shared support.
double Bundle::product(const WholePlane& plane, std::span<const double> vector) const {
  const std::vector<Term>& terms = dual_.decomposition().terms();
  double sum = 0;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const double* own = vector.data() + terms[t].offset;
    for (std::size_t k = plane.starts[t]; k < plane.owns[t]; ++k) sum += own[index(plane.slots[k])];
  }
  return sum;
}

// vector - its mean over copies.
void Bundle::project(std::span<const double> vector, std::span<double> out) const {
  const Decomposition& decomposition = dual_.decomposition();
  std::vector<double> mean(decomposition.n_shared(), 0.0);
  for (const Term& term : decomposition.terms())
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < index(run.length); ++k)
        mean[index(run.variable) + k] += vector[term.offset + index(run.slot) + k];
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] /= static_cast<double>(decomposition.copies()[i]);
  for (const Term& term : decomposition.terms())
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < index(run.length); ++k) {
        const std::size_t slot = term.offset + index(run.slot) + k;
        out[slot] = vector[slot] - mean[index(run.variable) + k];
      }
}

void Bundle::propose(double c) {
  ++iteration_;
  qp_.solve(linear_, c, kAccuracy);
  for (std::size_t j = 0; j < planes_.size(); ++j)
    if (qp_.weights()[number(j)] > 0) planes_[j].last_used = iteration_;
  combine();
  promised_ = kInfinity;
  for (std::size_t j = 0; j < linear_.size(); ++j)
    promised_ = std::min(promised_, linear_[j] + c * qp_.products()[j] - center_value_);
  for (const Term& term : dual_.decomposition().terms())
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < index(run.length); ++k) {
        const std::size_t slot = term.offset + index(run.slot) + k;
        trial_[slot] = center_[slot] + c * (point_.all_y()[slot] - point_.mean()[index(run.variable) + k]);
      }
  const double n = static_cast<double>(linear_.size());
  dual_.add_work(kGather * n * n + 2 * kStream * static_cast<double>(trial_.size()));
}

// y from the weights.
void Bundle::combine() {
  const std::vector<Term>& terms = dual_.decomposition().terms();
  const std::span<const double> weights = qp_.weights();
  const double old = has_aggregate_ ? weights[0] : 0.0;
  double entries = 0;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const std::span<double> y = point_.y(terms[t]);
    double& cost = point_.costs()[t] = old > 0 ? old * aggregate_costs_[t] : 0.0;
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = old > 0 ? old * aggregate_[terms[t].offset + k] : 0.0;
    for (std::size_t j = 0; j < planes_.size(); ++j) {
      const double weight = weights[number(j)];
      if (weight == 0) continue;
      const WholePlane& plane = planes_[j];
      for (std::size_t k = plane.starts[t]; k < plane.owns[t]; ++k) y[index(plane.slots[k])] += weight;
      cost += weight * plane.costs[t];
      entries += static_cast<double>(plane.owns[t] - plane.starts[t]);
    }
  }
  point_.refresh_mean();
  dual_.add_work(kGather * entries + kStream * static_cast<double>(trial_.size()));
}

void Bundle::accept() {
  point_.set_center(trial_);
  for (std::size_t j = 0; j < planes_.size(); ++j)
    linear_[number(j)] = planes_[j].cost + product(planes_[j], point_.center());
  if (has_aggregate_) {
    linear_[0] = 0;
    for (const double cost : aggregate_costs_) linear_[0] += cost;
    for (std::size_t slot = 0; slot < aggregate_.size(); ++slot) linear_[0] += aggregate_[slot] * point_.center()[slot];
  }
  center_.assign(point_.center().begin(), point_.center().end());
  center_value_ = trial_value_;
}

// Leaves out an eighth of the planes: those without weight, the longest unused first, then those of least weight.
void Bundle::make_room() {
  const std::span<const double> weights = qp_.weights();
  std::vector<std::size_t> order(planes_.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double first = weights[number(a)], second = weights[number(b)];
    return first != second ? first < second : planes_[a].last_used < planes_[b].last_used;
  });
  order.resize(std::max<std::size_t>(2, most_ / kRoom));
  std::vector<bool> left(planes_.size(), false);
  for (const std::size_t j : order) left[j] = true;
  std::vector<std::size_t> kept;
  const bool folds = weights[number(order.back())] > 0;
  if (folds || has_aggregate_) kept.push_back(folds ? fold(left) : 0);
  std::size_t next = 0;
  for (std::size_t j = 0; j < planes_.size(); ++j) {
    if (left[j]) continue;
    kept.push_back(number(j));
    if (next != j) planes_[next] = std::move(planes_[j]);
    ++next;
  }
  planes_.resize(next);
  has_aggregate_ = has_aggregate_ || folds;
  qp_.keep(kept);
  std::vector<double> linear;
  for (const std::size_t j : kept) linear.push_back(linear_[j]);
  linear_ = linear;
}

// Folds planes that are left out into the aggregate, with their weights. Returns the number that it now has.
std::size_t Bundle::fold(const std::vector<bool>& left) {
  const std::vector<Term>& terms = dual_.decomposition().terms();
  const std::span<const double> weights = qp_.weights();
  std::vector<double> shares(weights.size(), 0.0);
  double total = 0;
  if (has_aggregate_) total = shares[0] = weights[0];
  for (std::size_t j = 0; j < planes_.size(); ++j)
    if (left[j]) total += shares[number(j)] = weights[number(j)];
  aggregate_.resize(trial_.size(), 0.0);
  aggregate_costs_.resize(terms.size(), 0.0);
  aggregate_own_.resize(own_offsets_.back(), 0.0);
  const double old = has_aggregate_ ? shares[0] / total : 0.0;
  for (std::vector<double>* values : {&aggregate_, &aggregate_costs_, &aggregate_own_})
    for (double& value : *values) value *= old;
  std::size_t number_of_it = 0;
  double at_center = has_aggregate_ ? old * linear_[0] : 0.0;
  for (std::size_t j = planes_.size(); j-- > 0;) {
    const double share = shares[number(j)] / total;
    if (share == 0) continue;
    if (!has_aggregate_) number_of_it = j;
    at_center += share * linear_[number(j)];
    const WholePlane& plane = planes_[j];
    for (std::size_t t = 0; t < terms.size(); ++t) {
      for (std::size_t k = plane.starts[t]; k < plane.owns[t]; ++k) aggregate_[terms[t].offset + index(plane.slots[k])] += share;
      for (std::size_t k = plane.owns[t]; k < plane.starts[t + 1]; ++k)
        aggregate_own_[own_offsets_[t] + index(plane.slots[k] - terms[t].n_shared)] += share;
      aggregate_costs_[t] += share * plane.costs[t];
    }
  }
  aggregate_projected_.resize(trial_.size());
  project(aggregate_, aggregate_projected_);
  qp_.combine(number_of_it, shares);
  linear_[number_of_it] = at_center;
  dual_.add_work(4 * kStream * static_cast<double>(aggregate_.size()));
  return number_of_it;
}

Evaluation Bundle::best() {
  Evaluation result;
  result.bound = dual_.best_bound();
  result.value = dual_.best_value();
  result.A = result.A_best = point_.linear(dual_.best_lambda()) + dual_.decomposition().constant() - result.value;
  result.B = point_.disagreement();
  dual_.add_work(2 * kStream * static_cast<double>(trial_.size()));
  return result;
}

std::vector<double> Bundle::marginals() const {
  const std::vector<Term>& terms = dual_.decomposition().terms();
  std::vector<double> result(index(dual_.decomposition().n_variables()), 0.0);
  for (std::size_t i = 0; i < point_.mean().size(); ++i)
    result[index(dual_.decomposition().variable_of_shared()[i])] = point_.mean()[i];
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const std::span<const Index> variables = dual_.own_variables(t);
    if (has_aggregate_ && qp_.weights()[0] > 0)
      for (std::size_t k = 0; k < variables.size(); ++k)
        result[index(variables[k])] += qp_.weights()[0] * aggregate_own_[own_offsets_[t] + k];
    for (std::size_t j = 0; j < planes_.size(); ++j) {
      const double weight = qp_.weights()[number(j)];
      if (weight == 0) continue;
      for (std::size_t k = planes_[j].owns[t]; k < planes_[j].starts[t + 1]; ++k)
        result[index(variables[index(planes_[j].slots[k] - terms[t].n_shared)])] += weight;
    }
  }
  return result;
}

std::vector<Bundle::TermPlane> Bundle::planes(std::size_t t) const {
  std::vector<TermPlane> result;
  for (std::size_t j = 0; j < planes_.size(); ++j) {
    const WholePlane& plane = planes_[j];
    const double weight = qp_.weights()[number(j)];
    if (weight > 0)
      result.push_back({std::span(plane.slots).subspan(plane.starts[t], plane.starts[t + 1] - plane.starts[t]), plane.costs[t], weight});
  }
  return result;
}

}  // namespace fwmap
