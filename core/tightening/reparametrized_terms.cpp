// From terms with multipliers to costs of nodes, edges and cycles, and back.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "oracles/cycle.hpp"
#include "oracles/forest.hpp"
#include "poll.hpp"
#include "tightening/reparametrization.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

const CycleOracle* cycle_of(const Term& term) { return dynamic_cast<const CycleOracle*>(term.oracle.get()); }

/// Variable of each coordinate of a term's oracle.
std::vector<std::size_t> variables_of(const Term& term) {
  std::vector<std::size_t> result;
  for (const Run& run : term.variables)
    for (Index k = 0; k < run.length; ++k) result.push_back(index(run.variable + k));
  return result;
}

/// Place of a coordinate in arrays over the slots of all terms; `none` where no other term has it.
std::size_t place_of(const Term& term, std::size_t coordinate, std::size_t none) {
  const std::size_t slot = term.slot_of.empty() ? coordinate : index(term.slot_of[coordinate]);
  return slot < index(term.n_shared) ? term.offset + slot : none;
}

}  // namespace

Reparametrization::Reparametrization(const Decomposition& decomposition, std::size_t n_forests,
                                     std::span<const double> lambda)
    : decomposition_(decomposition), n_forests_(n_forests) {
  for (const std::int64_t begin : decomposition.groups()) node_offsets_.push_back(static_cast<std::size_t>(begin));
  std::size_t n_labels = 0;  // groups behind the last node that a forest has are no nodes
  for (std::size_t t = 0; t < n_forests; ++t) {
    const std::vector<std::size_t> variables = variables_of(decomposition.terms()[t]);
    for (std::size_t k = 0; k < forest_of(t)->n_labels_in_all(); ++k) n_labels = std::max(n_labels, variables[k] + 1);
  }
  while (node_offsets_.size() > 1 && node_offsets_[node_offsets_.size() - 2] >= n_labels) node_offsets_.pop_back();
  const std::size_t n_nodes = node_offsets_.empty() ? 0 : node_offsets_.size() - 1;
  nodes_.assign(n_labels, 0.0);
  n_trees_.assign(n_nodes, 0);
  edges_of_.resize(n_nodes);
  node_of_.resize(n_labels);
  for (std::size_t v = 0; v < n_nodes; ++v)
    std::fill(node_of_.begin() + static_cast<std::ptrdiff_t>(node_offsets_[v]),
              node_of_.begin() + static_cast<std::ptrdiff_t>(node_offsets_[v + 1]), v);
  for (std::size_t t = 0; t < n_forests; ++t) take_forest(t, lambda);
  cycles_of_.resize(edges_.size());
  order_edges();
  for (const Term& term : decomposition.terms())
    if (cycle_of(term) != nullptr) take_cycle(term, lambda);
}

const ForestOracle* Reparametrization::forest_of(std::size_t t) const {
  if (t >= n_forests_) return nullptr;
  const auto* forest = dynamic_cast<const ForestOracle*>(decomposition_.terms()[t].oracle.get());
  if (forest == nullptr) throw std::invalid_argument(decomposition_.terms()[t].name + " is no forest");
  return forest;
}

