"""Bounds against time: our own, and those that other programs are recorded to have reached."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fwmap.bench.traces import column

TOLERANCE = 1e-6  # relative


def size(value: float) -> float:
    """What relative means: divided by max(1, |value|)."""
    return max(1.0, abs(value))


@dataclass(frozen=True)
class Curve:
    """Best bound at increasing times, in CPU seconds of the reference machine."""

    times: Sequence[float]
    bounds: Sequence[float]

    @staticmethod
    def recorded(entry: Mapping[str, float]) -> Curve:
        """The curve of another program: bounds by time; `c` is its parameter and no time."""
        points = sorted((float(time), bound) for time, bound in entry.items() if time != "c")
        return Curve([time for time, _ in points], [bound for _, bound in points])

    @staticmethod
    def of_run(run: Mapping[str, Any]) -> Curve:
        """The curve of a run of `fwmap bench`, its times scaled by the calibration kernel."""
        times, bounds = column(run, "cpu_seconds"), column(run, "lower_bound")
        known = ~np.isnan(bounds)
        return Curve(times[known].tolist(), bounds[known].tolist())

    def at(self, time: float) -> float | None:
        """The bound known at a time; the last one stays known."""
        position = bisect.bisect_right(self.times, time)
        return self.bounds[position - 1] if position else None

    def first_reaching(self, level: float) -> int | None:
        """Number of the first point whose bound is at least `level`."""
        return next((i for i, bound in enumerate(self.bounds) if bound >= level), None)

    def thinned(self, most: int = 80) -> Curve:
        """At most so many points, evenly spaced in the logarithm of time; each bound holds at its time."""
        if len(self.times) <= most:
            return self
        first, last = self.times[0], self.times[-1]
        grid = [first * (last / first) ** (k / (most - 1)) for k in range(most)]
        kept = sorted({bisect.bisect_left(self.times, time * (1 - 1e-12)) for time in grid})
        kept = [i for i in kept if i < len(self.times)]
        return Curve([self.times[i] for i in kept], [self.bounds[i] for i in kept])
