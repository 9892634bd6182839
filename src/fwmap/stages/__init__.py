"""A solve as a sequence of stages, each with a decomposition of its own, begun where the one before ended."""

from __future__ import annotations

from .carry import carried
from .persistency import Persistency
from .stage import Following, Improvement, Moment, Proved, Stage

__all__ = ["Following", "Improvement", "Moment", "Persistency", "Proved", "Stage", "carried"]
