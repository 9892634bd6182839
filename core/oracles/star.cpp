#include "oracles/star.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "kernels/kernels.hpp"

namespace fwmap {

StarTable::StarTable(std::span<const double> right, std::size_t n_places, std::size_t n_none)
    : n_places_(n_places), n_none_(n_none) {
  if (right.size() != n_places * n_places) throw std::invalid_argument("the matrix of places has the wrong size");
  const std::size_t n = n_places + 1;
  plus_.assign((n_places + n_none) * n, 0.0);
  for (std::size_t l = 0; l < n_places; ++l)
    for (std::size_t k = 0; k < n_places; ++k) {
      plus_[l * n + k] = k == l ? kInfinity : right[k * n_places + l];
      if (k != l) largest_ = std::max(largest_, std::abs(right[k * n_places + l]));
    }
  minus_ = plus_;
  for (std::size_t k = 0; k < n_places; ++k) minus_[k * n + k] = -kInfinity;
}

StarOracle::StarOracle(Star star) : star_(std::move(star)) {
  const std::size_t n = leaves(), s = columns();
  if (star_.unaries.size() != (n + 1) * labels()) throw std::invalid_argument("unaries of a star have the wrong size");
  if (star_.may_have_none && n > star_.table->n_none()) throw std::invalid_argument("a star has more points than its table");
  if (std::find(star_.weights.begin(), star_.weights.end(), 0.0) != star_.weights.end())
    throw std::invalid_argument("a star has a point of weight 0");
  if (n + 1 > s + 1) throw std::invalid_argument("a star has more points than places");
  centre_.resize(labels());
  costs_.resize(n * s);
  table_.resize(n * s);
  sizes_.resize(n);
  prices_.assign(s * labels(), 0.0);
  bounds_.resize(labels());
  lows_.resize(labels());
  net_.resize(labels());
  order_.resize(labels());
  values_.resize(s);
  v_.resize(s);
  column_of_.resize(s);
  row_of_.resize(s);
  distance_.resize(s);
  before_.resize(s);
  done_.resize(s);
  if (s > 1) start_prices();
  const auto size = static_cast<double>(s);
  operations_ = 2.5 * static_cast<double>(n) * size * static_cast<double>(labels()) + 40 * size * size;
}

// Prices that prove each place's minimum where nothing but the pairs costs: a least scalar product pairs the largest
// weight with the smallest entry, and so on. With both sorted, each price is the one before plus the weight times the
// step from entry to entry. Columns that nobody needs go to rows of weight 0.
void StarOracle::start_prices() {
  const std::size_t s = columns(), k = labels(), m = k - 1;
  std::vector<double> weights(star_.weights);
  weights.resize(s - 1, 0.0);
  std::sort(weights.begin(), weights.end(), std::greater<>());
  const double* table = star_.table->by_column(1.0);
  std::vector<std::size_t> order(s);
  for (std::size_t place = 0; place < m; ++place) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(place));
    const auto entry = [&](std::size_t l) { return table[l * k + place]; };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return entry(a) < entry(b) || (entry(a) == entry(b) && a < b); });
    double price = 0, highest = 0;
    for (std::size_t r = 1; r < order.size(); ++r) {
      price += weights[r] * (entry(order[r]) - entry(order[r - 1]));
      prices_[order[r] * k + place] = price;
      highest = std::max(highest, price);
    }
    prices_[place * k + place] = highest;  // the centre's own place, for a row of weight 0
    order.resize(s);
  }
}

void StarOracle::fill_costs(std::span<const double> weights) {
  const std::size_t k = labels(), s = columns(), m = k - 1;
  for (std::size_t a = 0; a < k; ++a) centre_[a] = star_.unaries[a] + weight_at(weights, a);
  for (std::size_t j = 0; j < leaves(); ++j) {
    const std::size_t first = (j + 1) * k;
    double* row = costs_.data() + j * s;
    for (std::size_t l = 0; l < m; ++l) row[l] = star_.unaries[first + l] + weight_at(weights, first + l);
    if (s > m) std::fill(row + m, row + s, star_.unaries[first + m] + weight_at(weights, first + m));
    double largest = 0;
    for (std::size_t l = 0; l < s; ++l)
      if (row[l] < kInfinity) largest = std::max(largest, std::abs(row[l]));
    sizes_[j] = largest;
  }
}

