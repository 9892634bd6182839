#pragma once
#include <cstdint>
#include <span>
#include <vector>
#include "graph/edge.hpp"
namespace fwmap {
struct ForestCover {
  std::int32_t n_forests;
  std::vector<std::int32_t> forest_of_edge;
};
ForestCover minimum_forest_cover(std::int32_t n_nodes, std::span<const Edge> edges);
}
