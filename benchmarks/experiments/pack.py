"""Write what `record.py` has recorded into the repository: times, bounds, A and B, and no costs or labelings.

python benchmarks/experiments/pack.py [--runs build/experiments/runs.jsonl]
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

from record import RUNS

from fwmap.bench.methods import SOLVERS
from fwmap.bench.records import Run, read_runs
from fwmap.bench.traces import thinned

PACKED = Path(__file__).parents[1] / "results" / "experiments.jsonl.gz"
#: What is kept of a run and of its trace.
KEPT = (
    "instance", "dataset", "kind", "method", "repetition", "cpu_limit", "calibration", "given", "version",
    "sizes", "status", "reason", "bound", "cpu_seconds", "work", "iterations", "oracle_calls",
    "peak_memory_bytes", "speed", "machine",
)  # fmt: skip
COLUMNS = ("cpu_seconds", "iteration", "lower_bound", "A", "B", "proximal_weight")
ROWS = 60


def packed(run: Run) -> Run:
    """A run with few rows of its trace."""
    return {
        **{name: run[name] for name in KEPT if name in run},
        "trace": thinned(run, ROWS, COLUMNS) if run["trace"] else {},
    }


def whole(runs: list[Run]) -> list[Run]:
    """Without instances that some solver has not run on yet: averages compare the same instances."""
    done: dict[str, set[str]] = {}
    for run in runs:
        done.setdefault(run["instance"], set()).add(run["method"])
    return [run for run in runs if done[run["instance"]] >= set(SOLVERS)]


def in_order(runs: list[Run]) -> list[Run]:
    """Datasets as they first occur, and within an instance the solvers as they are listed, others last."""
    datasets = list(dict.fromkeys(run["dataset"] for run in runs))
    instances = list(dict.fromkeys(run["instance"] for run in runs))
    methods = {name: number for number, name in enumerate(SOLVERS)}

    def place(run: Run) -> tuple[int, int, int]:
        return (
            datasets.index(run["dataset"]),
            instances.index(run["instance"]),
            methods.get(run["method"], len(methods)),
        )

    return sorted(runs, key=place)


def main() -> None:
    """Read, thin, compress; the same runs give the same bytes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=Path, default=RUNS)
    runs = in_order(whole(read_runs([parser.parse_args().runs])))
    lines = "".join(json.dumps(packed(run), separators=(",", ":")) + "\n" for run in runs)
    PACKED.write_bytes(gzip.compress(lines.encode("ascii"), 9, mtime=0))
    print(f"{len(runs)} runs, {PACKED.stat().st_size:,} bytes in {PACKED}")


if __name__ == "__main__":
    main()
