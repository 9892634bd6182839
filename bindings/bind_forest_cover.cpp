#include "bindings.hpp"
#include "graph/forest_cover.hpp"
#include "graph/forest_trees.hpp"

namespace fwmap {
namespace {

std::vector<Edge> edge_list(const Array<std::int32_t>& first, const Array<std::int32_t>& second) {
  if (first.size() != second.size()) throw std::invalid_argument("the two endpoint arrays differ in size");
  std::vector<Edge> edges(first.size());
  for (std::size_t e = 0; e < edges.size(); ++e) edges[e] = {first.data()[e], second.data()[e]};
  return edges;
}

}  // namespace

void bind_forest_cover(nb::module_& module) {
  module.def(
      "minimum_forest_cover",
      [](std::int32_t n_nodes, const Array<std::int32_t>& first, const Array<std::int32_t>& second) {
        const std::vector<Edge> edges = edge_list(first, second);
        ForestCover cover;
        {
          nb::gil_scoped_release release;
          cover = minimum_forest_cover(n_nodes, edges);
        }
        return nb::make_tuple(cover.n_forests, copy_out<std::int32_t>(cover.forest_of_edge));
      },
      nb::arg("n_nodes"), nb::arg("first"), nb::arg("second"),
      "Smallest number of forests that cover the edges, and the forest of each edge. No self-loops.");

  module.def(
      "trees_of_forests",
      [](std::int32_t n_nodes, const Array<std::int32_t>& first, const Array<std::int32_t>& second,
         const Array<std::int32_t>& forest_of_edge, std::int32_t n_forests) {
        const std::vector<Edge> edges = edge_list(first, second);
        if (forest_of_edge.size() != edges.size()) throw std::invalid_argument("each edge needs a forest");
        for (const Edge& edge : edges)
          if (edge.u < 0 || edge.u >= n_nodes || edge.v < 0 || edge.v >= n_nodes)
            throw std::invalid_argument("an edge has an endpoint that is no node");
        for (std::size_t e = 0; e < edges.size(); ++e)
          if (forest_of_edge.data()[e] < 0 || forest_of_edge.data()[e] >= n_forests)
            throw std::invalid_argument("an edge is in a forest that does not exist");
        std::vector<std::int32_t> trees;
        {
          nb::gil_scoped_release release;
          trees = trees_of_forests(n_nodes, edges, view(forest_of_edge), n_forests);
        }
        return copy_out<std::int32_t>(trees);
      },
      nb::arg("n_nodes"), nb::arg("first"), nb::arg("second"), nb::arg("forest_of_edge"), nb::arg("n_forests"),
      "The tree of each edge, trees of the first forest first.");
}

}  // namespace fwmap
