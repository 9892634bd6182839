#include "rounding/forest_moves.hpp"

#include <algorithm>

#include "kernels/kernels.hpp"
#include "oracles/edge_message.hpp"
#include "poll.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

constexpr double kPerNode = 20, kPerEdge = 4;  // operations beside those per label

}  // namespace

ForestMoves::ForestMoves(std::shared_ptr<const FieldGraph> graph)
    : graph_(std::move(graph)),
      chosen_(graph_->n_nodes(), 0),
      tree_(graph_->n_nodes(), 0),
      position_(graph_->n_nodes(), -1) {}

MoveOutcome ForestMoves::sweep(std::span<const Index> nodes, std::span<Index> labeling, Random& random) {
  return run(nodes, labeling, nullptr, random);
}

MoveOutcome ForestMoves::fuse(std::span<const Index> nodes, std::span<Index> labeling, std::span<const Index> other,
                              Random& random) {
  return run(nodes, labeling, other.data(), random);
}

MoveOutcome ForestMoves::run(std::span<const Index> nodes, std::span<Index> labeling, const Index* other, Random& random) {
  MoveOutcome total;
  std::vector<Index> waiting;
  for (const Index v : nodes)
    if (graph_->n_labels(v) > 1 && (other == nullptr || other[index(v)] != labeling[index(v)])) waiting.push_back(v);
  random.shuffle(waiting);
  while (!waiting.empty()) {
    choose(waiting, &total.operations);
    order();
    const MoveOutcome one = solve(labeling, other, random);
    total.change += one.change;
    total.operations += one.operations;
    for (const Index v : forest_) {
      chosen_[index(v)] = 0;
      position_[index(v)] = -1;
    }
  }
  return total;
}

Index ForestMoves::root_of(Index node) {
  while (tree_[index(node)] != node) {
    tree_[index(node)] = tree_[index(tree_[index(node)])];
    node = tree_[index(node)];
  }
  return node;
}

// Whether the node closes no cycle with the chosen ones; roots_ then holds their trees that it joins.
bool ForestMoves::fits(Index node, double* operations) {
  roots_.clear();
  for (const std::int32_t e : graph_->edges_of(node)) {
    const FieldEdge& edge = graph_->edge(e);
    const Index other = edge.first == node ? edge.second : edge.first;
    if (!chosen_[index(other)]) continue;
    const Index root = root_of(other);
    *operations += kPerEdge;
    if (std::find(roots_.begin(), roots_.end(), root) != roots_.end()) return false;
    roots_.push_back(root);
  }
  *operations += static_cast<double>(graph_->edges_of(node).size());
  for (const std::int32_t f : graph_->factors_of(node))
    for (const Index v : graph_->factor(f).scope)
      if (chosen_[index(v)]) return false;
  return true;
}

// Moves a maximal forest from `waiting` to forest_. One look at each node is enough: what does not fit once does
// not fit later either.
void ForestMoves::choose(std::vector<Index>& waiting, double* operations) {
  forest_.clear();
  std::size_t left = 0;
  for (const Index v : waiting) {
    poll();
    if (!fits(v, operations)) {
      waiting[left++] = v;
      continue;
    }
    chosen_[index(v)] = 1;
    tree_[index(v)] = v;
    for (const Index root : roots_) tree_[index(root)] = v;
    forest_.push_back(v);
  }
  waiting.resize(left);
}

void ForestMoves::order() {
  order_.clear();
  for (const Index start : forest_) {
    if (position_[index(start)] >= 0) continue;
    position_[index(start)] = static_cast<Index>(order_.size());
    order_.push_back({start, -1, -1, 0, 0});
    for (std::size_t k = order_.size() - 1; k < order_.size(); ++k) {
      const Visit visit = order_[k];
      for (const std::int32_t e : graph_->edges_of(visit.node)) {
        if (e == visit.edge) continue;
        const FieldEdge& edge = graph_->edge(e);
        const Index child = edge.first == visit.node ? edge.second : edge.first;
        if (!chosen_[index(child)]) continue;
        position_[index(child)] = static_cast<Index>(order_.size());
        order_.push_back({child, static_cast<Index>(k), e, 0, 0});
      }
    }
  }
}

Index ForestMoves::label(Index node, std::size_t choice, std::span<const Index> labeling, const Index* other) const {
  if (other == nullptr) return static_cast<Index>(choice);
  return choice == 0 ? labeling[index(node)] : other[index(node)];
}

