"""Bounds and images of the reference tomographies, with chains and with the paper's forests and rays.

    python benchmarks/tomography.py FOLDER [--seconds 20] [--only NAME ...] [--output FILE.json]
    python benchmarks/tomography.py --table FILE.json

FOLDER is that of `reference_bounds.py`, and so are the seconds: CPU seconds of the machine that recorded the
reference values, on one thread; images of 256 x 256 pixels have three times as many. Default settings but for
the decomposition. What is written holds times, bounds and energies, no costs and no images.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from matching import run

import fwmap
from fwmap import formats
from fwmap.bench.machine import calibration_seconds

#: The paper's relaxation, as it is; and the default.
METHODS: dict[str, dict[str, Any]] = {
    "forests": {"decomposition": "forests", "tighten": False},
    "chains": {"decomposition": "chains"},
}
#: Images of so many pixels have more time.
LARGE = 1 << 16
OUTPUT = Path(__file__).parent / "results" / "tomography.json"


def table(record: dict[str, Any]) -> str:
    """One line per instance in Markdown."""
    lines = [
        "| instance | other programs | forests and rays | chains | energy | after s | phantom | status, s |",
        "|---|" + "---:|" * 7,
    ]
    for instance in record["instances"].values():
        forests, chains = (instance["runs"][name] for name in METHODS)
        energy, seconds = chains["energy"], chains["energy_seconds"]
        cells = [
            instance["name"],
            f"{instance['best_bound']:.2f}",
            f"{forests['bound']:.2f}",
            f"{chains['bound']:.2f}",
            "–" if energy is None else f"{energy:g}",
            "–" if energy is None else f"{seconds:.1f}",
            f"{instance['truth_energy']:g}",
            f"{chains['status']}, {chains['cpu_seconds']:.1f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def measure(instance: dict[str, Any], folder: Path, seconds: float, ratio: float) -> dict[str, Any]:
    """Both decompositions of one instance."""
    model = formats.read(folder / instance["file"]).model
    assert isinstance(model, fwmap.Tomography)
    own = seconds * (3 if model.n_nodes >= LARGE else 1)
    runs = {name: run(model, settings, own, ratio) for name, settings in METHODS.items()}
    return {key: instance[key] for key in ("name", "best_bound", "truth_energy")} | {"runs": runs}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", nargs="*", metavar="NAME")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--table", type=Path, metavar="FILE.json", help="print what was recorded")
    arguments = parser.parse_args()
    if arguments.table:
        print(table(json.loads(arguments.table.read_text())))
        return
    if arguments.folder is None:
        parser.error("expected FOLDER, or --table FILE.json")
    reference = json.loads((arguments.folder / "reference.json").read_text())
    ratio = calibration_seconds() / reference["calibration_seconds"]
    record: dict[str, Any] = {"version": fwmap.__version__, "seconds": arguments.seconds, "instances": {}}
    for instance in reference["instances"]:
        name = instance["name"]
        if instance["class"] != "tomography" or (arguments.only and name not in arguments.only):
            continue
        record["instances"][name] = measure(instance, arguments.folder, arguments.seconds, ratio)
        arguments.output.write_text(json.dumps(record, indent=1) + "\n")
        print(name, json.dumps(record["instances"][name]["runs"]), flush=True)
    print(table(record))


if __name__ == "__main__":
    main()
