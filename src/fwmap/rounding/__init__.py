"""From a dual point to labelings."""

from __future__ import annotations

from .field import FieldRounding
from .incumbent import Incumbent
from .own import OwnRounding

__all__ = ["FieldRounding", "Incumbent", "OwnRounding"]