// A forest's unaries and edges with their multipliers, then passed on to the roots of its trees.
void Reparametrization::take_forest(std::size_t t, std::span<const double> lambda) {
  const Term& term = decomposition_.terms()[t];
  const Forest& forest = forest_of(t)->forest();
  const std::vector<std::size_t> variables = variables_of(term);
  const auto multiplier = [&](std::size_t coordinate) {
    const std::size_t place = place_of(term, coordinate, lambda.size());
    return place < lambda.size() ? lambda[place] : 0.0;
  };
  std::vector<std::size_t> node(forest.n_labels.size());
  std::vector<std::vector<double>> beliefs(forest.n_labels.size());
  std::size_t coordinate = 0;
  for (std::size_t j = 0; j < node.size(); ++j) {
    node[j] = node_of_[variables[coordinate]];
    ++n_trees_[node[j]];
    for (Index a = 0; a < forest.n_labels[j]; ++a, ++coordinate)
      beliefs[j].push_back(forest.unaries[coordinate] + multiplier(coordinate));
  }
  const std::size_t first = edges_.size();
  std::vector<std::vector<std::size_t>> incident(node.size());
  for (const ForestEdge& own : forest.edges) {
    poll();
    Edge edge{node[index(own.first)], node[index(own.second)], index(forest.n_labels[index(own.first)]),
              index(forest.n_labels[index(own.second)]), tables_.size(), {moved_.size(), 0}};
    edge.moved[1] = edge.moved[0] + edge.rows;
    moved_.resize(moved_.size() + edge.rows + edge.columns, 0.0);
    for (std::size_t a = 0; a < edge.rows; ++a)
      for (std::size_t b = 0; b < edge.columns; ++b) {
        if (own.shares_entries) edge_of_entry_.emplace(variables[coordinate], static_cast<Index>(edges_.size()));
        const bool allowed = beliefs[index(own.first)][a] < kInfinity && beliefs[index(own.second)][b] < kInfinity;
        double cost = edge_cost(own.cost, *forest.tables, static_cast<Index>(a), static_cast<Index>(b),
                                static_cast<Index>(edge.columns));
        if (own.shares_entries) cost += multiplier(coordinate++);
        tables_.push_back(allowed ? cost : kInfinity);
      }
    incident[index(own.first)].push_back(edges_.size());
    incident[index(own.second)].push_back(edges_.size());
    edges_of_[edge.first].push_back(edges_.size());
    edges_of_[edge.second].push_back(edges_.size());
    edges_.push_back(edge);
  }

  // A label that the edge to a leaf excludes costs more than anything can make up for: its tree never has it,
  // whatever its multiplier is, and the other trees are told.
  double excluded = 0;
  const auto count = [&](const double* values, std::size_t n) {
    double largest = 0;
    for (std::size_t k = 0; k < n; ++k)
      if (values[k] < kInfinity) largest = std::max(largest, std::abs(values[k]));
    excluded += 2 * largest;
  };
  for (const std::vector<double>& belief : beliefs) count(belief.data(), belief.size());
  for (std::size_t e = first; e < edges_.size(); ++e) count(tables_.data() + edges_[e].table, n_entries(e));

  // Leaves first: an edge takes what its leaf believes, and tells the other end the least of it.
  std::vector<std::size_t> degree, leaves;
  for (std::size_t j = 0; j < node.size(); ++j) {
    degree.push_back(incident[j].size());
    if (degree[j] == 1) leaves.push_back(j);
  }
  std::vector<char> done(edges_.size() - first, 0);
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const std::size_t leaf = leaves[k];
    if (degree[leaf] != 1) continue;  // the root of its tree
    const auto live = std::find_if(incident[leaf].begin(), incident[leaf].end(), [&](std::size_t e) { return !done[e - first]; });
    poll();
    done[*live - first] = 1;
    const ForestEdge& own = forest.edges[*live - first];
    const int end = index(own.first) == leaf ? 0 : 1;
    const std::size_t parent = index(end == 0 ? own.second : own.first);
    for (double& belief : beliefs[leaf]) belief = -belief;
    to_end(*live, end, beliefs[leaf].data());
    std::fill(beliefs[leaf].begin(), beliefs[leaf].end(), 0.0);
    message_.resize(beliefs[parent].size());
    message(edges_[*live], 1 - end, excluded, message_.data());
    to_end(*live, 1 - end, message_.data());
    for (std::size_t a = 0; a < message_.size(); ++a) beliefs[parent][a] += message_[a];
    --degree[leaf];
    if (--degree[parent] == 1) leaves.push_back(parent);
  }
  for (std::size_t j = 0, k = 0; j < node.size(); ++j)
    for (std::size_t a = 0; a < beliefs[j].size(); ++a, ++k) {
      double& cost = nodes_[node_offsets_[node[j]] + a];
      cost = forest.unaries[k] == kInfinity ? kInfinity : cost + beliefs[j][a];
    }
}

void Reparametrization::take_cycle(const Term& term, std::span<const double> lambda) {
  const Cycle& own = cycle_of(term)->cycle();
  const std::vector<std::size_t> variables = variables_of(term);
  EdgeCycle cycle;
  cycle.flipped = own.flipped;
  std::vector<double> values;
  for (std::size_t i = 0, coordinate = 0; i < own.n_labels.size(); ++i) {
    const Index edge = edge_of_entry_.at(variables[coordinate]);
    cycle.edges.push_back(edge);
    for (std::size_t n = n_entries(index(edge)); n > 0; --n, ++coordinate) {
      const std::size_t place = place_of(term, coordinate, lambda.size());
      values.push_back(place < lambda.size() ? lambda[place] : 0.0);
    }
  }
  const std::size_t begin = cycle_tables_.size();
  add(std::move(cycle));
  for (std::size_t k = 0; k < values.size(); ++k) cycle_tables_[begin + k] += values[k];  // inf stays
}

