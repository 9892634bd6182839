"""What each decomposition of matchings proves on the reference instances, and the relaxations' optima.

    python benchmarks/matching.py FOLDER [--seconds 20] [--only NAME ...] [--lp] [--output FILE.json]
    python benchmarks/matching.py --table FILE.json

FOLDER is that of `reference_bounds.py`, and so are the seconds: CPU seconds of the machine that recorded
the reference values, on one thread. Every method runs with default settings but for the decomposition and
what may join it, and without exact solvers. With --lp HiGHS solves each relaxation instead; both go into one
file. What is written holds times, bounds and energies, no costs and no matchings.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import fwmap
from fwmap import formats
from fwmap.bench.machine import calibration_seconds
from fwmap.linear_program import linear_program
from fwmap.linear_program.by_highs import solve_by_highs

METHODS: dict[str, dict[str, Any]] = {
    "forests": {"decomposition": "forests", "tighten": False, "exact": False},
    "forests + local": {"decomposition": "forests", "exact": False},
    "two-sided": {"decomposition": "two-sided", "tighten": False, "exact": False},
}
RELAXATIONS = ("forests", "two-sided")


def run(model: fwmap.GraphMatching, settings: dict[str, Any], seconds: float, ratio: float) -> dict[str, Any]:
    """Solve one model; `ratio` is this machine's calibration time over the reference's."""
    rows: list[fwmap.TraceRow] = []

    def watch(row: fwmap.TraceRow) -> bool:
        rows.append(row)
        return row.cpu_seconds > seconds * ratio

    result = fwmap.solve(model, callback=watch, time_limit=20 * seconds, threads=1, **settings)
    found = [row.cpu_seconds for row in rows if row.energy == result.energy]
    return {
        "status": result.status,
        "bound": result.bound,
        "energy": result.energy,
        "cpu_seconds": result.cpu_seconds / ratio,
        "energy_seconds": (found[0] if found else result.cpu_seconds) / ratio,
        "iterations": result.iterations,
    }


def table(record: dict[str, Any]) -> str:
    """One line per instance in Markdown."""
    head = ["instance", "optimum", "other programs", *(f"LP, {name}" for name in record["relaxations"])]
    for name in record["methods"]:
        head += [name, "status, s"]
    lines = ["| " + " | ".join([*head, "energy, s"]) + " |", "|---|" + "---:|" * len(head)]
    for instance in record["instances"].values():
        optimum, digits = instance["optimum"], instance["optimum_digits"]
        cells = [instance["name"], "unknown" if optimum is None else f"{optimum:.{digits}f}"]
        cells += [f"{instance['best_bound']:.4f}"]
        for name in record["relaxations"]:
            value = instance["relaxations"].get(name)
            cells.append("–" if value is None else f"{value:.4f}")
        for name in record["methods"]:
            found = instance["runs"][name]
            cells += [f"{found['bound']:.4f}", f"{found['status']}, {found['cpu_seconds']:.2f}"]
        best = instance["runs"][record["methods"][-1]]
        cells.append(f"{best['energy']:.4f}, {best['energy_seconds']:.2f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def measure(instance: dict[str, Any], folder: Path, seconds: float, ratio: float) -> dict[str, Any]:
    """All methods on one instance."""
    model = formats.read(folder / instance["file"]).model
    runs = {}
    for name, settings in METHODS.items():
        runs[name] = run(model, settings, seconds, ratio)
        line = "{status:12s} bound {bound:.6f} energy {energy:.6f} {cpu_seconds:6.2f} s".format(**runs[name])
        print(f"{instance['name']:10s} {name:20s} {line}", file=sys.stderr, flush=True)
    return {"runs": runs}


def relaxed(instance: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The optima of the relaxations of one instance."""
    model = formats.read(folder / instance["file"]).model
    found = {}
    for name in RELAXATIONS:
        found[name] = solve_by_highs(linear_program(model, name), 1800.0, interior=True).objective
        print(f"{instance['name']:10s} {name:20s} {found[name]}", file=sys.stderr, flush=True)
    return {"relaxations": found}


def main() -> None:
    """Run and record, or print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--lp", action="store_true")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/matching.json"))
    parser.add_argument("--table", type=Path, default=None)
    arguments = parser.parse_args()
    if arguments.table is not None:
        print(table(json.loads(arguments.table.read_text())))
        return
    reference = json.loads((arguments.folder / "reference.json").read_text())
    chosen = [i for i in reference["instances"] if i["class"] == "matching"]
    if arguments.only:
        chosen = [i for i in chosen if i["name"] in arguments.only]
    before = calibration_seconds()
    ratio = before / reference["calibration_seconds"]
    known = json.loads(arguments.output.read_text()) if arguments.output.exists() else {"instances": {}}
    for instance in chosen:
        facts = {key: instance[key] for key in ("name", "optimum", "optimum_digits", "best_bound")}
        found = known["instances"].get(instance["name"], {"relaxations": {}, "runs": {}})
        if arguments.lp:
            more = relaxed(instance, arguments.folder)
        else:
            more = measure(instance, arguments.folder, arguments.seconds, ratio)
        known["instances"][instance["name"]] = found | facts | more
        record = {
            "version": fwmap.__version__,
            "seconds": arguments.seconds,
            "calibration": before,
            "calibration_reference": reference["calibration_seconds"],
            "methods": list(METHODS),
            "relaxations": list(RELAXATIONS),
            "instances": known["instances"],
        }
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
