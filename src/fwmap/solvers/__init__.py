"""Methods that raise the bound of a decomposition, each an iterator over evaluated points."""

from __future__ import annotations

from .clock import Clock
from .frank_wolfe import FrankWolfe
from .start import Counts, Start, start_of

__all__ = ["Clock", "Counts", "FrankWolfe", "Start", "start_of"]
