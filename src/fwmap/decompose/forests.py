"""A Markov random field as the trees of a minimum number of forests, and one term for each factor."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import MRF
from ..models.arrays import offsets_of
from ..rounding_down import sum_rounding_down
from .field import Cover, FieldDecomposition, NodeTerm, concatenated_ranges
from .fixed import ForestPart, part_of_fixed
from .merge import Edges, merged_edges
from .parts import forest_parts
from .split import equal_shares


def decompose_into_forests(model: MRF, further: Sequence[NodeTerm] = ()) -> FieldDecomposition:
    """Cover the graph by as few forests as possible; split each node's unaries among its terms."""
    edges = merged_edges(model)
    cover = Cover(model, edges, forest_parts(model.n_nodes, edges.ends), table_pool(edges))
    return decompose_covered(cover, tuple(further))


def table_pool(edges: Edges) -> _core.TablePool:
    """The tables of some edges, as all terms share them."""
    return _core.TablePool(edges.table_values, edges.table_offsets)


def with_terms(decomposition: FieldDecomposition, more: Sequence[NodeTerm]) -> FieldDecomposition:
    """The same terms and more of them, which must share no unaries."""
    return decompose_covered(decomposition.cover, (*decomposition.further, *more))


def decompose_covered(cover: Cover, further: tuple[NodeTerm, ...]) -> FieldDecomposition:
    """The terms of a field that is covered by forests."""
    model, edges = cover.field, cover.edges
    n_forests, forest_of_edge = cover.parts.n_parts, cover.parts.part_of_edge
    by_forest = np.argsort(forest_of_edge, kind="stable")
    counts = np.bincount(forest_of_edge, minlength=n_forests)
    edges_of = np.split(by_forest, np.cumsum(counts)[:-1])
    forest_nodes = [distinct(edges.ends[own_edges]) for own_edges in edges_of[:n_forests]]
    for f, chain in cover.chains.items():
        forest_nodes[f] = np.sort(chain.pixels)
    copies = np.zeros(model.n_nodes, np.int64)
    for nodes in forest_nodes:
        copies[nodes] += 1
    np.add.at(copies, model.factor_scopes, 1)
    for term in further:
        if term.shares:
            copies[term.nodes] += 1
    alone = np.flatnonzero(copies == 0)
    if len(alone):  # nodes without any edge or factor: roots of the first forest
        if not forest_nodes:
            forest_nodes = [alone]
        else:
            forest_nodes[0] = np.sort(np.concatenate([forest_nodes[0], alone]))
        copies[alone] = 1

    is_shared = copies > 1
    forest_nodes = [np.concatenate([own[is_shared[own]], own[~is_shared[own]]]) for own in forest_nodes]
    scopes = np.split(model.factor_scopes, model.factor_scope_offsets[1:-1]) if model.n_factors else []
    sharing = [*forest_nodes, *scopes, *(term.nodes for term in further if term.shares)]
    unary_costs = UnaryShares(model, copies, sharing)
    entries = SharedEntries.of(cover, further)
    forests = []
    constant = model.constant
    for f, nodes in enumerate(forest_nodes):
        own_edges = edges_of[f] if n_forests else np.zeros(0, np.int64)
        _, unaries = unary_costs.take()
        if f in cover.chains:  # fixed pixels stay, with one label
            forests.append(ForestPart(nodes, own_edges, unaries, 0.0))
            continue
        forest = part_of_fixed(cover, nodes, own_edges, unaries, entries.offsets >= 0)
        constant = float(sum_rounding_down([constant, forest.constant]))
        forests.append(forest)
    core = _core.Decomposition(entries.n_variables, entries.groups, constant)
    terms = Terms()
    local = np.empty(model.n_nodes, np.int32)  # a node's number within its forest
    for f, forest in enumerate(forests):
        own_entries = forest.edges[entries.offsets[forest.edges] >= 0]
        variables = concatenated_ranges(model.label_offsets[forest.nodes], model.n_labels[forest.nodes])
        variables = np.concatenate([variables, entries.variables(own_entries)])
        local[forest.nodes] = np.arange(len(forest.nodes), dtype=np.int32)
        costs = edge_arrays(cover, forest.edges, local)
        n_labels = model.n_labels[forest.nodes].astype(np.int32)
        if f in cover.chains:
            chain = cover.chains[f]
            order, sums, name = local[chain.pixels], chain.left_sums(cover), f"chain of ray {chain.ray}"
            core.add_chain(variables, n_labels, forest.unaries, order, *costs, cover.tables, sums, name)
        else:
            shares = (entries.offsets[forest.edges] >= 0).astype(np.uint8)
            core.add_forest(variables, n_labels, forest.unaries, *costs, shares, cover.tables, f"forest {f}")
        terms.note(("forest", f), forest.nodes, forest.unaries, own_entries)
    for f, scope in enumerate(scopes):
        variables, unaries = unary_costs.take()
        t = model.factor_table[f]
        table = model.factor_values[model.factor_table_offsets[t] : model.factor_table_offsets[t + 1]]
        core.add_factor(variables, model.n_labels[scope].astype(np.int32), unaries, table, [], f"factor {f}")
        terms.note(("factor", f), scope, unaries, np.zeros(0, np.int64))
    for term in further:
        variables, unaries = unary_costs.take() if term.shares else unary_costs.mask(term.nodes)
        if term.variables is None:
            variables = np.concatenate([variables, entries.variables(term.edges)])
        else:
            variables = entries.chosen(term)
        term.add(core, variables, model.n_labels[term.nodes].astype(np.int32), unaries)
        terms.note(term.key, term.nodes, unaries, term.edges)
    core.connect()
    return FieldDecomposition(
        core,
        model,
        len(forest_nodes),
        terms.nodes,
        model.label_offsets,
        terms.shares,
        forest_of_edge[edges.of_model].astype(np.int64),
        cover,
        terms.entry_edges,
        further,
        terms.keys,
        entries.lasting,
        np.concatenate([np.zeros(0, np.int64), *(forest.edges for forest in forests)]),
    )


