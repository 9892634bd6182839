"""Models: what is to be minimised, as plain data. Nothing here knows a solver or a file."""

from __future__ import annotations

from .costs import Potts, SharedTables, TruncatedLinear, TruncatedQuadratic
from .mrf import MRF
from .oracle import Decomposition, Oracle

__all__ = ["MRF", "Decomposition", "Oracle", "Potts", "SharedTables", "TruncatedLinear", "TruncatedQuadratic"]
