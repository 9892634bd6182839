"""Models: what is to be minimised, as plain data. Nothing here knows a solver or a file."""

from __future__ import annotations

from .costs import Potts, SharedTables, TruncatedLinear, TruncatedQuadratic
from .mrf import MRF

__all__ = ["MRF", "Potts", "SharedTables", "TruncatedLinear", "TruncatedQuadratic"]
