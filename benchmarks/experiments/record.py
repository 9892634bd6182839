"""Record the runs of the experiments page; what is recorded is not run again.

    python benchmarks/experiments/record.py [FOLDER] [--runs build/experiments/runs.jsonl]

FOLDER holds the reference instances; without it only generated ones are run. Each run has a process of
its own and one thread, and its limit is one of CPU time. At any moment

    python benchmarks/experiments/pack.py

writes what is recorded so far into the repository.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from plan import jobs

from fwmap.bench.records import RunFile
from fwmap.bench.runner import run_all

RUNS = Path(__file__).parents[2] / "build" / "experiments" / "runs.jsonl"


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=None)
    parser.add_argument("--runs", type=Path, default=RUNS)
    arguments = parser.parse_args()
    arguments.runs.parent.mkdir(parents=True, exist_ok=True)
    file = RunFile(arguments.runs)
    every = list(jobs(arguments.folder))
    left = [job for job in every if not file.has(job)]
    print(f"{len(left)} of {len(every)} runs are left", flush=True)

    def tell(run: dict[str, object]) -> None:
        print(run["instance"], run["method"], run["status"], run["bound"], run["cpu_seconds"], flush=True)

    for failure in run_all(left, file, tell):
        print(failure, flush=True)


if __name__ == "__main__":
    main()
