#include "bindings.hpp"
#include "graph/forest_cover.hpp"

namespace fwmap {

void bind_forest_cover(nb::module_& module) {
  module.def(
      "minimum_forest_cover",
      [](std::int32_t n_nodes, const Array<std::int32_t>& first, const Array<std::int32_t>& second) {
        if (first.size() != second.size()) throw std::invalid_argument("the two endpoint arrays differ in size");
        std::vector<Edge> edges(first.size());
        for (std::size_t e = 0; e < edges.size(); ++e) edges[e] = {first.data()[e], second.data()[e]};
        ForestCover cover;
        {
          nb::gil_scoped_release release;
          cover = minimum_forest_cover(n_nodes, edges);
        }
        return nb::make_tuple(cover.n_forests, copy_out<std::int32_t>(cover.forest_of_edge));
      },
      nb::arg("n_nodes"), nb::arg("first"), nb::arg("second"),
      "Smallest number of forests that cover the edges, and the forest of each edge. No self-loops.");
}

}  // namespace fwmap
