"""What no feasible labeling can cost more than: a certified bound above it proves that there is none."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..models import MRF, Decomposition, GraphMatching, Model, Tomography
from ..models.costs import POTTS, TABLE, TRUNCATED_LINEAR
from ..models.parts import Parts


def largest_energy(model: Model) -> float:
    """Sum over the model's costs of the largest finite entry of each, rounded up; -inf where one has none.

    inf for oracles of one's own, of which nothing is known.
    """
    if isinstance(model, Decomposition):
        return math.inf
    if isinstance(model, Tomography):
        rays = model.largest_ray_costs
        has_sums = bool((np.diff(model.ray_cost_offsets) > 0).all())
        total = math.fsum([largest_energy_of_field(model.field), *rays]) + 1e-12 * math.fsum(np.abs(rays))
        return total if has_sums else -math.inf
    return largest_energy_of_field(model.field if isinstance(model, GraphMatching) else model)


def largest_energy_of_field(model: MRF) -> float:
    """The same for a Markov random field."""
    parts = [np.array([model.constant])]
    if model.n_nodes:
        parts.append(largest_finite(model.unaries, model.label_offsets))
    tables, structured = model.edge_kind == TABLE, model.edge_kind != TABLE
    if tables.any():
        parts.append(largest_finite(model.table_values, model.table_offsets)[model.edge_table[tables]])
    products, _, most = Parts.of(model).edge_costs.product_limits()
    parts.append(most + 1e-15 * np.abs(most))
    structured[products] = False
    if structured.any():
        parts.append(largest_structured(model, np.flatnonzero(structured)))
    if model.n_factors:
        parts.append(largest_finite(model.factor_values, model.factor_table_offsets)[model.factor_table])
    largest = np.concatenate(parts)
    if np.isneginf(largest).any():
        return -math.inf
    return math.fsum(largest) + 1e-12 * math.fsum(np.abs(largest))


def largest_finite(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Largest finite entry of each range of values; -inf where it has none."""
    if len(offsets) == 1:
        return np.zeros(0)
    return np.maximum.reduceat(np.where(np.isposinf(values), -np.inf, values), offsets[:-1])


def largest_structured(model: MRF, edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """The same for structured costs, which are 0 or grow with the distance of the labels."""
    kind, weight = model.edge_kind[edges], model.edge_weight[edges]
    distance = np.maximum(0, model.n_labels[model.edges[edges]].max(axis=1) - 1).astype(np.float64)
    distance = np.where(kind == TRUNCATED_LINEAR, distance, distance**2)
    reached = np.where(kind == POTTS, 1.0, np.minimum(distance, model.edge_truncation[edges]))
    return np.maximum(0.0, weight * reached) * (1 + 1e-15)
