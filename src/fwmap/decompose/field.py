"""What a Markov random field decomposed into terms is made of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import MRF
from .merge import Edges, merged_edges
from .parts import ForestParts

if TYPE_CHECKING:
    from .restriction import Restriction

#: What a further term is.
Kind = Literal["ray", "assignment", "right forest", "cycle", "star", "local matching"]


@dataclass(frozen=True, eq=False)
class NodeTerm:
    """A further term over all labels of some nodes and all entries of some edges' tables.

    `add(core, variables, n_labels, unaries)` adds it. It gets the variables of its nodes' labels, then those
    of its edges' entries, row by row (edges are numbered as in `FieldDecomposition.edges`), the nodes'
    numbers of labels, and the term's share of their unaries. A term that `shares` none can join a running
    solve: others stay as they are, and its unaries only forbid.

    A term that has `variables` of its own choice gets these instead, one per coordinate of its oracle: labels
    by their place among the field's unaries, entries by `Cover.first_entries[edge] + entry`, both as in the
    whole field, and what no other term knows by negative numbers of the term's own.
    """

    nodes: NDArray[np.int64]
    add: Callable[[_core.Decomposition, NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]], None]
    edges: NDArray[np.int64] = dataclass_field(default_factory=lambda: np.zeros(0, np.int64))
    shares: bool = True
    variables: NDArray[np.int64] | None = None
    kind: Kind = "ray"
    listed: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None  # nodes and edges of another field
    restrict: Callable[[Cover], NodeTerm] | None = None
    rigid: bool = False
    key: Hashable = dataclass_field(
        default_factory=object
    )  # by which the term is known in other decompositions
    number: int | None = None  # of what it is in the model; None: counted


@dataclass(frozen=True, eq=False)
class RayChain:
    """A ray of a tomography model that holds the edges of a part, between its successive pixels."""

    ray: int
    pixels: NDArray[np.int64]  # in the ray's order
    sum_costs: NDArray[np.float64]

    def left_sums(self, cover: Cover) -> NDArray[np.float64]:
        """Costs of the sums where labels that are left over alone count from 0."""
        if cover.restriction is None:
            return self.sum_costs
        restriction, pixels = cover.restriction, self.pixels
        fixed = pixels[restriction.fixed[pixels]]
        labels = restriction.labels[cover.field.label_offsets[fixed]]
        left = self.sum_costs[int((labels - restriction.origin.label_offsets[fixed]).sum()) :]
        return left if len(left) else np.array([np.inf])


@dataclass(frozen=True, eq=False)
class Cover:
    """A field's edges, parallel ones added up, in parts of as few forests as possible.

    A part may be a chain instead: the edges between successive pixels of a ray, whose term is that ray, too.
    """

    field: MRF
    edges: Edges
    parts: ForestParts
    tables: _core.TablePool
    restriction: Restriction | None = None  # of another field to this one
    chains: Mapping[int, RayChain] = dataclass_field(default_factory=dict)  # by part

    @property
    def n_entries(self) -> NDArray[np.int64]:
        """The size of each edge's table."""
        n_labels, ends = self.field.n_labels, self.edges.ends
        return n_labels[ends[:, 0]] * n_labels[ends[:, 1]]

    @property
    def first_entries(self) -> NDArray[np.int64]:
        """Where the entries of each edge's table would begin behind the labels, had all edges variables."""
        ends: NDArray[np.int64] = self.field.label_offsets[-1] + np.cumsum(self.n_entries)
        return ends - self.n_entries

    @property
    def fixed(self) -> NDArray[np.bool_]:
        """Nodes of which a restriction has left one label."""
        if self.restriction is None:
            return np.zeros(self.field.n_nodes, bool)
        return self.restriction.fixed

    def lasting(self, edges: NDArray[np.int64]) -> NDArray[np.int64]:
        """Numbers of all labels, then of the entries of some edges, that a restriction leaves as they are."""
        if self.restriction is None:
            entries = concatenated_ranges(self.first_entries[edges], self.n_entries[edges])
            return np.concatenate([np.arange(self.field.label_offsets[-1]), entries])
        origin, labels = self.restriction.origin, self.restriction.labels
        before, now, first = origin.field.label_offsets, self.field.label_offsets, origin.cover.first_entries
        parts = [labels]
        for e in edges.tolist():
            u, v = self.edges.ends[e].tolist()
            rows, columns = (labels[now[w] : now[w + 1]] - before[w] for w in (u, v))
            parts.append((first[e] + rows[:, None] * origin.field.n_labels[v] + columns).ravel())
        return np.concatenate(parts)


@dataclass(frozen=True)
class FieldDecomposition:
    """The terms of a field, and how their minimisers read as labelings.

    Terms 0 .. n_forests - 1 are forests, the parts of the cover; then come the factors in the field's order,
    then further terms.
    Variable `label_offsets[v] + a` says that node v has label a. Behind the labels come the entries of the
    tables of edges that further terms share with forests, edge by edge, row by row.
    """

    core: _core.Decomposition
    field: MRF
    n_forests: int
    nodes: list[NDArray[np.int64]]  # of each term, in the oracle's order
    label_offsets: NDArray[np.int64]
    shares: list[NDArray[np.float64]]  # of each term: its part of its nodes' unary costs
    forest_of_edge: NDArray[np.int64]  # of each edge of the field: its term
    cover: Cover
    entry_edges: list[NDArray[np.int64]]  # of each term: the edges whose entries it shares
    further: tuple[NodeTerm, ...]
    term_keys: list[Hashable]  # by which a term is known in other decompositions of the model
    lasting: NDArray[np.int64]  # of each variable the number by which it is known there
    edges_of_forests: NDArray[np.int64]  # as their oracles number them, one forest after the other

    @property
    def edges(self) -> Edges:
        """The edges of the field, parallel ones added up."""
        return self.cover.edges

    @property
    def cost_edges(self) -> Edges:
        """The field's edges with all that they cost, also where stars hold it and not forests."""
        has_stars = any(term.kind == "star" for term in self.further)
        return merged_edges(self.field) if has_stars else self.edges

    @property
    def origin(self) -> FieldDecomposition:
        """The decomposition of the whole problem, or itself where no label was removed."""
        return self if self.cover.restriction is None else self.cover.restriction.origin

    @property
    def covering_forests(self) -> list[NDArray[np.int64]]:
        """The terms that each forest of the cover is made of."""
        parts = self.cover.parts
        if not parts.n_forests:  # nodes without edges
            return [np.arange(self.n_forests)]
        return [np.flatnonzero(parts.forest_of_part == f) for f in range(parts.n_forests)]

    def term_labels(self, term: int, support: NDArray[np.int32]) -> NDArray[np.int64]:
        """Labels of the nodes of a term, from the support of its minimiser."""
        nodes = self.nodes[term]
        sizes = self.label_offsets[nodes + 1] - self.label_offsets[nodes]
        labels: NDArray[np.int64] = support[: len(nodes)].astype(np.int64) - (np.cumsum(sizes) - sizes)
        return labels


def concatenated_ranges(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The integers starts[0] .. starts[0] + sizes[0] - 1, starts[1] .., one range after the other.

    >>> concatenated_ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))
