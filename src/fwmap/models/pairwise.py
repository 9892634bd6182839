"""What a user may write as pairwise costs, turned into the arrays that a model stores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidModel
from .arrays import Floats, as_costs, as_indices, offsets_of
from .costs import (
    TABLE,
    Potts,
    SharedTables,
    Structured,
    TruncatedLinear,
    TruncatedQuadratic,
    kind_and_parameters,
)
from .edge_costs import EdgeCosts

Pairwise = ArrayLike | Structured | SharedTables | Sequence[ArrayLike | Structured] | None


def edge_costs_of(pairwise: Pairwise, n_edges: int) -> EdgeCosts:
    """Turn the `pairwise` argument of `MRF` into arrays for `n_edges` edges.

    Examples
    --------
    >>> edge_costs_of(Potts([1, 2]), 2).weight.tolist()
    [1.0, 2.0]
    """
    if isinstance(pairwise, (Potts, TruncatedLinear, TruncatedQuadratic)):
        return EdgeCosts.of_structured(*kind_and_parameters(pairwise), n_edges)
    if isinstance(pairwise, SharedTables):
        return _of_shared_tables(pairwise, n_edges)
    if pairwise is None:
        if n_edges:
            raise InvalidModel(f"pairwise costs are missing; expected those of {n_edges} edges")
        return EdgeCosts.none()
    if isinstance(pairwise, (list, tuple)) and _is_one_cost_per_edge(pairwise):
        if len(pairwise) != n_edges:
            raise InvalidModel(f"pairwise has {len(pairwise)} entries; expected one per edge: {n_edges}")
        return _of_sequence(pairwise, "the pairwise cost of edge")
    return _of_array(pairwise, n_edges)  # type: ignore[arg-type]


def _of_shared_tables(shared: SharedTables, n_edges: int) -> EdgeCosts:
    index = as_indices(shared.index, "the index of the shared tables")
    if index.shape != (n_edges,):
        raise InvalidModel(
            f"the index of the shared tables has shape {index.shape}; "
            f"expected one entry per edge: ({n_edges},)"
        )
    return _of_sequence(list(shared.tables), "shared table").picked(index)  # type: ignore[arg-type]


def _is_one_cost_per_edge(pairwise: Sequence[object]) -> bool:
    """Tell a sequence of tables or structured costs from nested lists that are one table."""
    return len(pairwise) == 0 or any(
        isinstance(cost, Structured) or (isinstance(cost, np.ndarray) and cost.ndim == 2) or _is_nested(cost)
        for cost in pairwise
    )


def _is_nested(cost: object) -> bool:
    return (
        isinstance(cost, (list, tuple)) and len(cost) > 0 and isinstance(cost[0], (list, tuple, np.ndarray))
    )


def _of_array(pairwise: ArrayLike, n_edges: int) -> EdgeCosts:
    values = as_costs(pairwise, "pairwise")
    if values.ndim == 2:
        shape, table = np.array([values.shape]), np.zeros(n_edges, dtype=np.int64)
        return EdgeCosts.of_tables(values.reshape(-1), shape, table)
    if values.ndim == 3 and len(values) == n_edges:
        shapes = np.tile(np.array(values.shape[1:]), (n_edges, 1))
        return EdgeCosts.of_tables(values.reshape(-1), shapes, np.arange(n_edges))
    raise InvalidModel(
        f"pairwise has shape {values.shape}; "
        f"expected one table (rows, columns), or ({n_edges}, rows, columns)"
    )


def _of_sequence(costs: Sequence[ArrayLike | Structured], what: str) -> EdgeCosts:
    """Return one entry per cost; an array object that occurs several times is stored once."""
    m = len(costs)
    kind, table = np.full(m, TABLE, np.uint8), np.full(m, -1)
    weight, truncation = np.zeros(m), np.zeros(m)
    numbers: dict[int, int] = {}
    tables: list[Floats] = []
    for e, cost in enumerate(costs):
        if isinstance(cost, Structured):
            kind[e], *parameters = kind_and_parameters(cost)
            for name, array, given in zip(
                ("weight", "truncation"), (weight, truncation), parameters, strict=True
            ):
                number = as_costs(given, f"the {name} of {what} {e}")
                if number.ndim:
                    raise InvalidModel(
                        f"the {name} of {what} {e} has shape {number.shape}; expected one number"
                    )
                array[e] = number
            continue
        number_of_table = numbers.setdefault(id(cost), len(tables))
        if number_of_table == len(tables):
            tables.append(as_costs(cost, f"{what} {e}"))
            if tables[-1].ndim != 2:
                raise InvalidModel(
                    f"{what} {e} has shape {tables[-1].shape}; expected a table (rows, columns)"
                )
        table[e] = number_of_table
    shapes = np.array([t.shape for t in tables], dtype=np.int64).reshape(-1, 2)
    values = np.concatenate([np.zeros(0), *(t.reshape(-1) for t in tables)])
    return EdgeCosts(kind, table, weight, truncation, values, offsets_of(shapes[:, 0] * shapes[:, 1]), shapes)
