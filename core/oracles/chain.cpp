#include "oracles/chain.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/kernels.hpp"

namespace fwmap {
namespace {

constexpr double kOperationsPerStep = 60.0;  // what a step costs besides its sums

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

// Scratch memory of all chains that one thread minimises: megabytes for a chain, and there are many.
std::vector<double>& scratch(int which) {
  thread_local std::vector<double> memory[2];
  return memory[which];
}

}  // namespace

ChainOracle::ChainOracle(Chain chain) : pixels_(static_cast<const Projection&>(chain), "a chain") {
  const std::size_t n = pixels_.n_pixels();
  fixed_negative_ = pixels_.negative();
  take_edges(chain);
  find_windows();  // no call will need wider ones: here all labels are allowed
  // Of unary + weight, of two additions and a table's entry for each step, of the sum's cost, and some to spare.
  depth_ = 3.0 * static_cast<double>(n) + 4.0;
  operations_ = static_cast<double>(pixels_.n_coordinates()) + kOperationsPerStep * static_cast<double>(n);
  if (!feasible_) return;
  for (std::size_t k = 1; k < n; ++k)
    operations_ += static_cast<double>(steps_[k].window.size() * labels(steps_[k]) * labels(steps_[k - 1]));
}

// steps_ and tables_. Links without an edge have a table of zeros.
void ChainOracle::take_edges(const Chain& chain) {
  const std::size_t n = pixels_.n_pixels();
  std::vector<std::size_t> place(n, n);  // of each pixel in the order
  for (std::size_t k = 0; k < chain.order.size(); ++k) {
    const std::size_t pixel = index(chain.order[k]);
    if (pixel >= n || place[pixel] < n) throw std::invalid_argument("the order of a chain does not name every pixel once");
    place[pixel] = k;
    steps_.push_back({chain.order[k], 0, {}, 0, 0});
  }
  if (steps_.size() != n) throw std::invalid_argument("the order of a chain does not name every pixel once");
  std::vector<const ForestEdge*> links(n, nullptr);  // of each step, to the one before
  for (const ForestEdge& edge : chain.edges) {
    const bool inside = index(edge.first) < n && index(edge.second) < n;
    const std::size_t a = inside ? place[index(edge.first)] : 0, b = inside ? place[index(edge.second)] : 0;
    const std::size_t later = std::max(a, b);
    if (later != std::min(a, b) + 1) throw std::invalid_argument("an edge of a chain is not between successive pixels");
    if (edge.cost.kind == EdgeKind::kProduct) throw std::invalid_argument("a chain has an edge that costs a product");
    if (links[later] != nullptr) throw std::invalid_argument("a chain has two edges between the same pixels");
    links[later] = &edge;
    fixed_negative_ += negative_part(edge.cost, *chain.tables, chain.n_labels[index(edge.first)],
                                     chain.n_labels[index(edge.second)]);
  }
  std::vector<double> table;
  for (std::size_t k = 1; k < n; ++k) {
    const std::size_t rows = labels(steps_[k - 1]), columns = labels(steps_[k]);
    table.assign(rows * columns, 0.0);
    if (const ForestEdge* edge = links[k]) {
      const bool forward = edge->first == steps_[k - 1].pixel;
      const Index width = chain.n_labels[index(edge->second)];
      for (std::size_t a = 0; a < rows; ++a)
        for (std::size_t b = 0; b < columns; ++b) {
          const Index first = static_cast<Index>(forward ? a : b), second = static_cast<Index>(forward ? b : a);
          table[a * columns + b] = edge_cost(edge->cost, *chain.tables, first, second, width);
        }
    }
    const bool as_before = tables_.size() >= table.size() && steps_[k - 1].table + table.size() == tables_.size() &&
                           std::equal(table.begin(), table.end(), tables_.end() - static_cast<std::ptrdiff_t>(table.size()));
    if (!as_before) tables_.insert(tables_.end(), table.begin(), table.end());
    steps_[k].table = tables_.size() - table.size();
  }
}

// Makes new windows where other labels are allowed than before. Returns what all costs can lower the value by.
double ChainOracle::take(std::span<const double> weights) {
  double negative = fixed_negative_;
  if (pixels_.take(weights, negative)) find_windows();
  return negative;
}

// Which sums can be reached, from the first step on, and which of them lead to an allowed total, from the last one back.
void ChainOracle::find_windows() {
  feasible_ = false;
  Window sums{0, 0};
  for (Step& step : steps_) {
    const Window own = pixels_.allowed(step.pixel);
    if (own.empty()) return;
    sums = {sums.lowest + own.lowest, sums.highest + own.highest};
    step.window = sums;
  }
  Window needed = pixels_.totals();
  for (std::size_t k = steps_.size(); k-- > 0;) {
    Window& window = steps_[k].window;
    window = {std::max(window.lowest, needed.lowest), std::min(window.highest, needed.highest)};
    if (window.empty()) return;
    const Window own = pixels_.allowed(steps_[k].pixel);
    needed = {window.lowest - own.highest, window.highest - own.lowest};
  }
  n_values_ = 0;
  for (Step& step : steps_) {
    step.stride = (step.window.size() + 2 * kLanes - 1) / kLanes * kLanes;  // whole vectors may be written at any place
    step.values = n_values_;
    n_values_ += step.stride * labels(step);
  }
  feasible_ = true;
}

// values: for each step, label b and sum s in the step's window, the least cost of the pixels up to there.
void ChainOracle::go_along(std::vector<double>& values) const {
  const Kernels& kernel = kernels();
  if (values.size() < n_values_) values.resize(n_values_);
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Step& step = steps_[k];
    const double* own = pixels_.labels(step.pixel);
    const std::size_t columns = labels(step);
    const Window before = k == 0 ? Window{0, 0} : steps_[k - 1].window;
    for (std::size_t b = 0; b < columns; ++b) {
      double* out = values.data() + step.values + b * step.stride;
      // Sums that come from a sum before; of others there is none.
      const Index shift = static_cast<Index>(b);
      const Index first = std::max(step.window.lowest, before.lowest + shift);
      const Index last = std::min(step.window.highest, before.highest + shift);
      const double* end = out + step.window.size();
      if (last < first) {
        std::fill(out, out + step.window.size(), kInfinity);
        continue;
      }
      double* begin = out + (first - step.window.lowest);
      const std::size_t n = index(last - first) + 1;
      if (k == 0) {
        *begin = own[b];
      } else {
        const Step& from = steps_[k - 1];
        kernel.min_plus_stacked(values.data() + from.values + index(first - shift - before.lowest), from.stride, labels(from),
                                tables_.data() + step.table + b, columns, own[b], n, begin);
      }
      std::fill(out, begin, kInfinity);
      if (begin + n < end) std::fill(begin + n, out + step.window.size(), kInfinity);
    }
  }
}

