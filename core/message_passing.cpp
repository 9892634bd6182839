#include "message_passing.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"
#include "oracles/edge_message.hpp"
#include "oracles/forest.hpp"
#include "work.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

constexpr double kCheckEvery = 2e5;  // operations between two questions to the watch

}  // namespace

MessagePassing::MessagePassing(Decomposition& decomposition, double highest_message, int threads)
    : highest_message_(highest_message),
      decomposition_(decomposition),
      graph_(decomposition),
      dual_(decomposition, threads),
      costs_(graph_.n_labels(), 0.0),
      values_(graph_.n_edge_values(), 0.0),
      joint_values_(graph_.n_joint_values(), 0.0),
      weights_(graph_.n_joint_values(), 0.0),
      lambda_(decomposition.n_slots(), 0.0),
      belief_(graph_.most_labels()),
      message_(graph_.most_labels()),
      rest_(graph_.most_labels()),
      share_(graph_.most_labels()) {
  sum_costs();
  for (Index v = 0; v < graph_.n_nodes(); ++v) {
    for (const JointEnd& end : graph_.joints(v)) {
      weigh(end, false);
      sweep_operations_ += decomposition.terms()[graph_.member(end.member).term].oracle->operations();
    }
    sweep_operations_ += kVisit;
  }
  for (const Term& term : decomposition.terms())
    if (dynamic_cast<const ForestOracle*>(term.oracle.get()) != nullptr) sweep_operations_ += term.oracle->operations();
  sweep_operations_ += kStream * static_cast<double>(graph_.n_edge_values() + graph_.n_joint_values() + graph_.n_labels());
}

// The costs of all labels: unaries of the members, and the multipliers that terms passed over do not hold.
void MessagePassing::sum_costs() {
  std::fill(costs_.begin(), costs_.end(), 0.0);
  cut_.clear();
  for (Index v = 0; v < graph_.n_nodes(); ++v) {
    const std::size_t n = graph_.labels(v);
    const std::span<const Member> members = graph_.members(v);
    double* costs = costs_.data() + graph_.offset(v);
    for (const Member& member : members) kernels().accumulate(graph_.unaries(member).data(), n, costs);
    if (!is_complete(v))
      for (const Member& member : members)
        if (member.slot != kNoSlot) kernels().accumulate(lambda_.data() + member.slot, n, costs);
    const double highest = kernels().minimum(costs, n) + highest_message_;
    for (std::size_t a = 0; a < n; ++a)
      if (costs[a] > highest && costs[a] < kInfinity) {
        costs[a] = highest;
        cut_.emplace(graph_.offset(v) + a, highest / static_cast<double>(members.size()));
      }
  }
}

// Whether all terms that know a node take part.
bool MessagePassing::is_complete(Index node) const {
  const std::span<const Member> members = graph_.members(node);
  if (members.empty() || members.front().slot == kNoSlot) return true;
  const Term& term = decomposition_.terms()[members.front().term];
  const Index slot = static_cast<Index>(members.front().slot - term.offset);
  const auto run = std::upper_bound(term.shared.begin(), term.shared.end(), slot, [](Index s, const Run& r) { return s < r.slot; }) - 1;
  return index(decomposition_.copies()[index(run->variable + (slot - run->slot))]) == members.size();
}

// A member's share of the costs of its labels; of costs that were cut off an equal share.
std::span<const double> MessagePassing::share_of(const Member& member) {
  const std::span<const double> own = graph_.unaries(member);
  if (cut_.empty()) return own;
  std::copy(own.begin(), own.end(), share_.begin());
  const std::size_t first = graph_.offset(member.node);
  for (auto cut = cut_.lower_bound(first); cut != cut_.end() && cut->first < first + own.size(); ++cut)
    share_[cut->first - first] = cut->second;
  return {share_.data(), own.size()};
}

