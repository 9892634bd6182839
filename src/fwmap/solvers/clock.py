"""Time since the start of a solve. Only limits read it: no method steers by it."""

from __future__ import annotations

import math
import time

from .. import _core


class Clock:
    """Wall and CPU time from the moment it is made, and what is left of a limit.

    >>> Clock(None).seconds_left()
    inf
    """

    def __init__(self, time_limit: float | None) -> None:
        self.limit = math.inf if time_limit is None else float(time_limit)
        self.wall_start, self.cpu_start = time.perf_counter(), time.process_time()

    def seconds(self) -> float:
        """Seconds of wall clock."""
        return time.perf_counter() - self.wall_start

    def cpu_seconds(self) -> float:
        """Seconds of CPU time of the whole process."""
        return time.process_time() - self.cpu_start

    def seconds_left(self) -> float:
        """What is left of the limit, 0 when it has passed."""
        return max(0.0, self.limit - self.seconds())

    def is_over(self) -> bool:
        """True when the limit has passed."""
        return self.seconds() >= self.limit

    def check(self) -> None:
        """Raise OutOfTime when the limit has passed: for what is worth nothing half done."""
        if self.is_over():
            raise _core.OutOfTime

    def watched(self) -> _core.Deadline:
        """A context within which long steps of the core raise OutOfTime when the limit has passed."""
        return _core.Deadline(self.seconds_left())
