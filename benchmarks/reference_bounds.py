"""How fast the relaxation of reference instances is solved, and what a run with default settings ends with.

    python benchmarks/reference_bounds.py FOLDER [--seconds 20] [--only NAME ...] [--output FILE.json]

FOLDER holds `reference.json` and the instances it names (see the environment variable FWMAP_REFERENCE_DATA in
docs/development.md). Every Markov random field in it is solved twice, each time on one thread for the given
CPU seconds of the machine that recorded the reference values: this machine's seconds are scaled by a
calibration kernel run before and after. The first run keeps to the relaxation (`tighten=False`, a gap of 0,
at which it does not stop): how close its bound comes to the optimum known. The second has default settings:
status, energy and bound that a user sees. What is written holds times, bounds and energies, no costs and no
labelings. `python benchmarks/table.py FILE.json` makes the table of the README from it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from pathlib import Path
from typing import Any

import fwmap
from fwmap import formats
from fwmap.bench.machine import calibration_seconds

LEVELS = (1e-2, 1e-4, 1e-6)  # relative distances to the relaxation's optimum, whose times are reported
REACHED = 1e-9  # the first run ends there: what is known is no more exact


def cpu_seconds() -> float:
    """Of this process and of all that have ended below it: an exact solver is one."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def run(folder: Path, instance: dict[str, Any], seconds: float, ratio: float) -> dict[str, Any]:
    """Solve one instance twice; `ratio` is this machine's calibration time over the reference's."""
    model = formats.read(folder / instance["file"], costs=instance["values"] == "costs").model
    return {
        "name": instance["name"],
        "nodes": model.n_nodes,
        "edges": model.n_edges,
        "labels": int(model.n_labels.max()),
        "lp_optimum": instance["lp_optimum"],
        "best_bound": instance["best_bound"],
        "best_energy": instance["best_energy"],
        **relaxation(model, instance, seconds, ratio),
        "default": default(model, seconds, ratio),
    }


def relaxation(model: fwmap.MRF, instance: dict[str, Any], seconds: float, ratio: float) -> dict[str, Any]:
    """How close the bound of the relaxation comes to what is known of it, and when."""
    rows: list[fwmap.TraceRow] = []
    target = instance["lp_optimum"] if instance["lp_optimum"] is not None else instance["best_bound"]

    def distance(bound: float) -> float:
        return (target - bound) / max(1.0, abs(target))

    def watch(row: fwmap.TraceRow) -> bool:
        rows.append(row)
        reached = target is not None and distance(row.lower_bound) <= REACHED
        return reached or row.cpu_seconds > seconds * ratio

    alone = {"gap": 0.0, "tighten": False, "exact": False, "threads": 1}
    result = fwmap.solve(model, callback=watch, time_limit=100 * seconds, **alone)
    assert result.bound is not None
    within = {}
    for level in LEVELS if target is not None else ():
        reached = [r.cpu_seconds for r in rows if distance(r.lower_bound) <= level]
        within[f"{level:g}"] = reached[0] / ratio if reached else None
    return {
        "status": result.status,
        "bound": result.bound,
        "distance": None if target is None else distance(result.bound),
        "cpu_seconds": result.cpu_seconds / ratio,
        "within": within,
        "iterations": result.iterations,
        "peak_memory_bytes": result.peak_memory_bytes,
    }


def default(model: fwmap.MRF, seconds: float, ratio: float) -> dict[str, Any]:
    """What a user sees after so many CPU seconds at most."""
    start = cpu_seconds()

    def watch(row: fwmap.TraceRow) -> bool:
        return cpu_seconds() - start > seconds * ratio

    # Without other load wall clock and CPU seconds are nearly the same; a time limit cuts what takes long.
    result = fwmap.solve(model, callback=watch, time_limit=1.05 * seconds * ratio, threads=1)
    return {
        # the limit is one of CPU seconds here, and whoever watches ends the run
        "status": "time_limit" if result.status == "interrupted" else result.status,
        "proof": result.proof,
        "energy": result.energy,
        "bound": result.bound,
        "cycles": result.trace[-1].cycles,
        "cpu_seconds": (cpu_seconds() - start) / ratio,
    }


def main() -> None:
    """Run, show one line each, and write the file after each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/reference_mrf.json"))
    arguments = parser.parse_args()
    reference = json.loads((arguments.folder / "reference.json").read_text())
    instances = [i for i in reference["instances"] if i["class"] == "mrf"]
    if arguments.only:
        instances = [i for i in instances if i["name"] in arguments.only]
    before = calibration_seconds()
    ratio = before / reference["calibration_seconds"]
    record: dict[str, Any] = {
        "version": fwmap.__version__,
        "seconds": arguments.seconds,
        "calibration_before": before,
        "calibration_reference": reference["calibration_seconds"],
        "runs": [],
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    for instance in instances:
        last = run(arguments.folder, instance, arguments.seconds, ratio)
        distance = "-" if last["distance"] is None else f"{last['distance']:.1e}"
        line = f"{last['name']:38s} {last['status']:12s} distance {distance:>9s} {last['cpu_seconds']:6.2f} s"
        seen = last["default"]
        line += f"  {seen['status']:10s} {seen['energy']} {seen['bound']:.8g} {seen['cpu_seconds']:6.2f} s"
        print(line, file=sys.stderr, flush=True)
        record["runs"].append(last)
        record["calibration_after"] = calibration_seconds()
        arguments.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
