#include "oracles/forest.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/kernels.hpp"
#include "oracles/edge_message.hpp"
#include "scratch.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

thread_local std::vector<double> small_beliefs, small_outside, small_marginals;  // of the forest at hand, where it is small

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
  std::size_t n_coordinates = offsets_.back();
  operations_ = static_cast<double>(offsets_.back());
  edge_offsets_.assign(forest_.edges.size(), 0);
  for (std::size_t e = 0; e < forest_.edges.size(); ++e) {
    const ForestEdge& edge = forest_.edges[e];
    const std::size_t rows = labels(edge.first), columns = labels(edge.second), entries = rows * columns;
    const bool product = edge.cost.kind == EdgeKind::kProduct, has_table = product || edge.cost.kind == EdgeKind::kTable;
    if ((has_table && forest_.tables->size(edge.cost.table) != entries) || (product && rows != columns))
      throw std::invalid_argument("table of edge " + std::to_string(e) + " has the wrong size");
    const bool structured = !has_table && !edge.shares_entries;
    operations_ += structured ? 4.0 * static_cast<double>(rows + columns)
                              : (product && !edge.shares_entries ? 1.5 : 1.0) * static_cast<double>(entries);
    if (!edge.shares_entries) {
      edge_negative_part_ +=
          negative_part(edge.cost, *forest_.tables, static_cast<Index>(rows), static_cast<Index>(columns));
      continue;
    }
    edge_offsets_[e] = n_coordinates;
    n_coordinates += entries;
    for (std::size_t a = 0; a < rows; ++a)
      for (std::size_t b = 0; b < columns; ++b)
        own_entries_.push_back(edge_cost(edge.cost, *forest_.tables, static_cast<Index>(a), static_cast<Index>(b),
                                         static_cast<Index>(columns)));
  }
  if (n_coordinates > index(std::numeric_limits<Index>::max()))
    throw std::invalid_argument("a forest has more than 2^31 - 1 coordinates");
  n_coordinates_ = static_cast<Index>(n_coordinates);
  labeling_.resize(forest_.n_labels.size());
  message_.resize(most_labels);
  entries_.resize(own_entries_.size());
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
      if (edge.cost.kind == EdgeKind::kProduct)
        fixed_rounding_ += forest_.tables->product(edge.cost.table).rounding(edge.cost.weight, edge.cost.truncation);
      else
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
  beliefs_ = scratch(n_labels_in_all(), small_beliefs, own_beliefs_).data();
  double negative = 0;
  for (std::size_t v = 0; v < forest_.n_labels.size(); ++v) {
    const std::size_t begin = offsets_[v], end = offsets_[v + 1];
    double lowest;
    if (end <= weights.size()) {
      lowest = k.add_minimum(forest_.unaries.data() + begin, weights.data() + begin, end - begin, beliefs_ + begin);
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

// Adds the weights of shared entries to their costs; returns the sum over these edges of max(0, -lowest).
double ForestOracle::weigh_entries(std::span<const double> weights) {
  double negative = 0;
  if (own_entries_.empty()) return negative;
  for (std::size_t e = 0; e < forest_.edges.size(); ++e) {
    if (!forest_.edges[e].shares_entries) continue;
    const std::size_t begin = edge_offsets_[e], place = begin - offsets_.back(), n = n_entries(forest_.edges[e]);
    double lowest = kInfinity;
    if (begin + n <= weights.size()) {
      lowest = kernels().add_minimum(own_entries_.data() + place, weights.data() + begin, n, entries_.data() + place);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        entries_[place + i] = own_entries_[place + i] + weight_at(weights, begin + i);
        lowest = std::min(lowest, entries_[place + i]);
      }
    }
    negative -= std::min(lowest, 0.0);
  }
  return negative;
}

// The table of an edge that shares its entries, with their weights.
const double* ForestOracle::entries(std::int32_t e) const {
  return entries_.data() + (edge_offsets_[static_cast<std::size_t>(e)] - offsets_.back());
}

// message[b] = min_a from[a] + cost, from child to parent or back.
void ForestOracle::send(const Visit& visit, bool to_parent, const double* from, double* message) {
  const ForestEdge& edge = forest_.edges[static_cast<std::size_t>(visit.edge)];
  const Index sender = to_parent ? visit.node : visit.parent, receiver = to_parent ? visit.parent : visit.node;
  const std::size_t n_in = labels(sender), n_out = labels(receiver);
  edge_message(edge.cost, *forest_.tables, edge.shares_entries ? entries(visit.edge) : nullptr, sender == edge.first, from,
               n_in, n_out, message, envelope_);
}

Minimum ForestOracle::minimize(std::span<const double> weights, std::vector<Index>& support) {
  const Kernels& kernel = kernels();
  support.clear();
  const double negative = start_beliefs(weights) + weigh_entries(weights) + edge_negative_part_;
  for (std::size_t k = order_.size(); k-- > 0;) {
    const Visit& visit = order_[k];
    if (visit.parent < 0) continue;
    send(visit, true, beliefs_ + offset(visit.node), message_.data());
    kernel.accumulate(message_.data(), labels(visit.parent), beliefs_ + offset(visit.parent));
  }

  Minimum result;
  for (const Visit& visit : order_) {
    const double* belief = beliefs_ + offset(visit.node);
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
      if (edge.cost.kind == EdgeKind::kTable || edge.shares_entries) {
        const double* table = (edge.shares_entries ? entries(visit.edge) : forest_.tables->table(edge.cost.table)) +
                              (rows ? index(above) : index(above) * n_columns);
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
          const double value =
              belief[a] + edge_cost(edge.cost, *forest_.tables, first, second, static_cast<Index>(n_columns));
          if (value < lowest) {
            lowest = value;
            best = a;
          }
        }
      }
    }
    labeling_[index(visit.node)] = static_cast<Index>(best);
  }
  support.reserve(labeling_.size());
  for (std::size_t v = 0; v < labeling_.size(); ++v) support.push_back(static_cast<Index>(offsets_[v]) + labeling_[v]);
  complete(support);
  result.cost = own_cost();
  result.rounding = 1.01 * rounding_factor(rounding_depth_) * (std::abs(result.value) + 2 * negative) + fixed_rounding_;
  return result;
}

