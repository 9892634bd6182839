#include "rounding/elimination_moves.hpp"

#include <algorithm>

#include "kernels/kernels.hpp"
#include "poll.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

constexpr double kPerNode = 40, kPerLink = 4;  // operations beside those per entry
constexpr double kPerEntry = 0.25;             // entries stand next to each other

}  // namespace

EliminationMoves::EliminationMoves(std::shared_ptr<const FieldGraph> graph)
    : graph_(std::move(graph)), place_(graph_->n_nodes(), -1), step_of_(graph_->n_nodes(), kOutside) {}

MoveOutcome EliminationMoves::solve(std::span<const Index> nodes, std::span<Index> labeling, std::size_t most_entries,
                                    Random& random) {
  outcome_ = {};
  before_ = after_ = 0;
  link(nodes);
  order(most_entries, random);
  find_scopes();
  const auto n_steps = static_cast<std::int32_t>(steps_.size());
  for (std::int32_t k = 0; k < n_steps; ++k) eliminate(k, labeling);
  for (std::int32_t k = n_steps; k-- > 0;) choose(k, labeling, random);
  for (const Index v : nodes_) {
    place_[index(v)] = -1;
    step_of_[index(v)] = kOutside;
  }
  outcome_.change = after_ - before_;
  return outcome_;
}

// Lists the neighbours of each node among those given.
void EliminationMoves::link(std::span<const Index> nodes) {
  nodes_.clear();
  for (const Index v : nodes) {
    if (graph_->n_labels(v) == 1) continue;
    place_[index(v)] = static_cast<Index>(nodes_.size());
    nodes_.push_back(v);
  }
  const std::size_t n = nodes_.size();
  if (neighbours_.size() < n) neighbours_.resize(n);
  seen_.assign(n, 0);
  n_looks_ = 0;
  for (std::size_t p = 0; p < n; ++p) {
    const Index v = nodes_[p];
    neighbours_[p].clear();
    seen_[p] = ++n_looks_;
    const auto meet = [&](Index u) {
      const Index q = place_[index(u)];
      if (q < 0 || seen_[index(q)] == n_looks_) return;
      seen_[index(q)] = n_looks_;
      neighbours_[p].push_back(q);
    };
    for (const std::int32_t e : graph_->edges_of(v)) {
      const FieldEdge& edge = graph_->edge(e);
      meet(edge.first == v ? edge.second : edge.first);
    }
    for (const std::int32_t f : graph_->factors_of(v))
      for (const Index u : graph_->factor(f).scope) meet(u);
    outcome_.operations += kPerNode + kPerLink * static_cast<double>(graph_->edges_of(v).size() + graph_->factors_of(v).size());
  }
}

// Puts a node into the queue, with the number of entries that taking it out needs now.
void EliminationMoves::push(Index place, Random& random) {
  double weight = static_cast<double>(graph_->n_labels(nodes_[index(place)]));
  for (const Index q : neighbours_[index(place)]) weight *= static_cast<double>(graph_->n_labels(nodes_[index(q)]));
  weights_[index(place)] = weight;
  queue_.push_back({weight, random.next(), place});
  std::push_heap(queue_.begin(), queue_.end());
  outcome_.operations += kPerLink * static_cast<double>(neighbours_[index(place)].size() + 2);
}

void EliminationMoves::part_from_neighbours(Index place, Random& random) {
  is_left_[index(place)] = 0;
  for (const Index q : neighbours_[index(place)]) {
    auto& theirs = neighbours_[index(q)];
    theirs.erase(std::find(theirs.begin(), theirs.end(), place));
    push(q, random);
  }
}

