"""The other end of toulbar2.py: reads a problem from standard input, solves it, prints the answer.

Run as a script in a process of its own, since toulbar2 keeps its state in one place and cannot be stopped.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import io
import signal
import sys

import numpy as np

PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Nobody waits for an answer once the parent is gone, however it ended; Linux only."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))


def main() -> None:
    """Print ANSWER, whether the search was complete, the bound, and the labels found."""
    end_with_parent()
    with np.load(io.BytesIO(sys.stdin.buffer.read())) as archive:
        given = dict(archive)
    pytoulbar2 = importlib.import_module("pytoulbar2")
    below = int(given["below"])
    problem = pytoulbar2.CFN(verbose=-1)
    if int(given["backtracks"]) >= 0:
        problem.Option.backtrackLimit = int(given["backtracks"])
    for v, n in enumerate(given["n_labels"].tolist()):
        problem.AddVariable(f"x{v}", range(n))
    scopes = np.split(given["scopes"], given["scope_offsets"][1:-1])
    tables = np.split(given["tables"], given["table_offsets"][1:-1])
    labels, bound = None, below
    try:
        for scope, table in zip(scopes, tables, strict=True):
            if len(table):
                costs = np.where(table < 0, below, np.minimum(table, below))
                problem.AddFunction(scope.tolist(), costs.tolist())
        if len(given["sums"]):
            for scope, number in zip(
                np.split(given["sum_scopes"], given["sum_offsets"][1:-1]), given["sums"].tolist(), strict=True
            ):
                problem.AddSumConstraint(scope.tolist(), "==", number)
        problem.SetUB(below)
        found = problem.Solve()
        if found is not None:
            labels, bound = found[0], round(found[1])
        complete = not problem.Option.limited
    except problem.Contradiction:  # nothing below the cut-off is left
        complete = True
    words = [] if labels is None else [str(int(label)) for label in labels]
    print("ANSWER", int(complete), bound, *words, flush=True)


if __name__ == "__main__":
    main()
