"""From a dual point to labelings."""

from __future__ import annotations

from ..decompose import FieldDecomposition, OwnDecomposition
from ..models import MRF, GraphMatching, Model, Tomography
from .field import FieldRounding
from .incumbent import Incumbent
from .matching import MatchingRounding
from .own import OwnRounding
from .product import ProductRounding
from .tomography import TomographyRounding

__all__ = [
    "FieldRounding",
    "Incumbent",
    "MatchingRounding",
    "OwnRounding",
    "ProductRounding",
    "Rounding",
    "TomographyRounding",
    "rounding_of",
]

Rounding = FieldRounding | MatchingRounding | OwnRounding | ProductRounding | TomographyRounding


def rounding_of(
    model: Model, decomposition: FieldDecomposition | OwnDecomposition, seed: int = 0
) -> Rounding:
    """Whoever finds labelings for this kind of model."""
    if isinstance(decomposition, OwnDecomposition):
        return OwnRounding(decomposition)
    if isinstance(model, GraphMatching) and model.product is not None:
        return ProductRounding(model, decomposition.n_forests, seed)
    if isinstance(model, GraphMatching):
        forests = decomposition.nodes[: decomposition.n_forests]
        return MatchingRounding(model, decomposition.n_forests, forests, seed)
    if isinstance(model, Tomography):
        return TomographyRounding(model, seed)
    assert isinstance(model, MRF)
    return FieldRounding(model, decomposition, seed)