// message_[b] = min over the child's choices a of belief[a] + cost, for each choice b of the parent.
void ForestMoves::send(const Visit& child, std::span<const Index> labeling, const Index* other) {
  const FieldEdge& edge = graph_->edge(child.edge);
  const Visit& parent = order_[index(child.parent)];
  const double* from = beliefs_.data() + child.begin;
  const bool rows = edge.first == child.node;
  if (other != nullptr) {
    for (std::size_t b = 0; b < 2; ++b) {
      message_[b] = kInfinity;
      const Index above = label(parent.node, b, labeling, other);
      for (std::size_t a = 0; a < 2; ++a) {
        const Index own = label(child.node, a, labeling, other);
        const double cost = rows ? graph_->edge_cost_of(edge, own, above) : graph_->edge_cost_of(edge, above, own);
        message_[b] = std::min(message_[b], from[a] + cost);
      }
    }
  } else {
    edge_message(edge.cost, *graph_->field().tables, nullptr, rows, from, child.n, parent.n, message_.data(), envelope_);
  }
}

MoveOutcome ForestMoves::solve(std::span<Index> labeling, const Index* other, Random& random) {
  MoveOutcome result;
  std::size_t end = 0, most = 0;
  for (Visit& visit : order_) {
    visit.begin = end;
    visit.n = other == nullptr ? graph_->n_labels(visit.node) : 2;
    end += visit.n;
    most = std::max(most, visit.n);
  }
  beliefs_.assign(end, 0.0);
  message_.resize(std::max(message_.size(), most));
  choice_.resize(order_.size());

  double before = 0;  // of what is in play, with the labels there are
  const auto inside = [this](const FieldEdge& edge) { return chosen_[index(edge.first)] && chosen_[index(edge.second)]; };
  std::vector<double> all;  // costs of all labels, for two choices
  for (const Visit& visit : order_) {
    poll();
    double* belief = beliefs_.data() + visit.begin;
    const std::size_t n = graph_->n_labels(visit.node);
    const auto current = index(labeling[index(visit.node)]);
    if (other == nullptr) {
      graph_->for_each_local_cost(visit.node, labeling, [belief](std::size_t a, double c) { belief[a] += c; }, inside);
      before += belief[current];
    } else {
      all.assign(n, 0.0);
      graph_->for_each_local_cost(visit.node, labeling, [&all](std::size_t a, double c) { all[a] += c; }, inside);
      belief[0] = all[current];
      belief[1] = all[index(other[index(visit.node)])];
      before += belief[0];
    }
    const auto degree = graph_->edges_of(visit.node).size() + graph_->factors_of(visit.node).size();
    result.operations += kPerNode + kPerEdge * static_cast<double>(degree) + static_cast<double>((degree + 1) * n);
    if (visit.edge < 0) continue;
    const FieldEdge& edge = graph_->edge(visit.edge);
    before += graph_->edge_cost_of(edge, labeling[index(edge.first)], labeling[index(edge.second)]);
  }

  for (std::size_t k = order_.size(); k-- > 0;) {
    const Visit& visit = order_[k];
    if (visit.parent < 0) continue;
    poll();
    const Visit& parent = order_[index(visit.parent)];
    send(visit, labeling, other);
    kernels().accumulate(message_.data(), parent.n, beliefs_.data() + parent.begin);
    const bool table = graph_->edge(visit.edge).cost.kind == EdgeKind::kTable;
    result.operations += table ? static_cast<double>(visit.n * parent.n) : 4.0 * static_cast<double>(visit.n + parent.n);
  }

  double after = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Visit& visit = order_[k];
    const double* belief = beliefs_.data() + visit.begin;
    double lowest = kInfinity;
    const std::size_t start = random.below(visit.n);  // ties: the first one from here
    for (std::size_t i = 0; i < visit.n; ++i) {
      const std::size_t a = start + i < visit.n ? start + i : start + i - visit.n;
      double value = belief[a];
      if (visit.parent >= 0) {
        const FieldEdge& edge = graph_->edge(visit.edge);
        const Visit& parent = order_[index(visit.parent)];
        const Index own = label(visit.node, a, labeling, other);
        const Index above = label(parent.node, choice_[index(visit.parent)], labeling, other);
        value += edge.first == visit.node ? graph_->edge_cost_of(edge, own, above) : graph_->edge_cost_of(edge, above, own);
      }
      if (value < lowest) {
        lowest = value;
        choice_[k] = a;
      }
    }
    if (visit.parent < 0) after += lowest;
  }
  result.change = after - before;
  for (std::size_t k = 0; k < order_.size(); ++k)
    labeling[index(order_[k].node)] = label(order_[k].node, choice_[k], labeling, other);
  return result;
}

}  // namespace fwmap
