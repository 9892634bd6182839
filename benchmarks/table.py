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
    within, distance, seen = run["within"], run["distance"], run["default"]
    known = run["best_energy"]
    cells = [
        run["name"],
        f"{run['nodes']} / {run['edges']} / {run['labels']}",
        "–" if distance is None else f"{max(distance, 0.0):.0e}",
        *(seconds(within.get(level)) for level in ("0.01", "0.0001", "1e-06")),
        "none" if seen["energy"] is None else f"{seen['energy']:.7g}",
        "–" if known is None else f"{known:.7g}",
        f"{seen['bound']:.7g}",
        seen["status"].replace("_", " ") + (f" ({seen['proof']})" if seen["proof"] else ""),
        f"{seen['cpu_seconds']:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table."""
    record = json.loads(Path(sys.argv[1]).read_text())
    heads = ["distance", "to 1e-2", "1e-4", "1e-6", "energy", "best known", "bound", "status", "CPU s"]
    print("| instance | nodes / edges / labels | " + " | ".join(heads) + " |")
    print("|---|---|" + "---:|" * 7 + "---|---:|")
    for run in record["runs"]:
        print(row(run))


if __name__ == "__main__":
    main()
