"""The same integers, moved between the tables by multipliers: their sum then begins at the bound."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..decompose import FieldDecomposition
from ..models.arrays import Ints
from .remainder import FORBIDDEN, Remainder

Floats = NDArray[np.float64]

#: Stands for a forbidden entry while sums are taken; two of them are still no overflow.
BIG = 1 << 60


def reparametrised(remainder: Remainder, decomposition: FieldDecomposition, multipliers: Floats) -> Remainder:
    """The remainder with the constant that the multipliers prove, but for some units, and tables >= 0.

    Each labeling has exactly the same sum as before: integers are added and subtracted, nothing else.
    Only where all terms are forests and factors; the remainder as it is otherwise.
    """
    field = decomposition.field
    if decomposition.further or remainder.sums:
        return remainder
    tables = [np.where(table == FORBIDDEN, BIG, table) for table in remainder.tables]
    n_nodes, ends = field.n_nodes, decomposition.edges.ends
    unaries = tables[:n_nodes]
    edges = [Edge(tables[n_nodes + e], u, v, field.n_labels) for e, (u, v) in enumerate(ends.tolist())]
    factors = tables[n_nodes + len(ends) :]
    alone = field.n_labels == 1
    for edge in edges:  # one end has no choice: a unary cost of the other one
        if alone[edge.first] or alone[edge.second]:
            other = edge.first if alone[edge.second] else edge.second
            unaries[other] = clipped(unaries[other] + edge.table.ravel())
            edge.table = np.zeros_like(edge.table)
    shares = shared_out(remainder, decomposition, multipliers, unaries)
    rest = [np.where(unary >= BIG, BIG, 0) for unary in unaries]
    for v in np.flatnonzero(alone).tolist():
        rest[v] = unaries[v]
    for t in range(decomposition.n_forests):
        own = np.flatnonzero(decomposition.cover.parts.part_of_edge == t) if len(ends) else np.zeros(0, int)
        free = [edges[e] for e in own.tolist() if not alone[ends[e]].any()]
        send_up(shares[t], free, rest)
    for f, table in enumerate(factors):
        scope = field.factor_scope(f)
        shaped = table.reshape(field.n_labels[scope])
        for axis, v in enumerate(scope.tolist()):
            part = shares[decomposition.n_forests + f].get(v)
            if part is not None:
                shaped = shaped + part.reshape([-1 if k == axis else 1 for k in range(shaped.ndim)])
        factors[f] = clipped(shaped.ravel())
    moved = [*rest, *(edge.table.ravel() for edge in edges), *factors]
    final, constant = [], 0
    for table in moved:
        allowed = table < BIG
        least = int(table[allowed].min()) if allowed.any() else 0
        constant += least
        final.append(np.where(allowed, table - least, FORBIDDEN))
    return replace(remainder, tables=final, constant=remainder.constant + Fraction(constant, remainder.scale))


class Edge:
    """A table between two nodes; rows belong to the first."""

    def __init__(self, table: Ints, first: int, second: int, n_labels: Ints) -> None:
        self.first, self.second = int(first), int(second)
        self.table = table.reshape(n_labels[first], n_labels[second])


def clipped(values: Ints) -> Ints:
    """Sums in which something forbidden occurs are forbidden, and no larger."""
    return np.where(values >= BIG // 2, BIG, values)


def shared_out(
    remainder: Remainder, decomposition: FieldDecomposition, multipliers: Floats, unaries: list[Ints]
) -> list[dict[int, Ints]]:
    """For each term the integers of its nodes, near share plus multiplier; together they are the unaries."""
    field, core = decomposition.field, decomposition.core
    sizes = [len(core.shared_variables(t)) for t in range(core.n_terms)]
    per_term = np.split(multipliers, np.cumsum(sizes)[:-1])
    left = [np.where(unary >= BIG, 0, unary) for unary in unaries]
    last = np.full(field.n_nodes, -1)
    for t, nodes in enumerate(decomposition.nodes):
        last[nodes] = t
    shares: list[dict[int, Ints]] = []
    for t, nodes in enumerate(decomposition.nodes):
        values = np.where(np.isfinite(decomposition.shares[t]), decomposition.shares[t], 0.0)
        variables = core.variables(t)
        there = np.isin(variables, core.shared_variables(t))
        values[there[: len(values)]] += per_term[t][: np.count_nonzero(there[: len(values)])]
        wanted = np.rint(values * float(remainder.scale)).astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(field.n_labels[nodes])])
        own = {}
        for k, v in enumerate(nodes.tolist()):
            if field.n_labels[v] == 1:
                continue
            part = left[v] if last[v] == t else wanted[offsets[k] : offsets[k + 1]]
            left[v] = left[v] - part
            own[v] = np.where(unaries[v] >= BIG, BIG, part)
        shares.append(own)
    return shares


def send_up(beliefs: dict[int, Ints], edges: list[Edge], rest: list[Ints]) -> None:
    """Move the integers of a forest's nodes into its edges, from the leaves on, and the roots' to `rest`.

    The least entry of each edge's table is 0 for each label of the upper end then.
    """
    around: dict[int, list[Edge]] = {v: [] for v in beliefs}
    for edge in edges:
        around[edge.first].append(edge)
        around[edge.second].append(edge)
    seen: set[int] = set()
    for root in beliefs:
        if root in seen:
            continue
        order: list[tuple[int, Edge | None]] = [(root, None)]
        seen.add(root)
        for v, above in order:
            for edge in around[v]:
                if edge is not above:
                    child = edge.second if edge.first == v else edge.first
                    seen.add(child)
                    order.append((child, edge))
        for v, above in reversed(order):
            belief = beliefs[v]
            if above is None:
                rest[v] = clipped(rest[v] + belief)
                continue
            table = above.table if above.first == v else above.table.T
            table = clipped(belief[:, None] + table)
            message = table.min(axis=0)
            table = np.where(table >= BIG, BIG, table - np.where(message >= BIG, 0, message))
            above.table = table if above.first == v else table.T
            parent = above.second if above.first == v else above.first
            beliefs[parent] = clipped(beliefs[parent] + message)
