#include "graph/orientation.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace fwmap {

static void distances(const Incidence& inc, std::int32_t limit, const Orientation& o, Numbered<std::int32_t>& d, std::vector<std::int32_t>& queue) {
  const std::int32_t n = inc.n_nodes();
  queue.clear();
  for (std::int32_t v = 0; v < n; ++v) { d[v] = n; if (o.out_degree[v] < limit) { d[v] = 0; queue.push_back(v); } }
  for (std::size_t h = 0; h < queue.size(); ++h) {
    const std::int32_t w = queue[h];
    for (const Incident& x : inc.at(w)) if (o.tail[x.edge] != w && d[x.neighbour] == n) { d[x.neighbour] = d[w] + 1; queue.push_back(x.neighbour); }
  }
}

std::vector<std::int32_t> limit_out_degrees(const Incidence& inc, std::int32_t limit, Orientation& o) {
  const std::int32_t n = inc.n_nodes();
  Numbered<std::int32_t> d(n);
  Numbered<std::uint32_t> next(n);
  std::vector<std::int32_t> queue, active;
  const char* fs = getenv("F"); const double F = fs ? atof(fs) : 1;
  const std::size_t budget = static_cast<std::size_t>(F * (inc.n_nodes() + inc.n_ends()));
  int updates = 0; long pushes = 0, relabels = 0;
  for (std::int32_t v = 0; v < n; ++v) if (o.out_degree[v] > limit) active.push_back(v);
  while (!active.empty()) {
    ++updates;
    distances(inc, limit, o, d, queue);
    std::fill(next.begin(), next.end(), 0u);
    std::size_t work = 0, kept = 0;
    // stuck?
    queue.clear();
    for (auto v : active) if (o.out_degree[v] > limit) { active[kept++] = v; if (d[v] < n) queue.push_back(v); }
    active.resize(kept);
    if (queue.empty()) break;
    std::size_t h = 0;
    for (; h < queue.size() && work < budget; ++h) {
      const std::int32_t v = queue[h];
      const auto ends = inc.at(v);
      while (o.out_degree[v] > limit && d[v] < n) {
        if (next[v] == ends.size()) {
          std::int32_t low = n - 1;
          for (const Incident& x : ends) if (o.tail[x.edge] == v) low = std::min(low, d[x.neighbour]);
          d[v] = low + 1;
          next[v] = 0;
          work += ends.size() + 4;
          ++relabels;
          continue;
        }
        const Incident& x = ends[next[v]];
        ++work;
        if (o.tail[x.edge] == v && d[x.neighbour] + 1 == d[v]) {
          o.tail[x.edge] = x.neighbour;
          --o.out_degree[v];
          ++pushes;
          if (++o.out_degree[x.neighbour] == limit + 1) queue.push_back(x.neighbour);
        }
        ++next[v];
      }
    }
    active.clear();
    for (std::int32_t v = 0; v < n; ++v) if (o.out_degree[v] > limit) active.push_back(v);
  }
  if (getenv("V")) fprintf(stderr, "updates %d pushes %ld relabels %ld\n", updates, pushes, relabels);
  if (active.empty()) return {};
  queue.clear();
  for (std::int32_t v = 0; v < n; ++v) if (d[v] == n) queue.push_back(v);
  return queue;
}

}  // namespace fwmap
