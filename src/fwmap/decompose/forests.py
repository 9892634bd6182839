"""A Markov random field as a minimum number of forests, and one term for each factor of higher order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import MRF
from .merge import Edges, merged_edges
from .split import equal_shares


@dataclass(frozen=True)
class NodeTerm:
    """A further term over all labels of some nodes, and how it is added.

    `add(core, variables, n_labels, unaries)` gets the term's share of the nodes' unaries.
    """

    nodes: NDArray[np.int64]
    add: Callable[[_core.Decomposition, NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]], None]


@dataclass(frozen=True)
class FieldDecomposition:
    """The terms of a field, and how their minimisers read as labelings.

    Terms 0 .. n_forests - 1 are the forests, then come the factors in the field's order, then further terms.
    Variable `label_offsets[v] + a` says that node v has label a.
    """

    core: _core.Decomposition
    field: MRF
    n_forests: int
    nodes: list[NDArray[np.int64]]  # of each term, in the oracle's order
    label_offsets: NDArray[np.int64]
    shares: list[NDArray[np.float64]]  # of each term: its part of its nodes' unary costs
    forest_of_edge: NDArray[np.int64]  # of each edge of the field

    def term_labels(self, term: int, support: NDArray[np.int32]) -> NDArray[np.int64]:
        """Labels of the nodes of a term, from the support of its minimiser."""
        nodes = self.nodes[term]
        sizes = self.label_offsets[nodes + 1] - self.label_offsets[nodes]
        labels: NDArray[np.int64] = support[: len(nodes)].astype(np.int64) - (np.cumsum(sizes) - sizes)
        return labels


def decompose_into_forests(model: MRF, further: Sequence[NodeTerm] = ()) -> FieldDecomposition:
    """Cover the graph by as few forests as possible; split each node's unaries among its terms."""
    edges = merged_edges(model)
    ends = edges.ends.astype(np.int32)
    n_forests, forest_of_edge = _core.minimum_forest_cover(
        model.n_nodes, np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])
    )
    by_forest = np.argsort(forest_of_edge, kind="stable")
    edges_of = np.split(by_forest, np.cumsum(np.bincount(forest_of_edge, minlength=n_forests))[:-1])
    forest_nodes = [np.unique(edges.ends[own_edges]) for own_edges in edges_of[:n_forests]]
    copies = np.zeros(model.n_nodes, np.int64)
    for nodes in forest_nodes:
        copies[nodes] += 1
    np.add.at(copies, model.factor_scopes, 1)
    for term in further:
        copies[term.nodes] += 1
    alone = np.flatnonzero(copies == 0)
    if len(alone):  # nodes without any edge or factor: roots of the first forest
        if not forest_nodes:
            forest_nodes = [alone]
        else:
            forest_nodes[0] = np.sort(np.concatenate([forest_nodes[0], alone]))
        copies[alone] = 1

    per_label = np.repeat(copies, model.n_labels)
    share, last = equal_shares(model.unaries, per_label)
    left = copies.copy()  # terms of a node that have no share yet; the last one takes what is left

    def take_unaries(nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        variables = concatenated_ranges(model.label_offsets[nodes], model.n_labels[nodes])
        is_last = np.repeat(left[nodes] == 1, model.n_labels[nodes])
        left[nodes] -= 1
        return variables, np.where(is_last, last[variables], share[variables])

    core = _core.Decomposition(int(model.label_offsets[-1]), model.label_offsets, model.constant)
    tables = _core.TablePool(edges.table_values, edges.table_offsets)
    all_nodes: list[NDArray[np.int64]] = []
    shares: list[NDArray[np.float64]] = []
    for f, members in enumerate(forest_nodes):
        nodes = np.concatenate([members[copies[members] > 1], members[copies[members] == 1]])  # shared first
        variables, unaries = take_unaries(nodes)
        own_edges = edges_of[f] if n_forests else np.zeros(0, np.int64)
        add_forest(core, model, edges, own_edges, nodes, variables, unaries, tables, f)
        all_nodes.append(nodes)
        shares.append(unaries)
    for f in range(model.n_factors):
        scope = model.factor_scopes[model.factor_scope_offsets[f] : model.factor_scope_offsets[f + 1]]
        variables, unaries = take_unaries(scope)
        t = model.factor_table[f]
        table = model.factor_values[model.factor_table_offsets[t] : model.factor_table_offsets[t + 1]]
        core.add_factor(variables, model.n_labels[scope].astype(np.int32), unaries, table, [], f"factor {f}")
        all_nodes.append(scope)
        shares.append(unaries)
    for term in further:
        variables, unaries = take_unaries(term.nodes)
        term.add(core, variables, model.n_labels[term.nodes].astype(np.int32), unaries)
        all_nodes.append(term.nodes)
        shares.append(unaries)
    core.connect()
    of_model = forest_of_edge[edges.of_model].astype(np.int64)
    return FieldDecomposition(
        core, model, len(forest_nodes), all_nodes, model.label_offsets, shares, of_model
    )


def add_forest(
    core: _core.Decomposition,
    model: MRF,
    edges: Edges,
    members: NDArray[np.int64],
    nodes: NDArray[np.int64],
    variables: NDArray[np.int64],
    unaries: NDArray[np.float64],
    tables: _core.TablePool,
    number: int,
) -> None:
    """Add the forest made of the edges `members`; its nodes are numbered as in `nodes`."""
    local = np.empty(model.n_nodes, np.int32)
    local[nodes] = np.arange(len(nodes), dtype=np.int32)
    core.add_forest(
        variables,
        model.n_labels[nodes].astype(np.int32),
        unaries,
        local[edges.ends[members, 0]],
        local[edges.ends[members, 1]],
        edges.kind[members],
        edges.table[members],
        edges.weight[members],
        edges.truncation[members],
        np.zeros(len(members), np.uint8),
        tables,
        f"forest {number}",
    )


def concatenated_ranges(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The integers starts[0] .. starts[0] + sizes[0] - 1, starts[1] .., one range after the other.

    >>> concatenated_ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))
