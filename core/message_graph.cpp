#include "message_graph.hpp"

#include <algorithm>
#include <stdexcept>

#include "oracles/forest.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

const ForestOracle* forest_of(const Term& term) { return dynamic_cast<const ForestOracle*>(term.oracle.get()); }

// Sorts items by node, keeping their order within each; `place` gets where each item went.
template <class T>
PerNode<T> sorted(std::size_t n_nodes, const std::vector<std::pair<Index, T>>& items, std::vector<std::size_t>* place = nullptr) {
  PerNode<T> result;
  result.begin.assign(n_nodes + 1, 0);
  for (const auto& item : items) ++result.begin[index(item.first) + 1];
  for (std::size_t v = 0; v < n_nodes; ++v) result.begin[v + 1] += result.begin[v];
  std::vector<std::size_t> next(result.begin.begin(), result.begin.end() - 1);
  result.items.resize(items.size());
  for (const auto& [node, item] : items) {
    const std::size_t where = next[index(node)]++;
    result.items[where] = item;
    if (place != nullptr) place->push_back(where);
  }
  return result;
}

}  // namespace

MessageGraph::MessageGraph(const Decomposition& decomposition) : decomposition_(decomposition), offsets_{0} {
  for (std::size_t g = 1; g < decomposition.groups().size(); ++g) {
    offsets_.push_back(static_cast<std::size_t>(decomposition.groups()[g]));
    most_labels_ = std::max(most_labels_, offsets_.back() - offsets_[offsets_.size() - 2]);
  }
  const TermMembers members = find_members();
  find_edges(members);
  find_joints(members);
}

// The nodes of a term in the order of its coordinates; none where it is not over whole nodes.
std::vector<Member> MessageGraph::members_of(std::size_t t, const std::vector<Index>& node_of) const {
  const Term& term = decomposition_.terms()[t];
  const bool is_forest = forest_of(term) != nullptr;
  const std::size_t n_unaries = term.oracle->unaries().size();
  if (!is_forest && (n_unaries != index(term.oracle->n_coordinates()) || !term.oracle->block_min_marginals({}, 0, {}))) return {};
  std::vector<Member> result;
  std::size_t coordinate = 0;
  for (const Run& run : term.variables)
    for (Index k = 0; k < run.length && coordinate < n_unaries;) {
      const std::size_t variable = index(run.variable + k);
      if (variable >= n_labels()) return {};
      const Index node = node_of[variable];
      if (offset(node) != variable || index(run.length - k) < labels(node)) return {};
      const std::size_t slot = term.slot_of.empty() ? coordinate : index(term.slot_of[coordinate]);
      result.push_back({node, t, coordinate, slot < index(term.n_shared) ? term.offset + slot : kNoSlot});
      coordinate += labels(node);
      k += static_cast<Index>(labels(node));
    }
  const bool as_it_says = !is_forest || result.size() == index(forest_of(term)->n_nodes());
  return as_it_says ? result : std::vector<Member>{};
}

MessageGraph::TermMembers MessageGraph::find_members() {
  std::vector<Index> node_of(n_labels());
  for (Index v = 0; v < n_nodes(); ++v)
    std::fill_n(node_of.begin() + static_cast<std::ptrdiff_t>(offset(v)), labels(v), v);
  std::vector<std::pair<Index, Member>> found;
  std::vector<std::size_t> found_before{0};
  for (std::size_t t = 0; t < decomposition_.terms().size(); ++t) {
    for (const Member& member : members_of(t, node_of)) found.emplace_back(member.node, member);
    found_before.push_back(found.size());
  }
  std::vector<std::size_t> place;
  members_ = sorted(index(n_nodes()), found, &place);
  TermMembers result;
  for (std::size_t t = 0; t + 1 < found_before.size(); ++t)
    result.emplace_back(place.begin() + static_cast<std::ptrdiff_t>(found_before[t]),
                        place.begin() + static_cast<std::ptrdiff_t>(found_before[t + 1]));
  return result;
}

