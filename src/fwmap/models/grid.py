"""Edges and costs of image grids, in whole arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidModel
from .arrays import Floats, Ints, as_costs
from .costs import Potts, SharedTables, Structured, TruncatedLinear, TruncatedQuadratic
from .pairwise import Pairwise

#: Directions in the order in which their edges are stored, with the step (rows, columns) of each.
STEPS = {"horizontal": (0, 1), "vertical": (1, 0), "diagonal": (1, 1), "antidiagonal": (1, -1)}


def grid_edges(height: int, width: int, connectivity: int) -> Ints:
    """Return the edges of a grid: all horizontal ones row by row, then vertical, diagonal, antidiagonal.

    Examples
    --------
    >>> grid_edges(2, 2, 4).tolist()
    [[0, 1], [2, 3], [0, 2], [1, 3]]
    """
    nodes = np.arange(height * width).reshape(height, width)
    return np.concatenate(
        [
            np.column_stack([nodes[_first(step)].reshape(-1), nodes[_second(step)].reshape(-1)])
            for step in _steps(connectivity).values()
        ]
    )


def weighted(
    pairwise: Pairwise,
    weights: Mapping[str, ArrayLike | None],
    shape: tuple[int, int],
    connectivity: int,
    forbidden_above: float,
) -> Pairwise:
    """Return `pairwise`, one cost for all edges, multiplied by a weight per edge (1 where none are given).

    Entries that stand for forbidden are not multiplied.
    """
    for name in set(STEPS) - set(_steps(connectivity)):
        if weights[name] is not None:
            raise InvalidModel(f"{name}_weights are given; expected none with connectivity {connectivity}")
    if all(given is None for given in weights.values()):
        return pairwise
    factors = []
    for name, step in _steps(connectivity).items():
        expected = np.empty(shape, dtype=bool)[_first(step)].shape
        given = weights[name]
        array = np.ones(expected) if given is None else as_costs(given, f"{name}_weights")
        if array.shape != expected:
            raise InvalidModel(f"{name}_weights have shape {array.shape}; expected {expected}")
        if not np.isfinite(array).all():
            raise InvalidModel(f"{name}_weights have an entry that is not finite; expected finite numbers")
        factors.append(array.reshape(-1))
    return _multiplied(pairwise, np.concatenate(factors), forbidden_above)


def _steps(connectivity: int) -> dict[str, tuple[int, int]]:
    if connectivity not in (4, 8):
        raise InvalidModel(f"connectivity is {connectivity!r}; expected 4 or 8")
    return dict(list(STEPS.items())[: connectivity // 2])


def _first(step: tuple[int, int]) -> tuple[slice, slice]:
    rows, columns = step
    return slice(None, -1 if rows else None), slice(1, None) if columns < 0 else slice(
        None, -1 if columns else None
    )


def _second(step: tuple[int, int]) -> tuple[slice, slice]:
    rows, columns = step
    return slice(1 if rows else None, None), slice(None, -1) if columns < 0 else slice(
        1 if columns else None, None
    )


def _multiplied(pairwise: Pairwise, factors: Floats, forbidden_above: float) -> Pairwise:
    if isinstance(pairwise, Structured):
        weight = as_costs(pairwise.weight, "the weight of the pairwise cost")
        if weight.ndim:
            raise InvalidModel(
                "pairwise has a weight per edge and weights are given as well; expected one of them"
            )
        if isinstance(pairwise, Potts):
            return Potts(weight * factors)
        kind: type[TruncatedLinear | TruncatedQuadratic] = type(pairwise)
        return kind(weight * factors, pairwise.truncation)
    table = np.zeros(0) if isinstance(pairwise, SharedTables) else as_costs(pairwise, "pairwise")  # type: ignore[arg-type]
    if table.ndim != 2:
        raise InvalidModel(
            "weights of edges are given; expected pairwise to be one table or one structured cost"
        )
    distinct, index = np.unique(factors, return_inverse=True)
    forbidden = table >= forbidden_above
    tables = np.where(forbidden, table, distinct[:, None, None] * np.where(forbidden, 0.0, table))
    return SharedTables(tables, index.reshape(-1))
