"""What methods have in common: their compiled part counts, and most of them remember no planes."""

from __future__ import annotations

from typing import Any

from ..planes import Planes
from .start import Start


class Counting:
    """A method whose compiled part counts iterations, calls of oracles and work."""

    core: Any

    def count_work(self, operations: float) -> None:
        """Count what others did for this solver."""
        self.core.count_from(self.core.iteration, self.core.oracle_calls, self.core.work + operations)


class WithoutPlanes(Counting):
    """A method that leaves multipliers to those who go on from it, and no planes of single terms."""

    n_terms: int

    def planes(self) -> Planes:
        """None are remembered."""
        return Planes.none(self.n_terms)


def count_on(core: Any, start: Start | None) -> None:
    """Let the counts go on where those of an earlier stage of the same solve ended."""
    if start is not None and start.counts is not None:
        core.count_from(start.counts.iteration, start.counts.oracle_calls, start.counts.work)
