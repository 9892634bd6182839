"""What the opening by message passing brings: bounds with and without it, in alternating runs.

    python benchmarks/opening.py FOLDER [--class mrf] [--seconds 1] [--only NAME ...]

FOLDER holds `reference.json` and the instances it names. For each instance one line: how far the bound is
from the best one known, relative, at 0.05, 0.1, 0.3 and 1 CPU seconds of this machine, decomposing included,
without the opening and with it, cycles left out. The last line has geometric means of the ratios.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import fwmap
from fwmap import formats
from fwmap.solvers import method

CHECKPOINTS = (0.05, 0.1, 0.3, 1.0)
NOTHING = 1e-9  # distances below this are the same


def distances(model: Any, target: float, seconds: float, opening: bool) -> list[float]:
    """Relative distance of the bound to the target at each checkpoint; inf before the first point."""
    helps = method.messages_help
    if not opening:
        method.messages_help = lambda decomposition: False
    try:
        result = fwmap.solve(
            model,
            gap=0.0,
            primal=False,
            tighten=False,
            threads=1,
            callback=lambda row: bool(row.cpu_seconds > seconds),
        )
    finally:
        method.messages_help = helps
    size = max(1.0, abs(target))
    bounds = [
        [row.lower_bound for row in result.trace if row.cpu_seconds <= checkpoint]
        for checkpoint in CHECKPOINTS
    ]
    return [max(NOTHING, (target - known[-1]) / size) if known else math.inf for known in bounds]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--class", dest="kind", default="mrf")
    parser.add_argument("--seconds", type=float, default=CHECKPOINTS[-1])
    parser.add_argument("--only", nargs="*", default=None)
    arguments = parser.parse_args()
    listed = json.loads((arguments.folder / "reference.json").read_text())["instances"]
    logs: list[list[float]] = [[] for _ in CHECKPOINTS]
    print(f"{'instance':36s} without / with the opening at", *(f"{c:g} s" for c in CHECKPOINTS))
    for entry in listed:
        known = [entry[name] for name in ("lp_optimum", "best_bound") if entry[name] is not None]
        if entry["class"] != arguments.kind or not known:
            continue
        if arguments.only and entry["name"] not in arguments.only:
            continue
        model = formats.read(arguments.folder / entry["file"], costs=entry["values"] == "costs").model
        without, having = (distances(model, known[0], arguments.seconds, on) for on in (False, True))
        for log, a, b in zip(logs, without, having, strict=True):
            if math.isfinite(a) and math.isfinite(b):
                log.append(math.log(b / a))
        cells = (f"{a:7.1e} /{b:8.1e}" for a, b in zip(without, having, strict=True))
        print(f"{entry['name']:36s}", "   ".join(cells), flush=True)
    means = (f"{math.exp(sum(log) / len(log)) if log else math.nan:.3f}" for log in logs)
    print(f"{'geometric mean of with / without':36s}", "   ".join(means))


if __name__ == "__main__":
    main()
