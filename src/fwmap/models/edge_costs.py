"""The costs of edges as the arrays that a model stores, and what must hold of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidModel
from .arrays import Floats, Ints, as_costs, finite_range, offsets_of, read_forbidden
from .costs import KIND_NAMES, PRODUCT, TABLE, product_limits, structured_costs, structured_table


@dataclass(eq=False)
class EdgeCosts:
    """Costs of m edges as arrays; see the attributes of the same names (with `edge_`) of `MRF`."""

    kind: NDArray[np.uint8]
    table: Ints
    weight: Floats
    truncation: Floats
    table_values: Floats
    table_offsets: Ints
    table_shapes: Ints

    @staticmethod
    def none() -> EdgeCosts:
        """Return the costs of no edge."""
        return EdgeCosts.of_tables(np.zeros(0), np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64))

    @staticmethod
    def of_tables(values: Floats, shapes: Ints, table: Ints) -> EdgeCosts:
        """Return the costs of edges that use consecutive row-major tables: edge e uses number `table[e]`."""
        m = len(table)
        offsets = offsets_of(shapes[:, 0] * shapes[:, 1])
        return EdgeCosts(
            np.full(m, TABLE, np.uint8), table, np.zeros(m), np.zeros(m), values, offsets, shapes
        )

    @staticmethod
    def of_structured(kind: ArrayLike, weight: ArrayLike, truncation: ArrayLike, n_edges: int) -> EdgeCosts:
        """Return structured costs of `n_edges` edges; each argument is one number or one per edge."""
        kinds = np.array(np.broadcast_to(np.asarray(kind, dtype=np.uint8), n_edges))
        weights, truncations = (
            _one_per_edge(given, f"the {name} of the pairwise cost", n_edges)
            for name, given in (("weight", weight), ("truncation", truncation))
        )
        no_tables = np.zeros(0), np.zeros(1, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
        return EdgeCosts(kinds, np.full(n_edges, -1), weights, truncations, *no_tables)

    def picked(self, index: Ints) -> EdgeCosts:
        """Return the costs of edges that have, one after the other, the costs number `index` of these."""
        if len(index) and (index.min() < 0 or index.max() >= len(self.kind)):
            e = int(np.flatnonzero((index < 0) | (index >= len(self.kind)))[0])
            raise InvalidModel(
                f"edge {e} uses pairwise cost {index[e]}; expected a number from 0 to {len(self.kind) - 1}"
            )
        chosen = (self.kind[index], self.table[index], self.weight[index], self.truncation[index])
        return EdgeCosts(*chosen, self.table_values, self.table_offsets, self.table_shapes)

    def joined(self, other: EdgeCosts) -> EdgeCosts:
        """Return the costs of these edges followed by those of `other`."""
        if len(other.kind) == 0:
            return self
        shifted = np.where(other.table >= 0, other.table + len(self.table_shapes), -1)
        return EdgeCosts(
            np.concatenate([self.kind, other.kind]),
            np.concatenate([self.table, shifted]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.truncation, other.truncation]),
            np.concatenate([self.table_values, other.table_values]),
            np.concatenate([self.table_offsets, self.table_offsets[-1] + other.table_offsets[1:]]),
            np.concatenate([self.table_shapes, other.table_shapes]),
        )

    def check(self, edges: Ints, n_labels: Ints, forbidden_above: float) -> int:
        """Refuse costs that do not fit the edges; mark forbidden entries and return their count.

        A structured cost that reaches `forbidden_above` becomes a table, shared by equal edges.
        """
        if len(self.kind) != len(edges):
            raise InvalidModel(f"there are costs of {len(self.kind)} edges; expected {len(edges)}")
        self._check_shapes(edges, n_labels)
        self._check_parameters()
        n_read = read_forbidden(self.table_values, forbidden_above, self._locate_entry(edges))
        return n_read + self._read_forbidden_structured(edges, n_labels, forbidden_above)

    def product_limits(self) -> tuple[Ints, Floats, Floats]:
        """Return the edges that are products, and the least and the largest finite cost of each."""
        edges = np.flatnonzero(self.kind == PRODUCT)
        tables, which = np.unique(self.table[edges], return_inverse=True)
        low, high = np.zeros(len(tables)), np.zeros(len(tables))
        for k, t in enumerate(tables.tolist()):
            found = finite_range(self.table_values[self.table_offsets[t] : self.table_offsets[t + 1]])
            low[k], high[k] = (0.0, 0.0) if found is None else found
        which = which.reshape(-1)
        return edges, *product_limits(self.weight[edges], self.truncation[edges], low[which], high[which])

    def _check_shapes(self, edges: Ints, n_labels: Ints) -> None:
        bad = np.flatnonzero(self.kind >= len(KIND_NAMES))
        if len(bad):
            raise InvalidModel(
                f"edge {bad[0]} has cost kind {self.kind[bad[0]]}; expected 0 to {len(KIND_NAMES) - 1}"
            )
        dense = np.flatnonzero((self.kind == TABLE) | (self.kind == PRODUCT))
        tables = self.table[dense]
        if len(tables) and (tables.min() < 0 or tables.max() >= len(self.table_shapes)):
            e = int(dense[(tables < 0) | (tables >= len(self.table_shapes))][0])
            raise InvalidModel(
                f"edge {e} uses table {self.table[e]}; "
                f"expected a number from 0 to {len(self.table_shapes) - 1}"
            )
        expected = n_labels[edges[dense]]
        wrong = np.flatnonzero((self.table_shapes[tables] != expected).any(axis=1))
        if len(wrong):
            e = int(dense[wrong[0]])
            (u, v), given = edges[e].tolist(), tuple(self.table_shapes[self.table[e]].tolist())
            raise InvalidModel(
                f"the pairwise table of edge {e}, between variables {u} and {v}, has shape {given}; "
                f"expected {(int(n_labels[u]), int(n_labels[v]))} (their numbers of labels)"
            )
        for t in np.unique(self.table[self.kind == PRODUCT]).tolist():
            rows, columns = self.table_shapes[t].tolist()
            values = self.table_values[self.table_offsets[t] : self.table_offsets[t + 1]]
            forbidden = np.isinf(values.reshape(rows, columns))
            if rows != columns or (forbidden != forbidden.T).any():
                raise InvalidModel(
                    f"table {t} of products has shape {(rows, columns)}; expected a square one that forbids "
                    "(a, b) and (b, a) alike"
                )

    def _check_parameters(self) -> None:
        bad = np.flatnonzero(~np.isfinite(self.weight))
        if len(bad):
            raise InvalidModel(
                f"the weight of the pairwise cost of edge {bad[0]} is {self.weight[bad[0]]}; "
                "expected a finite number"
            )
        products = self.kind == PRODUCT
        bad = np.flatnonzero(products & ~np.isfinite(self.truncation))
        if len(bad):
            raise InvalidModel(
                f"the weight of the transposed table of edge {bad[0]} is {self.truncation[bad[0]]}; "
                "expected a finite number"
            )
        bad = np.flatnonzero(~(self.truncation >= 0) & ~products)
        if len(bad):
            raise InvalidModel(
                f"the truncation of the pairwise cost of edge {bad[0]} is {self.truncation[bad[0]]}; "
                "expected a number >= 0 (inf: not truncated)"
            )

    def _locate_entry(self, edges: Ints) -> Callable[[int], str]:
        def locate(index: int) -> str:
            t = int(np.searchsorted(self.table_offsets, index, side="right")) - 1
            entry = divmod(index - int(self.table_offsets[t]), int(self.table_shapes[t, 1]))
            users = np.flatnonzero(self.table == t)
            if len(users) == 0:
                return f"entry {entry} of the pairwise table {t}, which no edge uses,"
            u, v = edges[users[0]].tolist()
            return f"entry {entry} of the pairwise table of edge {users[0]}, between variables {u} and {v},"

        return locate

    def _read_forbidden_structured(self, edges: Ints, n_labels: Ints, forbidden_above: float) -> int:
        farthest = n_labels[edges].max(axis=1, initial=1) - 1
        with np.errstate(over="ignore"):
            largest = structured_costs(self.kind, self.weight, self.truncation, farthest)
        by_distance = (self.kind != TABLE) & (self.kind != PRODUCT)
        bad = np.flatnonzero((largest == -np.inf) & by_distance)
        if len(bad):
            raise InvalidModel(
                f"the pairwise cost of edge {bad[0]} overflows: its weight is {self.weight[bad[0]]}"
            )
        reached = np.flatnonzero(by_distance & (largest >= forbidden_above))
        if len(reached) == 0:
            return 0
        keys = np.column_stack(
            [self.kind[reached], self.weight[reached], self.truncation[reached], n_labels[edges[reached]]]
        )
        distinct, which = np.unique(keys, axis=0, return_inverse=True)
        with np.errstate(over="ignore"):
            tables = [structured_table(int(k), w, t, int(r), int(c)) for k, w, t, r, c in distinct.tolist()]
        values = np.concatenate([table.reshape(-1) for table in tables])
        forbidden = values >= forbidden_above
        values[forbidden] = np.inf
        self.kind, self.table = self.kind.copy(), self.table.copy()
        self.weight, self.truncation = self.weight.copy(), self.truncation.copy()
        self.kind[reached], self.weight[reached], self.truncation[reached] = TABLE, 0.0, 0.0
        self.table[reached] = len(self.table_shapes) + which.reshape(-1)
        self.table_values = np.concatenate([self.table_values, values])
        self.table_shapes = np.concatenate([self.table_shapes, distinct[:, 3:].astype(np.int64)])
        self.table_offsets = offsets_of(self.table_shapes[:, 0] * self.table_shapes[:, 1])
        return int(np.count_nonzero(forbidden))


def _one_per_edge(given: ArrayLike, what: str, n_edges: int) -> Floats:
    array = as_costs(given, what)
    if array.shape not in ((), (n_edges,)):
        raise InvalidModel(
            f"{what} has shape {array.shape}; expected one number, or one per edge: ({n_edges},)"
        )
    return np.array(np.broadcast_to(array, n_edges))