Minimum ChainOracle::minimize(std::span<const double> weights, std::vector<Index>& support) {
  support.clear();
  const double negative = take(weights);
  if (!feasible_) return {kInfinity, kInfinity, 0};
  std::vector<double>& values = scratch(0);
  go_along(values);
  Minimum result;
  result.value = kInfinity;
  const Step& end = steps_.back();
  Index sum = 0;
  std::size_t label = 0;
  for (std::size_t b = 0; b < labels(end); ++b)
    for (Index s = end.window.lowest; s <= end.window.highest; ++s) {
      const double value = values[end.values + b * end.stride + index(s - end.window.lowest)] + pixels_.sum_cost(s);
      if (value < result.value) {
        result.value = value;
        sum = s;
        label = b;
      }
    }
  if (result.value == kInfinity) return {kInfinity, kInfinity, 0};

  result.cost = pixels_.sum_cost(sum);
  support.resize(steps_.size());
  for (std::size_t k = steps_.size(); k-- > 0;) {
    const Step& step = steps_[k];
    const auto coordinate = static_cast<Index>(pixels_.offset(step.pixel) + label);
    support[index(step.pixel)] = coordinate;
    result.cost += pixels_.unary(coordinate);
    if (k == 0) break;
    sum -= static_cast<Index>(label);
    const Step& from = steps_[k - 1];
    const std::size_t columns = labels(step), place = from.values + index(sum - from.window.lowest);
    double least = kInfinity;
    std::size_t best = 0;
    for (std::size_t a = 0; a < labels(from); ++a) {
      const double value = tables_[step.table + a * columns + label] + values[place + a * from.stride];
      if (value < least) {
        least = value;
        best = a;
      }
    }
    result.cost += tables_[step.table + best * columns + label];
    label = best;
  }
  result.rounding = 1.01 * rounding_factor(depth_) * (std::abs(result.value) + 2 * negative);
  return result;
}

