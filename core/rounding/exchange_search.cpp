#include "rounding/exchange_search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "poll.hpp"

namespace fwmap {
namespace {

constexpr double kNoise = 1e-12;          // changes below this, relative to the energy, are rounding
constexpr double kTriedAgain = 5.0;       // times n^2 steps: a place not tried for so long is tried
constexpr double kStagnant = 100.0;       // times n^2 steps without success: begin anew
constexpr double kRefreshed = 100.0;      // times n exchanges: changes are computed afresh, against drift

bool is_symmetric(const std::vector<double>& matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (matrix[i * n + j] != matrix[j * n + i]) return false;
  return true;
}

}  // namespace

ExchangeSearch::ExchangeSearch(QuadraticAssignment problem, std::uint64_t seed)
    : problem_(std::move(problem)), random_(seed) {
  const std::size_t n = problem_.n;
  for (std::vector<double>* matrix : {&problem_.left, &problem_.right, &problem_.linear})
    if (matrix->size() != n * n) throw std::invalid_argument("a matrix of a quadratic assignment has the wrong size");
  if (problem_.n_real > n) throw std::invalid_argument("a quadratic assignment has more points than places");
  for (std::size_t i = 0; i < n; ++i) problem_.left[i * n + i] = problem_.right[i * n + i] = 0;
  symmetric_ = is_symmetric(problem_.left, n) && is_symmetric(problem_.right, n);
  at_.resize(n);
  changes_.resize(n * n);
  tabu_until_.resize(n * n);
  for (std::vector<double>* row : {&row_left_, &row_right_, &column_left_, &column_right_}) row->resize(n);
}

double ExchangeSearch::energy(std::span<const Index> permutation) const {
  double sum = 0;
  for (std::size_t i = 0; i < problem_.n_real; ++i) {
    const auto k = static_cast<std::size_t>(permutation[i]);
    sum += linear(i, k);
    for (std::size_t j = 0; j < problem_.n_real; ++j)
      sum += left(i, j) * right(k, static_cast<std::size_t>(permutation[j]));
  }
  return sum;
}

// What exchanging the places of i and j changes, by definition.
double ExchangeSearch::change_of(std::size_t i, std::size_t j) const {
  const std::size_t k = at_[i], l = at_[j];
  double sum = linear(i, l) - linear(i, k) + linear(j, k) - linear(j, l);
  sum += (left(i, j) - left(j, i)) * (right(l, k) - right(k, l));
  for (std::size_t h = 0; h < problem_.n_real; ++h) {
    if (h == i || h == j) continue;
    const std::size_t m = at_[h];
    sum += (left(i, h) - left(j, h)) * (right(l, m) - right(k, m)) + (left(h, i) - left(h, j)) * (right(m, l) - right(m, k));
  }
  return sum;
}

void ExchangeSearch::refresh() {
  const std::size_t n = problem_.n;
  for (std::size_t i = 0; i < problem_.n_real; ++i) {
    poll();
    for (std::size_t j = i + 1; j < n; ++j) changes_[i * n + j] = change_of(i, j);
  }
  const auto size = static_cast<double>(n), real = static_cast<double>(problem_.n_real);
  operations_ += 8 * real * real * size;  // scattered memory
  exchanges_ = 0;
}

void ExchangeSearch::start(std::span<const Index> permutation) {
  for (std::size_t i = 0; i < problem_.n; ++i) at_[i] = static_cast<std::size_t>(permutation[i]);
  refresh();
}

// From a random permutation, with the best one kept.
void ExchangeSearch::begin_anew() {
  std::vector<Index> permutation(best_);
  random_.shuffle(permutation);
  here_ = energy(permutation) - energy(best_);
  began_ = step_;
  start(permutation);
}

// Exchanges the places of r and s, and brings all changes up to date. For other points i, j with places k, l the change
// has two terms with r and s, in which the places of r and s are now the other way round:
//   (left(i,r) - left(j,r)) (right(l,at r) - right(k,at r)), the same with s, and both transposed.
void ExchangeSearch::exchange(std::size_t r, std::size_t s) {
  const std::size_t n = problem_.n;
  std::swap(at_[r], at_[s]);
  const std::size_t now_r = at_[r], now_s = at_[s];
  for (std::size_t i = 0; i < n; ++i) {
    row_left_[i] = left(i, r) - left(i, s);
    row_right_[i] = right(at_[i], now_s) - right(at_[i], now_r);
    column_left_[i] = left(r, i) - left(s, i);
    column_right_[i] = right(now_s, at_[i]) - right(now_r, at_[i]);
  }
  for (std::size_t i = 0; i < problem_.n_real; ++i) {
    double* row = changes_.data() + i * n;
    const double a = row_left_[i], b = row_right_[i], c = column_left_[i], d = column_right_[i];
    if (symmetric_) {
      for (std::size_t j = i + 1; j < n; ++j) row[j] += 2 * ((a - row_left_[j]) * (b - row_right_[j]));
    } else {
      for (std::size_t j = i + 1; j < n; ++j)
        row[j] += (a - row_left_[j]) * (b - row_right_[j]) + (c - column_left_[j]) * (d - column_right_[j]);
    }
  }
  for (const std::size_t own : {r, s})
    for (std::size_t other = 0; other < n; ++other) {
      const std::size_t i = std::min(own, other), j = std::max(own, other);
      if (i != j && i < problem_.n_real) changes_[i * n + j] = change_of(i, j);
    }
  operations_ += cost_of_step();
  if (++exchanges_ >= kRefreshed * static_cast<double>(n)) refresh();
}

double ExchangeSearch::cost_of_step() const {
  const auto n = static_cast<double>(problem_.n), real = static_cast<double>(problem_.n_real);
  return real * (n - real / 2) * (symmetric_ ? 2.0 : 3.0) + 16 * n * real + 8 * n;
}

MoveOutcome ExchangeSearch::descend(std::span<Index> permutation, double max_operations) {
  operations_ = 0;
  start(permutation);
  best_.clear();  // a search that went on from there would go on from here
  MoveOutcome outcome;
  const std::size_t n = problem_.n;
  const double noise = kNoise * std::abs(energy(permutation));
  while (operations_ < max_operations) {
    poll();
    Exchange best;
    for (std::size_t i = 0; i < problem_.n_real; ++i)
      for (std::size_t j = i + 1; j < n; ++j)
        if (changes_[i * n + j] < best.change) best = {changes_[i * n + j], i, j};
    if (!(best.change < -noise)) break;
    exchange(best.first, best.second);
    outcome.change += best.change;
  }
  for (std::size_t i = 0; i < n; ++i) permutation[i] = static_cast<Index>(at_[i]);
  outcome.operations = operations_;
  return outcome;
}

MoveOutcome ExchangeSearch::wander(std::span<Index> permutation, double max_operations) {
  operations_ = 0;
  const std::size_t n = problem_.n;
  if (best_.empty() || !std::equal(best_.begin(), best_.end(), permutation.begin(), permutation.end())) {
    start(permutation);
    best_.assign(permutation.begin(), permutation.end());
    here_ = step_ = began_ = 0;
    for (double& until : tabu_until_) until = -static_cast<double>(random_.below(n * n + 1));
  }
  MoveOutcome outcome;
  const double noise = kNoise * std::abs(energy(permutation)), long_ago = kTriedAgain * static_cast<double>(n) * static_cast<double>(n);
  const bool has_exchanges = n > 1 && problem_.n_real > 0;
  while (has_exchanges && operations_ < max_operations) {
    poll();
    ++step_;
    if (step_ - began_ > kStagnant * static_cast<double>(n) * static_cast<double>(n)) begin_anew();
    Exchange best;
    bool must = false;  // a pair was found that has not been where it would go for very long
    for (std::size_t i = 0; i < problem_.n_real; ++i) {
      const double* row = changes_.data() + i * n;
      const double *tabu = tabu_until_.data() + i * n;
      const std::size_t k = at_[i];
      for (std::size_t j = i + 1; j < n; ++j) {
        const double change = row[j];
        const bool old = tabu[at_[j]] + long_ago < step_ && tabu_until_[j * n + k] + long_ago < step_;
        if ((must && !old) || (must == old && change >= best.change)) continue;
        const bool allowed = old || tabu[at_[j]] < step_ || tabu_until_[j * n + k] < step_ || here_ + change < -noise;
        if (!allowed) continue;
        best = {change, i, j};
        must = old;
      }
    }
    if (best.change == kInfinity) {  // everything is tabu
      operations_ += cost_of_step();
      continue;
    }
    for (const auto& [point, place] : {std::pair{best.first, at_[best.first]}, std::pair{best.second, at_[best.second]}}) {
      const std::size_t least = std::max<std::size_t>(1, 9 * n / 10);
      tabu_until_[point * n + place] = step_ + static_cast<double>(least + random_.below(n / 5 + 2));
    }
    exchange(best.first, best.second);
    here_ += best.change;
    if (!(here_ < -noise)) continue;
    outcome.change += here_;
    here_ = 0;
    began_ = step_;
    for (std::size_t i = 0; i < n; ++i) best_[i] = static_cast<Index>(at_[i]);
  }
  std::copy(best_.begin(), best_.end(), permutation.begin());
  outcome.operations = operations_;
  return outcome;
}

}  // namespace fwmap
