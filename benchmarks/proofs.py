"""Which reference instances are solved to a proved optimum, by what, and how many labels were removed.

    python benchmarks/proofs.py FOLDER [--seconds 60] [--only NAME ...] [--output FILE.json] [--table]

FOLDER holds `reference.json` and the instances it names (see the environment variable FWMAP_REFERENCE_DATA in
docs/development.md). Every instance whose optimum is known is solved with default settings but `--exact`, for
so many CPU seconds of this process and of the exact solver's. The certificate of each is checked. What is
written holds numbers only. The table of docs/proof.md is printed by `--table` from the file.
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

#: What is known of an optimum to so many digits behind the point, where the file does not say.
DIGITS = 5


def cpu_seconds() -> float:
    """Of this process and of all that have ended below it."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def run(folder: Path, instance: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Solve one instance and check its certificate."""
    loaded = formats.read(folder / instance["file"], costs=instance["values"] == "costs")
    model, start = loaded.model, cpu_seconds()

    def watch(row: fwmap.TraceRow) -> bool:
        return cpu_seconds() - start > seconds

    result = fwmap.solve(model, exact=True, callback=watch, time_limit=10 * seconds, threads=1)
    taken = cpu_seconds() - start
    verdict = result.check(model)
    digits = instance.get("optimum_digits") or DIGITS
    return {
        "name": instance["name"],
        "class": instance["class"],
        "status": result.status,
        "proof": result.proof,
        "optimum": instance["optimum"],
        "reached": result.energy is not None and abs(result.energy - instance["optimum"]) <= 10.0**-digits,
        "energy": result.energy,
        "bound": result.bound,
        "exact_bound": result.exact_bound,
        "exact_solver": result.exact_solver,
        "removed": result.removed,
        "iterations": result.iterations,
        "cpu_seconds": taken,
        "check": verdict.conclusion(),
        "holds": verdict.holds,
    }


def table(record: dict[str, Any]) -> None:
    """Print the runs as Markdown."""
    print("| instance | energy | lower bound | labels removed | proof | CPU s |")
    print("|---|---:|---:|---:|---|---:|")
    for one in record["runs"]:
        removed = one["removed"]
        share = f"{100 * removed['labels'] / removed['labels_in_total']:.0f} %" if removed else "–"
        how = one["proof"] if one["status"] == "optimal" else "– (" + one["status"].replace("_", " ") + ")"
        cells = [one["name"], f"{one['energy']:.9g}", f"{one['bound']:.9g}", share, how]
        print("| " + " | ".join([*cells, f"{one['cpu_seconds']:.1f}"]) + " |")


def main() -> None:
    """Run, show one line each, write the file; or print the table of what was written."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/proofs.json"))
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        table(json.loads(arguments.output.read_text()))
        return
    if arguments.folder is None:
        parser.error("the folder of the reference instances is missing")
    reference = json.loads((arguments.folder / "reference.json").read_text())
    instances = [i for i in reference["instances"] if i.get("optimum") is not None]
    if arguments.only:
        instances = [i for i in instances if i["name"] in arguments.only]
    runs = []
    for instance in instances:
        runs.append(run(arguments.folder, instance, arguments.seconds))
        last = runs[-1]
        line = f"{last['name']:38s} {last['status']:10s} {last['proof']!s:6s} {last['cpu_seconds']:6.2f} s"
        marks = "" if last["reached"] else "  NOT THE KNOWN OPTIMUM"
        print(line + marks, last["check"], file=sys.stderr, flush=True)
    record = {"version": fwmap.__version__, "seconds": arguments.seconds, "runs": runs}
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
