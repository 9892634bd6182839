"""A tomography model as the forests of its field, and one term for each ray."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import Tomography
from .field import FieldDecomposition, NodeTerm
from .forests import decompose_into_forests


def decompose_tomography(model: Tomography) -> FieldDecomposition:
    """Forests and factors of the field, then the rays in the model's order."""
    pixels = np.split(model.ray_pixels, model.ray_offsets[1:-1]) if model.n_rays else []
    costs = np.split(model.ray_costs, model.ray_cost_offsets[1:-1]) if model.n_rays else []
    rays = [
        NodeTerm(own, partial(add_ray, sum_costs=sum_costs, name=f"ray {r}"))
        for r, (own, sum_costs) in enumerate(zip(pixels, costs, strict=True))
    ]
    return decompose_into_forests(model.field, rays)


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
