#include "oracles/forest.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/kernels.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

ForestOracle::ForestOracle(Forest forest) : forest_(std::move(forest)) {
  offsets_.resize(forest_.n_labels.size() + 1, 0);
  std::size_t most_labels = 1;
  for (std::size_t v = 0; v < forest_.n_labels.size(); ++v) {
    if (forest_.n_labels[v] < 1) throw std::invalid_argument("node " + std::to_string(v) + " has no label");
    offsets_[v + 1] = offsets_[v] + index(forest_.n_labels[v]);
    most_labels = std::max(most_labels, index(forest_.n_labels[v]));
  }
  if (forest_.unaries.size() != offsets_.back())
    throw std::invalid_argument("forest has " + std::to_string(forest_.unaries.size()) + " unary costs; expected " +
                                std::to_string(offsets_.back()));
  std::size_t n_coordinates = offsets_.back(), most_entries = 0;
  operations_ = static_cast<double>(offsets_.back());
  edge_offsets_.assign(forest_.edges.size(), 0);
  for (std::size_t e = 0; e < forest_.edges.size(); ++e) {
    const ForestEdge& edge = forest_.edges[e];
    const std::size_t rows = labels(edge.first), columns = labels(edge.second), entries = rows * columns;
    if (edge.cost.kind == EdgeKind::kTable && forest_.tables->size(edge.cost.table) != entries)
      throw std::invalid_argument("table of edge " + std::to_string(e) + " has the wrong size");
    const bool structured = edge.cost.kind != EdgeKind::kTable && !edge.shares_entries;
    operations_ += structured ? 4.0 * static_cast<double>(rows + columns) : static_cast<double>(entries);
    edge_negative_part_ +=
        negative_part(edge.cost, *forest_.tables, static_cast<Index>(rows), static_cast<Index>(columns));
    if (edge.shares_entries) {
      edge_offsets_[e] = n_coordinates;
      n_coordinates += entries;
      most_entries = std::max(most_entries, entries);
    }
  }
  if (n_coordinates > index(std::numeric_limits<Index>::max()))
    throw std::invalid_argument("a forest has more than 2^31 - 1 coordinates");
  n_coordinates_ = static_cast<Index>(n_coordinates);
  beliefs_.resize(offsets_.back());
  labeling_.resize(forest_.n_labels.size());
  message_.resize(most_labels);
  weighted_table_.resize(most_entries);
  order_nodes();
  count_roundings();
}

// Parents before children, each tree from its lowest node; breadth first.
void ForestOracle::order_nodes() {
  const std::size_t n = forest_.n_labels.size();
  std::vector<std::int32_t> degree(n + 1, 0);
  for (const ForestEdge& edge : forest_.edges) {
    ++degree[index(edge.first) + 1];
    ++degree[index(edge.second) + 1];
  }
  for (std::size_t v = 0; v < n; ++v) degree[v + 1] += degree[v];
  std::vector<std::int32_t> incident(2 * forest_.edges.size());
  std::vector<std::int32_t> next(degree.begin(), degree.end() - 1);
  for (std::size_t e = 0; e < forest_.edges.size(); ++e) {
    incident[static_cast<std::size_t>(next[index(forest_.edges[e].first)]++)] = static_cast<std::int32_t>(e);
    incident[static_cast<std::size_t>(next[index(forest_.edges[e].second)]++)] = static_cast<std::int32_t>(e);
  }
  std::vector<char> seen(n, 0);
  order_.reserve(n);
  for (std::size_t root = 0; root < n; ++root) {
    if (seen[root]) continue;
    seen[root] = 1;
    order_.push_back({static_cast<Index>(root), -1, -1});
    for (std::size_t k = order_.size() - 1; k < order_.size(); ++k) {
      const Visit visit = order_[k];
      for (auto i = degree[index(visit.node)]; i < degree[index(visit.node) + 1]; ++i) {
        const std::int32_t e = incident[static_cast<std::size_t>(i)];
        if (e == visit.edge) continue;
        const ForestEdge& edge = forest_.edges[static_cast<std::size_t>(e)];
        const Index child = edge.first == visit.node ? edge.second : edge.first;
        if (seen[index(child)]) throw std::invalid_argument("the edges of a forest have a cycle");
        seen[index(child)] = 1;
        order_.push_back({child, visit.node, e});
      }
    }
  }
}

