"""Recorded traces: what was known at a time, for one run and averaged over the instances of a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..models.arrays import Floats
from .records import Run


def column(run: Run, name: str) -> Floats:
    """Return a column of a trace, NaN where nothing was known; times are scaled by the run's `speed`.

    Examples
    --------
    >>> run = {"trace": {"cpu_seconds": [3.0, 4.0], "lower_bound": [None, 2.0]}, "speed": 2.0}
    >>> column(run, "lower_bound").tolist(), column(run, "cpu_seconds").tolist()
    ([nan, 2.0], [1.5, 2.0])
    """
    values = run["trace"].get(name, [])
    numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return numbers / run["speed"] if name in ("seconds", "cpu_seconds") else numbers


def known_at(run: Run, name: str, times: Floats) -> Floats:
    """Return what a column said last at each of the times, NaN before its first row.

    Examples
    --------
    >>> run = {"trace": {"cpu_seconds": [1.0, 2.0], "lower_bound": [5.0, 7.0]}, "speed": 1.0}
    >>> known_at(run, "lower_bound", np.array([0.5, 1.5, 9.0])).tolist()
    [nan, 5.0, 7.0]
    """
    seconds, values = column(run, "cpu_seconds"), column(run, name)
    position = np.searchsorted(seconds, times, side="right")
    return np.where(position > 0, np.append(values, np.nan)[position - 1], np.nan)


def average(runs: Sequence[Run], name: str, times: Floats) -> Floats:
    """Return the mean over runs of what was known at each time; NaN until all of them know something."""
    return np.asarray(np.mean([known_at(run, name, times) for run in runs], axis=0), dtype=np.float64)


def common_times(runs: Iterable[Run], most: int = 200) -> Floats:
    """Return times from the first row of any run to the largest limit, evenly spaced in their logarithm."""
    seconds = [column(run, "cpu_seconds") for run in runs]
    first = min((float(each[0]) for each in seconds if len(each)), default=0.01)
    last = max((float(each[-1]) for each in seconds if len(each)), default=1.0)
    return np.asarray(np.geomspace(max(first, 1e-4), max(last, 2e-4), most))


def grouped(runs: Iterable[Run], key: str) -> dict[str, list[Run]]:
    """Return the runs by an entry of theirs, in the order in which its values occur."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run[key], []).append(run)
    return groups


def applies(run: Run) -> bool:
    """Whether the method applies to the instance."""
    return bool(run["status"] != "not_applicable")


def thinned(run: Run, most: int = 100, names: Sequence[str] = ()) -> dict[str, list[Any]]:
    """Return a trace with at most about `most` rows and only some columns, for keeping.

    Rows are evenly spaced in the logarithm of time; the first and the last one stay.
    """
    trace: Mapping[str, list[Any]] = run["trace"]
    seconds = column(run, "cpu_seconds")
    if len(seconds) > most:
        grid = np.geomspace(max(seconds[0], 1e-6), seconds[-1], most)
        rows = np.unique(np.minimum(np.searchsorted(seconds, grid * (1 - 1e-12)), len(seconds) - 1))
    else:
        rows = np.arange(len(seconds))
    return {
        name: [None if values[row] is None else float(f"{values[row]:.10g}") for row in rows]
        for name, values in trace.items()
        if not names or name in names
    }