// The entries of the edges that share theirs follow from the labels.
void ForestOracle::complete(std::vector<Index>& support) const {
  if (support.size() < labeling_.size()) return;  // no labeling
  support.resize(labeling_.size());
  for (std::size_t v = 0; v < support.size(); ++v)
    if (index(support[v]) < offsets_[v] || index(support[v]) >= offsets_[v + 1]) return;
  const auto label = [&](Index v) { return index(support[index(v)]) - offset(v); };
  for (std::size_t e = 0; e < forest_.edges.size(); ++e) {
    const ForestEdge& edge = forest_.edges[e];
    if (!edge.shares_entries) continue;
    const std::size_t entry = label(edge.first) * labels(edge.second) + label(edge.second);
    support.push_back(static_cast<Index>(edge_offsets_[e] + entry));
  }
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
// nothing is subtracted (inf - inf), the other children's messages are summed again from both sides. Calls
// visit_edge(visit, child's side, parent's side): the beliefs of both ends without each other's messages.
// Fills marginals_ (within the own tree) and returns the sum of the trees' minima.
template <class VisitEdge>
double ForestOracle::pass_messages(std::span<const double> weights, VisitEdge visit_edge) {
  const Kernels& kernel = kernels();
  start_beliefs(weights);
  weigh_entries(weights);
  outside_ = scratch(n_labels_in_all(), small_outside, own_outside_).data();
  std::copy_n(beliefs_, n_labels_in_all(), outside_);  // own beliefs plus the message from above
  std::vector<std::vector<double>> upward(order_.size());
  for (std::size_t k = order_.size(); k-- > 0;) {
    const Visit& visit = order_[k];
    if (visit.parent < 0) continue;
    send(visit, true, beliefs_ + offset(visit.node), message_.data());
    upward[k].assign(message_.data(), message_.data() + labels(visit.parent));
    kernel.accumulate(message_.data(), labels(visit.parent), beliefs_ + offset(visit.parent));
  }
  double total = 0;
  for (const Visit& visit : order_)
    if (visit.parent < 0) total += kernel.minimum(beliefs_ + offset(visit.node), labels(visit.node));

  marginals_ = scratch(n_labels_in_all(), small_marginals, own_marginals_).data();
  std::copy_n(beliefs_, n_labels_in_all(), marginals_);
  std::vector<double> before, from, sum;
  for (std::size_t k = 0; k < order_.size();) {  // children of a node stand together in the order
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
    from.assign(outside_ + offset(parent), outside_ + offset(parent) + n);
    sum.resize(n);
    for (std::size_t child = 0; child < children; ++child) {
      const Visit& visit = order_[k + child];
      for (std::size_t a = 0; a < n; ++a) sum[a] = from[a] + before[(child + 1) * n + a];
      visit_edge(visit, beliefs_ + offset(visit.node), sum.data());
      send(visit, false, sum.data(), message_.data());
      kernel.accumulate(message_.data(), labels(visit.node), outside_ + offset(visit.node));
      kernel.accumulate(message_.data(), labels(visit.node), marginals_ + offset(visit.node));
      for (std::size_t a = 0; a < n; ++a) from[a] += upward[k + child][a];
    }
    k = end;
  }
  return total;
}

bool ForestOracle::min_marginals(std::span<const double> weights, std::span<double> out) {
  std::vector<double*> shared(forest_.edges.size(), nullptr);
  std::vector<double> partial;  // min-marginals of an edge of which `out` has some entries only
  std::size_t cut = forest_.edges.size();
  for (std::size_t e = 0; e < forest_.edges.size(); ++e) {
    if (!forest_.edges[e].shares_entries || edge_offsets_[e] >= out.size()) continue;
    const bool whole = edge_offsets_[e] + n_entries(forest_.edges[e]) <= out.size();
    if (!whole) {
      cut = e;
      partial.resize(n_entries(forest_.edges[e]));
    }
    shared[e] = whole ? out.data() + edge_offsets_[e] : partial.data();
  }
  const double total = edge_min_marginals(weights, shared);
  if (cut < shared.size())
    std::copy_n(partial.begin(), out.size() - edge_offsets_[cut], out.begin() + static_cast<std::ptrdiff_t>(edge_offsets_[cut]));

  std::vector<double> root_minimum(forest_.n_labels.size());  // other trees add their minimum
  for (const Visit& visit : order_) {
    double& lowest = root_minimum[index(visit.node)];
    lowest = visit.parent < 0 ? kernels().minimum(marginals_ + offset(visit.node), labels(visit.node))
                              : root_minimum[index(visit.parent)];
    const double others = lowest == kInfinity ? kInfinity : total - lowest;
    for (std::size_t i = offset(visit.node); i < offset(visit.node) + labels(visit.node) && i < out.size(); ++i)
      out[i] = marginals_[i] + others;
  }
  return true;
}

double ForestOracle::edge_min_marginals(std::span<const double> weights, std::span<double* const> out) {
  const double total = pass_messages(weights, [&](const Visit& visit, const double* below, const double* above) {
    double* to = out[static_cast<std::size_t>(visit.edge)];
    if (to == nullptr) return;
    const ForestEdge& edge = forest_.edges[static_cast<std::size_t>(visit.edge)];
    const double* first = visit.node == edge.first ? below : above;
    const double* second = visit.node == edge.first ? above : below;
    const std::size_t rows = labels(edge.first), columns = labels(edge.second);
    for (std::size_t a = 0, i = 0; a < rows; ++a)
      for (std::size_t b = 0; b < columns; ++b, ++i) {
        const double own = edge.shares_entries ? entries(visit.edge)[i]
                                               : edge_cost(edge.cost, *forest_.tables, static_cast<Index>(a),
                                                           static_cast<Index>(b), static_cast<Index>(columns));
        to[i] = first[a] + own + second[b];
      }
  });
  for (std::size_t e = 0; e < forest_.edges.size(); ++e) {  // other trees add their minimum
    if (out[e] == nullptr) continue;
    const std::size_t n = n_entries(forest_.edges[e]);
    const double lowest = kernels().minimum(out[e], n);
    const double others = lowest == kInfinity ? kInfinity : total - lowest;
    for (std::size_t i = 0; i < n; ++i) out[e][i] += others;
  }
  return total;
}

}  // namespace fwmap
