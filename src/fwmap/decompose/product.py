"""Quadratic assignment as terms whose minima are computed from the two matrices, without tables of pairs."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..memory import refuse_beyond_memory
from ..models import GraphMatching
from ..models.edge_costs import EdgeCosts
from ..models.matching_right import Sides, forest_slots, star_slots
from .field import Cover, FieldDecomposition, NodeTerm
from .forests import decompose_covered, decompose_into_forests
from .matching import assignment_term, decompose_matching
from .merge import Edges
from .parts import forest_parts

#: What a method takes for each shared slot: multipliers, centre, y, momentum, and their copies in Python.
BYTES_PER_SLOT = 130.0


def decompose_product(model: GraphMatching, name: Sides) -> FieldDecomposition:
    """The terms of a quadratic assignment; refused where memory lacks for them.

    "forests" of the left points' field, with the assignment term. "stars": a point and those it pays for, no
    place taken twice, with the assignment term. "two-sided": as if the costs of all pairs were given singly.
    """
    assert model.product is not None
    if name == "two-sided":
        return decompose_matching(model.with_pairs(), name)
    slots = star_slots(model) if name == "stars" else forest_slots(model)
    refuse_beyond_memory(BYTES_PER_SLOT * slots, f"the terms ({name}) of {model}")
    if name == "forests":
        return decompose_into_forests(model.field, [assignment_term(model)])
    nothing = EdgeCosts.none()
    edges = Edges(
        np.zeros((0, 2), np.int64),
        nothing.kind,
        nothing.table,
        nothing.weight,
        nothing.truncation,
        nothing.table_values,
        nothing.table_offsets,
        np.zeros(0, np.int64),
    )
    tables = _core.TablePool(edges.table_values, edges.table_offsets)
    cover = Cover(model.field, edges, forest_parts(model.n_left, edges.ends), tables)
    return decompose_covered(cover, (assignment_term(model), *star_terms(model)))


def star_terms(model: GraphMatching) -> list[NodeTerm]:
    """One term for each left point that pays for others, by its place and theirs."""
    assert model.product is not None
    may_have_none = bool(np.isfinite(model.unassigned_costs).any())
    stars = model.product.stars()
    most = max((len(others) for _, others in stars), default=0) if may_have_none else 0
    right = np.ascontiguousarray(model.product.right).ravel()
    table = _core.StarTable(right, model.n_right, most)
    return [
        NodeTerm(
            np.concatenate([[centre], others]),
            partial(
                add_star,
                weights=np.ascontiguousarray(model.product.left[centre, others]),
                may_have_none=may_have_none,
                table=table,
                name=f"star {centre}",
            ),
            kind="star",
            rigid=True,
        )
        for centre, others in stars
    ]


def add_star(
    core: _core.Decomposition,
    variables: NDArray[np.int64],
    _: NDArray[np.int32],
    unaries: NDArray[np.float64],
    *,
    weights: NDArray[np.float64],
    may_have_none: bool,
    table: _core.StarTable,
    name: str,
) -> None:
    """Add a star."""
    core.add_star(variables, unaries, weights, may_have_none, table, name)
