"""Methods that raise the bound of a decomposition, each an iterator over evaluated points."""

from __future__ import annotations

from .clock import Clock
from .method import Method, is_opening, method_of
from .start import Counts, Start, start_of

__all__ = ["Clock", "Counts", "Method", "Start", "is_opening", "method_of", "start_of"]