// The weights with which a term's oracle is called: what it holds of the node, less the unaries it has already.
void MessagePassing::weigh(const JointEnd& end, bool holds_share) {
  const Member& member = graph_.member(end.member);
  const std::span<const double> own = share_of(member);
  const double* held = values(end);
  double* weights = weights_.data() + (held - joint_values_.data());
  for (std::size_t a = 0; a < own.size(); ++a)
    weights[a] = own[a] == kInfinity ? 0.0 : (holds_share ? held[a] : -held[a]) - own[a];
}

// Each edge of a forest holds what dynamic programming finds: all that is below it, of which nothing is left to its
// child. What is left is at the roots, whose minima are those of their trees.
void MessagePassing::start_from(std::span<const double> lambda) {
  forward_ = swept_ = false;
  std::copy(lambda.begin(), lambda.end(), lambda_.begin());
  graph_.weigh_entries(lambda);
  sum_costs();
  std::vector<std::vector<double>> beliefs;  // of the members, by number
  for (Index v = 0; v < graph_.n_nodes(); ++v)
    for (const Member& member : graph_.members(v)) {
      const std::span<const double> own = share_of(member);
      std::vector<double>& belief = beliefs.emplace_back(own.begin(), own.end());
      if (member.slot != kNoSlot) kernels().accumulate(lambda.data() + member.slot, belief.size(), belief.data());
    }
  const auto store = [&](double* values, std::span<const double> part, bool holds_share) {
    for (std::size_t a = 0; a < part.size(); ++a)
      values[a] = holds_share ? part[a] : part[a] == kInfinity ? 0.0 : -part[a];
  };
  const auto is_below = [&](const EdgeEnd& end) { return end.other < graph_.member(end.member).node; };
  for (const auto& [child, parent] : graph_.upward()) {
    const std::vector<double>& below = beliefs[child.member];
    std::copy(below.begin(), below.end(), values_.begin() + static_cast<std::ptrdiff_t>(child.value));
    const Index top = graph_.member(parent.member).node;
    const std::size_t n = graph_.labels(top);
    pull(parent, top, message_.data());
    kernels().lower_to_zero(message_.data(), n, highest_message_, rest_.data());
    kernels().accumulate(rest_.data(), n, beliefs[parent.member].data());
    for (std::size_t a = 0; a < n; ++a) rest_[a] = -rest_[a];
    store(values_.data() + parent.value, {rest_.data(), n}, is_below(parent));
    store(values_.data() + child.value, below, is_below(child));
  }
  for (Index v = 0; v < graph_.n_nodes(); ++v)
    for (const JointEnd& end : graph_.joints(v)) {
      store(values(end), beliefs[end.member], holds_share(end));
      weigh(end, holds_share(end));
    }
}

Sweep MessagePassing::iterate(Watch& watch) {
  Sweep result = sweep(true, watch);
  if (!result.complete || result.infeasible) return result;
  const double work = result.work;
  result = sweep(false, watch);
  result.work += work;
  if (result.complete) ++iteration_;
  return result;
}

Sweep MessagePassing::sweep(bool forward, Watch& watch) {
  Sweep result;
  result.bound = decomposition_.constant();
  result.work = sweep_operations_;
  dual_.add_work(result.work);
  forward_ = forward;
  swept_ = true;
  const Index n = graph_.n_nodes();
  double unchecked = kCheckEvery;
  const double each = sweep_operations_ / std::max(1.0, static_cast<double>(n));
  for (Index k = 0; k < n; ++k, unchecked += each) {
    if (unchecked >= kCheckEvery) {
      unchecked = 0;
      if (watch.stop()) {
        result.complete = false;
        return result;
      }
    }
    if (!take_node(forward ? k : n - 1 - k, result)) {
      result.infeasible = true;
      return result;
    }
  }
  return result;
}

