#include "subgradient.hpp"

#include <algorithm>

#include "work.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

// Accumulated products and the drift of lambda out of Lambda are made good so often.
constexpr std::int64_t kRefreshEvery = 50;

}  // namespace

Subgradient::Subgradient(Decomposition& decomposition, int threads)
    : dual_(decomposition, threads),
      point_(decomposition),
      lambda_(decomposition.n_slots(), 0.0),
      chosen_(decomposition.n_shared(), 0),
      private_(index(decomposition.n_variables()), 0.0) {}

// Calls visit(slot over all terms, shared variable) for each shared entry of the minimisers.
template <class Visit>
void Subgradient::each_shared(Visit visit) const {
  for (std::size_t t = 0; t < dual_.decomposition().terms().size(); ++t) {
    const Term& term = dual_.decomposition().terms()[t];
    const std::span<const Index> support = dual_.minimizer(t).shared();
    std::size_t next = 0;
    for (const Run& run : term.shared)
      for (; next < support.size() && support[next] < run.slot + run.length; ++next)
        visit(term.offset + index(support[next]), index(run.variable + (support[next] - run.slot)));
  }
}

void Subgradient::move_to(std::span<const double> lambda) {
  std::copy(lambda.begin(), lambda.end(), lambda_.begin());
  refresh();
}

Evaluation Subgradient::evaluate(Watch& watch) {
  Evaluation result = dual_.evaluate(lambda_, watch);
  if (!result.complete || result.infeasible) return result;
  if (!started_) {
    started_ = true;
    mix(1.0);
    refresh();
  }
  measure_products();
  result.A = products_.slack;
  return result;
}

Evaluation Subgradient::best() {
  const Shift shift(dual_.workers());
  Evaluation result;
  result.bound = dual_.best_bound();
  result.value = dual_.best_value();
  result.A = result.A_best = point_.linear(dual_.best_lambda(), dual_.workers()) + dual_.decomposition().constant() - result.value;
  result.B = point_.disagreement(dual_.workers());
  dual_.add_work(2 * kStream * static_cast<double>(lambda_.size()));
  return result;
}

void Subgradient::measure_products() {
  double norm = 0, crossed = 0, entries = 0;
  const std::vector<Index>& copies = dual_.decomposition().copies();
  each_shared([&](std::size_t slot, std::size_t i) {
    // |g|^2 = sum_i n_i - n_i^2 / |T_i| where n_i minimisers have chosen i, one chooser after the other.
    norm += 1.0 - static_cast<double>(2 * chosen_[i] + 1) / static_cast<double>(copies[i]);
    ++chosen_[i];
    crossed += point_.all_y()[slot] - point_.mean()[i];
    entries += 1;
  });
  each_shared([&](std::size_t, std::size_t i) { chosen_[i] = 0; });
  dual_.add_work(2 * kGather * entries);
  products_.gradient_norm = std::max(0.0, norm);
  products_.crossed = crossed;
  products_.slack = linear_ - dual_.minima();
}

// y <- (1 - share) y + share x.
void Subgradient::mix(double share) {
  const std::vector<Term>& terms = dual_.decomposition().terms();
  if (share == 1) {
    std::fill(private_.begin(), private_.end(), 0.0);
    private_scale_ = 1;
  } else {
    private_scale_ *= 1 - share;
  }
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const Minimizer& x = dual_.minimizer(t);
    point_.mix(terms[t], x.shared(), share);
    point_.costs()[t] += share * (x.cost - point_.costs()[t]);
    for (const Index slot : x.own())
      private_[index(dual_.own_variables(t)[index(slot - terms[t].n_shared)])] += share / private_scale_;
  }
  if (private_scale_ < 1e-100) {  // long before it underflows
    for (double& y : private_) y *= private_scale_;
    private_scale_ = 1;
  }
}

void Subgradient::advance(double share, double length) {
  mix(share);
  const double kept = 1 - share;
  products_.norm = kept * kept * products_.norm + 2 * share * kept * products_.crossed + share * share * products_.gradient_norm;
  linear_ = kept * linear_ + share * dual_.minima() + length * products_.norm;
  for (const Term& term : dual_.decomposition().terms())
    for (const Run& run : term.shared) {
      const double* y = point_.all_y().data() + term.offset + index(run.slot);
      const double* mean = point_.mean().data() + index(run.variable);
      double* lambda = lambda_.data() + term.offset + index(run.slot);
      for (std::size_t k = 0; k < index(run.length); ++k) lambda[k] += length * (y[k] - mean[k]);
    }
  dual_.add_work(2 * kStream * static_cast<double>(lambda_.size()));
  if (++iteration_ % kRefreshEvery == 0) refresh();
}

// Brings lambda back into Lambda, and recomputes what was accumulated.
void Subgradient::refresh() {
  const Shift shift(dual_.workers());
  point_.refresh_mean(dual_.workers());
  point_.set_center(lambda_, dual_.workers());
  std::copy(point_.center().begin(), point_.center().end(), lambda_.begin());
  products_.norm = point_.spread(dual_.workers());
  linear_ = point_.linear(lambda_, dual_.workers());
}

std::vector<double> Subgradient::marginals() const {
  std::vector<double> result(private_);
  for (double& y : result) y *= private_scale_;
  for (std::size_t i = 0; i < point_.mean().size(); ++i)
    result[index(dual_.decomposition().variable_of_shared()[i])] = point_.mean()[i];
  return result;
}

}  // namespace fwmap