// What each place of the centre costs at least, at the prices. A row for each leaf, and rows that cost nothing for the
// columns that are left: so every column is taken, and prices may have any sign.
void StarOracle::bound_all() {
  const std::size_t k = labels(), s = columns(), rest = s - leaves();
  const Kernels& kernel = kernels();
  std::fill(bounds_.begin(), bounds_.end(), 0.0);
  std::fill(lows_.begin(), lows_.end(), -kInfinity);  // largest price, so that -price is the least a free row pays
  for (std::size_t l = 0; l < s; ++l)
    for (std::size_t a = 0; a < k; ++a) {
      bounds_[a] += price(l, a);
      lows_[a] = std::max(lows_[a], price(l, a));
    }
  for (std::size_t a = 0; a < k; ++a) bounds_[a] += centre_[a] - static_cast<double>(rest) * lows_[a];
  for (std::size_t j = 0; j < leaves(); ++j) {
    kernel.min_plus_product(costs_.data() + j * s, star_.weights[j], star_.table->by_column(star_.weights[j]), -1.0,
                            prices_.data(), s, k, net_.data());
    kernel.accumulate(net_.data(), k, bounds_.data());
  }
}

// The same for one place, with the prices as they are now.
double StarOracle::proved(std::size_t place) {
  const std::size_t s = columns();
  double sum = centre_[place], highest = -kInfinity;
  for (std::size_t l = 0; l < s; ++l) {
    sum += v_[l];
    highest = std::max(highest, v_[l]);
  }
  for (std::size_t j = 0; j < leaves(); ++j) {
    double least = kInfinity;
    for (std::size_t l = 0; l < s; ++l) least = std::min(least, table_[j * s + l] - v_[l]);
    sum += least;
  }
  return sum - static_cast<double>(s - leaves()) * highest;
}

// The cheapest way from a row to a free column, and everyone on it moves.
bool StarOracle::find_column(std::size_t start) {
  const std::size_t s = columns(), n = leaves();
  std::fill(distance_.begin(), distance_.end(), kInfinity);
  std::fill(done_.begin(), done_.end(), 0);
  std::size_t row = start, column = kNone;
  double reached = 0;
  for (;;) {
    const double* costs = row < n ? table_.data() + row * s : nullptr;
    double nearest = kInfinity;
    std::size_t next = kNone;
    for (std::size_t l = 0; l < s; ++l) {
      if (done_[l]) continue;
      const double own = (costs == nullptr ? 0.0 : costs[l]) - v_[l] - values_[row];
      const double through = reached + std::max(0.0, own);
      if (through < distance_[l]) {
        distance_[l] = through;
        before_[l] = column;
      }
      if (distance_[l] < nearest) {
        nearest = distance_[l];
        next = l;
      }
    }
    if (next == kNone) return false;
    column = next;
    reached = nearest;
    if (row_of_[column] == kNone) break;
    done_[column] = 1;
    row = row_of_[column];
  }
  values_[start] += reached;
  for (std::size_t l = 0; l < s; ++l) {
    if (!done_[l]) continue;
    v_[l] += distance_[l] - reached;
    values_[row_of_[l]] += reached - distance_[l];
  }
  while (column != kNone) {
    const std::size_t previous = before_[column];
    const std::size_t mover = previous == kNone ? start : row_of_[previous];
    row_of_[column] = mover;
    column_of_[mover] = column;
    column = previous;
  }
  return true;
}

