"""Our bound at every moment, beside what other programs are recorded to have reached.

    python benchmarks/anytime FOLDER [--only NAME ...] [--class KIND] [--seconds 20] [--output FILE.json]
                                     [--picture FILE.png]
    python benchmarks/anytime FOLDER --from FILE.json       # tables and picture of an earlier record

FOLDER holds `reference.json` and its instances. Each is solved in a process of its own, with one thread
and default settings, except that no labelings are looked for: it is the bound of the plain relaxation that
is compared. Times are CPU seconds from the start of the solve, building the decomposition included, scaled
by the calibration kernel run before and after to the machine of the recorded curves. What is written holds
times and bounds, no costs and no labelings. With `--only` or `--class` nothing is written unless `--output`
or `--picture` say where.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from curves import Curve
from measures import PUBLISHED, distance, dominance, speed_up, summary
from picture import draw
from report import tables

import fwmap
from fwmap.bench import Instance, Job, Method, reference_instances, run_job

SETTINGS = {"primal": False, "tighten": False, "threads": 1}
RESULTS = Path(__file__).parents[1] / "results"


def measured(job: Job, entry: Mapping[str, Any], others: Mapping[str, Curve]) -> dict[str, Any]:
    """Run one instance and compare."""
    run = run_job(job)
    ours = Curve.of_run(run)
    thin = ours.thinned()
    return {
        "name": entry["name"],
        "class": entry["class"],
        "status": run["status"],
        "bound": run["bound"],
        "lp_optimum": entry["lp_optimum"],
        "iterations": run["iterations"],
        "cpu_seconds": run["cpu_seconds"] / run["speed"],
        "decompose_share": run["decompose_cpu_seconds"] / run["cpu_seconds"],
        "peak_memory_bytes": run["peak_memory_bytes"],
        "calibration_seconds": run["machine"]["calibration_seconds"],
        "dominance": dominance(ours, others, job.cpu_limit),
        "speed_up": {
            name: speed_up(ours, others[program]) for name, program in PUBLISHED.items() if program in others
        },
        "distance": distance(run["bound"], entry),
        "curve": {
            "seconds": [float(f"{time:.4g}") for time in thin.times],
            "bounds": [float(f"{bound:.12g}") for bound in thin.bounds],
        },
    }


def record_all(
    instances: list[Instance],
    reference: Mapping[str, Any],
    curves: Mapping[str, Mapping[str, Curve]],
    seconds: float,
) -> dict[str, Any]:
    """Run every instance, with one line each on standard error."""
    calibration = reference["calibration_seconds"]
    entries = {entry["name"]: entry for entry in reference["instances"]}
    runs = []
    for instance in instances:
        job = Job(instance, Method("fwmap"), seconds, settings=SETTINGS, calibration=calibration)
        try:
            runs.append(measured(job, entries[instance.name], curves[instance.name]))
        except fwmap.FwmapError as error:
            print(error, file=sys.stderr, flush=True)
            continue
        last = runs[-1]
        ahead = "".join("✓" if row["ahead"] else "·" for row in last["dominance"])
        factors = [f"{each['factor']:.3g}" for each in last["speed_up"].values() if each]
        line = f"{last['name']:38s} {last['status']:12s} {last['cpu_seconds']:6.2f} s  {ahead:6s}  {factors}"
        print(line, file=sys.stderr, flush=True)
    kinds = sorted({run["class"] for run in runs})
    return {
        "version": fwmap.__version__,
        "seconds": seconds,
        "settings": SETTINGS,
        "calibration_reference": calibration,
        "runs": runs,
        "summary": {
            **{kind: summary(run for run in runs if run["class"] == kind) for kind in kinds},
            "all": summary(runs),
        },
    }


def main() -> None:
    """Run or read, then show."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=20.0, help="CPU seconds of the reference machine")
    parser.add_argument("--only", nargs="*", default=None, metavar="NAME")
    parser.add_argument("--class", dest="kind", default=None, help="mrf, tomography or matching")
    parser.add_argument("--from", dest="earlier", type=Path, default=None, metavar="FILE.json")
    parser.add_argument("--output", type=Path, default=None, metavar="FILE.json")
    parser.add_argument("--picture", type=Path, default=None, metavar="FILE.png")
    arguments = parser.parse_args()
    reference = json.loads((arguments.folder / "reference.json").read_text())
    curves = {
        entry["name"]: {name: Curve.recorded(curve) for name, curve in entry["curves"].items()}
        for entry in reference["instances"]
    }
    whole = arguments.only is None and arguments.kind is None and arguments.earlier is None
    output = arguments.output or (RESULTS / "anytime.json" if whole else None)
    picture = arguments.picture or (RESULTS / "anytime.png" if whole else None)
    if arguments.earlier is not None:
        record = json.loads(arguments.earlier.read_text())
    else:
        instances = [
            instance
            for instance in reference_instances(arguments.folder)
            if (arguments.only is None or instance.name in arguments.only)
            and (arguments.kind is None or instance.kind == arguments.kind)
        ]
        record = record_all(instances, reference, curves, arguments.seconds)
    print(tables(record))
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(record, indent=1) + "\n")
    if picture is not None:
        draw(record, curves, picture)


if __name__ == "__main__":
    main()
