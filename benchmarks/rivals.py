"""Our own rivals beside the programs they stand for, on reference instances, in CPU seconds.

    python benchmarks/rivals.py FOLDER [--seconds 3] [--solvers NAME ...] [--only NAME ...]

FOLDER is that of `reference_bounds.py`, and seconds are scaled as there. Printed is how far below the best
bound known, relative to it, each solver is after a time, and behind a slash the program recorded for it.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import fwmap
from fwmap import formats
from fwmap.bench.machine import calibration_seconds

RECORDED = {"message-passing": "trws", "subgradient": "subgradient", "bundle": "conicbundle"}


def trace_of(folder: Path, instance: dict[str, Any], solver: str, seconds: float) -> list[fwmap.TraceRow]:
    """The points of a run within the relaxation that the recorded programs had, too."""
    model = formats.read(folder / instance["file"], costs=instance["values"] == "costs").model
    rows: list[fwmap.TraceRow] = []

    def watch(row: fwmap.TraceRow) -> bool:
        rows.append(row)
        return row.cpu_seconds > seconds

    settings: dict[str, Any] = {"gap": 0.0, "tighten": False, "primal": False}
    if instance["class"] == "matching":
        settings |= {"decomposition": "forests", "matching": "partial"}
    fwmap.solve(model, solver=solver, callback=watch, time_limit=10 * seconds, threads=1, **settings)
    return rows


def main() -> None:
    """Run, and print a line each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--solvers", nargs="*", default=list(RECORDED), choices=list(RECORDED))
    parser.add_argument("--only", nargs="*", default=None)
    arguments = parser.parse_args()
    reference = json.loads((arguments.folder / "reference.json").read_text())
    for instance in reference["instances"]:
        if arguments.only and instance["name"] not in arguments.only:
            continue
        for solver in arguments.solvers:
            curve = instance["curves"].get(RECORDED[solver])
            if not curve or (solver == "message-passing" and instance["class"] == "tomography"):
                continue
            ratio = calibration_seconds() / reference["calibration_seconds"]
            rows = trace_of(arguments.folder, instance, solver, arguments.seconds * ratio)
            best = instance["best_bound"]
            words = []
            for time in sorted((t for t in curve if t != "c"), key=float):
                if float(time) <= arguments.seconds:
                    known = [row.lower_bound for row in rows if row.cpu_seconds <= float(time) * ratio]
                    pair = max(known, default=-math.inf), curve[time]
                    below = ((best - bound) / max(1.0, abs(best)) for bound in pair)
                    words.append(f"{time} s: " + " / ".join(f"{distance:.0e}" for distance in below))
            print(f"{instance['name']:36s} {solver:16s}", "   ".join(words), flush=True)


if __name__ == "__main__":
    main()