// The assignment of the others with the centre at a place, from the prices there are; false where there is none.
bool StarOracle::solve(std::size_t place) {
  const std::size_t s = columns(), n = leaves(), k = labels();
  for (std::size_t l = 0; l < s; ++l) v_[l] = price(l, place);
  for (std::size_t j = 0; j < n; ++j) {
    const double weight = star_.weights[j];
    const double* table = star_.table->by_column(weight) + place;
    for (std::size_t l = 0; l < s; ++l) table_[j * s + l] = costs_[j * s + l] + weight * table[l * k];
  }
  std::fill(row_of_.begin(), row_of_.end(), kNone);
  std::fill(column_of_.begin(), column_of_.end(), kNone);
  for (std::size_t row = 0; row < s; ++row) {
    double least = kInfinity;
    std::size_t free = kNone;
    for (std::size_t l = 0; l < s; ++l) {
      const double net = (row < n ? table_[row * s + l] : 0.0) - v_[l];
      if (net < least) {
        least = net;
        free = kNone;
      }
      if (net == least && free == kNone && row_of_[l] == kNone) free = l;
    }
    if (least == kInfinity) return false;
    values_[row] = least;
    if (free == kNone) continue;
    column_of_[row] = free;
    row_of_[free] = row;
  }
  for (std::size_t row = 0; row < s; ++row)
    if (column_of_[row] == kNone && !find_column(row)) return false;
  for (std::size_t l = 0; l < s; ++l) prices_[l * k + place] = v_[l];
  return true;
}

Minimum StarOracle::minimize(std::span<const double> weights, std::vector<Index>& support) {
  support.clear();
  fill_costs(weights);
  bound_all();
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(),
            [&](std::size_t a, std::size_t b) { return bounds_[a] < bounds_[b] || (bounds_[a] == bounds_[b] && a < b); });
  const std::size_t k = labels(), m = k - 1, s = columns();
  double least = kInfinity, lowest = kInfinity;  // the best value found, and what is proved for all places
  for (const std::size_t place : order_) {
    if (bounds_[place] == kInfinity || centre_[place] == kInfinity) continue;
    if (!(bounds_[place] < least)) {  // and so are all behind
      lowest = std::min(lowest, bounds_[place]);
      break;
    }
    if (!solve(place)) continue;
    double value = centre_[place];
    for (std::size_t j = 0; j < leaves(); ++j) value += table_[j * s + column_of_[j]];
    lowest = std::min(lowest, proved(place));
    if (!(value < least)) continue;
    least = value;
    best_.assign(1, static_cast<Index>(place));
    for (std::size_t j = 0; j < leaves(); ++j)
      best_.push_back(static_cast<Index>((j + 1) * k + std::min(column_of_[j], m)));
  }
  if (least == kInfinity) return {kInfinity, kInfinity, 0};
  support = best_;
  // No item of the sums above is larger than these, and none goes through more roundings.
  double magnitude = std::abs(least), price_size = 0, centre_size = 0;
  for (const double p : prices_) price_size = std::max(price_size, std::abs(p));
  for (std::size_t j = 0; j < leaves(); ++j) magnitude += sizes_[j] + std::abs(star_.weights[j]) * star_.table->largest();
  for (std::size_t a = 0; a < k; ++a)
    if (centre_[a] < kInfinity) centre_size = std::max(centre_size, std::abs(centre_[a]));
  magnitude += centre_size + 2 * static_cast<double>(s) * price_size;
  Minimum result;
  result.value = least;
  result.cost = cost(support);
  result.rounding = std::max(0.0, least - lowest) + 1.01 * rounding_factor(2 * static_cast<double>(s) + 8) * magnitude;
  return result;
}

double StarOracle::cost(std::span<const Index> support) const {
  const std::size_t k = labels(), m = k - 1;
  if (support.size() != leaves() + 1) return kInfinity;
  std::vector<char> taken(m, 0);
  double sum = 0;
  std::size_t centre = m;
  for (std::size_t j = 0; j < support.size(); ++j) {
    const auto i = static_cast<std::size_t>(support[j]);
    if (i < j * k || i >= (j + 1) * k) return kInfinity;  // not one label per point
    const std::size_t label = i - j * k;
    if (label < m && taken[label]++ != 0) return kInfinity;
    sum += star_.unaries[i];
    if (j == 0)
      centre = label;
    else if (label < m && centre < m)
      sum += star_.weights[j - 1] * star_.table->by_column(1.0)[label * k + centre];
  }
  return sum;
}

}  // namespace fwmap
