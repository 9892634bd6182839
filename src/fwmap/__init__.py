"""fwmap: low-energy labelings of structured discrete energies, and a proof of how good they are.

>>> import fwmap
>>> model = fwmap.MRF([[0.0, 1.0], [2.0, 0.0]], edges=[(0, 1)], pairwise=fwmap.Potts(0.5))
>>> fwmap.solve(model).energy
0.5
"""

from __future__ import annotations

from .certificate import Certificate, Verdict
from .errors import FormatError, FwmapError, InvalidModel, InvalidSetting, OracleError, TooLarge
from .models import (
    MRF,
    Decomposition,
    GraphMatching,
    Oracle,
    Potts,
    Projection,
    SharedTables,
    Tomography,
    TruncatedLinear,
    TruncatedQuadratic,
)
from .result import Result, TraceRow
from .settings import Settings
from .solve import solve
from .version import __version__

__all__ = [
    "MRF",
    "Certificate",
    "Decomposition",
    "FormatError",
    "FwmapError",
    "GraphMatching",
    "InvalidModel",
    "InvalidSetting",
    "Oracle",
    "OracleError",
    "Potts",
    "Projection",
    "Result",
    "Settings",
    "SharedTables",
    "Tomography",
    "TooLarge",
    "TraceRow",
    "TruncatedLinear",
    "TruncatedQuadratic",
    "Verdict",
    "__version__",
    "solve",
]
