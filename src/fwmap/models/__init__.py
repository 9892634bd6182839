"""Models: what is to be minimised, as plain data. Nothing here knows a solver or a file."""

from __future__ import annotations

from .costs import Potts, SharedTables, TruncatedLinear, TruncatedQuadratic
from .matching import GraphMatching
from .model import Model
from .mrf import MRF
from .oracle import Decomposition, Oracle
from .projections import Projection
from .tomography import Tomography

__all__ = [
    "MRF",
    "Decomposition",
    "GraphMatching",
    "Model",
    "Oracle",
    "Potts",
    "Projection",
    "SharedTables",
    "Tomography",
    "TruncatedLinear",
    "TruncatedQuadratic",
]
