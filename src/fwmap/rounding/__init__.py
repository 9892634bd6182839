"""From a dual point to labelings."""

from __future__ import annotations

from ..decompose import FieldDecomposition, OwnDecomposition
from ..models import MRF, GraphMatching, Model
from .field import FieldRounding
from .incumbent import Incumbent
from .matching import MatchingRounding
from .own import OwnRounding
from .product import ProductRounding

__all__ = ["FieldRounding", "Incumbent", "MatchingRounding", "OwnRounding", "ProductRounding", "rounding_of"]


def rounding_of(
    model: Model, decomposition: FieldDecomposition | OwnDecomposition, seed: int = 0
) -> FieldRounding | MatchingRounding | OwnRounding | ProductRounding | None:
    """Whoever finds labelings for this kind of model; None where nobody does."""
    if isinstance(decomposition, OwnDecomposition):
        return OwnRounding(decomposition)
    if isinstance(model, GraphMatching) and model.product is not None:
        return ProductRounding(model, decomposition.n_forests, seed)
    if isinstance(model, GraphMatching):
        forests = decomposition.nodes[: decomposition.n_forests]
        return MatchingRounding(model, decomposition.n_forests, forests, seed)
    return FieldRounding(model, decomposition, seed) if isinstance(model, MRF) else None
