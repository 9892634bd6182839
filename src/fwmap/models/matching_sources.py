"""Matching models from SciPy's sparse matrices and from NetworkX's graphs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import InvalidModel
from .arrays import Floats


def arrays_of_sparse(costs: Any, pair_costs: Any | None) -> dict[str, Any]:
    """Return the arguments of `GraphMatching` for sparse matrices; see `GraphMatching.from_sparse`."""
    own = _stored(costs, "costs")
    assignments = np.stack([own.row, own.col], axis=1).astype(np.int64)
    unary = np.array(own.data, np.float64)
    arrays: dict[str, Any] = {
        "assignments": assignments,
        "costs": unary,
        "n_left": int(own.shape[0]),
        "n_right": int(own.shape[1]),
    }
    if pair_costs is None:
        return arrays
    both = _stored(pair_costs, "pair_costs")
    n = len(unary)
    if both.shape != (n, n):
        raise InvalidModel(
            f"pair_costs have shape {both.shape}; expected ({n}, {n}): the stored entries of costs"
        )
    on_diagonal = both.row == both.col
    np.add.at(unary, both.row[on_diagonal], both.data[on_diagonal])
    pairs = np.stack([both.row, both.col], axis=1)[~on_diagonal].astype(np.int64)
    return {**arrays, "pairs": pairs, "pair_costs": both.data[~on_diagonal].astype(np.float64)}


def _stored(matrix: Any, what: str) -> Any:
    """Return the stored entries row by row, with repeated ones added up and zeros kept."""
    if not hasattr(matrix, "tocsr") or len(matrix.shape) != 2:
        raise InvalidModel(f"{what} is a {type(matrix).__name__}; expected a SciPy sparse matrix")
    if matrix.dtype.kind not in "biuf":
        raise InvalidModel(f"{what} has entries of type {matrix.dtype}; expected real numbers")
    rows = matrix.tocsr(copy=True)
    rows.sum_duplicates()
    return rows.tocoo()


def arrays_of_graphs(
    left: Any,
    right: Any,
    node_cost: Callable[[Mapping[str, Any], Mapping[str, Any]], float | None],
    edge_cost: Callable[[Mapping[str, Any], Mapping[str, Any]], float] | None,
) -> dict[str, Any]:
    """Return the arguments of `GraphMatching` for two graphs; see `GraphMatching.from_networkx`."""
    for graph, side in ((left, "left"), (right, "right")):
        if not hasattr(graph, "is_directed"):
            raise InvalidModel(f"{side} is a {type(graph).__name__}; expected a NetworkX graph")
    if left.is_directed() != right.is_directed():
        raise InvalidModel("one graph is directed and the other is not; expected both or neither")
    for graph, side in ((left, "left"), (right, "right")):
        loops = [u for u, v in graph.edges() if u == v]
        if loops:
            raise InvalidModel(f"the {side} graph has a self-loop at {loops[0]!r}; expected none")
    of_left, of_right = ({node: k for k, node in enumerate(graph)} for graph in (left, right))
    number: dict[tuple[int, int], int] = {}
    costs: list[float] = []
    for u, i in of_left.items():
        for v, a in of_right.items():
            cost = node_cost(left.nodes[u], right.nodes[v])
            if cost is not None and cost != math.inf:
                number[i, a] = len(costs)
                costs.append(number_of(cost, "node_cost", u, v))
    pairs: list[tuple[int, int]] = []
    pair_costs: list[float] = []
    for u, v, edge in left.edges(data=True) if edge_cost is not None else ():
        for s, t, other in right.edges(data=True):
            ways = [(s, t)] if left.is_directed() else [(s, t), (t, s)]
            for a, b in ways:
                p, q = number.get((of_left[u], of_right[a])), number.get((of_left[v], of_right[b]))
                if p is None or q is None or edge_cost is None:
                    continue
                pairs.append((p, q))
                pair_costs.append(number_of(edge_cost(edge, other), "edge_cost", (u, v), (s, t)))
    return {
        "assignments": np.array(list(number), np.int64).reshape(-1, 2),
        "costs": np.array(costs),
        "pairs": np.array(pairs, np.int64).reshape(-1, 2),
        "pair_costs": np.array(pair_costs),
        "n_left": len(of_left),
        "n_right": len(of_right),
        "left_points": _positions(left),
        "right_points": _positions(right),
    }


def number_of(cost: Any, what: str, left: Any, right: Any) -> float:
    """Return what a cost function gave as a number."""
    try:
        return float(cost)
    except (TypeError, ValueError):
        raise InvalidModel(f"{what} of {left!r} and {right!r} is {cost!r}; expected a number") from None


def _positions(graph: Any) -> Floats | None:
    """Return the attributes `pos` of all nodes; None where one has none."""
    positions = [data.get("pos") for _, data in graph.nodes(data=True)]
    if not positions or any(position is None for position in positions):
        return None
    return np.array(positions, np.float64)
