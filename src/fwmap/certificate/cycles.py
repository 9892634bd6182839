"""Least weight of a cycle's entries, by min-sum along it; every sum is rounded down."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..models import MRF
from ..models.arrays import Floats, Ints
from ..rounding_down import add_rounding_down
from .tables import edge_tables

Bools = NDArray[np.bool_]

#: Entries that are looked at together.
CHUNK = 1 << 21


class Cycle:
    """A closed walk along edges of a field, without costs; arrays are over the entries of its edges' tables.

    Edge i leads to edge i + 1, the last one to the first; `allowed` tells which entries an edge allows.
    Raises ValueError, in words, where they do not.
    """

    def __init__(self, field: MRF, edges: Ints, allowed: Callable[[int], Bools]) -> None:
        ends = field.edges[edges]
        if len(edges) < 3:
            raise ValueError(f"a cycle has {len(edges)} edges; expected at least 3")
        following = np.roll(ends, -1, axis=0)
        leads = (ends[:, :, None] == following[:, None, :]).any(axis=2)  # which ends the next edge has
        to = np.where(leads[:, 0], ends[:, 0], ends[:, 1])
        if not (leads.sum(axis=1) == 1).all() or len(np.unique(to)) != len(to):
            raise ValueError("the edges of a cycle do not form one")
        self.flipped = ends[:, 0] == to
        if not (np.where(self.flipped, ends[:, 1], ends[:, 0]) == np.roll(to, 1)).all():
            raise ValueError("the edges of a cycle do not form one")
        self.shapes = field.n_labels[ends]
        self.allowed = [allowed(e) for e in edges.tolist()]

    def minimum(self, weights: Floats) -> float:
        """No labeling of the cycle costs less than this."""
        tables = []
        ends = np.cumsum(self.shapes.prod(axis=1))
        parts = np.split(weights, ends[:-1])
        for part, shape, flipped, allowed in zip(parts, self.shapes, self.flipped, self.allowed, strict=True):
            table = np.where(allowed, part.reshape(shape), np.inf)
            tables.append(table.T if flipped else table)
        least = np.inf
        rows = max(1, CHUNK // max(table.size for table in tables))
        for start in range(0, len(tables[0]), rows):
            some = slice(start, start + rows)
            reached = tables[0][some]  # from labels of the first node
            for table in tables[1:-1]:
                reached = add_rounding_down(reached[:, :, None], table[None]).min(axis=1)
            closed = add_rounding_down(reached, tables[-1].T[some])
            least = min(least, float(closed.min(initial=np.inf)))
        return least

    def min_marginals(self, weights: Floats) -> Floats:
        """It has no labels of its own."""
        return np.zeros(0)


def allowed_entries(field: MRF, edge: int) -> Bools:
    """Which pairs of labels the edges between two nodes allow, row by row as in the one given."""
    u, v = field.edges[edge]
    same = (field.edges == (u, v)).all(axis=1) | (field.edges == (v, u)).all(axis=1)
    parallel = np.flatnonzero(same)[None, :]
    table = edge_tables(field, parallel, field.edges[parallel, 0] != u, *field.n_labels[[u, v]].tolist())[0]
    allowed = np.isfinite(field.unary(u))[:, None] & np.isfinite(field.unary(v))
    return np.asarray(allowed & np.isfinite(table), np.bool_)
