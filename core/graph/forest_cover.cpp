#include "graph/forest_cover.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <chrono>
#include "graph/forest_partition.hpp"
#include "graph/peeling.hpp"
#include "graph/orientation.hpp"
namespace fwmap {
static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
#include "/tmp/fc/improve.inc"
ForestCover minimum_forest_cover(std::int32_t n_nodes, std::span<const Edge> edges) {
  double t0 = now();
  Incidence inc(n_nodes, edges);
  double t1 = now();
  Peeling p = peel(inc);
  double t2 = now();
  std::int32_t k = forests_needed_at_least(p, inc);
  double t3 = now();
  std::int32_t begin = p.core_begin(k);
  std::int32_t nc = n_nodes - begin;
  std::vector<Edge> ce; std::vector<std::int32_t> cid;
  // core edges in reverse removal order
  for (std::int32_t i = n_nodes; i-- > begin;) {
    std::int32_t v = p.order[i];
    for (auto x : inc.at(v)) if (p.position[x.neighbour] > i) { ce.push_back({n_nodes - 1 - i, n_nodes - 1 - p.position[x.neighbour]}); cid.push_back(x.edge); }
  }
  Incidence ci(nc, ce);
  Orientation o{Numbered<std::int32_t>((int)ce.size()), Numbered<std::int32_t>(nc)};
  for (std::int32_t e = 0; e < (std::int32_t)ce.size(); ++e) { o.tail[e] = ce[e].u; ++o.out_degree[ce[e].u]; }
  for (;;) { auto S = limit_out_degrees(ci, k, o); if (S.empty()) break; ++k; }
  double t35 = now();
  ForestPartition fp(nc, ce, k);
  std::vector<std::int32_t> rest, out;
  Numbered<std::int32_t> touched(n_nodes);
  for (std::int32_t v = 0; v < nc; ++v) {
    out.clear();
    for (auto x : ci.at(v)) if (o.tail[x.edge] == v) out.push_back(x.edge);
    auto other = [&](std::int32_t e) { return ce[e].u == v ? ce[e].v : ce[e].u; };
    std::stable_sort(out.begin(), out.end(), [&](auto a, auto b) { return touched[other(a)] < touched[other(b)]; });
    fp.place_all(out, rest);
    for (auto e : out) { int c = fp.forest_of_edge()[e] + 1; touched[v] = std::max(touched[v], c); touched[other(e)] = std::max(touched[other(e)], c); }
  }
  double t4 = now();
  for (auto e : rest) {
    while (!fp.insert(e)) { fp.add_forest(); ++k; }
  }
  double t5 = now();
  ForestCover c{k, std::vector<std::int32_t>(edges.size(), 0)};
  for (std::size_t i = 0; i < ce.size(); ++i) c.forest_of_edge[cid[i]] = fp.forest_of_edge()[(int)i];
  touched = Numbered<std::int32_t>(n_nodes);
  auto touch = [&](std::size_t e) { for (int v : {edges[e].u, edges[e].v}) touched[v] = std::max(touched[v], c.forest_of_edge[e] + 1); };
  for (std::size_t i = 0; i < ce.size(); ++i) touch((std::size_t)cid[i]);
  std::vector<Incident> outs;
  for (std::int32_t i = begin; i-- > 0;) {
    std::int32_t v = p.order[i], j = 0;
    outs.clear();
    for (auto x : inc.at(v)) if (p.position[x.neighbour] > i) outs.push_back(x);
    std::stable_sort(outs.begin(), outs.end(), [&](auto a, auto b) { return touched[a.neighbour] < touched[b.neighbour]; });
    for (auto x : outs) { c.forest_of_edge[x.edge] = j++; touch(x.edge); }
  }
  auto promote = [&] {
  DisjointSets ds(n_nodes);
  std::vector<std::int32_t> higher;
  for (std::int32_t i = 0; i < k; ++i) {
    ds.separate();
    for (std::size_t e = 0; e < edges.size(); ++e) if (c.forest_of_edge[e] == i) ds.join(edges[e].u, edges[e].v);
    Numbered<std::int32_t> rd(n_nodes);
    for (std::size_t e = 0; e < edges.size(); ++e) if (c.forest_of_edge[e] > i) ++rd[edges[e].u], ++rd[edges[e].v];
    for (int round = getenv("R") ? atoi(getenv("R")) : 0; round < 3; ++round)
    for (std::size_t e = 0; e < edges.size(); ++e) if (c.forest_of_edge[e] > i && (rd[edges[e].u] == 1) + (rd[edges[e].v] == 1) >= 2 - round && ds.join(edges[e].u, edges[e].v)) { c.forest_of_edge[e] = i; --rd[edges[e].u]; --rd[edges[e].v]; }
  }
  };
  promote();
  double t55 = now();
  if (!getenv("NOIMP")) { improve(n_nodes, edges, k, c.forest_of_edge);  double t56 = now(); promote(); if (getenv("V")) fprintf(stderr, "  promote %.3f improve %.3f promote %.3f\n", t55-t5, t56-t55, now()-t56); }
  double t6 = now();
  if (getenv("V")) fprintf(stderr, "  inc %.2f peel %.2f lb %.2f orient %.2f build %.2f aug %.2f finish %.2f | core n %d m %zu rest %zu | searches %ld reached %ld max %ld steps %ld moves %ld\n",
    t1-t0,t2-t1,t3-t2,t35-t3,t4-t35,t5-t4,t6-t5, nc, ce.size(), rest.size(), fp.stats.searches, fp.stats.reached, fp.stats.maxreach, fp.stats.steps, fp.stats.moves);
  return c;
}
}
