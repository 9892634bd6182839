"""Matching models from the matrices of quadratic assignment problems."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidModel
from ..memory import refuse_beyond_memory
from ..rounding_down import add_rounding_down, multiply_rounding_down
from .arrays import Floats, as_costs, check_forbidden_above, check_size
from .matching_parts import MatchingParts
from .product import ProductCosts


def parts_of_products(
    left: ArrayLike,
    right: ArrayLike,
    linear: ArrayLike | None = None,
    *,
    matching: str = "perfect",
    unassigned: ArrayLike = 0.0,
    left_points: ArrayLike | None = None,
    right_points: ArrayLike | None = None,
    constant: float = 0.0,
    forbidden_above: float = 1e20,
    name: str | None = None,
) -> MatchingParts:
    """Return the parts of a Koopmans-Beckmann problem; see `GraphMatching.from_koopmans_beckmann`."""
    matrices = [as_costs(dense(left), "the left matrix"), as_costs(dense(right), "the right matrix")]
    for matrix, side in zip(matrices, ("left", "right"), strict=True):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InvalidModel(f"the {side} matrix has shape {matrix.shape}; expected a square one")
    product = ProductCosts(*matrices)
    n, m = len(product.left), len(product.right)
    product.check(n, m, check_forbidden_above(forbidden_above))
    costs = product.diagonal()
    if linear is not None:
        own = as_costs(dense(linear), "linear")
        if own.shape != (n, m):
            raise InvalidModel(f"linear has shape {own.shape}; expected ({n}, {m})")
        costs = costs + own
    points = [
        None if given is None else as_costs(given, what)
        for given, what in ((left_points, "left_points"), (right_points, "right_points"))
    ]
    return MatchingParts(
        np.indices((n, m)).reshape(2, -1).T.copy(),
        costs.ravel(),
        np.zeros((0, 2), np.int64),
        np.zeros(0),
        n,
        m,
        as_costs(unassigned, "unassigned"),
        matching,
        points[0],
        points[1],
        constant,
        forbidden_above,
        name=name,
        product=product,
    )


def dense(matrix: Any) -> Any:
    """Return a SciPy sparse matrix as an array, and anything else as it is."""
    return matrix.toarray() if is_sparse(matrix) else matrix


def is_sparse(matrix: Any) -> bool:
    """Tell whether something is a SciPy sparse matrix, without SciPy."""
    return bool(matrix.__class__.__module__.startswith("scipy.sparse"))


def arrays_of_lawler(costs: Any, n_left: int, n_right: int, fastest: str, maximise: bool) -> dict[str, Any]:
    """Return the arguments of `GraphMatching` for Lawler's matrix; see `GraphMatching.from_lawler`."""
    if fastest not in ("left", "right"):
        raise InvalidModel(f"fastest is {fastest!r}; expected 'left' or 'right'")
    n_left, n_right = check_size(n_left, "n_left"), check_size(n_right, "n_right")
    n = n_left * n_right
    rows, columns, values = _entries(costs, n, f"{n_left} * {n_right}")
    values = -values if maximise else values
    every = np.arange(n)
    if fastest == "right":
        assignments = np.stack(np.divmod(every, max(n_right, 1)), axis=1)
    else:
        assignments = np.stack(np.divmod(every, max(n_left, 1))[::-1], axis=1)
    own = np.zeros(n)
    single = rows == columns
    np.add.at(own, rows[single], values[single])
    return {
        "assignments": assignments,
        "costs": own,
        "pairs": np.stack([rows[~single], columns[~single]], axis=1),
        "pair_costs": values[~single],
        "n_left": n_left,
        "n_right": n_right,
    }


def one_of_a_batch(affinity: ArrayLike) -> Any:
    """Return a matrix, out of a batch of one where it is that."""
    if hasattr(affinity, "tocoo"):
        return affinity
    array = np.asarray(affinity)
    if array.ndim == 3 and len(array) != 1:
        raise InvalidModel(f"the affinity is a batch of {len(array)} matrices; expected one of them")
    return array[0] if array.ndim == 3 else array


def _entries(costs: Any, n: int, words: str) -> tuple[Any, Any, Floats]:
    """Return rows, columns and values of the entries that are not 0."""
    if is_sparse(costs):
        if costs.dtype.kind not in "biuf":
            raise InvalidModel(f"costs has entries of type {costs.dtype}; expected real numbers")
        found = costs.tocoo()
        shape, rows, columns, values = found.shape, found.row, found.col, found.data.astype(np.float64)
    else:
        matrix = as_costs(costs, "costs")
        shape = matrix.shape
        if matrix.ndim == 2:
            rows, columns = np.nonzero(matrix)
            values = matrix[rows, columns]
    if shape != (n, n):
        raise InvalidModel(f"costs have shape {shape}; expected ({n}, {n}): {words} assignments")
    if not math.isfinite(float(np.abs(values).max(initial=0.0))):
        bad = int(np.flatnonzero(np.isnan(values))[0]) if np.isnan(values).any() else -1
        if bad >= 0:
            raise InvalidModel(f"entry ({rows[bad]}, {columns[bad]}) of costs is nan; expected a number")
    return rows.astype(np.int64), columns.astype(np.int64), values


def with_pairs(parts: MatchingParts) -> MatchingParts:
    """Return parts with a pair for each two assignments that the product gives a cost."""
    product = parts.product
    assert product is not None
    edges, m = product.edges(), parts.n_right
    n_pairs = len(edges) * m * (m - 1)
    refuse_beyond_memory(120.0 * n_pairs, f"{n_pairs} pairs of assignments, one by one,")
    first, second = np.nonzero(~np.eye(m, dtype=bool))
    forth, back = product.left[edges[:, 0], edges[:, 1]], product.left[edges[:, 1], edges[:, 0]]
    costs = add_rounding_down(
        multiply_rounding_down(forth[:, None], product.right[first, second]),
        multiply_rounding_down(back[:, None], product.right[second, first]),
    )
    pairs = np.empty((len(edges), len(first), 2), np.int64)
    np.add.outer(edges[:, 0] * m, first, out=pairs[:, :, 0])
    np.add.outer(edges[:, 1] * m, second, out=pairs[:, :, 1])
    return replace(parts, product=None, pairs=pairs.reshape(-1, 2), pair_costs=costs.ravel())
