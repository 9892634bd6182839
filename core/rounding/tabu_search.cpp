#include "rounding/tabu_search.hpp"

#include <algorithm>
#include <cmath>

#include "poll.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

constexpr std::size_t kLeastTenure = 6, kTenureSpread = 10, kMostTenure = 256;  // steps a label stays away
constexpr double kPatience = 20;   // steps per node without anything better, and
constexpr double kLeastPatience = 2000;
constexpr double kNoise = 1e-11;   // changes below this, relative to the costs in play, are rounding
constexpr double kPerChange = 12;  // operations to find a node's best change and put it into the tree
constexpr std::size_t kLeastKick = 4;

}  // namespace

TabuSearch::TabuSearch(std::shared_ptr<const FieldGraph> graph, std::uint64_t seed)
    : graph_(std::move(graph)),
      random_(seed),
      costs_(static_cast<std::size_t>(graph_->field().offsets.back())),
      tabu_until_(costs_.size(), 0),
      let_go_at_(kMostTenure),
      leaf_(graph_->n_nodes(), 0),
      changes_(graph_->n_nodes()) {
  for (std::size_t v = 0; v < graph_->n_nodes(); ++v)
    if (graph_->n_labels(static_cast<Index>(v)) > 1) movable_.push_back(static_cast<Index>(v));
  for (n_leaves_ = 1; n_leaves_ < movable_.size();) n_leaves_ *= 2;
  tree_.assign(2 * n_leaves_, -1);
  for (std::size_t k = 0; k < movable_.size(); ++k) {
    leaf_[index(movable_[k])] = n_leaves_ + k;
    tree_[n_leaves_ + k] = movable_[k];
  }
}

std::size_t TabuSearch::at(Index node, Index label) const {
  return static_cast<std::size_t>(graph_->field().offsets[index(node)]) + index(label);
}

MoveOutcome TabuSearch::wander(std::span<Index> labeling, double max_operations) {
  operations_ = 0;
  if (movable_.empty() || max_operations <= 0) return {};
  std::vector<Index> best(labeling.begin(), labeling.end());
  MoveOutcome total;
  const auto patience = static_cast<std::uint64_t>(std::max(kLeastPatience, kPatience * static_cast<double>(movable_.size())));
  while (operations_ < max_operations) {
    start(best);
    const double before = best_;
    if (n_kicked_ > 0) kick(n_kicked_);
    for (std::uint64_t last = now_; now_ - last < patience && operations_ < max_operations;) {
      step();
      if (energy_ < best_ - kNoise * size_) {
        keep(best);
        last = now_;
      }
    }
    total.change += best_;
    n_kicked_ = best_ < before ? kLeastKick : std::max(kLeastKick, n_kicked_ + n_kicked_ / 2);
    if (n_kicked_ > movable_.size() / 2) n_kicked_ = kLeastKick;
  }
  std::copy(best.begin(), best.end(), labeling.begin());
  total.operations = operations_;
  return total;
}

// Everything anew for a labeling: no rounding is carried on.
void TabuSearch::start(std::span<const Index> labeling) {
  labels_.assign(labeling.begin(), labeling.end());
  std::fill(costs_.begin(), costs_.end(), 0.0);
  std::fill(tabu_until_.begin(), tabu_until_.end(), 0);
  for (auto& nodes : let_go_at_) nodes.clear();
  now_ = 0;
  energy_ = best_ = size_ = 0;
  changed_.clear();
  for (const Index v : movable_) {
    poll();
    double* costs = costs_.data() + at(v, 0);
    graph_->for_each_local_cost(
        v, labels_, [costs](std::size_t a, double cost) { costs[a] += cost; }, [](const FieldEdge&) { return false; });
    size_ = std::max(size_, std::abs(costs[index(label(v))]));
    const auto degree = graph_->edges_of(v).size() + graph_->factors_of(v).size();
    operations_ += static_cast<double>((degree + 1) * (graph_->n_labels(v) + 4));
  }
  for (const Index v : movable_) find_change(v);
}

// Finds a node's best change among those allowed, and who is the best in the tree then.
void TabuSearch::find_change(Index node) {
  const std::size_t first = at(node, 0), n = graph_->n_labels(node);
  const auto own = index(label(node));
  const double paid = costs_[first + own];
  std::size_t best = n, start = 0;
  double lowest = kInfinity;
  const std::uint64_t tie = random_.next();
  if (n > 2) start = static_cast<std::size_t>(tie >> 32) % n;  // ties: the first one from here
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t a = start + i < n ? start + i : start + i - n;
    const double cost = costs_[first + a];
    if (a == own || cost >= lowest) continue;
    if (tabu_until_[first + a] > now_ && !(energy_ + cost - paid < best_ - kNoise * size_)) continue;
    lowest = cost;
    best = a;
  }
  changes_[index(node)] = {best < n ? lowest - paid : kInfinity, static_cast<std::uint32_t>(tie), static_cast<Index>(best)};
  for (std::size_t k = leaf_[index(node)] / 2; k > 0; k /= 2) {
    const Index left = tree_[2 * k], right = tree_[2 * k + 1];
    const bool is_right = left < 0 || (right >= 0 && changes_[index(right)] < changes_[index(left)]);
    tree_[k] = is_right ? right : left;
    operations_ += 1;
  }
  operations_ += kPerChange + static_cast<double>(n);
}

