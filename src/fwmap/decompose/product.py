"""Quadratic assignment as terms: forests whose messages are computed from the two matrices."""

from __future__ import annotations

from typing import Literal

from ..memory import refuse_beyond_memory
from ..models import GraphMatching
from .field import FieldDecomposition
from .forests import decompose_into_forests
from .matching import assignment_term, decompose_matching

#: What a method takes for each shared slot: multipliers, centre, y, momentum, and their copies in Python.
BYTES_PER_SLOT = 130.0


def decompose_product(model: GraphMatching, sides: Literal["forests", "two-sided"]) -> FieldDecomposition:
    """Forests of the left points' field, then the assignment term; refused where memory lacks for it.

    Two-sided: as if the costs of all pairs were given one by one.
    """
    assert model.product is not None
    if sides == "two-sided":
        return decompose_matching(model.with_pairs(), sides)
    n_edges = len(model.product.edges())
    forests = n_edges / max(1, model.n_left - 1)
    slots = (forests + 1) * model.n_left * (model.n_right + 1)
    refuse_beyond_memory(BYTES_PER_SLOT * slots, f"a bound by {forests + 1:.0f} terms of {model}")
    return decompose_into_forests(model.field, [assignment_term(model)])