void ForestOracle::count_roundings() {
  std::vector<double> depth(forest_.n_labels.size(), 2.0);  // unary + weight, and as many again to spare
  double roots = 0;
  for (std::size_t k = order_.size(); k-- > 0;) {
    const Visit& visit = order_[k];
    if (visit.parent < 0) {
      roots += 1;
      rounding_depth_ = std::max(rounding_depth_, depth[index(visit.node)]);
      continue;
    }
    const ForestEdge& edge = forest_.edges[static_cast<std::size_t>(visit.edge)];
    double at_edge = 2.0 + (edge.shares_entries ? 1.0 : 0.0);
    if (!edge.shares_entries) {
      fixed_rounding_ += structured_message_rounding(edge.cost, labels(edge.first), labels(edge.second));
      if (edge.cost.kind == EdgeKind::kTruncatedLinear)  // one addition for each step from label to label
        at_edge += static_cast<double>(std::max(labels(edge.first), labels(edge.second)));
    }
    double& parent = depth[index(visit.parent)];
    parent = std::max(parent, depth[index(visit.node)] + at_edge) + 1.0;
  }
  rounding_depth_ += roots;
}

// Beliefs are unaries plus weights; returns the sum over nodes of max(0, -lowest).
double ForestOracle::start_beliefs(std::span<const double> weights) {
  const Kernels& k = kernels();
  double negative = 0;
  for (std::size_t v = 0; v < forest_.n_labels.size(); ++v) {
    const std::size_t begin = offsets_[v], end = offsets_[v + 1];
    double lowest;
    if (end <= weights.size()) {
      lowest = k.add_minimum(forest_.unaries.data() + begin, weights.data() + begin, end - begin, beliefs_.data() + begin);
    } else {
      lowest = kInfinity;
      for (std::size_t i = begin; i < end; ++i) {
        beliefs_[i] = forest_.unaries[i] + weight_at(weights, i);
        lowest = std::min(lowest, beliefs_[i]);
      }
    }
    if (lowest < 0) negative -= lowest;
  }
  return negative;
}

// The table of an edge whose entries carry weights.
const double* ForestOracle::entries(std::int32_t e, std::span<const double> weights) {
  const ForestEdge& edge = forest_.edges[static_cast<std::size_t>(e)];
  const Index rows = static_cast<Index>(labels(edge.first)), columns = static_cast<Index>(labels(edge.second));
  std::size_t i = 0;
  for (Index a = 0; a < rows; ++a)
    for (Index b = 0; b < columns; ++b, ++i)
      weighted_table_[i] = edge_cost(edge.cost, *forest_.tables, a, b, columns) +
                           weight_at(weights, edge_offsets_[static_cast<std::size_t>(e)] + i);
  return weighted_table_.data();
}

// message[b] = min_a from[a] + cost, from child to parent or back.
void ForestOracle::send(const Visit& visit, std::span<const double> weights, bool to_parent, const double* from,
                        double* message) {
  const ForestEdge& edge = forest_.edges[static_cast<std::size_t>(visit.edge)];
  const Index sender = to_parent ? visit.node : visit.parent, receiver = to_parent ? visit.parent : visit.node;
  const std::size_t n_in = labels(sender), n_out = labels(receiver);
  if (edge.cost.kind != EdgeKind::kTable && !edge.shares_entries) {
    structured_message(edge.cost, from, n_in, n_out, message, envelope_);
    return;
  }
  const double* table = edge.shares_entries ? entries(visit.edge, weights) : forest_.tables->table(edge.cost.table);
  if (sender == edge.first)
    kernels().min_plus_columns(from, table, n_in, n_out, message);
  else
    kernels().min_plus_rows(from, table, n_in, n_out, message);
}

