"""Pairwise costs with structure: given by a few numbers per edge instead of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats

#: Values of `MRF.edge_kind`.
TABLE, POTTS, TRUNCATED_LINEAR, TRUNCATED_QUADRATIC, PRODUCT = 0, 1, 2, 3, 4

#: What `summary` calls each kind.
KIND_NAMES = ("table", "Potts", "truncated linear", "truncated quadratic", "product")


@dataclass(frozen=True, eq=False)
class Potts:
    """Cost `weight` where the two labels differ, 0 where they are equal.

    `weight` is one finite number for all edges or one per edge, and may be negative.

    Examples
    --------
    >>> from fwmap.models import MRF, Potts
    >>> MRF([[0.0, 1.0], [0.0, 1.0]], [(0, 1)], Potts(0.5)).pairwise_table(0).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """

    weight: ArrayLike = 1.0


@dataclass(frozen=True, eq=False)
class TruncatedLinear:
    """Cost `weight * min(|a - b|, truncation)` of the labels a and b.

    Both are one number for all edges or one per edge; a truncation of inf does not truncate.

    Examples
    --------
    >>> from fwmap.models import MRF, TruncatedLinear
    >>> MRF([[0, 0], [0, 0, 0, 0]], [(0, 1)], TruncatedLinear(3, 2)).pairwise_table(0).tolist()
    [[0.0, 3.0, 6.0, 6.0], [3.0, 0.0, 3.0, 6.0]]
    """

    weight: ArrayLike = 1.0
    truncation: ArrayLike = math.inf


@dataclass(frozen=True, eq=False)
class TruncatedQuadratic:
    """Cost `weight * min((a - b)^2, truncation)` of the labels a and b.

    Both are one number for all edges or one per edge; a truncation of inf does not truncate.

    Examples
    --------
    >>> from fwmap.models import MRF, TruncatedQuadratic
    >>> MRF([[0, 0], [0, 0, 0]], [(0, 1)], TruncatedQuadratic(1, 3)).pairwise_table(0).tolist()
    [[0.0, 1.0, 3.0], [1.0, 0.0, 1.0]]
    """

    weight: ArrayLike = 1.0
    truncation: ArrayLike = math.inf


@dataclass(frozen=True, eq=False)
class SharedTables:
    """A few dense tables used by many edges: edge e has the cost `tables[index[e]]`.

    Examples
    --------
    >>> from fwmap.models import MRF, SharedTables
    >>> tables = [[[0, 1], [1, 0]], [[0, 9], [9, 0]]]
    >>> model = MRF([[0, 0]] * 3, [(0, 1), (1, 2)], SharedTables(tables, [1, 1]))
    >>> model.energy([0, 1, 0])
    18.0
    """

    tables: Sequence[ArrayLike] | ArrayLike
    index: ArrayLike


Structured = Potts | TruncatedLinear | TruncatedQuadratic


def kind_and_parameters(cost: Structured) -> tuple[int, ArrayLike, ArrayLike]:
    """Return the kind, weight and truncation of a structured cost; Potts has no truncation and gets 0."""
    if isinstance(cost, Potts):
        return POTTS, cost.weight, 0.0
    kind = TRUNCATED_LINEAR if isinstance(cost, TruncatedLinear) else TRUNCATED_QUADRATIC
    return kind, cost.weight, cost.truncation


def product_costs(weight: ArrayLike, transposed: ArrayLike, entry: Floats, mirrored: Floats) -> Floats:
    """Return weight * entry + transposed * mirrored, elementwise, and inf where the entry is forbidden.

    `entry` is that of the labels (a, b) in the table, `mirrored` that of (b, a).

    Examples
    --------
    >>> product_costs(0.0, -2.0, np.array([1.0, np.inf]), np.array([3.0, np.inf])).tolist()
    [-6.0, inf]
    """
    forbidden = np.isposinf(entry)
    first, second = (np.where(np.isposinf(values), 0.0, values) for values in (entry, mirrored))
    return np.where(forbidden, np.inf, np.asarray(weight) * first + np.asarray(transposed) * second)


def product_limits(weight: Floats, transposed: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return what products with table entries from `low` to `high` cost at least and at most.

    Examples
    --------
    >>> limits = product_limits(np.array([2.0]), np.array([-1.0]), np.array([0.0]), np.array([3.0]))
    >>> [float(limit[0]) for limit in limits]
    [-3.0, 6.0]
    """
    first, second = (np.stack([factor * low, factor * high]) for factor in (weight, transposed))
    return first.min(axis=0) + second.min(axis=0), first.max(axis=0) + second.max(axis=0)


def structured_costs(
    kind: ArrayLike, weight: ArrayLike, truncation: ArrayLike, difference: ArrayLike
) -> Floats:
    """Return the cost of label differences a - b, elementwise over arrays that broadcast."""
    kind, distance = np.asarray(kind), np.abs(np.asarray(difference, dtype=np.float64))
    truncation = np.asarray(truncation, dtype=np.float64)
    linear = np.minimum(distance, truncation)
    quadratic = np.minimum(distance * distance, truncation)
    shape = np.where(kind == POTTS, distance != 0, np.where(kind == TRUNCATED_LINEAR, linear, quadratic))
    costs: Floats = np.asarray(weight, dtype=np.float64) * shape
    return costs


def structured_table(kind: int, weight: float, truncation: float, n_rows: int, n_columns: int) -> Floats:
    """Return the dense table of a structured cost.

    Examples
    --------
    >>> structured_table(TRUNCATED_LINEAR, 2.0, 1.0, 1, 3).tolist()
    [[0.0, 2.0, 2.0]]
    """
    return structured_costs(
        kind, weight, truncation, np.arange(n_rows)[:, None] - np.arange(n_columns)[None, :]
    )
