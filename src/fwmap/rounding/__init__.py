"""From a dual point to labelings."""

from __future__ import annotations

from ..decompose import FieldDecomposition, OwnDecomposition
from .field import FieldRounding
from .incumbent import Incumbent
from .own import OwnRounding

__all__ = ["FieldRounding", "Incumbent", "OwnRounding", "rounding_of"]


def rounding_of(decomposition: FieldDecomposition | OwnDecomposition) -> FieldRounding | OwnRounding:
    """Whoever finds labelings for this kind of decomposition."""
    if isinstance(decomposition, FieldDecomposition):
        return FieldRounding(decomposition.model, decomposition)
    return OwnRounding(decomposition)
