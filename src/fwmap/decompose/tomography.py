"""A tomography model: chains, which are rays with edges along them, forests of other edges, other rays."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import Tomography
from ..models.chains import chosen_rays, rays_of_edges
from .field import Cover, FieldDecomposition, NodeTerm, RayChain
from .forests import decompose_covered, table_pool
from .merge import Edges, merged_edges
from .parts import ForestParts, forest_parts

Ints = NDArray[np.int64]


def decompose_tomography(model: Tomography, asked: str) -> FieldDecomposition:
    """Forests and chains of the field, factors, then the rays that are in no chain, in the model's order.

    `asked` is the setting; "forests" is the paper's decomposition, without chains.
    """
    edges = merged_edges(model.field)
    held_by = np.full(len(edges.ends), -1)
    if chosen_rays(model, asked) == "chains":
        held_by[edges.of_model] = rays_of_edges(model)
    parts, chains = parts_with_chains(model, edges, held_by)
    cover = Cover(model.field, edges, parts, table_pool(edges), chains=chains)
    in_chains = {chain.ray for chain in chains.values()}
    others = [ray_of(model, r) for r in range(model.n_rays) if r not in in_chains]
    return decompose_covered(cover, tuple(map(ray_term, others)))


def ray_of(model: Tomography, ray: int) -> RayChain:
    """A ray as it is in the model."""
    return RayChain(ray, model.ray(ray), model.ray_cost(ray))


def parts_with_chains(
    model: Tomography, edges: Edges, held_by: Ints
) -> tuple[ForestParts, dict[int, RayChain]]:
    """A cover of the edges that no ray holds, and one part more for each ray that holds some.

    Chains without a pixel in common count as one forest.
    """
    free = np.flatnonzero(held_by < 0)
    forests = forest_parts(model.n_nodes, edges.ends[free])
    rays, number = np.unique(held_by[held_by >= 0], return_inverse=True)
    first, n_forests = forests.n_parts, forests.n_forests
    seen = np.zeros(model.n_nodes, bool)
    seen[edges.ends[free]] = seen[model.field.factor_scopes] = seen[model.ray_pixels] = True
    forest_of_part = forests.forest_of_part.tolist()
    if len(rays) and not first and not seen.all():  # pixels that nothing knows have a forest of their own
        first, n_forests, forest_of_part = 1, 1, [0]
    part_of_edge = np.empty(len(held_by), np.int32)
    part_of_edge[free] = forests.part_of_edge
    part_of_edge[held_by >= 0] = first + number
    taken: list[NDArray[np.bool_]] = []
    for r in rays.tolist():
        pixels = model.ray(r)
        group = next((g for g, nodes in enumerate(taken) if not nodes[pixels].any()), len(taken))
        if group == len(taken):
            taken.append(np.zeros(model.n_nodes, bool))
        taken[group][pixels] = True
        forest_of_part.append(n_forests + group)
    parts = ForestParts(n_forests + len(taken), part_of_edge, np.array(forest_of_part, np.int32))
    return parts, {first + k: ray_of(model, r) for k, r in enumerate(rays.tolist())}


def ray_term(ray: RayChain) -> NodeTerm:
    """The term of a ray by itself. Labels are what is summed; a fixed one becomes label 0 of its pixel."""

    def restrict(cover: Cover) -> NodeTerm:
        return replace(term, add=partial(add_ray, sum_costs=ray.left_sums(cover), name=name))

    name = f"ray {ray.ray}"
    add = partial(add_ray, sum_costs=ray.sum_costs, name=name)
    term = NodeTerm(ray.pixels, add, restrict=restrict, rigid=True, number=ray.ray)
    return term


def add_ray(
    core: _core.Decomposition,
    variables: NDArray[np.int64],
    n_labels: NDArray[np.int32],
    unaries: NDArray[np.float64],
    *,
    sum_costs: NDArray[np.float64],
    name: str,
) -> None:
    """Add the term of one ray."""
    core.add_projection(variables, n_labels, unaries, sum_costs, name)
