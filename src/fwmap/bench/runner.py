"""The loop over a suite: every instance by every method, unless that run is recorded already."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..errors import FwmapError
from .instances import Instance
from .jobs import Job, run_job
from .methods import Method
from .records import Run, RunFile


def jobs_of(
    instances: Iterable[Instance],
    methods: Iterable[Method],
    repetitions: int,
    cpu_limit: float,
    settings: dict[str, Any],
    calibration: float | None = None,
) -> list[Job]:
    """Return all runs of a benchmark, the first repetition of everything first."""
    instances, methods = list(instances), list(methods)
    return [
        Job(instance, method, cpu_limit, repetition, settings, calibration)
        for repetition in range(repetitions)
        for instance in instances
        for method in methods
    ]


def run_all(
    jobs: Iterable[Job],
    file: RunFile,
    finished: Callable[[Run], None],
) -> list[str]:
    """Run what is not recorded yet; return what went wrong, one message per run that failed.

    A run that failed is not recorded: it is tried again next time.
    """
    failures = []
    for job in jobs:
        if file.has(job):
            continue
        try:
            run = run_job(job)
        except FwmapError as error:
            failures.append(str(error))
            continue
        file.append(run)
        finished(run)
    return failures
