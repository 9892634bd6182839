"""Bounds and energies on QAPLIB's instances, beside the bound of Gilmore and Lawler and the best known.

    python benchmarks/quadratic_assignment.py FOLDER [--seconds 20] [--only NAME ...] [--output FILE.json]
    python benchmarks/quadratic_assignment.py --table FILE.json

FOLDER has a folder `qaplib` with `.dat` and `.sln` files. Each is solved with default settings, and where
these go over to both sides as stars alone, too, for the given CPU seconds of this machine. What is written
holds bounds, energies and times, no costs and no permutations. The second form prints the table of
docs/matching.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import fwmap
from fwmap import formats
from fwmap.formats.qaplib import energies_of

#: Lower bounds as published: by Gilmore and Lawler, and the best (the optimum of those that are solved).
PUBLISHED: dict[str, tuple[float | None, float | None]] = {
    "had12": (1536, 1652),
    "nug12": (493, 578),
    "nug20": (2057, 2570),
    "nug30": (4539, 6124),
    "esc16a": (38, 68),
    "chr12a": (7245, 9552),
    "tai12a": (195918, 224416),
    "tai30a": (None, 1706855),
}


def gilmore_lawler(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> float:
    """The bound by its definition: least products of rows without their diagonal, then one assignment."""
    from scipy.optimize import linear_sum_assignment

    n = len(left)
    rows = np.sort([np.delete(left[i], i) for i in range(n)], axis=1)
    columns = np.sort([np.delete(right[k], k) for k in range(n)], axis=1)[:, ::-1]
    costs = rows @ columns.T + np.outer(np.diag(left), np.diag(right))
    return float(costs[linear_sum_assignment(costs)].sum())


def run(model: fwmap.GraphMatching, decomposition: str, seconds: float) -> dict[str, Any]:
    """One solve."""
    rows: list[fwmap.TraceRow] = []

    def watch(row: fwmap.TraceRow) -> bool:
        rows.append(row)
        return row.cpu_seconds > seconds

    result = fwmap.solve(model, callback=watch, gap=0.0, decomposition=decomposition, threads=1)
    best = [row.cpu_seconds for row in rows if row.energy == result.energy]
    return {
        "decomposition": result.settings.decomposition,
        "status": result.status,
        "bound": result.bound,
        "energy": result.energy,
        "seconds_to_energy": best[0] if best else None,
        "cpu_seconds": result.cpu_seconds,
        "iterations": result.iterations,
        "peak_memory_bytes": result.peak_memory_bytes,
    }


def measure(path: Path, seconds: float) -> dict[str, Any]:
    """One instance."""
    model = formats.read(path).model
    assert isinstance(model, fwmap.GraphMatching)
    assert model.product is not None
    solution = formats.read_solution(path.with_suffix(".sln"))
    if solution.value not in energies_of(model, solution):
        raise SystemExit(f"{path}: the solution does not cost what it says: {energies_of(model, solution)}")
    runs = [run(model, "auto", seconds)]
    if runs[0]["decomposition"] != "stars":
        runs.append(run(model, "stars", seconds))
    return {
        "name": path.stem,
        "points": model.n_left,
        "solution": solution.value,
        "gilmore_lawler": gilmore_lawler(model.product.left, model.product.right),
        "runs": runs,
    }


def table(record: dict[str, Any]) -> str:
    """The table of a record."""
    lines = [
        "| instance | energy | above `.sln` | after s | Gilmore-Lawler, computed | published "
        "| stars alone | default | best published |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for instance in record["instances"]:
        first, stars = instance["runs"][0], instance["runs"][-1]
        known, best = PUBLISHED.get(instance["name"], (None, None))
        excess = first["energy"] / instance["solution"] - 1
        cells = [
            instance["name"],
            f"{first['energy']:.10g}",
            f"{100 * excess:.2f} %",
            f"{first['seconds_to_energy']:.2f}",
            f"{instance['gilmore_lawler']:.10g}",
            "–" if known is None else f"{known:.10g}",
            *(
                f"{r['bound']:.8g}" + (" (optimal)" if r["status"] == "optimal" else "")
                for r in (stars, first)
            ),
            "–" if best is None else f"{best:.10g}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def bound_of(own: dict[str, Any]) -> str:
    """A run's bound as the table shows it."""
    return f"{own['bound']:.8g}" + (" (optimal)" if own["status"] == "optimal" else "")


def main() -> None:
    """Run, show one line each, write the file; or print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/quadratic_assignment.json"))
    parser.add_argument("--table", type=Path, default=None)
    arguments = parser.parse_args()
    if arguments.table is not None:
        print(table(json.loads(arguments.table.read_text())))
        return
    if arguments.folder is None:
        parser.error("the folder is missing")
    instances = []
    for path in sorted((arguments.folder / "qaplib").glob("*.dat")):
        if arguments.only and path.stem not in arguments.only:
            continue
        instances.append(measure(path, arguments.seconds))
        for own in instances[-1]["runs"]:
            line = f"{path.stem:10s} {own['decomposition']:10s} {own['bound']:14.3f} <= {own['energy']:.10g}"
            print(line, file=sys.stderr, flush=True)
    if arguments.only and arguments.output.exists():  # the others stay as they were recorded
        measured = {instance["name"] for instance in instances}
        before = json.loads(arguments.output.read_text())["instances"]
        instances += [instance for instance in before if instance["name"] not in measured]
        instances.sort(key=lambda instance: instance["name"])
    record = {"version": fwmap.__version__, "seconds": arguments.seconds, "instances": instances}
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(record, indent=1) + "\n")
    print(table(record))


if __name__ == "__main__":
    main()
