"""Least cost of a forest, and of each label of its nodes, by min-sum; every sum is rounded down."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..models import MRF
from ..rounding_down import add_rounding_down, sum_rounding_down
from .tables import edge_tables

#: Entries of tables that are looked at together.
CHUNK = 1 << 21

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NO_EDGES = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Batch:
    """Edges whose children are equally deep, are no siblings, and have tables of one size."""

    depth: int  # of the children
    child: Ints  # places of their labels among the forest's, one row per edge
    parent: Ints
    edges: Ints  # one row per edge: numbers of the model's edges between the two, -1: no more of them
    flipped: NDArray[np.bool_]  # like `edges`: the child is the edge's second end
    first_entry: Ints  # like `edges`: where the weights of its entries begin, -1: it has none


class Forest:
    """The forest made of some edges of a field, on nodes that include their ends.

    Arrays are over the labels of its nodes, one node after the other; inf forbids. Weights may go on with the
    entries of the edges `shared`, row by row. Raises ValueError, in words, where the edges leave the nodes or
    have a cycle.
    """

    def __init__(self, field: MRF, nodes: Ints, edges: Ints, shared: Ints = NO_EDGES) -> None:
        self.field = field
        pairs, parallel = joined(field, edges)
        depth, parent, edge_up, root = rooted(field.n_nodes, nodes, pairs)
        sizes = field.n_labels[nodes]
        starts = np.cumsum(sizes) - sizes
        offsets = np.zeros(field.n_nodes, np.int64)
        offsets[nodes] = starts
        self.root_starts = starts[depth[nodes] == 0]
        number = np.zeros(field.n_nodes, np.int64)  # of the tree, by its root
        number[nodes[depth[nodes] == 0]] = np.arange(len(self.root_starts))
        self.tree = np.repeat(number[root[nodes]], sizes)  # of each label
        self.is_root = np.repeat(depth[nodes] == 0, sizes)
        children = nodes[depth[nodes] > 0]
        self.n_labels = int(sizes.sum())
        if not np.isin(shared, edges).all():
            raise ValueError("a forest shares the entries of an edge that it does not have")
        first_entry = np.full(field.n_edges + 1, -1)  # the last one: no edge
        n_entries = field.n_labels[field.edges[shared]].prod(axis=1)
        first_entry[shared] = np.cumsum(n_entries) - n_entries
        up = parallel[edge_up[children]]
        self.batches = list(batches_of(field, offsets, children, depth, parent, up, first_entry))

    def minimum(self, weights: Floats) -> float:
        """No labeling of the forest costs less than this."""
        beliefs, _ = self.send_up(*self.split(weights))
        return sum_rounding_down(self.root_minima(beliefs).tolist())

    def min_marginals(self, weights: Floats) -> Floats:
        """No labeling with this label costs less than this."""
        weights, entries = self.split(weights)
        beliefs, messages = self.send_up(weights, entries)
        from_above = np.zeros_like(weights)
        numbered = list(zip(self.batches, messages, strict=True))
        for _, siblings in itertools.groupby(numbered, key=lambda pair: pair[0].depth):
            self.send_down(list(siblings), weights, entries, from_above)
        minima = self.root_minima(beliefs)
        before = running_sum(minima)[:-1]
        after = running_sum(minima[::-1])[::-1][1:]
        own = add_rounding_down(beliefs, from_above)
        return add_rounding_down(own, add_rounding_down(before, after)[self.tree])

    def root_minima(self, beliefs: Floats) -> Floats:
        """The least cost of each tree."""
        if not len(self.root_starts):
            return np.zeros(0)
        sizes = np.bincount(self.tree[self.is_root])
        return np.minimum.reduceat(beliefs[self.is_root], np.cumsum(sizes) - sizes)

    def split(self, weights: Floats) -> tuple[Floats, Floats]:
        """Those of labels and those of entries."""
        return weights[: self.n_labels], weights[self.n_labels :]

    def send_up(self, weights: Floats, entries: Floats) -> tuple[Floats, list[Floats]]:
        """Weights with the messages of all children added, and the messages of each batch."""
        beliefs, messages = weights.copy(), [np.zeros((0, 0))] * len(self.batches)
        for k in range(len(self.batches) - 1, -1, -1):
            batch = self.batches[k]
            messages[k] = self.message(batch, beliefs[batch.child], entries, upward=True)
            beliefs[batch.parent] = add_rounding_down(beliefs[batch.parent], messages[k])
        return beliefs, messages

    def send_down(
        self, siblings: list[tuple[Batch, Floats]], weights: Floats, entries: Floats, from_above: Floats
    ) -> None:
        """What parents tell their children of one depth: all they know but from the child itself.

        Nothing is subtracted: the other children's messages are summed again, from both sides.
        """
        parents = np.unique(np.concatenate([batch.parent.ravel() for batch, _ in siblings]))
        running = np.zeros_like(weights)
        running[parents] = add_rounding_down(weights[parents], from_above[parents])
        before = []
        for batch, message in siblings:
            before.append(running[batch.parent])
            running[batch.parent] = add_rounding_down(running[batch.parent], message)
        running[parents] = 0.0
        for (batch, message), earlier in zip(siblings[::-1], before[::-1], strict=True):
            told = add_rounding_down(earlier, running[batch.parent])
            from_above[batch.child] = self.message(batch, told, entries, upward=False)
            running[batch.parent] = add_rounding_down(running[batch.parent], message)

    def message(self, batch: Batch, beliefs: Floats, entries: Floats, *, upward: bool) -> Floats:
        """Least cost of each label of the receivers, given what the senders believe."""
        n_children, n_parents = batch.child.shape[1], batch.parent.shape[1]
        out = np.empty((len(batch.edges), n_parents if upward else n_children))
        step = max(1, CHUNK // (n_children * n_parents))
        for start in range(0, len(out), step):
            part = slice(start, start + step)
            tables = edge_tables(self.field, batch.edges[part], batch.flipped[part], n_children, n_parents)
            add_entries(tables, entries, batch.first_entry[part], batch.flipped[part])
            if upward:
                out[part] = add_rounding_down(beliefs[part][:, :, None], tables).min(axis=1)
            else:
                out[part] = add_rounding_down(beliefs[part][:, None, :], tables).min(axis=2)
        return out


def add_entries(tables: Floats, entries: Floats, first: Ints, flipped: NDArray[np.bool_]) -> None:
    """Add to tables the weights of their entries; `first` and `flipped` are as in `Batch`.

    >>> tables = np.zeros((1, 2, 3))
    >>> add_entries(tables, np.arange(7.0), np.array([[-1, 1]]), np.array([[False, True]]))
    >>> tables.tolist()
    [[[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]]
    """
    _, n_rows, n_columns = tables.shape
    row, column = np.arange(n_rows)[None, :, None], np.arange(n_columns)[None, None, :]
    for k in range(first.shape[1]):
        there = np.flatnonzero(first[:, k] >= 0)
        if not len(there):
            continue
        turned, start = flipped[there, k][:, None, None], first[there, k][:, None, None]
        place = start + np.where(turned, column * n_rows + row, row * n_columns + column)
        tables[there] = add_rounding_down(tables[there], entries[place])


def places_of(field: MRF, nodes: Ints) -> Ints:
    """Places of all labels of some nodes in arrays over the field's labels."""
    sizes = field.n_labels[nodes]
    before = np.cumsum(sizes) - sizes
    return np.repeat(field.label_offsets[nodes] - before, sizes) + np.arange(int(sizes.sum()))


def running_sum(values: Floats) -> Floats:
    """Sums of the first 0, 1, 2, ... values, rounded down.

    >>> running_sum(np.array([1.0, 2.0])).tolist()
    [0.0, 1.0, 3.0]
    """
    out = np.zeros(len(values) + 1)
    for k in range(len(values)):
        out[k + 1] = add_rounding_down(out[k : k + 1], values[k : k + 1])[0]
    return out


def joined(field: MRF, edges: Ints) -> tuple[Ints, Ints]:
    """Pairs of nodes with an edge, and for each the numbers of its parallel edges, filled up with -1."""
    ends = np.sort(field.edges[edges], axis=1)
    pairs, which = np.unique(ends, axis=0, return_inverse=True)
    which = which.reshape(-1)
    order = np.argsort(which, kind="stable")
    counts = np.bincount(which, minlength=len(pairs))
    rank = np.arange(len(edges)) - np.repeat(np.cumsum(counts) - counts, counts)
    parallel = np.full((len(pairs), int(counts.max(initial=1))), -1)
    parallel[which[order], rank] = edges[order]
    return pairs, parallel


def rooted(n_nodes: int, nodes: Ints, pairs: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Depth, parent, number of the pair that leads there, and root of each node; -1 where there is none."""
    depth, parent = np.full(n_nodes, -1), np.full(n_nodes, -1)
    edge_up, root = np.full(n_nodes, -1), np.full(n_nodes, -1)
    inside = np.zeros(n_nodes, bool)
    inside[nodes] = True
    if not inside[pairs].all():
        raise ValueError("a forest has an edge outside its nodes")
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(n_nodes)]
    for e, (u, v) in enumerate(pairs.tolist()):
        neighbours[u].append((v, e))
        neighbours[v].append((u, e))
    for start in nodes.tolist():
        if depth[start] >= 0:
            continue
        depth[start], root[start] = 0, start
        frontier = [start]
        while frontier:
            following = []
            for u in frontier:
                for v, e in neighbours[u]:
                    if e == edge_up[u]:
                        continue
                    if depth[v] >= 0:
                        raise ValueError(f"the edges of a forest have a cycle through variable {v}")
                    depth[v], parent[v], edge_up[v], root[v] = depth[u] + 1, u, e, start
                    following.append(v)
            frontier = following
    return depth, parent, edge_up, root


def batches_of(
    field: MRF, offsets: Ints, children: Ints, depth: Ints, parent: Ints, parallel: Ints, first_entry: Ints
) -> Iterator[Batch]:
    """Edges in batches, from the roots down; `parallel` has a row for each child."""
    above = parent[children]
    by_parent = np.lexsort((children, above))
    rank = np.empty(len(children), np.int64)
    counts = np.unique(above, return_counts=True)[1]
    rank[by_parent] = np.arange(len(children)) - np.repeat(np.cumsum(counts) - counts, counts)
    keys = np.stack([depth[children], rank, field.n_labels[children], field.n_labels[above]])
    order = np.lexsort(keys[::-1])
    changes = np.flatnonzero((np.diff(keys[:, order], axis=1) != 0).any(axis=0)) + 1
    for members in np.split(order, changes) if len(order) else []:
        own, up = children[members], above[members]
        edges = parallel[members]
        yield Batch(
            int(depth[own[0]]),
            offsets[own][:, None] + np.arange(field.n_labels[own[0]]),
            offsets[up][:, None] + np.arange(field.n_labels[up[0]]),
            edges,
            field.edges[edges, 1] == own[:, None],
            first_entry[edges],
        )