// Changes the label of a node, and what that means for its neighbours.
void TabuSearch::set(Index node, Index to) {
  const Index from = label(node);
  energy_ += costs_[at(node, to)] - costs_[at(node, from)];
  for (const std::int32_t e : graph_->edges_of(node)) {
    const FieldEdge& edge = graph_->edge(e);
    const bool is_first = edge.first == node;
    const Index other = is_first ? edge.second : edge.first;
    const std::size_t n = graph_->n_labels(other);
    double* costs = costs_.data() + at(other, 0);
    if (edge.cost.kind == EdgeKind::kTable) {
      const double* table = graph_->field().tables->table(edge.cost.table);
      if (is_first) {
        const double *row = table + index(to) * n, *old = table + index(from) * n;
        for (std::size_t a = 0; a < n; ++a) costs[a] += row[a] - old[a];
      } else {
        const std::size_t columns = graph_->n_labels(node);
        const double *column = table + index(to), *old = table + index(from);
        for (std::size_t a = 0; a < n; ++a) costs[a] += column[a * columns] - old[a * columns];
      }
    } else {
      for (std::size_t a = 0; a < n; ++a) {
        const auto theirs = static_cast<Index>(a);
        costs[a] += is_first ? graph_->edge_cost_of(edge, to, theirs) - graph_->edge_cost_of(edge, from, theirs)
                             : graph_->edge_cost_of(edge, theirs, to) - graph_->edge_cost_of(edge, theirs, from);
      }
    }
    operations_ += static_cast<double>(n + 4);
  }
  for (const std::int32_t f : graph_->factors_of(node)) {
    const FieldFactor& factor = graph_->factor(f);
    for (const Index other : factor.scope) {
      if (other == node) continue;
      std::size_t stride = 0;
      const std::size_t n = graph_->n_labels(other), old = graph_->entry(factor, labels_, other, &stride);
      label(node) = to;
      const std::size_t fresh = graph_->entry(factor, labels_, other, &stride);
      label(node) = from;
      double* costs = costs_.data() + at(other, 0);
      for (std::size_t a = 0; a < n; ++a) costs[a] += factor.table[fresh + a * stride] - factor.table[old + a * stride];
      operations_ += static_cast<double>(n + 8 * factor.scope.size());
    }
  }
  label(node) = to;
  changed_.push_back(node);
  find_change(node);
  const auto follow = [&](Index other) {
    if (other != node && graph_->n_labels(other) > 1) find_change(other);
  };
  for (const std::int32_t e : graph_->edges_of(node)) {
    const FieldEdge& edge = graph_->edge(e);
    follow(edge.first == node ? edge.second : edge.first);
  }
  for (const std::int32_t f : graph_->factors_of(node))
    for (const Index other : graph_->factor(f).scope) follow(other);
}

// Keeps a label away for a while.
void TabuSearch::forbid(Index node, Index label) {
  const std::size_t spread = std::min(kTenureSpread + movable_.size() / 100, kMostTenure - kLeastTenure - 1);
  const std::uint64_t until = now_ + kLeastTenure + random_.below(spread);
  tabu_until_[at(node, label)] = until;
  let_go_at_[until % kMostTenure].push_back(node);
}

// Looks again at nodes whose labels may come back now.
void TabuSearch::let_go() {
  auto& nodes = let_go_at_[now_ % kMostTenure];
  for (const Index v : nodes) find_change(v);
  nodes.clear();
}

void TabuSearch::step() {
  poll();
  ++now_;
  let_go();
  operations_ += 4;
  const Index node = tree_[1];
  const Change change = changes_[index(node)];
  if (change.label == static_cast<Index>(graph_->n_labels(node))) return;  // all are kept away
  forbid(node, label(node));
  set(node, change.label);
}

// Gives some nodes near each other random labels.
void TabuSearch::kick(std::size_t n_nodes) {
  Index node = movable_[random_.below(movable_.size())];
  for (std::size_t k = 0; k < n_nodes; ++k) {
    const std::size_t n = graph_->n_labels(node);
    const Index old = label(node);
    auto to = static_cast<Index>(random_.below(n - 1));
    if (to >= old) ++to;
    forbid(node, old);
    set(node, to);
    const auto edges = graph_->edges_of(node);
    if (edges.empty() || random_.below(8) == 0) {
      node = movable_[random_.below(movable_.size())];
      continue;
    }
    const FieldEdge& edge = graph_->edge(edges[random_.below(edges.size())]);
    const Index other = edge.first == node ? edge.second : edge.first;
    if (graph_->n_labels(other) > 1) node = other;
  }
}

// The labeling is the best one met.
void TabuSearch::keep(std::span<Index> best) {
  for (const Index v : changed_) best[index(v)] = label(v);
  operations_ += static_cast<double>(changed_.size());
  changed_.clear();
  best_ = energy_;
}

}  // namespace fwmap
