"""What all energies of a model are multiples of, up to a constant, where that can be known."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..rounding_down import exact_products
from .costs import POTTS, PRODUCT, TABLE
from .matching import GraphMatching
from .mrf import MRF
from .oracle import Decomposition
from .tomography import Tomography

#: Costs are looked at as multiples of 1 / SCALE, a power of two.
SCALE = 2.0**20
#: Integers below this, and their sums, are exact in double precision.
EXACT = 2.0**52
#: Different products that are looked at, at most.
MOST_PRODUCTS = 1 << 22

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def energy_step(model: MRF | Tomography | GraphMatching | Decomposition) -> float | None:
    """The largest number that all finite energies are a multiple of apart; None where none is known.

    It is found where all costs are integers, or multiples of a power of two not below 2^-20, and sums of
    them are exact in double precision.

    Examples
    --------
    >>> from fwmap.models import MRF
    >>> energy_step(MRF([[0, 6], [3, 9]], [(0, 1)], [[1, 4], [7, 1]], constant=0.5))
    3.0
    >>> energy_step(MRF([[0.1, 0.2]])) is None
    True
    """
    if isinstance(model, Decomposition):
        return None
    field = model if isinstance(model, MRF) else model.field
    groups = list(groups_of_field(field))
    if isinstance(model, Tomography):
        groups.append(Groups(model.ray_costs, model.ray_cost_offsets, np.ones(model.n_rays, np.int64)))
    largest = abs(field.constant) * SCALE
    if largest != np.rint(largest):
        return None
    divisor = 0
    for group in groups:
        integers = group.scaled()
        if integers is None:
            return None
        largest += group.largest_sum()
        divisor = common_divisor(divisor, integers)
    return divisor / SCALE if divisor and largest < EXACT else None


@dataclass(frozen=True)
class Groups:
    """Costs of which a labeling pays one of each group, as often as the group is used."""

    values: Floats
    offsets: Ints
    uses: Ints

    def scaled(self) -> Ints | None:
        """Distances from the lowest cost of the group in units of 1 / SCALE; None where not integers."""
        with np.errstate(over="ignore"):
            values = self.values * SCALE
        finite = np.isfinite(values)
        for part in (slice(1000), slice(1000, None)):  # most models are told from integers at once
            own = values[part][finite[part]]
            if not ((own == np.rint(own)) & (np.abs(own) < EXACT)).all():
                return None
        lowest = np.minimum.reduceat(values, self.starts()) if len(values) else values
        lengths = np.diff(self.offsets)
        with np.errstate(invalid="ignore"):  # where a whole group is forbidden
            distance: Ints = (values - np.repeat(lowest, lengths[lengths > 0]))[finite].astype(np.int64)
        return distance

    def largest_sum(self) -> float:
        """No sum of costs that a labeling pays is larger, in units of 1 / SCALE."""
        if not len(self.values):
            return 0.0
        magnitude = np.where(np.isfinite(self.values), np.abs(self.values), 0.0)
        uses = self.uses[np.diff(self.offsets) > 0]
        return float((np.maximum.reduceat(magnitude, self.starts()) * uses).sum()) * SCALE

    def starts(self) -> Ints:
        """Where groups that are not empty begin."""
        return self.offsets[:-1][np.diff(self.offsets) > 0]


def groups_of_field(model: MRF) -> Iterator[Groups]:
    """All costs of a field but its constant."""
    yield Groups(model.unaries, model.label_offsets, np.ones(model.n_nodes, np.int64))
    dense = model.edge_kind == TABLE
    n_tables = len(model.table_offsets) - 1
    uses = np.bincount(model.edge_table[dense], minlength=n_tables)
    yield Groups(model.table_values, model.table_offsets, uses)
    products = np.flatnonzero(model.edge_kind == PRODUCT)
    yield from groups_of_products(model, products)
    other = ~dense & (model.edge_kind != PRODUCT)
    weight, truncation = model.edge_weight[other], model.edge_truncation[other]
    farthest = np.maximum(model.n_labels[model.edges[other]].max(axis=1, initial=1) - 1, 1) ** 2.0
    is_potts = model.edge_kind[other] == POTTS
    reached = np.where(is_potts, 1.0, np.minimum(truncation, farthest))
    values = np.stack([np.zeros_like(weight), weight, weight * reached], axis=1).ravel()
    yield Groups(values, np.arange(0, len(values) + 1, 3), np.ones(len(weight), np.int64))
    yield Groups(
        model.factor_values,
        model.factor_table_offsets,
        np.bincount(model.factor_table, minlength=len(model.factor_table_offsets) - 1),
    )


def groups_of_products(model: MRF, edges: Ints) -> Iterator[Groups]:
    """Weight times entry for the different weights and entries of each table of products.

    What an edge costs is a sum of two of them: none of its two weights changes the divisor of all.
    """
    for t in np.unique(model.edge_table[edges]).tolist():
        own = edges[model.edge_table[edges] == t]
        entries = model.table_values[model.table_offsets[t] : model.table_offsets[t + 1]]
        entries = np.unique(np.append(entries[np.isfinite(entries)], 0.0))
        weights, uses = np.unique(
            np.concatenate([model.edge_weight[own], model.edge_truncation[own]]), return_counts=True
        )
        if len(weights) * len(entries) > MOST_PRODUCTS or not is_exact(weights, entries):
            entries, weights, uses = np.array([0.0, np.pi]), np.ones(1), np.ones(1, np.int64)  # no step
        values = (weights[:, None] * entries[None, :]).ravel()
        yield Groups(values, np.arange(0, len(values) + 1, len(entries)), uses.astype(np.int64))


def is_exact(weights: Floats, entries: Floats) -> bool:
    """Tell whether no product of the two is rounded."""
    return not exact_products(weights[:, None], entries[None, :])[1].any()


def common_divisor(divisor: int, integers: Ints) -> int:
    """The greatest common divisor of a number and some integers.

    >>> common_divisor(0, np.array([0, 12, 18])), common_divisor(4, np.array([0]))
    (6, 4)
    """
    left = integers[integers != 0]
    while len(left) and divisor != 1:
        divisor = math.gcd(divisor, int(left[0]))
        left = left[left % divisor != 0]
    return divisor
