// Which triangles of edges raise the bound most.

#include <algorithm>

#include "kernels/kernels.hpp"
#include "poll.hpp"
#include "tightening/reparametrization.hpp"

namespace fwmap {

void Reparametrization::find_lowest() {
  lowest_.clear();
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    poll();
    const double* table = tables_.data() + edges_[e].table;
    const auto place = static_cast<std::size_t>(std::min_element(table, table + n_entries(e)) - table);
    lowest_.push_back({table[place], place / edges_[e].columns, place % edges_[e].columns});
  }
}

bool Reparametrization::is_known(const EdgeCycle& cycle) const {
  const std::vector<Incidence>& with_first = cycles_of_[static_cast<std::size_t>(cycle.edges[0])];
  return std::any_of(with_first.begin(), with_first.end(), [&](const Incidence& one) {
    const std::vector<Part>& parts = cycles_[one.cycle];
    return parts.size() == cycle.edges.size() && std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
      return std::find(cycle.edges.begin(), cycle.edges.end(), static_cast<Index>(part.edge)) != cycle.edges.end();
    });
  });
}

// What the cycle's edges cost together at least, less what each does alone.
double Reparametrization::gain(const std::vector<Part>& parts) {
  const double* own = tables_.data() + parts[0].table;
  around_.resize(n_entries(parts[0].edge));
  around(parts, tables_.data(), 0, around_.data());
  double lowest = kInfinity, alone = 0;
  for (std::size_t k = 0; k < around_.size(); ++k) lowest = std::min(lowest, around_[k] + own[k]);
  for (const Part& part : parts) alone += lowest_[part.edge].cost;
  return lowest - alone;
}

// No less than the gain, from the lowest entry of each edge of a triangle and what is best then.
double Reparametrization::gain_at_most(const std::vector<Part>& parts) {
  double best = kInfinity, alone = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Part &own = parts[i], &next = parts[(i + 1) % 3], &last = parts[(i + 2) % 3];
    const Lowest& lowest = lowest_[own.edge];
    alone += lowest.cost;
    const std::size_t a = own.flipped ? lowest.column : lowest.row, b = own.flipped ? lowest.row : lowest.column;
    const std::size_t n = labels(to(next)), n_a = labels(from(own)), n_b = labels(to(own));
    const double* onward = tables_.data() + next.table + (next.flipped ? b : b * n);
    const double* back = tables_.data() + last.table + (last.flipped ? a * n : a);
    const std::size_t step = next.flipped ? n_b : 1, back_step = last.flipped ? 1 : n_a;
    for (std::size_t c = 0; c < n; ++c) best = std::min(best, lowest.cost + onward[c * step] + back[c * back_step]);
    work_ += 4 * static_cast<double>(n);
  }
  return best - alone;
}

std::vector<CycleProposal> Reparametrization::triangles(std::size_t most, double least, double max_operations) {
  const double allowed = work_ + max_operations;
  find_lowest();
  struct Candidate {
    double at_most;
    std::size_t edges[3];
  };
  std::vector<Candidate> candidates;
  std::vector<std::size_t> to_second(edges_of_.size(), edges_.size());  // edge from the middle node
  const auto other = [&](std::size_t e, std::size_t v) { return edges_[e].first == v ? edges_[e].second : edges_[e].first; };
  const auto cycle_of_nodes = [&](const std::size_t (&edges)[3], std::size_t u) {
    EdgeCycle cycle;
    std::size_t v = u;
    for (const std::size_t e : edges) {
      cycle.edges.push_back(static_cast<Index>(e));
      cycle.flipped.push_back(edges_[e].first != v);
      v = other(e, v);
    }
    return cycle;
  };
  for (std::size_t u = 0; u < edges_of_.size() && work_ < allowed; ++u) {
    for (const std::size_t e : edges_of_[u]) to_second[other(e, u)] = e;
    for (const std::size_t e : edges_of_[u]) {
      const std::size_t v = other(e, u);
      if (v < u) continue;
      poll();
      for (const std::size_t f : edges_of_[v]) {
        const std::size_t w = other(f, v);
        if (w < v || to_second[w] == edges_.size()) continue;
        const EdgeCycle cycle = cycle_of_nodes({e, f, to_second[w]}, u);
        const double bound = is_known(cycle) ? 0 : gain_at_most(parts_of(cycle));
        if (bound > least) candidates.push_back({bound, {e, f, to_second[w]}});
      }
    }
    for (const std::size_t e : edges_of_[u]) to_second[other(e, u)] = edges_.size();
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.at_most > b.at_most; });
  std::vector<CycleProposal> found;
  const auto better = [](const CycleProposal& a, const CycleProposal& b) { return a.gain > b.gain; };
  double needed = least;  // the least of the best ones so far, once there are enough
  for (const Candidate& candidate : candidates) {
    if (candidate.at_most <= needed || work_ > allowed) break;
    const std::size_t u = std::min(edges_[candidate.edges[0]].first, edges_[candidate.edges[0]].second);
    EdgeCycle cycle = cycle_of_nodes(candidate.edges, u);
    const double gained = gain(parts_of(cycle));
    if (gained <= needed) continue;
    found.push_back({std::move(cycle), gained});
    std::push_heap(found.begin(), found.end(), better);
    if (found.size() > most) {
      std::pop_heap(found.begin(), found.end(), better);
      found.pop_back();
    }
    if (found.size() == most) needed = found.front().gain;
  }
  std::sort_heap(found.begin(), found.end(), better);
  return found;
}

}  // namespace fwmap
