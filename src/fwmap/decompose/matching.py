"""A matching model as terms: forests of its points' fields, and one term that no right point occurs twice."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import MRF, GraphMatching
from ..models.matching_right import RightSide
from .field import Cover, FieldDecomposition, NodeTerm, concatenated_ranges
from .forests import decompose_into_forests, with_terms
from .parts import forest_parts

Ints = NDArray[np.int64]


def decompose_matching(model: GraphMatching, sides: Literal["forests", "two-sided"]) -> FieldDecomposition:
    """Forests of the left points and the assignment term; two-sided: forests of the right points as well."""
    left = decompose_into_forests(model.field, [assignment_term(model)])
    return with_terms(left, right_terms(model, left.cover)) if sides == "two-sided" else left


def assignment_term(model: GraphMatching) -> NodeTerm:
    """The term over the labels of all left points."""
    partners = model.left.partner.astype(np.int32)
    add = partial(add_assignment, partners=partners, n_partners=model.n_right)
    return NodeTerm(np.arange(model.n_left), add, kind="assignment")


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
    tables = _core.TablePool(field.table_values, field.table_offsets)
    left_offsets = cover.edges.table_offsets
    terms = []
    for part in range(parts.n_parts):
        edges = np.flatnonzero(parts.part_of_edge == part)
        nodes = np.unique(field.edges[edges])
        labels = concatenated_ranges(field.label_offsets[nodes], field.n_labels[nodes])
        entries = right.entries[
            concatenated_ranges(field.table_offsets[edges], np.diff(field.table_offsets)[edges])
        ]
        known = entries[entries >= 0]
        left_edges = np.unique(np.searchsorted(left_offsets, known, side="right") - 1)
        behind_labels = np.where(entries >= 0, cover.field.label_offsets[-1] + entries, -1)
        terms.append(
            NodeTerm(
                np.zeros(0, np.int64),
                partial(
                    add_right_forest,
                    field=field,
                    tables=tables,
                    nodes=nodes,
                    edges=edges,
                    name=f"right {part}",
                ),
                left_edges,
                shares=False,
                variables=np.concatenate([right.labels[labels], behind_labels]),
                kind="right forest",
                listed=(nodes, edges),
            )
        )
    return terms


def add_right_forest(
    core: _core.Decomposition,
    variables: Ints,
    _: NDArray[np.int32],
    __: NDArray[np.float64],
    *,
    field: MRF,
    tables: _core.TablePool,
    nodes: Ints,
    edges: Ints,
    name: str,
) -> None:
    """Add the forest of some right points and edges; all entries of its tables are coordinates."""
    ends = np.searchsorted(nodes, field.edges[edges]).astype(np.int32)
    nothing = np.zeros(len(edges))
    core.add_forest(
        variables,
        field.n_labels[nodes].astype(np.int32),
        field.unaries[concatenated_ranges(field.label_offsets[nodes], field.n_labels[nodes])],
        np.ascontiguousarray(ends[:, 0]),
        np.ascontiguousarray(ends[:, 1]),
        field.edge_kind[edges],
        field.edge_table[edges],
        nothing,
        nothing,
        np.ones(len(edges), np.uint8),
        tables,
        name,
    )
