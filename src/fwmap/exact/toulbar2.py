"""toulbar2, which is optional: `pip install 'fwmap[exact]'`. It runs in a process of its own."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import io
import subprocess
import sys
from pathlib import Path

import numpy as np

from ..errors import FwmapError
from ..models.arrays import offsets_of
from .answer import Answer
from .remainder import Remainder

WORKER = Path(__file__).with_name("toulbar2_worker.py")


def is_installed() -> bool:
    """Whether pytoulbar2 is there."""
    return importlib.util.find_spec("pytoulbar2") is not None


def name_and_version() -> str:
    """What the results call it."""
    return f"toulbar2 (pytoulbar2 {importlib.metadata.version('pytoulbar2')})"


def solve_by_toulbar2(
    remainder: Remainder, below: int, backtracks: int | None, seconds: float
) -> Answer | None:
    """Find the labeling with the least sum of integers below a number, or prove that there is none.

    Parameters
    ----------
    remainder
        The problem.
    below
        Labelings with this or more are not looked for.
    backtracks
        The search ends after so many; None: no limit.
    seconds
        Of wall clock. It is killed then, and None is returned: it was cut, and says nothing.

    Raises
    ------
    FwmapError
        Where toulbar2 fails.
    """
    n_sums = len(remainder.sums)
    content = io.BytesIO()
    np.savez(
        content,
        n_labels=remainder.n_labels,
        scopes=np.concatenate([np.zeros(0, np.int64), *remainder.scopes]),
        scope_offsets=offsets_of(np.array([len(scope) for scope in remainder.scopes], np.int64)),
        tables=np.concatenate([np.zeros(0, np.int64), *remainder.tables]),
        table_offsets=offsets_of(np.array([len(table) for table in remainder.tables], np.int64)),
        sum_scopes=np.concatenate([np.zeros(0, np.int64), *(scope for scope, _ in remainder.sums)]),
        sum_offsets=offsets_of(np.array([len(scope) for scope, _ in remainder.sums], np.int64)),
        sums=np.array([number for _, number in remainder.sums], np.int64).reshape(n_sums),
        below=below,
        backtracks=-1 if backtracks is None else backtracks,
    )
    with subprocess.Popen(
        [sys.executable, "-P", str(WORKER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            out, errors = process.communicate(content.getvalue(), None if seconds == np.inf else seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            process.kill()  # it is over, or cut, or the user has lost patience
    words = out.decode(errors="replace").rpartition("ANSWER ")[2].split()
    if process.returncode != 0 or not words:
        raise FwmapError(f"toulbar2 failed: {errors.decode(errors='replace').strip()[-500:]}")
    complete, bound, labels = words[0] == "1", words[1], words[2:]
    found = np.array([int(label) for label in labels], np.int64) if labels else None
    return Answer(found, float(bound) if complete else None, name_and_version())