Minimum ForestOracle::minimize(std::span<const double> weights, std::vector<Index>& support) {
  const Kernels& kernel = kernels();
  support.clear();
  double negative = start_beliefs(weights) + edge_negative_part_;
  for (std::size_t k = order_.size(); k-- > 0;) {
    const Visit& visit = order_[k];
    if (visit.parent < 0) continue;
    send(visit, weights, true, beliefs_.data() + offset(visit.node), message_.data());
    kernel.accumulate(message_.data(), labels(visit.parent), beliefs_.data() + offset(visit.parent));
  }

  Minimum result;
  for (const Visit& visit : order_) {
    const double* belief = beliefs_.data() + offset(visit.node);
    const std::size_t n = labels(visit.node);
    std::size_t best = 0;
    if (visit.parent < 0) {
      for (std::size_t a = 1; a < n; ++a)
        if (belief[a] < belief[best]) best = a;
      if (belief[best] == kInfinity) return {kInfinity, kInfinity, 0};
      result.value += belief[best];
    } else {
      const ForestEdge& edge = forest_.edges[static_cast<std::size_t>(visit.edge)];
      const Index above = labeling_[index(visit.parent)];
      const bool rows = visit.node == edge.first;
      const std::size_t n_columns = labels(edge.second);
      double lowest = kInfinity;
      if (edge.cost.kind == EdgeKind::kTable && !edge.shares_entries) {
        const double* table = forest_.tables->table(edge.cost.table) + (rows ? index(above) : index(above) * n_columns);
        const std::size_t stride = rows ? n_columns : 1;
        for (std::size_t a = 0; a < n; ++a) {
          const double value = belief[a] + table[a * stride];
          if (value < lowest) {
            lowest = value;
            best = a;
          }
        }
      } else {
        for (std::size_t a = 0; a < n; ++a) {
          const Index first = rows ? static_cast<Index>(a) : above, second = rows ? above : static_cast<Index>(a);
          double value = belief[a] + edge_cost(edge.cost, *forest_.tables, first, second, static_cast<Index>(n_columns));
          if (edge.shares_entries)
            value += weight_at(weights, edge_offsets_[static_cast<std::size_t>(visit.edge)] + index(first) * n_columns +
                                            index(second));
          if (value < lowest) {
            lowest = value;
            best = a;
          }
        }
      }
    }
    labeling_[index(visit.node)] = static_cast<Index>(best);
  }
  for (std::size_t e = 0; e < forest_.edges.size(); ++e) {  // weights on entries can be negative as well
    if (!forest_.edges[e].shares_entries) continue;
    const std::size_t begin = edge_offsets_[e];
    const std::size_t size = labels(forest_.edges[e].first) * labels(forest_.edges[e].second);
    double lowest = 0;
    for (std::size_t i = begin; i < begin + size && i < weights.size(); ++i) lowest = std::min(lowest, weights[i]);
    negative -= lowest;
  }

  support.reserve(labeling_.size());
  for (std::size_t v = 0; v < labeling_.size(); ++v) support.push_back(static_cast<Index>(offsets_[v]) + labeling_[v]);
  for (std::size_t e = 0; e < forest_.edges.size(); ++e) {
    const ForestEdge& edge = forest_.edges[e];
    if (!edge.shares_entries) continue;
    const std::size_t entry = index(labeling_[index(edge.first)]) * labels(edge.second) + index(labeling_[index(edge.second)]);
    support.push_back(static_cast<Index>(edge_offsets_[e] + entry));
  }
  result.cost = own_cost();
  result.rounding = 1.01 * rounding_factor(rounding_depth_) * (std::abs(result.value) + 2 * negative) + fixed_rounding_;
  return result;
}

double ForestOracle::own_cost() const {
  double sum = 0;
  for (std::size_t v = 0; v < labeling_.size(); ++v) sum += forest_.unaries[offsets_[v] + index(labeling_[v])];
  for (const ForestEdge& edge : forest_.edges)
    sum += edge_cost(edge.cost, *forest_.tables, labeling_[index(edge.first)], labeling_[index(edge.second)],
                     static_cast<Index>(labels(edge.second)));
  return sum;
}

double ForestOracle::cost(std::span<const Index> support) const {
  if (support.size() < labeling_.size()) return kInfinity;
  double sum = 0;
  for (std::size_t v = 0; v < labeling_.size(); ++v) {
    const std::size_t i = index(support[v]);
    if (i < offsets_[v] || i >= offsets_[v + 1]) return kInfinity;  // not one label per node
    sum += forest_.unaries[i];
  }
  for (const ForestEdge& edge : forest_.edges)
    sum += edge_cost(edge.cost, *forest_.tables, support[index(edge.first)] - static_cast<Index>(offset(edge.first)),
                     support[index(edge.second)] - static_cast<Index>(offset(edge.second)),
                     static_cast<Index>(labels(edge.second)));
  return sum;
}

