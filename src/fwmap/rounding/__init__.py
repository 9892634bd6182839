"""From a dual point to labelings."""

from __future__ import annotations

from ..decompose import FieldDecomposition, OwnDecomposition
from ..models import MRF, Model
from .field import FieldRounding
from .incumbent import Incumbent
from .own import OwnRounding

__all__ = ["FieldRounding", "Incumbent", "OwnRounding", "rounding_of"]


def rounding_of(
    model: Model, decomposition: FieldDecomposition | OwnDecomposition, seed: int = 0
) -> FieldRounding | OwnRounding | None:
    """Whoever finds labelings for this kind of model; None where nobody does."""
    if isinstance(decomposition, OwnDecomposition):
        return OwnRounding(decomposition)
    return FieldRounding(model, decomposition, seed) if isinstance(model, MRF) else None
