"""Models as sums of terms that share coordinates, each term with an exact minimiser."""

from __future__ import annotations

from ..models import MRF, GraphMatching, Model, Tomography
from ..models.matching_right import chosen_decomposition
from ..settings import Decomposed
from .cycles import cycle_term, cycle_terms, cycles_of
from .field import FieldDecomposition
from .forests import decompose_into_forests, with_terms
from .matching import decompose_matching
from .own import OwnDecomposition, decompose_own
from .product import decompose_product
from .tomography import decompose_tomography

__all__ = [
    "FieldDecomposition",
    "OwnDecomposition",
    "cycle_term",
    "cycle_terms",
    "cycles_of",
    "decompose",
    "with_terms",
]


def decompose(model: Model, name: Decomposed = "auto") -> FieldDecomposition | OwnDecomposition:
    """The terms of a model, by its kind and, where there is a choice, by the name of the decomposition."""
    if isinstance(model, MRF):
        return decompose_into_forests(model)
    if isinstance(model, Tomography):
        return decompose_tomography(model, name)
    if isinstance(model, GraphMatching):
        sides = chosen_decomposition(model, name)
        return decompose_matching(model, sides) if model.product is None else decompose_product(model, sides)
    return decompose_own(model)
