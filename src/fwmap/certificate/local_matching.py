"""Least weight of a few points of a matching, no right point twice, by looking at all their labelings."""

from __future__ import annotations

import numpy as np

from ..models import GraphMatching
from ..models.arrays import Floats, Ints
from ..rounding_down import add_rounding_down

MOST_POINTS = 4


class LocalMatching:
    """The ends of some edges of the left points' field, without costs; arrays are over the edges' entries.

    Two points never have the same right point. Raises ValueError, in words, where there are too many points.
    """

    def __init__(self, model: GraphMatching, edges: Ints) -> None:
        field = model.field
        nodes = np.unique(field.edges[edges])
        if not 2 <= len(nodes) <= MOST_POINTS:
            raise ValueError(
                f"the edges of a local matching have {len(nodes)} ends; expected 2 to {MOST_POINTS}"
            )
        self.ends = np.searchsorted(nodes, field.edges[edges])
        self.sizes = field.n_labels[nodes]
        offsets = field.label_offsets
        self.partners = [model.left.partner[offsets[v] : offsets[v + 1]] for v in nodes]
        tables = [field.pairwise_table(int(e)).ravel() for e in edges]
        self.forbidden = np.isinf(np.concatenate(tables))

    def minimum(self, weights: Floats) -> float:
        """No labeling of the points has less weight than this."""
        tables = self.tables(weights)
        n = len(self.sizes)
        least = np.inf
        for first in range(int(self.sizes[0])):  # the others in one array
            total = np.zeros(tuple(self.sizes[1:]))
            for (u, v), table in tables.items():
                own, axes = (table[first], [v]) if u == 0 else (table, [u, v])
                shape = [int(self.sizes[k]) if k in axes else 1 for k in range(1, n)]
                total = add_rounding_down(total, np.broadcast_to(own.reshape(shape), total.shape))
            least = min(least, float(total.min()))
        return least

    def tables(self, weights: Floats) -> dict[tuple[int, int], Floats]:
        """Weights of each two points, the first one's labels in rows; inf where both have one right point."""
        n = len(self.sizes)
        tables = {}
        for u in range(n):
            for v in range(u + 1, n):
                same = (self.partners[u][:, None] == self.partners[v]) & (self.partners[v] >= 0)
                tables[u, v] = np.where(same, np.inf, 0.0)
        start, weights = 0, np.where(self.forbidden, np.inf, weights)
        for u, v in self.ends.tolist():
            size = int(self.sizes[u] * self.sizes[v])
            own = weights[start : start + size].reshape(self.sizes[u], self.sizes[v])
            pair = (u, v) if u < v else (v, u)
            tables[pair] = add_rounding_down(tables[pair], own if u < v else own.T)
            start += size
        return tables

    def min_marginals(self, weights: Floats) -> Floats:
        """No label is among its coordinates."""
        return np.zeros(0)
