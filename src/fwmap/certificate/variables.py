"""What the coordinates of a certificate's terms stand for: labels, and entries of tables that terms share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..models import MRF
from ..models.arrays import Floats, Ints
from ..models.matching_right import RightSide
from .trees import places_of


class Variables:
    """Labels of a field, in the order of its unaries, and behind them the entries of its shared edges."""

    def __init__(self, field: MRF, right: RightSide | None, shared: Ints) -> None:
        self.field, self.right, self.shared = field, right, shared
        n_labels = int(field.label_offsets[-1])
        n_entries = field.n_labels[field.edges[shared]].prod(axis=1)
        self.entry_starts = n_labels + np.cumsum(n_entries) - n_entries
        self.start_of_edge = np.full(field.n_edges, -1)
        self.start_of_edge[shared] = self.entry_starts
        self.costs = np.concatenate([field.unaries, np.zeros(int(n_entries.sum()))])

    def of(self, nodes: Ints, edges: Ints) -> Ints:
        """The variable of each coordinate of a term."""
        sizes = self.field.n_labels[self.field.edges[edges]].prod(axis=1)
        entries = [
            np.arange(start, start + n) for start, n in zip(self.start_of_edge[edges], sizes, strict=True)
        ]
        return np.concatenate([places_of(self.field, nodes), *entries])

    def of_right(self, nodes: Ints, edges: Ints) -> Ints:
        """The same of a forest of right points; -1 for what no other term knows."""
        assert self.right is not None
        own, left = self.right.field, self.field.table_offsets
        nothing = np.zeros(0, np.int64)
        entry = np.concatenate(
            [nothing, *(self.right.entries[slice(*own.table_offsets[[e, e + 1]])] for e in edges)]
        )
        edge = np.searchsorted(left, entry, side="right") - 1  # of the left field
        start = np.where(entry >= 0, self.start_of_edge[edge], -1)
        entries = np.where(start >= 0, start + entry - left[edge], -1)
        return np.concatenate([self.right.labels[places_of(own, nodes)], entries])

    def forbid_right(self, nodes: Ints, weights: Floats) -> None:
        """Forbid what right points may not choose, among the weights of a forest of them."""
        assert self.right is not None
        own = self.right.field.unaries[places_of(self.right.field, nodes)]
        weights[: len(own)] += own

    def with_entries(self, of_labels: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """And for each entry whether it is so of both its labels."""
        field, parts = self.field, [of_labels]
        for u, v in field.edges[self.shared].tolist():
            first, second = (of_labels[field.label_offsets[w] : field.label_offsets[w + 1]] for w in (u, v))
            parts.append((first[:, None] & second).reshape(-1))
        return np.concatenate(parts)

    def least_of_each(self, values: Floats) -> Floats:
        """The least value of each node and of each shared edge: a labeling has one of each."""
        starts = np.concatenate([self.field.label_offsets[:-1], self.entry_starts])
        return np.minimum.reduceat(values, starts) if len(starts) else np.zeros(0)
