"""A matching model as terms: forests of its points' fields, and one term that no right point occurs twice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import GraphMatching
from ..models.arrays import offsets_of
from ..models.costs import TABLE
from ..models.matching_right import RightSide, Sides
from .field import Cover, FieldDecomposition, NodeTerm, concatenated_ranges
from .forests import decompose_into_forests, with_terms
from .parts import forest_parts

Ints = NDArray[np.int64]


def decompose_matching(model: GraphMatching, sides: Sides) -> FieldDecomposition:
    """Forests of the left points and the assignment term; two-sided: forests of the right points as well."""
    left = decompose_into_forests(model.field, [assignment_term(model)])
    return with_terms(left, right_terms(model, left.cover)) if sides == "two-sided" else left


def assignment_term(model: GraphMatching) -> NodeTerm:
    """The term over the labels of all left points."""

    def restrict(cover: Cover) -> NodeTerm:
        own = partners if cover.restriction is None else partners[cover.restriction.labels]
        return replace(term, add=partial(add_assignment, partners=own, n_partners=model.n_right))

    partners = model.left.partner.astype(np.int32)
    add = partial(add_assignment, partners=partners, n_partners=model.n_right)
    term = NodeTerm(np.arange(model.n_left), add, restrict=restrict, kind="assignment")
    return term


def add_assignment(
    core: _core.Decomposition,
    variables: Ints,
    n_labels: NDArray[np.int32],
    unaries: NDArray[np.float64],
    *,
    partners: NDArray[np.int32],
    n_partners: int,
) -> None:
    """Add the assignment term."""
    core.add_assignment(variables, n_labels, unaries, partners, n_partners, "assignment")


def right_terms(model: GraphMatching, cover: Cover) -> list[NodeTerm]:
    """The trees of forests that cover the right points' graph, without costs of their own.

    They know the same variables as the terms of the left points: an assignment is a label on either side, a
    pair of assignments an entry of a table on either side. `cover` is that of the left points' field.
    """
    right = RightSide.of(model)
    field = right.field
    parts = forest_parts(field.n_nodes, field.edges)
    terms = []
    for part in range(parts.n_parts):
        edges = np.flatnonzero(parts.part_of_edge == part)
        tree = RightForest(right, cover, np.unique(field.edges[edges]), edges, f"right {part}")
        terms.append(tree.term(np.ones(len(right.labels), bool)))
    return terms


@dataclass(frozen=True, eq=False)
class RightForest:
    """A forest of right points, as a term of the left points' field."""

    right: RightSide
    cover: Cover  # of the left points' whole field
    nodes: Ints
    edges: Ints
    name: str

    def term(self, kept: NDArray[np.bool_]) -> NodeTerm:
        """The term with some of the labels of right points; all entries of its tables are coordinates."""
        field = self.right.field
        labels = concatenated_ranges(field.label_offsets[self.nodes], field.n_labels[self.nodes])
        entries = concatenated_ranges(
            field.table_offsets[self.edges], np.diff(field.table_offsets)[self.edges]
        )
        known = self.right.entries[entries]
        left_edges = np.searchsorted(self.cover.edges.table_offsets, known[known >= 0], side="right") - 1
        behind_labels = self.cover.field.label_offsets[-1] + known
        variables = np.concatenate([self.right.labels[labels], np.where(known >= 0, behind_labels, -1)])
        alone = variables < 0
        variables[alone] = -1 - np.arange(np.count_nonzero(alone))
        own = [kept[field.label_offsets[v] : field.label_offsets[v + 1]] for v in self.nodes]
        place = np.searchsorted(self.nodes, field.edges[self.edges])
        pairs = [np.outer(own[u], own[v]).ravel() for u, v in place]
        kept_entries = np.concatenate([np.zeros(0, bool), *pairs])
        return NodeTerm(
            np.zeros(0, np.int64),
            partial(
                add_right_forest,
                sizes=np.array([np.count_nonzero(some) for some in own], np.int32),
                costs=field.unaries[labels][kept[labels]],
                tables=field.table_values[entries][kept_entries],
                table_sizes=np.array([np.count_nonzero(some) for some in pairs], np.int64),
                ends=place.astype(np.int32),
                name=self.name,
            ),
            np.unique(left_edges),
            shares=False,
            variables=variables[np.concatenate([kept[labels], kept_entries])],
            kind="right forest",
            listed=(self.nodes, self.edges),
            restrict=self.restricted,
            key=self.name,
        )

    def restricted(self, cover: Cover) -> NodeTerm:
        """The term without the assignments that a cover does not have."""
        known = np.ones(len(self.cover.field.unaries) + 1, bool)  # the last one: no assignment
        if cover.restriction is not None:
            known[:-1] = False
            known[cover.restriction.labels] = True
        return self.term(known[self.right.labels])


def add_right_forest(
    core: _core.Decomposition,
    variables: Ints,
    _: NDArray[np.int32],
    __: NDArray[np.float64],
    *,
    sizes: NDArray[np.int32],
    costs: NDArray[np.float64],
    tables: NDArray[np.float64],
    table_sizes: Ints,
    ends: NDArray[np.int32],
    name: str,
) -> None:
    """Add the forest of some right points and edges."""
    nothing = np.zeros(len(ends))
    core.add_forest(
        variables,
        sizes,
        costs,
        np.ascontiguousarray(ends[:, 0]),
        np.ascontiguousarray(ends[:, 1]),
        np.full(len(ends), TABLE, np.uint8),
        np.arange(len(ends)),
        nothing,
        nothing,
        np.ones(len(ends), np.uint8),
        _core.TablePool(tables, offsets_of(table_sizes)),
        name,
    )