// By their earlier end, then the later one.
void Reparametrization::order_edges() {
  std::vector<std::size_t> order(edges_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::size_t e) { return std::minmax(edges_[e].first, edges_[e].second); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  rank_.resize(edges_.size());
  for (std::size_t k = 0; k < order.size(); ++k) rank_[order[k]] = k;
  for (std::vector<std::size_t>& edges : edges_of_)
    std::sort(edges.begin(), edges.end(), [&](std::size_t a, std::size_t b) { return rank_[a] < rank_[b]; });
}

std::vector<double> Reparametrization::multipliers(const Decomposition& decomposition, std::span<const double> others) const {
  std::vector<double> result(decomposition.n_slots(), 0.0);
  // What edges share with terms that take no part, from the decomposition this was made from.
  std::vector<double> entries(tables_.size(), 0.0);
  std::size_t next_edge = 0;
  std::vector<const Term*> staying;
  for (std::size_t t = 0; t < decomposition_.terms().size(); ++t) {
    const Term& term = decomposition_.terms()[t];
    const ForestOracle* forest = forest_of(t);
    if (forest == nullptr && cycle_of(term) == nullptr) staying.push_back(&term);
    const std::vector<std::size_t> variables = variables_of(term);
    std::size_t coordinate = forest != nullptr ? forest->n_labels_in_all() : 0;
    const auto add_entries = [&](std::size_t e) {
      for (std::size_t k = 0; k < n_entries(e); ++k, ++coordinate) {
        const std::size_t place = place_of(term, coordinate, others.size());
        if (place < others.size()) entries[edges_[e].table + k] += others[place];
      }
    };
    if (forest != nullptr) {
      for (const ForestEdge& own : forest->edges()) {
        if (own.shares_entries) add_entries(next_edge);
        ++next_edge;
      }
    } else if (cycle_of(term) != nullptr) {
      while (coordinate < variables.size()) add_entries(index(edge_of_entry_.at(variables[coordinate])));
    }
  }
  for (const std::vector<Part>& parts : cycles_)
    for (const Part& part : parts)
      for (std::size_t k = 0; k < n_entries(part.edge); ++k) {
        const double cost = cycle_tables_[part.table + k];
        if (cost < kInfinity) entries[edges_[part.edge].table + k] -= cost;
      }

  next_edge = 0;
  std::size_t next_cycle = 0, next_other = 0;
  std::vector<double> moved;
  for (std::size_t t = 0; t < decomposition.terms().size(); ++t) {
    const Term& term = decomposition.terms()[t];
    const auto put = [&](std::size_t coordinate, double value) {
      const std::size_t place = place_of(term, coordinate, result.size());
      if (place < result.size()) result[place] = value;
    };
    if (t < n_forests_) {
      const auto* oracle = dynamic_cast<const ForestOracle*>(term.oracle.get());
      if (oracle == nullptr) throw std::invalid_argument(term.name + " is no forest");
      const Forest& forest = oracle->forest();
      const std::vector<std::size_t> variables = variables_of(term);
      moved.assign(oracle->n_labels_in_all(), 0.0);
      std::vector<std::size_t> begin{0};
      for (const Index n : forest.n_labels) begin.push_back(begin.back() + index(n));
      const std::size_t first_edge = next_edge;
      for (const ForestEdge& own : forest.edges) {
        const Edge& edge = edges_[next_edge++];
        for (std::size_t a = 0; a < edge.rows; ++a) moved[begin[index(own.first)] + a] += moved_[edge.moved[0] + a];
        for (std::size_t b = 0; b < edge.columns; ++b) moved[begin[index(own.second)] + b] += moved_[edge.moved[1] + b];
      }
      for (std::size_t k = 0; k < moved.size(); ++k) {
        if (nodes_[variables[k]] == kInfinity) continue;
        const double share = nodes_[variables[k]] / n_trees_[node_of_[variables[k]]];
        put(k, share - moved[k] - forest.unaries[k]);
      }
      std::size_t coordinate = moved.size();
      for (std::size_t e = first_edge; e < next_edge; ++e)
        if (forest.edges[e - first_edge].shares_entries)
          for (std::size_t k = 0; k < n_entries(e); ++k) put(coordinate++, entries[edges_[e].table + k]);
    } else if (cycle_of(term) != nullptr) {
      std::size_t coordinate = 0;
      for (const Part& part : cycles_[next_cycle++])
        for (std::size_t k = 0; k < n_entries(part.edge); ++k) {
          const double cost = cycle_tables_[part.table + k];
          put(coordinate++, cost < kInfinity ? cost : 0.0);
        }
    } else {
      const Term& before = *staying[next_other++];
      for (std::size_t k = 0; k < static_cast<std::size_t>(term.oracle->n_coordinates()); ++k) {
        const std::size_t place = place_of(before, k, others.size());
        if (place < others.size()) put(k, others[place]);
      }
    }
  }
  return result;
}

}  // namespace fwmap
