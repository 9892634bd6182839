"""A matching model as the forests of its left points' field, and a term that no right point occurs twice."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import GraphMatching
from .field import FieldDecomposition, NodeTerm
from .forests import decompose_into_forests


def decompose_matching(model: GraphMatching) -> FieldDecomposition:
    """Forests, then the assignment term."""
    return decompose_into_forests(model.field, [assignment_term(model)])


def assignment_term(model: GraphMatching) -> NodeTerm:
    """The term over the labels of all left points."""
    partners = model.left.partner.astype(np.int32)
    return NodeTerm(
        np.arange(model.n_left), partial(add_assignment, partners=partners, n_partners=model.n_right)
    )


def add_assignment(
    core: _core.Decomposition,
    variables: NDArray[np.int64],
    n_labels: NDArray[np.int32],
    unaries: NDArray[np.float64],
    *,
    partners: NDArray[np.int32],
    n_partners: int,
) -> None:
    """Add the assignment term."""
    core.add_assignment(variables, n_labels, unaries, partners, n_partners, "assignment")
