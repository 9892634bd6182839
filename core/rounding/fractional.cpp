#include "rounding/fractional.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fwmap {
namespace {

using Masses = std::vector<std::int64_t>;

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

/// The labels of a node that have mass.
struct Support {
  std::vector<Index> labels;
  Masses masses;
};

class Completing {
 public:
  Completing(const FieldGraph& graph, std::span<std::int64_t> masses, Completion& out)
      : graph_(graph), masses_(masses), routed_(masses.begin(), masses.end()), supports_(graph.n_nodes()), out_(out) {
    for (std::size_t v = 0; v < supports_.size(); ++v) {
      const std::size_t first = begin(v), n = graph.n_labels(static_cast<Index>(v));
      double cost = 0;
      for (std::size_t a = 0; a < n; ++a) {
        const std::int64_t mass = masses[first + a];
        if (mass == 0) continue;
        const double unary = graph.unaries(static_cast<Index>(v))[a];
        if (unary == kInfinity) {
          routed_[first + a] = 0;
          continue;
        }
        supports_[v].labels.push_back(static_cast<Index>(a));
        supports_[v].masses.push_back(mass);
        cost += account(mass, unary, static_cast<double>(n));
      }
      out_.costs.push_back(cost);
      out_.operations += static_cast<double>(n);
    }
  }

  void edge(const FieldEdge& edge) {
    const Support &rows = supports_[index(edge.first)], &columns = supports_[index(edge.second)];
    const std::size_t n = rows.labels.size(), m = columns.labels.size();
    costs_.resize(n * m);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < m; ++b)
        costs_[a * m + b] = graph_.edge_cost_of(edge, rows.labels[a], columns.labels[b]);
    left_[0] = rows.masses;
    left_[1] = columns.masses;
    const Coupling::Outcome outcome = coupling_.solve(left_[0], left_[1], costs_);
    out_.costs.push_back(outcome.cost);
    // Costs of edges are themselves rounded: structured ones, and sums of parallel edges.
    out_.rounding += rounding_factor(static_cast<double>(outcome.pairs) + 6) * outcome.magnitude;
    out_.operations += outcome.operations + 2 * static_cast<double>(n * m);
    keep_routed(edge.first, left_[0]);
    keep_routed(edge.second, left_[1]);
  }

  void factor(const FieldFactor& factor, std::span<const FactorHint> hints) {
    const std::size_t arity = factor.scope.size();
    std::vector<Masses> left(arity);
    for (std::size_t p = 0; p < arity; ++p) left[p] = supports_[index(factor.scope[p])].masses;
    double cost = 0, summands = static_cast<double>(hints.size());
    position_.resize(arity);
    const auto pair = [&](std::int64_t mass, double entry_cost) {
      for (std::size_t p = 0; p < arity; ++p) mass = std::min(mass, left[p][position_[p]]);
      if (mass <= 0) return;
      for (std::size_t p = 0; p < arity; ++p) left[p][position_[p]] -= mass;
      cost += account(mass, entry_cost, summands);
    };
    for (const FactorHint& hint : hints)
      if (find_positions(factor, hint.entry)) pair(hint.mass, factor.table[hint.entry]);

    // What the hints leave, by cost: entries of labels that have mass left.
    entries_.clear();
    std::fill(position_.begin(), position_.end(), 0);
    for (bool more = std::all_of(left.begin(), left.end(), [](const Masses& of) { return !of.empty(); }); more;) {
      std::size_t entry = 0;
      bool has_mass = true;
      for (std::size_t p = 0; p < arity; ++p) {
        const Index v = factor.scope[p];
        entry = entry * graph_.n_labels(v) + index(supports_[index(v)].labels[position_[p]]);
        has_mass = has_mass && left[p][position_[p]] > 0;
      }
      if (has_mass && factor.table[entry] < kInfinity) entries_.push_back({factor.table[entry], entry});
      out_.operations += static_cast<double>(arity);
      more = false;
      for (std::size_t p = arity; p-- > 0 && !more;) {
        more = ++position_[p] < left[p].size();
        if (!more) position_[p] = 0;
      }
    }
    std::sort(entries_.begin(), entries_.end());
    out_.operations += 8 * static_cast<double>(entries_.size());
    summands += static_cast<double>(entries_.size());
    for (const auto& [entry_cost, entry] : entries_)
      if (find_positions(factor, static_cast<std::int64_t>(entry))) pair(std::int64_t{1} << 62, entry_cost);
    out_.costs.push_back(cost);
    for (std::size_t p = 0; p < arity; ++p) keep_routed(factor.scope[p], left[p]);
  }

  void finish() { std::copy(routed_.begin(), routed_.end(), masses_.begin()); }

 private:
  std::size_t begin(std::size_t v) const { return static_cast<std::size_t>(graph_.field().offsets[v]); }

  /// mass * cost, one of so many summands.
  double account(std::int64_t mass, double cost, double summands) {
    const double part = static_cast<double>(mass) * cost;
    out_.rounding += rounding_factor(summands + 4) * std::abs(part);
    return part;
  }

  void keep_routed(Index v, const Masses& left) {
    const Support& support = supports_[index(v)];
    for (std::size_t k = 0; k < left.size(); ++k) {
      std::int64_t& routed = routed_[begin(index(v)) + index(support.labels[k])];
      routed = std::min(routed, support.masses[k] - left[k]);
    }
  }

  /// Places of an entry's labels in the supports of its nodes; false where one is not there.
  bool find_positions(const FieldFactor& factor, std::int64_t entry) {
    for (std::size_t p = factor.scope.size(); p-- > 0;) {
      const auto n = static_cast<std::int64_t>(graph_.n_labels(factor.scope[p]));
      const std::vector<Index>& labels = supports_[index(factor.scope[p])].labels;
      const auto label = static_cast<Index>(entry % n);
      const auto place = std::lower_bound(labels.begin(), labels.end(), label);
      if (place == labels.end() || *place != label) return false;
      position_[p] = static_cast<std::size_t>(place - labels.begin());
      entry /= n;
    }
    return true;
  }

  const FieldGraph& graph_;
  std::span<std::int64_t> masses_;
  Masses routed_;
  std::vector<Support> supports_;
  Completion& out_;
  Coupling coupling_;
  std::vector<double> costs_;
  Masses left_[2];
  std::vector<std::size_t> position_;
  std::vector<std::pair<double, std::size_t>> entries_;
};

}  // namespace

Completion complete(const FieldGraph& graph, std::span<std::int64_t> masses, std::span<const FactorHint> hints,
                    double max_operations) {
  Completion out;
  Completing completing(graph, masses, out);
  const Field& field = graph.field();
  for (const FieldEdge& edge : field.edges) {
    if (out.operations > max_operations) return {false, {}, 0, out.operations};
    completing.edge(edge);
  }
  std::size_t hint = 0;
  for (std::size_t f = 0; f < field.factors.size(); ++f) {
    if (out.operations > max_operations) return {false, {}, 0, out.operations};
    std::size_t last = hint;
    while (last < hints.size() && hints[last].factor == static_cast<std::int32_t>(f)) ++last;
    completing.factor(field.factors[f], hints.subspan(hint, last - hint));
    hint = last;
  }
  completing.finish();
  return out;
}

}  // namespace fwmap
