// Longer cycles that raise the bound: those of an odd number of edges that want their ends to differ.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "poll.hpp"
#include "tightening/reparametrization.hpp"

namespace fwmap {
namespace {

/// "Node u has label a" and "node v has label b" want to be equally true, or differently, by so much.
struct Link {
  double strength;
  std::int32_t edge;
  std::int32_t ends[2];  // labels, over all nodes
  bool differ;
};

/// The two least values of a sequence, and where the first one is.
struct TwoLeast {
  double first = kInfinity, second = kInfinity;
  std::size_t place = 0;

  void see(double value, std::size_t k) {
    if (value < first) {
      second = first;
      first = value;
      place = k;
    } else if (value < second) {
      second = value;
    }
  }
  double without(std::size_t k) const { return k == place ? second : first; }
};

/// Links joined one after the other, as long as labels can be told to be true or false so that all hold.
class Consistent {
 public:
  explicit Consistent(std::size_t n_labels) : set_(n_labels), side_(n_labels, 0), members_(n_labels), incident_(n_labels), reached_by_(n_labels, -1) {
    std::iota(set_.begin(), set_.end(), 0);
    for (std::size_t i = 0; i < n_labels; ++i) members_[i] = {i};
  }

  /// False where the link contradicts those joined before, and nothing happens.
  bool join(const Link& link) {
    const auto p = static_cast<std::size_t>(link.ends[0]), q = static_cast<std::size_t>(link.ends[1]);
    const bool turned = (side_[p] != side_[q]) != link.differ;
    std::size_t kept = set_[p], gone = set_[q];
    if (kept == gone && turned) return false;
    if (kept != gone) {
      if (members_[kept].size() < members_[gone].size()) std::swap(kept, gone);
      for (const std::size_t i : members_[gone]) {
        set_[i] = kept;
        side_[i] ^= static_cast<char>(turned);
      }
      members_[kept].insert(members_[kept].end(), members_[gone].begin(), members_[gone].end());
      members_[gone].clear();
    }
    for (const std::int32_t end : link.ends) incident_[static_cast<std::size_t>(end)].push_back(static_cast<std::int32_t>(links_.size()));
    links_.push_back(link);
    return true;
  }

  /// The links of a shortest path between the ends of a link, from the first one on; empty where it has more than
  /// `longest`. Adds to *work what it looks at.
  std::vector<Link> path(const Link& between, std::size_t longest, double* work) {
    std::vector<Link> result;
    std::vector<std::int32_t> seen{between.ends[1]};  // backwards, so that the result is in order
    std::size_t first = 0, last = 1;
    bool there = false;
    for (std::size_t step = 0; step < longest && !there && first < last; ++step) {
      for (; first < last && !there; ++first)
        for (const std::int32_t l : incident_[static_cast<std::size_t>(seen[first])]) {
          const Link& link = links_[static_cast<std::size_t>(l)];
          const std::int32_t next = link.ends[0] == seen[first] ? link.ends[1] : link.ends[0];
          *work += 1;
          if (next == between.ends[1] || reached_by_[static_cast<std::size_t>(next)] >= 0) continue;
          reached_by_[static_cast<std::size_t>(next)] = l;
          seen.push_back(next);
          there = next == between.ends[0];
          if (there) break;
        }
      last = seen.size();
    }
    for (std::int32_t i = between.ends[0]; there && i != between.ends[1];) {
      const Link& link = links_[static_cast<std::size_t>(reached_by_[static_cast<std::size_t>(i)])];
      result.push_back(link);
      i = link.ends[0] == i ? link.ends[1] : link.ends[0];
    }
    for (const std::int32_t i : seen) reached_by_[static_cast<std::size_t>(i)] = -1;
    return result;
  }

