"""One run of a benchmark, in a process of its own: its CPU time and memory are then nobody else's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import FwmapError
from .instances import Instance
from .methods import Method

#: Libraries that NumPy may use get one thread.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@dataclass(frozen=True)
class Job:
    """What to run.

    Attributes
    ----------
    instance, method
        The problem, and how it is solved.
    cpu_limit
        CPU seconds after which the run ends, at the next evaluated point.
    calibration
        Those seconds are of a machine whose calibration kernel takes so long; None: of this machine.
    repetition
        Number of the repetition, from 0; it is the seed.
    settings
        Settings of every run of the benchmark; those of the method come on top.
    """

    instance: Instance
    method: Method
    cpu_limit: float
    repetition: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    calibration: float | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What tells runs apart: two jobs with equal keys are the same run."""
        return job_key(self.as_record())

    def as_record(self) -> dict[str, Any]:
        """The part of the job's record that is known before it runs."""
        return {
            "instance": self.instance.name,
            "dataset": self.instance.dataset,
            "kind": self.instance.kind,
            "method": str(self.method),
            "repetition": self.repetition,
            "cpu_limit": float(self.cpu_limit),
            "calibration": self.calibration,
            "given": dict(self.settings),
        }


def job_key(record: Mapping[str, Any]) -> tuple[object, ...]:
    """What tells runs apart."""
    given = json.dumps(record["given"], sort_keys=True)
    names = ("instance", "method", "repetition", "cpu_limit", "calibration")
    return (*(record[name] for name in names), given)


def run_job(job: Job) -> dict[str, Any]:
    """Run a job in a process of its own and return its record.

    Raises
    ------
    FwmapError
        When the process fails: its last words are the message.
    """
    order = {"instance": job.instance.as_dict(), "record": job.as_record()}
    environment = os.environ | dict.fromkeys(ONE_THREAD, "1")
    command = [sys.executable, "-m", "fwmap.bench.worker"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    )
    try:
        answer, words = process.communicate(json.dumps(order))
    finally:
        process.kill()  # nothing is left running when this one is interrupted
        process.wait()
    if process.returncode != 0:
        last = words.strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        raise FwmapError(f"{job.method} on {job.instance.name} failed: {last[0]}")
    record: dict[str, Any] = json.loads(answer)
    return record