// Chooses which nodes are taken out, in which order; steps_ then has them, with their neighbours as places.
void EliminationMoves::order(std::size_t most_entries, Random& random) {
  const std::size_t n = nodes_.size();
  weights_.assign(n, 0.0);
  is_left_.assign(n, 1);
  queue_.clear();
  steps_.clear();
  scopes_.clear();
  for (std::size_t p = 0; p < n; ++p) push(static_cast<Index>(p), random);
  while (!queue_.empty()) {
    poll();
    const Waiting next = queue_.front();
    const auto p = index(next.place);
    if (!is_left_[p] || next.weight != weights_[p]) {
      std::pop_heap(queue_.begin(), queue_.end());
      queue_.pop_back();
      continue;
    }
    if (next.weight > static_cast<double>(most_entries) && !neighbours_[p].empty()) {
      std::size_t most = p;
      const std::size_t start = random.below(n);  // ties: the first one from here
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t q = start + i < n ? start + i : start + i - n;
        if (is_left_[q] && neighbours_[q].size() > neighbours_[most].size()) most = q;
      }
      outcome_.operations += static_cast<double>(n);
      step_of_[index(nodes_[most])] = kKept;
      part_from_neighbours(static_cast<Index>(most), random);
      continue;
    }
    const auto& around = neighbours_[p];
    step_of_[index(nodes_[p])] = static_cast<std::int32_t>(steps_.size());
    steps_.push_back({nodes_[p], scopes_.size(), around.size(), 0});
    scopes_.insert(scopes_.end(), around.begin(), around.end());
    for (const Index q : around) {
      seen_[index(q)] = ++n_looks_;
      for (const Index r : neighbours_[index(q)]) seen_[index(r)] = n_looks_;
      for (const Index r : around)
        if (seen_[index(r)] != n_looks_) neighbours_[index(q)].push_back(r);
      outcome_.operations += static_cast<double>(neighbours_[index(q)].size() + around.size());
    }
    part_from_neighbours(next.place, random);
  }
}

// Sorts the neighbours of each step, and finds where its message goes: to the one of them that is taken out first. A
// neighbour that kept its label after all has none in the table.
void EliminationMoves::find_scopes() {
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    Step& step = steps_[k];
    const auto scope = std::span(scopes_).subspan(step.scope, step.width);
    std::size_t width = 0;
    for (const Index place : scope) {
      const Index v = nodes_[index(place)];
      if (step_of_[index(v)] != kKept) scope[width++] = v;
    }
    step.width = width;
    std::sort(scope.begin(), scope.begin() + static_cast<std::ptrdiff_t>(width),
              [this](Index u, Index v) { return step_of_[index(u)] > step_of_[index(v)]; });
    if (width == 0) continue;
    Step& to = steps_[static_cast<std::size_t>(step_of_[index(scope[width - 1])])];
    step.next = to.received;
    to.received = static_cast<std::int32_t>(k);
  }
  messages_.clear();
}

std::size_t EliminationMoves::level_of(const Step& step, Index node) const {
  const auto nodes = scope(step);
  return step.width - static_cast<std::size_t>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
}

// The step whose table gets the factor; less than 0 where none of its nodes is taken out.
std::int32_t EliminationMoves::first_of(const FieldFactor& factor) const {
  std::int32_t first = -1;
  for (const Index v : factor.scope)
    if (step_of(v) >= 0 && (first < 0 || step_of(v) < first)) first = step_of(v);
  return first;
}

void EliminationMoves::collect_edges(std::int32_t k, std::span<const Index> labeling) {
  const Step& step = steps_[static_cast<std::size_t>(k)];
  const Index v = step.node;
  for (const std::int32_t e : graph_->edges_of(v)) {
    const FieldEdge& edge = graph_->edge(e);
    const Index u = edge.first == v ? edge.second : edge.first;
    if (step_of(u) <= k) continue;
    const std::size_t level = level_of(step, u), n = graph_->n_labels(v), m = graph_->n_labels(u);
    parts_.push_back({tables_.size(), false, has_.size(), level});
    has_.resize(has_.size() + step.width + 1, 0);
    has_[parts_.back().has] = has_[parts_.back().has + level] = 1;
    for (std::size_t b = 0; b < m; ++b)
      for (std::size_t a = 0; a < n; ++a) {
        const auto own = static_cast<Index>(a), theirs = static_cast<Index>(b);
        tables_.push_back(edge.first == v ? graph_->edge_cost_of(edge, own, theirs) : graph_->edge_cost_of(edge, theirs, own));
      }
    before_ += graph_->edge_cost_of(edge, labeling[index(edge.first)], labeling[index(edge.second)]);
    outcome_.operations += static_cast<double>(n * m);
  }
}