// Takes back what is held behind, hands out shares ahead; false where no label is left.
bool MessagePassing::take_node(Index node, Sweep& result) {
  const Kernels& kernel = kernels();
  const std::size_t n = graph_.labels(node);
  const std::span<const EdgeEnd> behind = forward_ ? graph_.below(node) : graph_.above(node);
  const std::span<const EdgeEnd> ahead = forward_ ? graph_.above(node) : graph_.below(node);
  const std::span<const JointEnd> joints = graph_.joints(node);
  double* belief = belief_.data();
  std::copy_n(costs_.data() + graph_.offset(node), n, belief);

  std::size_t n_behind = behind.size(), n_ahead = ahead.size();
  for (const EdgeEnd& end : behind) {
    pull(end, node, message_.data());
    const double lowest = kernel.lower_to_zero(message_.data(), n, highest_message_, values_.data() + end.value);
    if (lowest == kInfinity) return false;
    result.bound += lowest;
    kernel.accumulate(values_.data() + end.value, n, belief);
  }
  for (const EdgeEnd& end : ahead) kernel.accumulate(values_.data() + end.value, n, belief);
  for (const JointEnd& end : joints) {
    if (forward_ ? !end.is_lowest : !end.is_highest) {  // it holds a share
      pull(end, message_.data());
      const double lowest = kernel.lower_to_zero(message_.data(), n, highest_message_, values(end));
      if (lowest == kInfinity) return false;
      ++n_behind;
      if (forward_ ? end.is_highest : end.is_lowest) {  // nothing will be added to it
        result.bound += lowest;
        weigh(end, false);
      }
    }
    n_ahead += holds_share(end) ? 1 : 0;
    kernel.accumulate(values(end), n, belief);
  }
  const double lowest = kernel.minimum(belief, n);
  if (lowest == kInfinity) return false;
  const double share = 1.0 / static_cast<double>(std::max({n_behind, n_ahead, std::size_t{1}}));
  const double kept = 1.0 - share * static_cast<double>(n_ahead);
  if (n_ahead < n_behind || n_ahead == 0) result.bound += kept * lowest;
  for (const EdgeEnd& end : ahead) kernel.share_less(share, belief, n, values_.data() + end.value);
  for (const JointEnd& end : joints) {
    if (!holds_share(end)) continue;
    kernel.share_less(share, belief, n, values(end));
    weigh(end, true);
  }
  return true;
}

// message[b] = least of what the edge costs with label b at this end, and what it holds at the other end.
void MessagePassing::pull(const EdgeEnd& end, Index node, double* message) {
  const MessageEdge& edge = graph_.edge(end.edge);
  const double* held = values_.data() + end.other_value;
  const std::size_t n_in = graph_.labels(end.other), n_out = graph_.labels(node);
  edge_message(edge.cost, *edge.tables, edge.entries, end.other == edge.first, held, n_in, n_out, message, envelope_);
}

void MessagePassing::pull(const JointEnd& end, double* message) {
  const Member& member = graph_.member(end.member);
  const Joint& joint = graph_.joint(end.joint);
  const std::size_t n = graph_.labels(member.node);
  std::fill_n(values(end), n, 0.0);
  weigh(end, true);
  Oracle& oracle = *decomposition_.terms()[member.term].oracle;
  const std::span<const double> weights(weights_.data() + joint.first, index(oracle.n_coordinates()));
  oracle.block_min_marginals(weights, member.coordinate, {message, n});
}

