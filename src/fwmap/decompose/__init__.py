"""Models as sums of terms that share coordinates, each term with an exact minimiser."""

from __future__ import annotations

from ..models import MRF, GraphMatching, Model, Tomography
from .cycles import cycle_term
from .field import FieldDecomposition
from .forests import decompose_into_forests, with_terms
from .matching import decompose_matching
from .own import OwnDecomposition, decompose_own
from .tomography import decompose_tomography

__all__ = ["FieldDecomposition", "OwnDecomposition", "cycle_term", "decompose", "with_terms"]


def decompose(model: Model) -> FieldDecomposition | OwnDecomposition:
    """The terms of a model, by its kind."""
    if isinstance(model, MRF):
        return decompose_into_forests(model)
    if isinstance(model, Tomography):
        return decompose_tomography(model)
    if isinstance(model, GraphMatching):
        return decompose_matching(model)
    return decompose_own(model)
