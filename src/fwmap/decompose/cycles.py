"""A cycle of a field's edges as a term: what forests cannot see together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidModel
from ..models.costs import PRODUCT, TABLE, structured_table
from .field import Cover, FieldDecomposition, NodeTerm
from .own import OwnDecomposition

Ints = NDArray[np.int64]


def cycle_term(cover: Cover, nodes: Ints, edges: Ints) -> NodeTerm:
    """The term of a cycle; edge i leads from its node i to the next one, the last edge to the first node.

    It has no costs of its own, so that it may join a running solve. The same cycle is the same term in any
    cover of the field.
    """
    flipped = (cover.edges.ends[edges, 0] != nodes).astype(np.uint8)
    forbidden = np.concatenate([forbidden_entries(cover, int(e)) for e in edges])
    add = partial(
        add_cycle,
        n_labels=cover.field.n_labels[nodes].astype(np.int32),
        flipped=flipped,
        forbidden=forbidden if forbidden.any() else np.zeros(0, np.uint8),
        name="cycle " + "-".join(map(str, nodes.tolist())),
    )
    restrict = partial(cycle_term, nodes=nodes, edges=edges)
    key = ("cycle", *nodes.tolist())
    nothing = np.zeros(0, np.int64)
    return NodeTerm(nothing, add, edges, shares=False, kind="cycle", restrict=restrict, key=key)


def cycle_terms(cover: Cover, cycles: Sequence[Ints]) -> list[NodeTerm]:
    """The terms of cycles given by the nodes along each.

    Raises InvalidModel where two that follow each other have no edge.
    """
    number = {(min(pair), max(pair)): e for e, pair in enumerate(map(tuple, cover.edges.ends.tolist()))}
    terms = []
    for nodes in cycles:
        pairs = zip(nodes.tolist(), np.roll(nodes, -1).tolist(), strict=True)
        edges = [number.get((min(pair), max(pair)), -1) for pair in pairs]
        if min(edges) < 0:
            u, v = nodes[edges.index(-1)], nodes[(edges.index(-1) + 1) % len(nodes)]
            raise InvalidModel(f"start has a cycle through variables {u} and {v}, which have no edge")
        terms.append(cycle_term(cover, nodes, np.array(edges)))
    return terms


def cycles_of(decomposition: FieldDecomposition | OwnDecomposition) -> list[Ints]:
    """The nodes along each cycle among the terms of a decomposition."""
    if isinstance(decomposition, OwnDecomposition):
        return []
    ends = decomposition.cover.edges.ends
    return [nodes_along(ends[term.edges]) for term in decomposition.further if term.kind == "cycle"]


def nodes_along(ends: Ints) -> Ints:
    """The nodes that the edges of a cycle lead from.

    >>> nodes_along(np.array([[0, 4], [7, 4], [0, 7]])).tolist()
    [0, 4, 7]
    """
    before = np.roll(ends, 1, axis=0)
    is_first: NDArray[np.bool_] = (before == ends[:, :1]).any(axis=1)
    return np.where(is_first, ends[:, 0], ends[:, 1])


def add_cycle(
    core: _core.Decomposition,
    variables: Ints,
    _: NDArray[np.int32],
    __: NDArray[np.float64],
    *,
    n_labels: NDArray[np.int32],
    flipped: NDArray[np.uint8],
    forbidden: NDArray[np.uint8],
    name: str,
) -> None:
    """Add the term of a cycle."""
    core.add_cycle(variables, n_labels, flipped, forbidden, name)


def forbidden_entries(cover: Cover, edge: int) -> NDArray[np.uint8]:
    """Which entries of an edge's table no labeling uses, row by row: they, or a label, are forbidden."""
    field, edges = cover.field, cover.edges
    u, v = edges.ends[edge].tolist()
    allowed = np.isfinite(field.unary(u))[:, None] & np.isfinite(field.unary(v))
    if edges.kind[edge] in (
        TABLE,
        PRODUCT,
    ):  # a product of two numbers and a table forbids what the table does
        start = edges.table_offsets[edges.table[edge]]
        table = edges.table_values[start : start + allowed.size].reshape(allowed.shape)
    else:
        table = structured_table(
            int(edges.kind[edge]), edges.weight[edge], edges.truncation[edge], *allowed.shape
        )
    return np.asarray(~(allowed & np.isfinite(table)), np.uint8).reshape(-1)