std::span<const double> MessagePassing::multipliers() {
  if (!swept_) return lambda_;
  const Kernels& kernel = kernels();
  for (Index v = 0; v < graph_.n_nodes(); ++v) {
    const std::span<const Member> members = graph_.members(v);
    if (members.size() < 2) continue;
    const std::size_t n = graph_.labels(v);
    const double* costs = costs_.data() + graph_.offset(v);
    const auto each_part = [&](auto visit) {  // visit(values, whether they are a share, the member that holds it)
      for (const EdgeEnd& end : graph_.below(v)) visit(values_.data() + end.value, !forward_, end.member);
      for (const EdgeEnd& end : graph_.above(v)) visit(values_.data() + end.value, forward_, end.member);
      for (const JointEnd& end : graph_.joints(v)) visit(values(end), holds_share(end), end.member);
    };
    double* rest = rest_.data();  // what the node keeps
    std::copy_n(costs, n, rest);
    each_part([&](const double* part, bool is_share, std::size_t) { kernel.add_scaled(is_share ? -1.0 : 1.0, part, n, rest); });
    for (const Member& member : members) {
      const std::span<const double> own = share_of(member);
      for (std::size_t a = 0; a < n; ++a) lambda_[member.slot + a] = rest[a] / static_cast<double>(members.size()) - own[a];
    }
    each_part([&](const double* part, bool is_share, std::size_t number) {
      kernel.add_scaled(is_share ? 1.0 : -1.0, part, n, lambda_.data() + graph_.member(number).slot);
    });
    for (std::size_t a = 0; a < n; ++a)
      if (costs[a] == kInfinity)
        for (const Member& member : members) lambda_[member.slot + a] = 0;
    if (!is_complete(v)) continue;
    std::fill_n(rest, n, 0.0);  // now: what they do not sum to zero by
    for (const Member& member : members) kernel.accumulate(lambda_.data() + member.slot, n, rest);
    kernel.add_scaled(-1.0, rest, n, lambda_.data() + members.front().slot);
  }
  return lambda_;
}

Evaluation MessagePassing::evaluate(Watch& watch) {
  multipliers();
  dual_.add_work(2 * kStream * static_cast<double>(lambda_.size()));
  Evaluation result = dual_.evaluate(lambda_, watch);
  if (!result.complete || result.infeasible) return result;
  // A of eq. 8 with the minimisers as y: 0 but for rounding at their own lambda.
  const auto pays = [&](std::span<const double> lambda, double value) {
    double sum = decomposition_.constant();
    for (std::size_t t = 0; t < decomposition_.terms().size(); ++t) {
      sum += dual_.minimizer(t).cost;
      for (const Index slot : dual_.minimizer(t).shared()) sum += lambda[decomposition_.terms()[t].offset + index(slot)];
    }
    return sum - value;
  };
  result.A = pays(lambda_, result.value);
  result.A_best = pays(dual_.best_lambda(), dual_.best_value());
  for (const std::pair<Index, Index>& variable : choices())
    result.B += variable.first > 0 && variable.first < variable.second ? 1.0 : 0.0;
  return result;
}

// Of each shared variable, by how many minimisers it is chosen, and by how many it could be.
std::vector<std::pair<Index, Index>> MessagePassing::choices() const {
  std::vector<std::pair<Index, Index>> result;
  for (const Index copies : decomposition_.copies()) result.emplace_back(0, copies);
  for (std::size_t t = 0; t < decomposition_.terms().size(); ++t) {
    const std::span<const Index> support = dual_.minimizer(t).shared();
    std::size_t next = 0;
    for (const Run& run : decomposition_.terms()[t].shared)
      for (; next < support.size() && support[next] < run.slot + run.length; ++next)
        ++result[index(run.variable + (support[next] - run.slot))].first;
  }
  return result;
}

std::vector<double> MessagePassing::marginals() const {
  std::vector<double> result(index(decomposition_.n_variables()), 0.0);
  const std::vector<std::pair<Index, Index>> chosen = choices();
  for (std::size_t i = 0; i < chosen.size(); ++i)
    result[index(decomposition_.variable_of_shared()[i])] = static_cast<double>(chosen[i].first) / static_cast<double>(chosen[i].second);
  for (std::size_t t = 0; t < decomposition_.terms().size(); ++t)
    for (const Index slot : dual_.minimizer(t).own())
      result[index(dual_.own_variables(t)[index(slot - decomposition_.terms()[t].n_shared)])] = 1.0;
  return result;
}

}  // namespace fwmap