void MessageGraph::find_edges(const TermMembers& members) {
  struct Found {
    MessageEdge edge;
    std::uint32_t first_member, second_member;
  };
  std::vector<std::pair<Index, Found>> found;  // by the lower node
  for (std::size_t t = 0; t < members.size(); ++t) {
    first_edge_.push_back(found.size());
    const ForestOracle* forest = forest_of(decomposition_.terms()[t]);
    if (forest == nullptr || members[t].empty()) continue;
    for (const ForestEdge& edge : forest->edges()) {
      const std::size_t first = members[t][index(edge.first)], second = members[t][index(edge.second)];
      const Index u = member(first).node, v = member(second).node;
      found.emplace_back(std::min(u, v), Found{{u, v, edge.cost, forest->tables(), nullptr},
                                               static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)});
    }
  }
  first_edge_.push_back(found.size());
  std::vector<std::size_t> place;
  const PerNode<Found> ordered = sorted(index(n_nodes()), found, &place);
  for (const std::size_t e : place) edge_number_.push_back(static_cast<Index>(e));

  std::vector<std::pair<Index, EdgeEnd>> below, above;
  for (const Found& one : ordered.items) {
    const auto e = static_cast<Index>(edges_.size());
    const auto [u, v] = std::pair{one.edge.first, one.edge.second};
    (v < u ? below : above).emplace_back(u, EdgeEnd{v, e, 0, 0, one.first_member});
    (u < v ? below : above).emplace_back(v, EdgeEnd{u, e, 0, 0, one.second_member});
    edges_.push_back(one.edge);
  }
  below_ = sorted(index(n_nodes()), below);
  above_ = sorted(index(n_nodes()), above);
  std::vector<std::uint32_t> lower(edges_.size()), upper(edges_.size());  // where the values of both ends are
  for (Index v = 0; v < n_nodes(); ++v) {
    const auto number = [&](const PerNode<EdgeEnd>& ends, std::vector<std::uint32_t>& values) {
      for (const EdgeEnd& end : ends.of(v)) {
        values[index(end.edge)] = static_cast<std::uint32_t>(n_edge_values_);
        n_edge_values_ += labels(v);
      }
    };
    number(below_, upper);
    number(above_, lower);
  }
  if (n_edge_values_ > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("messages of more than 2^32 labels at ends of edges");
  for (EdgeEnd& end : below_.items) end.value = upper[index(end.edge)], end.other_value = lower[index(end.edge)];
  for (EdgeEnd& end : above_.items) end.value = lower[index(end.edge)], end.other_value = upper[index(end.edge)];
}

void MessageGraph::find_joints(const TermMembers& members) {
  std::vector<std::pair<Index, JointEnd>> ends;
  for (std::size_t t = 0; t < members.size(); ++t) {
    const Term& term = decomposition_.terms()[t];
    if (forest_of(term) != nullptr || members[t].empty()) continue;
    Index lowest = n_nodes(), highest = -1;
    for (const std::size_t number : members[t]) {
      lowest = std::min(lowest, member(number).node);
      highest = std::max(highest, member(number).node);
    }
    for (const std::size_t number : members[t]) {
      const Index node = member(number).node;
      ends.emplace_back(node, JointEnd{static_cast<Index>(joints_.size()), number, node == lowest, node == highest});
    }
    joints_.push_back({t, n_joint_values_});
    n_joint_values_ += index(term.oracle->n_coordinates());
  }
  joint_ends_ = sorted(index(n_nodes()), ends);
}

std::span<const double> MessageGraph::unaries(const Member& member) const {
  return decomposition_.terms()[member.term].oracle->unaries().subspan(member.coordinate, labels(member.node));
}

void MessageGraph::weigh_entries(std::span<const double> weights) {
  entries_.clear();
  for (std::size_t t = 0; t < decomposition_.terms().size(); ++t) {
    const Term& term = decomposition_.terms()[t];
    const ForestOracle* forest = forest_of(term);
    if (forest == nullptr || first_edge_[t] == first_edge_[t + 1]) continue;
    for (std::size_t k = 0; k < forest->edges().size(); ++k) {
      const ForestEdge& edge = forest->edges()[k];
      if (!edge.shares_entries) continue;
      MessageEdge& own = edges_[index(edge_number_[first_edge_[t] + k])];
      const Index columns = static_cast<Index>(labels(own.second));
      std::vector<double>& entries = entries_.emplace_back(labels(own.first) * labels(own.second));
      own.entries = entries.data();
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::size_t coordinate = forest->first_entry(k) + i;
        const std::size_t slot = term.slot_of.empty() ? coordinate : index(term.slot_of[coordinate]);
        entries[i] = edge_cost(edge.cost, *forest->tables(), static_cast<Index>(i) / columns, static_cast<Index>(i) % columns, columns) +
                         (slot < index(term.n_shared) ? weights[term.offset + slot] : 0.0);
      }
    }
  }
}

std::vector<MessageGraph::Upward> MessageGraph::upward() const {
  std::vector<EdgeEnd> of_first(edges_.size()), of_second(edges_.size());
  for (const PerNode<EdgeEnd>* ends : {&below_, &above_})
    for (const EdgeEnd& end : ends->items)
      (member(end.member).node == edge(end.edge).first ? of_first : of_second)[index(end.edge)] = end;
  std::vector<Upward> result;
  result.reserve(edges_.size());
  for (std::size_t t = 0; t < decomposition_.terms().size(); ++t) {
    const ForestOracle* forest = forest_of(decomposition_.terms()[t]);
    if (forest == nullptr || first_edge_[t] == first_edge_[t + 1]) continue;
    for (std::size_t k = forest->visits().size(); k-- > 0;) {
      const ForestVisit& visit = forest->visits()[k];
      if (visit.parent < 0) continue;
      const std::size_t own = static_cast<std::size_t>(visit.edge), e = index(edge_number_[first_edge_[t] + own]);
      const bool first_is_child = forest->edges()[own].first == visit.node;
      result.push_back(first_is_child ? Upward{of_first[e], of_second[e]} : Upward{of_second[e], of_first[e]});
    }
  }
  return result;
}

}  // namespace fwmap
