"""A tomography model as the forests of its field, and one term for each ray."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import Tomography
from .field import Cover, FieldDecomposition, NodeTerm
from .forests import decompose_into_forests


def decompose_tomography(model: Tomography) -> FieldDecomposition:
    """Forests and factors of the field, then the rays in the model's order."""
    pixels = np.split(model.ray_pixels, model.ray_offsets[1:-1]) if model.n_rays else []
    costs = np.split(model.ray_costs, model.ray_cost_offsets[1:-1]) if model.n_rays else []
    rays = [
        ray_term(own, sum_costs, f"ray {r}")
        for r, (own, sum_costs) in enumerate(zip(pixels, costs, strict=True))
    ]
    return decompose_into_forests(model.field, rays)


def ray_term(pixels: NDArray[np.int64], sum_costs: NDArray[np.float64], name: str) -> NodeTerm:
    """The term of one ray. Labels are what is summed; a fixed one becomes label 0 of its pixel."""

    def restrict(cover: Cover) -> NodeTerm:
        left = sum_costs
        if cover.restriction is not None:
            restriction = cover.restriction
            fixed = pixels[restriction.fixed[pixels]]
            labels = restriction.labels[cover.field.label_offsets[fixed]]
            left = sum_costs[int((labels - restriction.origin.label_offsets[fixed]).sum()) :]
        left = left if len(left) else np.array([np.inf])
        return replace(term, add=partial(add_ray, sum_costs=left, name=name))

    term = NodeTerm(pixels, partial(add_ray, sum_costs=sum_costs, name=name), restrict=restrict, rigid=True)
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
