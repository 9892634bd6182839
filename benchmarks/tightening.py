"""What tightening closes of the gap of loose relaxations, on reference instances.

    python benchmarks/tightening.py FOLDER [--seconds 20] [--only NAME ...] [--output FILE.json]

FOLDER holds `reference.json` and the instances it names (see FWMAP_REFERENCE_DATA in docs/development.md).
Each instance is solved without cycles, for a quarter of the given CPU seconds of this machine, and with them,
for all, by default settings but without exact solvers; the certificate of the second run is checked. The
table goes to standard output, as Markdown. What is written holds bounds and energies, no costs and labelings.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import fwmap
from fwmap import formats

NAMES = (
    "opengm1",
    "motor14",
    "Grids_22",
    "grid20x20.f10",
    "ObjectDetection_11",
    "ProteinFolding_17",
    "CELAR6-SUB0",
    "CELAR7-SUB0",
    "pdb1kwh",
)


def run(model: Any, seconds: float, **settings: Any) -> fwmap.Result:
    """One run of so many CPU seconds."""
    rows: list[fwmap.TraceRow] = []

    def watch(row: fwmap.TraceRow) -> bool:
        rows.append(row)
        return row.cpu_seconds > seconds

    return fwmap.solve(model, callback=watch, time_limit=10 * seconds, exact=False, threads=1, **settings)


def record(folder: Path, instance: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Both runs of an instance."""
    model = formats.read(folder / instance["file"], costs=instance["values"] == "costs").model
    loose = run(model, 0.25 * seconds, tighten=False)
    tight = run(model, seconds)
    known = [instance["optimum"], instance["best_energy"]]
    best = min(e for e in (*known, loose.energy, tight.energy) if e is not None)
    verdict = tight.check(model)
    assert loose.bound is not None
    assert tight.bound is not None
    gap = best - loose.bound
    return {
        "name": instance["name"],
        "loose_bound": loose.bound,
        "bound": tight.bound,
        "energy": tight.energy,
        "best_energy": instance["optimum"] if instance["optimum"] is not None else instance["best_energy"],
        "closed": None if loose.status == "optimal" else (tight.bound - loose.bound) / gap,
        "cycles": len(tight.cycles),
        "status": tight.status,
        "cpu_seconds": tight.cpu_seconds,
        "certificate": verdict.conclusion().split(":")[0],
        "holds": verdict.holds,
        "peak_memory_bytes": tight.peak_memory_bytes,
    }


def table(runs: list[dict[str, Any]]) -> str:
    """The runs as Markdown."""
    lines = [
        "| instance | without cycles | bound | energy | best known | gap closed | cycles | status | CPU s |",
        "|---|---:|---:|---:|---:|---:|---:|---|---:|",
    ]
    for one in runs:
        closed = "-" if one["closed"] is None else f"{100 * one['closed']:.1f} %"
        energies = ["-" if one[k] is None else f"{one[k]:.8g}" for k in ("energy", "best_energy")]
        cells = [one["name"], f"{one['loose_bound']:.8g}", f"{one['bound']:.8g}", *energies, closed]
        cells += [f"{one['cycles']:,}", one["status"].replace("_", " "), f"{one['cpu_seconds']:.3g}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Run, write, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", nargs="*", default=NAMES)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/tightening.json"))
    arguments = parser.parse_args()
    reference = json.loads((arguments.folder / "reference.json").read_text())
    instances = {i["name"]: i for i in reference["instances"]}
    runs = []
    for name in arguments.only:
        runs.append(record(arguments.folder, instances[name], arguments.seconds))
        print(
            name, runs[-1]["status"], runs[-1]["bound"], runs[-1]["certificate"], file=sys.stderr, flush=True
        )
    content = {"version": fwmap.__version__, "seconds": arguments.seconds, "runs": runs}
    arguments.output.write_text(json.dumps(content, indent=1) + "\n")
    print(table(runs))


if __name__ == "__main__":
    main()
