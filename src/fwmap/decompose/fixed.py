"""A forest without the nodes whose label is fixed: what they cost becomes unary costs and a constant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..rounding_down import add_rounding_down, sum_rounding_down
from .field import Cover, concatenated_ranges

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ForestPart:
    """Nodes and edges of a forest that are left to choose from, with the costs of what is not."""

    nodes: Ints
    edges: Ints
    unaries: Floats
    constant: float


def part_of_fixed(cover: Cover, nodes: Ints, edges: Ints, unaries: Floats, shared: Bools) -> ForestPart:
    """The forest of some edges without the cover's fixed nodes; all sums are rounded down.

    `unaries` are over the labels of the nodes in turn. The ends of `shared` edges stay: their entries are
    coordinates of the term.
    """
    gone = cover.fixed
    if not gone[nodes].any():
        return ForestPart(nodes, edges, unaries, 0.0)
    gone = gone.copy()
    gone[cover.edges.ends[edges[shared[edges]]]] = False
    field, ends = cover.field, cover.edges.ends[edges]
    sizes = field.n_labels[nodes]
    own_gone = np.repeat(gone[nodes], sizes)
    left, unaries, constants = nodes[~gone[nodes]], unaries[~own_gone], unaries[own_gone].tolist()
    starts = np.zeros(field.n_nodes, np.int64)
    starts[left] = np.cumsum(field.n_labels[left]) - field.n_labels[left]
    first, second = gone[ends].T
    both = edges[first & second]
    constants += cover.edges.table_values[cover.edges.table_offsets[cover.edges.table[both]]].tolist()
    one = first ^ second
    towards = np.where(first, ends[:, 1], ends[:, 0])[one]
    add_rows(cover, edges[one], towards, starts, unaries)
    return ForestPart(left, edges[~first & ~second], unaries, sum_rounding_down(constants))


def add_rows(cover: Cover, edges: Ints, towards: Ints, starts: Ints, unaries: Floats) -> None:
    """Add the tables of edges, of which one end has one label, to the unary costs of the other end."""
    order = np.argsort(towards, kind="stable")
    counts = np.unique(towards, return_counts=True)[1]
    rank = np.empty(len(edges), np.int64)
    rank[order] = np.arange(len(edges)) - np.repeat(np.cumsum(counts) - counts, counts)
    sizes, tables = cover.field.n_labels[towards], cover.edges.table[edges]
    for k in range(int(rank.max(initial=-1)) + 1):  # one edge of each node at a time
        own = rank == k
        places = concatenated_ranges(starts[towards[own]], sizes[own])
        rows = concatenated_ranges(cover.edges.table_offsets[tables[own]], sizes[own])
        unaries[places] = add_rounding_down(unaries[places], cover.edges.table_values[rows])
