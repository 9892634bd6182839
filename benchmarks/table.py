"""A Markdown table of recorded runs: python benchmarks/table.py benchmarks/results/reference_mrf.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def seconds(value: float | None) -> str:
    """A time, or a dash where the level was not reached."""
    return "–" if value is None else "< 0.01" if value < 0.01 else f"{value:.2f}"


def row(run: dict[str, Any]) -> str:
    """One instance."""
    within = run["within"]
    distance = run["distance"]
    cells = [
        run["name"],
        f"{run['nodes']} / {run['edges']} / {run['labels']}",
        f"{run['bound']:.7g}",
        "–" if distance is None else f"{max(distance, 0.0):.0e}",
        *(seconds(within.get(level)) for level in ("0.01", "0.0001", "1e-06")),
        "none" if run["energy"] is None else f"{run['energy']:.7g}",
        run["status"],
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table."""
    record = json.loads(Path(sys.argv[1]).read_text())
    print(
        "| instance | nodes / edges / labels | bound | distance | to 1e-2 | 1e-4 | 1e-6 | energy | status |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---:|---|")
    for run in record["runs"]:
        print(row(run))


if __name__ == "__main__":
    main()
