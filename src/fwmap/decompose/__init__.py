"""Models as sums of terms that share coordinates, each term with an exact minimiser."""

from __future__ import annotations

from ..models import MRF, Model, Tomography
from .forests import FieldDecomposition, decompose_into_forests
from .own import OwnDecomposition, decompose_own
from .tomography import decompose_tomography

__all__ = ["FieldDecomposition", "OwnDecomposition", "decompose"]


def decompose(model: Model) -> FieldDecomposition | OwnDecomposition:
    """The terms of a model, by its kind."""
    if isinstance(model, MRF):
        return decompose_into_forests(model)
    if isinstance(model, Tomography):
        return decompose_tomography(model)
    return decompose_own(model)
