"""A solve as a sequence of stages, each with a decomposition of its own, begun where the one before ended."""

from __future__ import annotations

from .both_sides import BothSides, first_sides
from .carry import carried
from .local_matchings import LocalMatchings, with_local_matchings
from .persistency import Persistency
from .stage import Following, Improvement, Moment, Proved, Stage

__all__ = [
    "BothSides",
    "Following",
    "Improvement",
    "LocalMatchings",
    "Moment",
    "Persistency",
    "Proved",
    "Stage",
    "carried",
    "first_sides",
    "with_local_matchings",
]