#: First and second ends, kinds, tables, weights and truncations of edges.
EdgeArrays = tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.float64],
]


class Terms:
    """What is known of the terms added so far, see `FieldDecomposition`."""

    def __init__(self) -> None:
        self.keys: list[Hashable] = []
        self.nodes: list[NDArray[np.int64]] = []
        self.shares: list[NDArray[np.float64]] = []
        self.entry_edges: list[NDArray[np.int64]] = []

    def note(
        self,
        key: Hashable,
        nodes: NDArray[np.int64],
        shares: NDArray[np.float64],
        entry_edges: NDArray[np.int64],
    ) -> None:
        """Another term."""
        self.keys.append(key)
        self.nodes.append(nodes)
        self.shares.append(shares)
        self.entry_edges.append(entry_edges)


class UnaryShares:
    """A field's unary costs, handed out to terms; the last term of each node takes what is left.

    `copies` says for each node how many of the terms have it, `nodes_of_terms` which nodes they have, in the
    order in which they take their shares.
    """

    def __init__(
        self, model: MRF, copies: NDArray[np.int64], nodes_of_terms: Sequence[NDArray[np.int64]]
    ) -> None:
        self.model = model
        nodes = np.concatenate([np.zeros(0, np.int64), *nodes_of_terms])
        sizes, places = model.n_labels[nodes], np.arange(len(nodes))
        last_place = np.empty(model.n_nodes, np.int64)
        last_place[nodes] = places  # the last one stays
        variables = concatenated_ranges(model.label_offsets[nodes], sizes)
        share, last = equal_shares(model.unaries, np.repeat(copies, model.n_labels))
        costs = np.where(np.repeat(last_place[nodes] == places, sizes), last[variables], share[variables])
        ends = offsets_of(sizes)[np.cumsum([len(own) for own in nodes_of_terms], dtype=np.int64)[:-1]]
        self.parts = iter(zip(np.split(variables, ends), np.split(costs, ends), strict=True))

    def take(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Variables of the labels of the next term's nodes, and its share of their costs."""
        return next(self.parts)

    def mask(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The same variables, and 0 where a label is allowed, else inf."""
        variables = concatenated_ranges(self.model.label_offsets[nodes], self.model.n_labels[nodes])
        return variables, np.where(np.isfinite(self.model.unaries[variables]), 0.0, np.inf)


@dataclass(frozen=True)
class SharedEntries:
    """Variables for the entries of the tables that further terms share with forests."""

    offsets: NDArray[np.int64]  # of each edge; -1: not shared
    n_entries: NDArray[np.int64]  # of each edge
    groups: NDArray[np.int64]  # where the variables of nodes and of these edges begin, and the end
    lasting: NDArray[np.int64]
    own: dict[NodeTerm, int]  # where the variables begin that a term alone knows, behind all others

    @classmethod
    def of(cls, cover: Cover, further: Sequence[NodeTerm]) -> SharedEntries:
        """Numbers behind the labels, in the order in which terms name the edges."""
        labels, n_entries = cover.field.label_offsets, cover.n_entries
        edges = first_occurrences([term.edges for term in further])
        ends = labels[-1] + np.cumsum(n_entries[edges])
        offsets = np.full(len(n_entries), -1)
        offsets[edges] = ends - n_entries[edges]
        groups, lasting = np.concatenate([labels, ends]), [cover.lasting(edges)]
        own, n_own = {}, 0
        for term in further:
            if term.variables is not None:
                own[term] = int(groups[-1]) + n_own
                alone = term.variables[term.variables < 0]
                lasting.append(alone)  # names are compared within a term only
                n_own += len(alone)
        return cls(offsets, n_entries, groups, np.concatenate(lasting), own)

    @property
    def n_variables(self) -> int:
        """Labels, shared entries, and what single terms know."""
        return len(self.lasting)

    def chosen(self, term: NodeTerm) -> NDArray[np.int64]:
        """The variables of a term that chooses them itself."""
        assert term.variables is not None
        order = np.argsort(self.lasting[: self.groups[-1]], kind="stable")
        chosen = term.variables.copy()
        alone = chosen < 0
        chosen[alone] = self.own[term] + np.arange(np.count_nonzero(alone))
        chosen[~alone] = order[np.searchsorted(self.lasting[order], chosen[~alone])]
        return chosen

    def variables(self, edges: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some edges, one after the other."""
        return concatenated_ranges(self.offsets[edges], self.n_entries[edges])


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different integers of an array in ascending order: `np.unique`, by sorting, which is faster here.

    >>> distinct(np.array([[5, 2], [2, 7]])).tolist()
    [2, 5, 7]
    """
    ordered: NDArray[np.int64] = np.sort(values, axis=None)
    is_new = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered[is_new]


def first_occurrences(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The different integers of some arrays, in the order in which they first occur.

    >>> first_occurrences([np.array([5, 2]), np.array([2, 7])]).tolist()
    [5, 2, 7]
    """
    joined = np.concatenate([np.zeros(0, np.int64), *parts])
    different, first = np.unique(joined, return_index=True)
    return different[np.argsort(first)]


def edge_arrays(cover: Cover, members: NDArray[np.int64], local: NDArray[np.int32]) -> EdgeArrays:
    """Ends and costs of some edges as the core takes them; `local` are the numbers of nodes in the term."""
    edges = cover.edges
    first, second = (local[edges.ends[members, k]] for k in (0, 1))
    kind, table, weight, truncation = edges.kind, edges.table, edges.weight, edges.truncation
    return first, second, kind[members], table[members], weight[members], truncation[members]