 private:
  std::vector<std::size_t> set_;
  std::vector<char> side_;  // within the set
  std::vector<std::vector<std::size_t>> members_;
  std::vector<std::vector<std::int32_t>> incident_;
  std::vector<std::int32_t> reached_by_;
  std::vector<Link> links_;
};

}  // namespace

// For each pair of labels of an edge: the least of the entries where just one of them is taken, less the least of
// the others. Calls link(a, b, difference).
template <class Visit>
void Reparametrization::for_each_link(const Edge& edge, Visit visit) {
  const double* table = tables_.data() + edge.table;
  const std::size_t rows = edge.rows, columns = edge.columns;
  if (rows < 2 || columns < 2) return;
  std::vector<TwoLeast> of_row(rows), of_column(columns);
  for (std::size_t a = 0; a < rows; ++a)
    for (std::size_t b = 0; b < columns; ++b) {
      of_row[a].see(table[a * columns + b], b);
      of_column[b].see(table[a * columns + b], a);
    }
  for (std::size_t b = 0; b < columns; ++b) {
    TwoLeast elsewhere;  // over the rows, each without column b
    for (std::size_t a = 0; a < rows; ++a) elsewhere.see(of_row[a].without(b), a);
    for (std::size_t a = 0; a < rows; ++a) {
      const double one = std::min(of_row[a].without(b), of_column[b].without(a));
      const double both_or_none = std::min(table[a * columns + b], elsewhere.without(a));
      if (one < kInfinity || both_or_none < kInfinity) visit(a, b, one - both_or_none);
    }
    if (rows == 2 && columns == 2) return;  // the other labels say the same
  }
  work_ += 8 * static_cast<double>(rows * columns);
}

// The strongest links join first. One that contradicts them closes an odd cycle with any path between its ends, and is
// the weakest part of it.
std::vector<CycleProposal> Reparametrization::odd_cycles(std::size_t most, double least, std::size_t longest,
                                                         double max_operations) {
  const double allowed = work_ + max_operations;
  find_lowest();
  std::vector<Link> links;
  for (std::size_t e = 0; e < edges_.size() && work_ < allowed; ++e) {
    poll();
    const Edge& edge = edges_[e];
    if (lowest_[e].cost == kInfinity) continue;
    for_each_link(edge, [&](std::size_t a, std::size_t b, double difference) {
      if (std::abs(difference) <= least) return;
      links.push_back({std::abs(difference), static_cast<std::int32_t>(e),
                       {static_cast<std::int32_t>(node_offsets_[edge.first] + a),
                        static_cast<std::int32_t>(node_offsets_[edge.second] + b)},
                       difference < 0});
    });
  }
  std::stable_sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.strength > b.strength; });
  work_ += 20 * static_cast<double>(links.size());

  Consistent consistent(nodes_.size());
  std::vector<char> used(edges_.size(), 0);
  std::vector<CycleProposal> found;
  for (const Link& link : links) {
    poll();
    if (found.size() == most || work_ > allowed) break;
    if (consistent.join(link) || used[static_cast<std::size_t>(link.edge)]) continue;
    std::vector<Link> around_it = consistent.path(link, longest - 1, &work_);
    if (around_it.size() < 2) continue;
    around_it.push_back(link);
    EdgeCycle cycle;
    std::vector<std::size_t> nodes;
    std::size_t v = node_of_[static_cast<std::size_t>(link.ends[0])];
    for (const Link& each : around_it) {
      const Edge& edge = edges_[static_cast<std::size_t>(each.edge)];
      cycle.edges.push_back(each.edge);
      cycle.flipped.push_back(edge.first != v);
      nodes.push_back(v);
      v = edge.first == v ? edge.second : edge.first;
    }
    std::sort(nodes.begin(), nodes.end());
    if (std::adjacent_find(nodes.begin(), nodes.end()) != nodes.end() || is_known(cycle)) continue;
    const double gained = gain(parts_of(cycle));
    if (gained <= least) continue;
    for (const Index e : cycle.edges) used[static_cast<std::size_t>(e)] = 1;
    found.push_back({std::move(cycle), gained});
  }
  std::stable_sort(found.begin(), found.end(), [](const CycleProposal& a, const CycleProposal& b) { return a.gain > b.gain; });
  return found;
}

}  // namespace fwmap
