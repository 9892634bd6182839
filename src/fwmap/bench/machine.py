"""The machine that runs were made on: what it is, and how fast, so that times can be compared."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np


def calibration_seconds(repetitions: int = 5) -> float:
    """CPU seconds of the calibration kernel, the best of several runs.

    The kernel is fixed, so that times of different machines can be scaled to each other: 200 min-plus
    products of one 400 x 400 table.

    Examples
    --------
    >>> calibration_seconds(repetitions=1) > 0
    True
    """
    best = np.inf
    for _ in range(repetitions):
        random = np.random.default_rng(0)
        table, v = random.random((400, 400)), random.random(400)
        start = time.process_time()
        for _ in range(200):
            v = (table + v).min(axis=1)
            v -= v.min()
        best = min(best, time.process_time() - start)
    return float(best)


def machine() -> dict[str, Any]:
    """Model of the processor and number of cores; nothing that says whose machine it is.

    Examples
    --------
    >>> sorted(machine())
    ['cores', 'processor', 'python', 'system']
    """
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