double ChainOracle::cost(std::span<const Index> support) const {
  double sum = pixels_.sum_cost_of(support);
  if (sum == kInfinity) return kInfinity;
  for (std::size_t k = steps_.size(); k-- > 0;) {
    const auto label = [&](const Step& step) {
      return index(support[index(step.pixel)]) - pixels_.offset(step.pixel);
    };
    sum += pixels_.unary(support[index(steps_[k].pixel)]);
    if (k > 0) sum += tables_[steps_[k].table + label(steps_[k - 1]) * labels(steps_[k]) + label(steps_[k])];
  }
  return sum;
}

bool ChainOracle::min_marginals(std::span<const double> weights, std::span<double> out) {
  std::fill(out.begin(), out.end(), kInfinity);
  take(weights);
  if (!feasible_) return true;
  std::vector<double>& values = scratch(0);
  go_along(values);

  // behind[a * width + s]: the least cost of the pixels behind a step and of the sum, given the step's label a and the
  // sum s up to there; from the last step back.
  std::vector<double>& memory = scratch(1);
  std::vector<double> behind, next;
  for (std::size_t k = steps_.size(); k-- > 0;) {
    const Step& step = steps_[k];
    const std::size_t width = step.window.size(), rows = labels(step);
    next.assign(rows * (width + kLanes), kInfinity);
    if (k + 1 == steps_.size()) {
      for (std::size_t a = 0; a < rows; ++a)
        for (std::size_t s = 0; s < width; ++s)
          next[a * (width + kLanes) + s] = pixels_.sum_cost(step.window.lowest + static_cast<Index>(s));
    } else {
      const Step& after = steps_[k + 1];
      const std::size_t columns = labels(after), stride = width + kLanes, after_stride = after.window.size() + kLanes;
      const double* own = pixels_.labels(after.pixel);
      memory.assign(columns * stride, kInfinity);  // of the label b behind, by the sum up to here
      for (std::size_t b = 0; b < columns; ++b)
        for (std::size_t s = 0; s < width; ++s) {
          const Index sum = step.window.lowest + static_cast<Index>(s + b);
          if (sum < after.window.lowest || sum > after.window.highest) continue;
          memory[b * stride + s] = own[b] + behind[b * after_stride + index(sum - after.window.lowest)];
        }
      for (std::size_t a = 0; a < rows; ++a)
        kernels().min_plus_stacked(memory.data(), stride, columns, tables_.data() + after.table + a * columns, 1, 0.0, width,
                                   next.data() + a * stride);
    }
    behind.swap(next);
    for (std::size_t a = 0; a < rows; ++a) {
      const std::size_t i = pixels_.offset(step.pixel) + a;
      if (i >= out.size()) continue;
      const double* upto = values.data() + step.values + a * step.stride;
      for (std::size_t s = 0; s < width; ++s) out[i] = std::min(out[i], upto[s] + behind[a * (width + kLanes) + s]);
    }
  }
  return true;
}

}  // namespace fwmap