void EliminationMoves::collect_factors(std::int32_t k, std::span<const Index> labeling) {
  const Step& step = steps_[static_cast<std::size_t>(k)];
  for (const std::int32_t f : graph_->factors_of(step.node)) {
    const FieldFactor& factor = graph_->factor(f);
    const auto is_later = [&](Index u) { return step_of(u) > k; };
    if (first_of(factor) != k || std::none_of(factor.scope.begin(), factor.scope.end(), is_later)) continue;
    struct Axis {
      std::size_t level, stride, size;
    };
    std::vector<Axis> axes;
    std::size_t first = 0, stride = 1, total = 1, outermost = 0, now = 0;
    for (std::size_t i = factor.scope.size(); i-- > 0;) {
      const Index v = factor.scope[i];
      const std::size_t n = graph_->n_labels(v), at = index(labeling[index(v)]) * stride;
      now += at;
      if (step_of(v) < 0) {
        first += at;
      } else {
        axes.push_back({v == step.node ? 0 : level_of(step, v), stride, n});
        outermost = std::max(outermost, axes.back().level);
        total *= n;
      }
      stride *= n;
    }
    before_ += factor.table[now];
    std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.level < b.level; });
    parts_.push_back({tables_.size(), false, has_.size(), outermost});
    has_.resize(has_.size() + step.width + 1, 0);
    for (const Axis& axis : axes) has_[parts_.back().has + axis.level] = 1;
    for (std::size_t i = 0; i < total; ++i) {
      std::size_t entry = first, rest = i;
      for (const Axis& axis : axes) {
        entry += rest % axis.size * axis.stride;
        rest /= axis.size;
      }
      tables_.push_back(factor.table[entry]);
    }
    outcome_.operations += static_cast<double>(2 * total * axes.size());
  }
}

void EliminationMoves::collect_messages(std::int32_t k) {
  const Step& step = steps_[static_cast<std::size_t>(k)];
  for (std::int32_t j = step.received; j >= 0; j = steps_[static_cast<std::size_t>(j)].next) {
    const Step& from = steps_[static_cast<std::size_t>(j)];
    parts_.push_back({from.message, true, has_.size(), 0});
    has_.resize(has_.size() + step.width + 1, 0);
    for (const Index u : scope(from)) {
      const std::size_t level = u == step.node ? 0 : level_of(step, u);
      has_[parts_.back().has + level] = 1;
      parts_.back().outermost = std::max(parts_.back().outermost, level);
    }
  }
}

// Adds a part to the entries of all levels below `n_levels`; it stays the same along levels that it has not.
void EliminationMoves::add(std::size_t n_levels, const char* has, const double* part, double* table) {
  if (part_entries_[n_levels] == entries_[n_levels]) {
    for (std::size_t i = 0; i < entries_[n_levels]; ++i) table[i] += part[i];
  } else if (part_entries_[n_levels] == sizes_[0]) {
    const std::size_t n = sizes_[0], end = entries_[n_levels];
    if (n == 2) {
      const double zero = part[0], one = part[1];
      for (std::size_t i = 0; i < end; i += 2) {
        table[i] += zero;
        table[i + 1] += one;
      }
    } else {
      for (std::size_t i = 0; i < end; i += n)
        for (std::size_t a = 0; a < n; ++a) table[i + a] += part[a];
    }
  } else {
    const std::size_t below = n_levels - 1, step = has[below] ? part_entries_[below] : 0;
    for (std::size_t d = 0; d < sizes_[below]; ++d) add(below, has, part + d * step, table + d * entries_[below]);
  }
}