// Upward messages, then downward ones. What a parent tells a child must leave out what the child told it;
// nothing is subtracted (inf - inf), the other children's messages are summed again from both sides.
bool ForestOracle::min_marginals(std::span<const double> weights, std::span<double> out) {
  const Kernels& kernel = kernels();
  start_beliefs(weights);
  const std::vector<double> own(beliefs_);
  std::vector<std::vector<double>> upward(order_.size());
  for (std::size_t k = order_.size(); k-- > 0;) {
    const Visit& visit = order_[k];
    if (visit.parent < 0) continue;
    send(visit, weights, true, beliefs_.data() + offset(visit.node), message_.data());
    upward[k].assign(message_.data(), message_.data() + labels(visit.parent));
    kernel.accumulate(message_.data(), labels(visit.parent), beliefs_.data() + offset(visit.parent));
  }
  double total = 0;
  for (const Visit& visit : order_)
    if (visit.parent < 0) total += kernel.minimum(beliefs_.data() + offset(visit.node), labels(visit.node));

  // outside[v]: own beliefs plus the message from above; children of a node stand together in the order.
  std::vector<double> outside(own), result(beliefs_);
  std::vector<double> before, from;
  for (std::size_t k = 0; k < order_.size();) {
    const Index parent = order_[k].parent;
    if (parent < 0) {
      ++k;
      continue;
    }
    std::size_t end = k;
    while (end < order_.size() && order_[end].parent == parent) ++end;
    const std::size_t n = labels(parent), children = end - k;
    before.assign((children + 1) * n, 0);  // sums over the children from each one on
    for (std::size_t child = children; child-- > 0;)
      for (std::size_t a = 0; a < n; ++a)
        before[child * n + a] = before[(child + 1) * n + a] + upward[k + child][a];
    from.assign(outside.begin() + static_cast<std::ptrdiff_t>(offset(parent)),
                outside.begin() + static_cast<std::ptrdiff_t>(offset(parent) + n));
    std::vector<double> sum(n);
    for (std::size_t child = 0; child < children; ++child) {
      const Visit& visit = order_[k + child];
      for (std::size_t a = 0; a < n; ++a) sum[a] = from[a] + before[(child + 1) * n + a];
      send(visit, weights, false, sum.data(), message_.data());
      kernel.accumulate(message_.data(), labels(visit.node), outside.data() + offset(visit.node));
      kernel.accumulate(message_.data(), labels(visit.node), result.data() + offset(visit.node));
      for (std::size_t a = 0; a < n; ++a) from[a] += upward[k + child][a];
    }
    k = end;
  }

  // Other trees add their minimum.
  std::vector<double> root_minimum(forest_.n_labels.size());
  for (const Visit& visit : order_) {
    double& lowest = root_minimum[index(visit.node)];
    lowest = visit.parent < 0 ? kernel.minimum(result.data() + offset(visit.node), labels(visit.node))
                              : root_minimum[index(visit.parent)];
    const double others = lowest == kInfinity ? kInfinity : total - lowest;
    for (std::size_t a = 0; a < labels(visit.node); ++a) {
      const std::size_t i = offset(visit.node) + a;
      if (i < out.size()) out[i] = result[i] + others;
    }
  }
  for (const Visit& visit : order_) {
    if (visit.parent < 0) continue;
    const ForestEdge& edge = forest_.edges[static_cast<std::size_t>(visit.edge)];
    if (!edge.shares_entries) continue;
    // An entry's min-marginal: both endpoints without each other's messages; rare enough to be simple.
    const double* table = entries(visit.edge, weights);
    const std::size_t rows = labels(edge.first), columns = labels(edge.second);
    std::vector<double> lower_side(beliefs_.begin() + static_cast<std::ptrdiff_t>(offset(visit.node)),
                                   beliefs_.begin() + static_cast<std::ptrdiff_t>(offset(visit.node) + labels(visit.node)));
    std::vector<double> upper_side(outside.begin() + static_cast<std::ptrdiff_t>(offset(visit.parent)),
                                   outside.begin() + static_cast<std::ptrdiff_t>(offset(visit.parent) + labels(visit.parent)));
    for (std::size_t k = 0; k < order_.size(); ++k)
      if (order_[k].parent == visit.parent && order_[k].node != visit.node)
        for (std::size_t a = 0; a < upper_side.size(); ++a) upper_side[a] += upward[k][a];
    const double lowest = root_minimum[index(visit.node)];
    const double others = lowest == kInfinity ? kInfinity : total - lowest;
    const auto& first = visit.node == edge.first ? lower_side : upper_side;
    const auto& second = visit.node == edge.first ? upper_side : lower_side;
    for (std::size_t a = 0; a < rows; ++a)
      for (std::size_t b = 0; b < columns; ++b) {
        const std::size_t i = edge_offsets_[static_cast<std::size_t>(visit.edge)] + a * columns + b;
        if (i < out.size()) out[i] = first[a] + second[b] + table[a * columns + b] + others;
      }
  }
  return true;
}

}  // namespace fwmap
