"""How time per iteration and memory grow with the size of a model.

    python benchmarks/scaling [--only SERIES ...] [--output FILE.json] [--picture FILE.png]
    python benchmarks/scaling --from FILE.json          # table and picture of an earlier record

Each size is a generated model, solved for a few iterations in a process of its own, with one thread and
without looking for labelings. Time is CPU time. Slopes are those of a straight line through the logarithms
over the larger half of the sizes: 1 is linear.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from picture import draw
from series import SERIES, Series

import fwmap
from fwmap.bench import Instance, Job, Method, run_job
from fwmap.summary import memory

ITERATIONS = 10
RESULTS = Path(__file__).parents[1] / "results"
NOTHING = Instance("nothing", "scaling", "mrf", "tree", {"nodes": 2, "labels": 2})
PLENTY = 600.0  # CPU seconds: the iterations end a run


def measured(name: str, series: Series) -> dict[str, Any]:
    """Run all sizes of a series."""
    empty = measure(NOTHING)["peak_memory_bytes"]
    points = []
    for size in series.sizes:
        point = measure(Instance(f"{name} {size}", name, "mrf", series.generator, series.arguments(size)))
        point["memory_bytes"] = max(0, point.pop("peak_memory_bytes") - empty)
        points.append({"size": series.measure(size), **point})
        numbers = f"{1e3 * point['seconds_per_iteration']:10.3f} ms {point['memory_bytes'] / 1e6:9.1f} MB"
        print(f"{name:22s} {points[-1]['size']:9d} {numbers}", file=sys.stderr, flush=True)
    sizes = [point["size"] for point in points]
    return {
        "what": series.what,
        "of": series.of,
        "points": points,
        "slopes": {
            each: slope(sizes, [point[each] for point in points])
            for each in ("seconds_per_iteration", "decompose_seconds", "memory_bytes")
        },
    }


def measure(instance: Instance) -> dict[str, Any]:
    """Seconds per iteration and for the decomposition, and the largest memory of the process."""
    settings = {"primal": False, "tighten": False, "iterations": ITERATIONS}
    run = run_job(Job(instance, Method("fwmap"), PLENTY, settings=settings))
    trace = run["trace"]
    iterations = trace["iteration"][-1] - trace["iteration"][0]
    seconds = trace["cpu_seconds"][-1] - trace["cpu_seconds"][0]
    return {
        "seconds_per_iteration": seconds / max(1, iterations),
        "decompose_seconds": run["decompose_cpu_seconds"],
        "peak_memory_bytes": run["peak_memory_bytes"],
    }


def slope(sizes: list[float], values: list[float]) -> float | None:
    """Slope of the logarithms over the larger half of the sizes, where constants no longer matter."""
    half = len(sizes) // 2
    known = [(x, y) for x, y in zip(sizes[half:], values[half:], strict=True) if y > 0]
    if len(known) < 2:
        return None
    x, y = np.log(np.array(known)).T
    return float(np.polyfit(x, y, 1)[0])


def table(record: dict[str, Any]) -> str:
    """The record as a Markdown table."""
    lines = [
        "| growing | from | to | time per iteration | slope | decomposing | slope | memory | slope |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for series in record["series"].values():
        first, last, slopes = series["points"][0], series["points"][-1], series["slopes"]
        cells = [f"{series['of']}: {series['what']}", f"{first['size']:,}", f"{last['size']:,}"]
        for name, text in (
            ("seconds_per_iteration", f"{1e3 * last['seconds_per_iteration']:.3g} ms"),
            ("decompose_seconds", f"{last['decompose_seconds']:.2g} s"),
            ("memory_bytes", memory(last["memory_bytes"])),
        ):
            cells += [text, "–" if slopes[name] is None else f"{slopes[name]:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure or read, then show."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=sorted(SERIES), default=None)
    parser.add_argument("--from", dest="earlier", type=Path, default=None, metavar="FILE.json")
    parser.add_argument("--output", type=Path, default=None, metavar="FILE.json")
    parser.add_argument("--picture", type=Path, default=None, metavar="FILE.png")
    arguments = parser.parse_args()
    whole = arguments.only is None and arguments.earlier is None
    output = arguments.output or (RESULTS / "scaling.json" if whole else None)
    picture = arguments.picture or (RESULTS / "scaling.png" if whole else None)
    if arguments.earlier is not None:
        record = json.loads(arguments.earlier.read_text())
    else:
        chosen = arguments.only or list(SERIES)
        record = {
            "version": fwmap.__version__,
            "iterations": ITERATIONS,
            "series": {name: measured(name, SERIES[name]) for name in chosen},
        }
    print(table(record))
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(record, indent=1) + "\n")
    if picture is not None:
        draw(record, picture)


if __name__ == "__main__":
    main()
