"""Where the relaxation is the limit: cycles of a field's edges join a running solve."""

from __future__ import annotations

from .tightening import Tightening

__all__ = ["Tightening"]