// Sums up what touches the step's node, its lowest sum for all labels of its scope being the message. The table grows
// level by level, and each part is added as soon as its nodes are in.
void EliminationMoves::eliminate(std::int32_t k, std::span<const Index> labeling) {
  poll();
  Step& step = steps_[static_cast<std::size_t>(k)];
  const Index v = step.node;
  const std::size_t n = graph_->n_labels(v);
  sizes_.assign(1, n);
  entries_.assign(1, 1);
  for (std::size_t level = 1; level <= step.width; ++level)
    sizes_.push_back(graph_->n_labels(scope(step)[step.width - level]));
  for (const std::size_t size : sizes_) entries_.push_back(entries_.back() * size);
  parts_.clear();
  has_.clear();
  tables_.clear();
  collect_edges(k, labeling);
  collect_factors(k, labeling);
  collect_messages(k);

  table_.resize(std::max(table_.size(), entries_.back()));
  double* table = table_.data();
  std::fill_n(table, n, 0.0);
  graph_->for_each_local_cost(
      v, labeling, [table](std::size_t a, double cost) { table[a] += cost; },
      [&](const FieldEdge& edge) { return step_of(edge.first == v ? edge.second : edge.first) >= 0; },
      [&](const FieldFactor& factor) {
        return std::any_of(factor.scope.begin(), factor.scope.end(), [&](Index u) { return u != v && step_of(u) >= 0; });
      });
  const std::size_t degree = graph_->edges_of(v).size() + graph_->factors_of(v).size();
  outcome_.operations += kPerNode + static_cast<double>(degree * (n + 4));
  before_ += table[index(labeling[index(v)])];
  for (std::size_t level = 0; level <= step.width; ++level) {
    const std::size_t below = entries_[level];
    for (std::size_t d = 1; level > 0 && d < sizes_[level]; ++d) std::copy_n(table, below, table + d * below);
    outcome_.operations += kPerEntry * static_cast<double>(entries_[level + 1]);
    for (const Part& part : parts_) {
      if (part.outermost != level) continue;
      const char* has = has_.data() + part.has;
      part_entries_.assign(1, 1);
      for (std::size_t i = 0; i <= level; ++i) part_entries_.push_back(part_entries_.back() * (has[i] ? sizes_[i] : 1));
      add(level + 1, has, (part.is_message ? messages_ : tables_).data() + part.costs, table);
      outcome_.operations += kPerLink * static_cast<double>(level) + kPerEntry * static_cast<double>(entries_[level + 1]);
    }
  }
  const std::size_t n_out = entries_.back() / n;
  step.message = messages_.size();
  messages_.resize(messages_.size() + n_out);
  double* message = messages_.data() + step.message;
  if (n == 2) {
    for (std::size_t i = 0; i < n_out; ++i) message[i] = std::min(table[2 * i], table[2 * i + 1]);
  } else {
    for (std::size_t i = 0; i < n_out; ++i) message[i] = kernels().minimum(table + i * n, n);
  }
  outcome_.operations += kPerEntry * static_cast<double>(entries_.back());
  if (step.width == 0) after_ += message[0];
}

// Gives the step's node its best label, all that are taken out later having theirs.
void EliminationMoves::choose(std::int32_t k, std::span<Index> labeling, Random& random) {
  const Step& step = steps_[static_cast<std::size_t>(k)];
  const Index v = step.node;
  const std::size_t n = graph_->n_labels(v);
  const auto is_earlier = [&](Index u) { return u != v && step_of(u) >= 0 && step_of(u) < k; };
  double* costs = table_.data();
  std::fill_n(costs, n, 0.0);
  graph_->for_each_local_cost(
      v, labeling, [costs](std::size_t a, double cost) { costs[a] += cost; },
      [&](const FieldEdge& edge) { return is_earlier(edge.first == v ? edge.second : edge.first); },
      [&](const FieldFactor& factor) { return std::any_of(factor.scope.begin(), factor.scope.end(), is_earlier); });
  for (std::int32_t j = step.received; j >= 0; j = steps_[static_cast<std::size_t>(j)].next) {
    const Step& from = steps_[static_cast<std::size_t>(j)];
    std::size_t entry = 0;
    for (const Index u : scope(from)) entry = entry * graph_->n_labels(u) + (u == v ? 0 : index(labeling[index(u)]));
    for (std::size_t a = 0; a < n; ++a) costs[a] += messages_[from.message + entry + a];
  }
  const std::size_t degree = graph_->edges_of(v).size() + graph_->factors_of(v).size();
  outcome_.operations += kPerNode + static_cast<double>(degree * (n + 4));
  const std::size_t start = random.below(n);  // ties: the first one from here
  std::size_t best = start;
  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t a = start + i < n ? start + i : start + i - n;
    if (costs[a] < costs[best]) best = a;
  }
  labeling[index(v)] = static_cast<Index>(best);
}

}  // namespace fwmap
