"""Make the tables and figures of docs/experiments.md from the recorded runs in the repository.

    python benchmarks/experiments/page.py           # write them
    python benchmarks/experiments/page.py --check   # exit code 1 where the tables are not those of the runs

What lies between `<!-- made: NAME -->` and `<!-- end -->` is replaced; the words around it are not.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pack import PACKED
from paper import METHODS, ROWS, Row

from fwmap.bench.figures import draw_bounds, draw_gap, draw_weights
from fwmap.bench.records import Run, read_runs
from fwmap.bench.tables import (
    CHECKPOINTS,
    LAST,
    NOT_APPLICABLE,
    NOTHING,
    average_table,
    bound_of,
    instance_table,
    leader_table,
    leaders,
    leading,
    machine_note,
    mean_bound,
)
from fwmap.bench.traces import grouped

PAGE = Path(__file__).parents[2] / "docs" / "experiments.md"
IMAGES = PAGE.parent / "images"
BLOCK = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
SOLVERS = list(METHODS.values())


def compared(runs: Sequence[Run]) -> list[Run]:
    """The runs of methods with default settings, without HiGHS."""
    return [run for run in runs if run["method"] in SOLVERS]


def averages(runs: Sequence[Run]) -> Iterator[str]:
    """The paper's Table 1, of our runs."""
    yield from average_table(compared(runs), SOLVERS)


def instances(runs: Sequence[Run]) -> Iterator[str]:
    """The paper's table of instances, of our runs."""
    yield from instance_table(compared(runs), SOLVERS)


def moments(runs: Sequence[Run]) -> Iterator[str]:
    """Who leads when."""
    yield from leader_table(compared(runs), SOLVERS)


def behind(runs: Sequence[Run]) -> Iterator[str]:
    """Where the default is not the best, one line per dataset."""
    for dataset, members in grouped(compared(runs), "dataset").items():
        limit = members[0]["cpu_limit"]
        times = [time for time in CHECKPOINTS if time < limit]
        names = [*(f"at {time:g} s" for time in times), "at the end"]
        best = leaders(members, SOLVERS, [*times, LAST * limit])
        places = [
            f"{name} ({', '.join(f'`{each}`' for each in leading)})"
            for name, leading in zip(names, best, strict=True)
            if leading and "fwmap" not in leading
        ]
        if places:
            yield f"* **{dataset}**: {', '.join(places)}."


def verdict(runs: Sequence[Run]) -> Iterator[str]:
    """How many datasets each method ends ahead on."""
    datasets = grouped(compared(runs), "dataset")
    ahead: Counter[str] = Counter()
    for members in datasets.values():
        instances = grouped(members, "instance")
        bounds = {name: mean_bound(instances, name) for name in SOLVERS}
        ahead.update(leading({name: value for name, value in bounds.items() if isinstance(value, float)}))
    counts = ", ".join(f"`{name}` on {ahead[name]}" for name in SOLVERS)
    yield f"The largest averaged bound in the end, alone or not, of {len(datasets)} datasets: {counts}."


def beside_the_paper(runs: Sequence[Run]) -> Iterator[str]:
    """How far below the best method each one ends, in per cent, in the paper and here."""
    names = [f"{theirs} / `{ours}`" for theirs, ours in METHODS.items()]
    yield "| the paper's dataset | ours | " + " | ".join(names) + " |"
    yield "|---|---|" + "---:|" * len(names)
    datasets = grouped(compared(runs), "dataset")
    for row in ROWS:
        for dataset in row.ours:
            if dataset in datasets:
                members = grouped(datasets[dataset], "instance")
                yield "| " + " | ".join([row.dataset, dataset, *pairs(row, members)]) + " |"


def pairs(row: Row, members: dict[str, list[Run]]) -> Iterator[str]:
    """Theirs and ours, method by method."""
    here = [mean_bound(members, name) for name in SOLVERS]
    for theirs, ours in zip(distances(row.bounds), distances(here), strict=True):
        yield f"{theirs} / {ours}"


def distances(bounds: Sequence[float | str | None]) -> list[str]:
    """Per cent below the largest, relative to its absolute value."""
    best = max(bound for bound in bounds if isinstance(bound, float))
    result = []
    for bound in bounds:
        if not isinstance(bound, float):
            result.append(NOT_APPLICABLE)
        else:
            share = 100 * (best - bound) / abs(best)
            result.append("**0**" if share < 1e-4 else f"{share:.2g}" if share < 100 else f"{share:.0f}")
    return result


def exact(runs: Sequence[Run]) -> Iterator[str]:
    """HiGHS on the exported relaxation, beside the bounds on the same instances."""
    yield (
        "| instance | optimum by HiGHS | CPU seconds | " + " | ".join(f"`{name}`" for name in SOLVERS) + " |"
    )
    yield "|---|---:|---:|" + "---:|" * len(SOLVERS)
    for run in runs:
        if run["method"] != "highs":
            continue
        own = [other for other in runs if other["instance"] == run["instance"]]
        bounds = [bound_of(own, name) for name in SOLVERS]
        cells = [f"{bound:.6f}" if isinstance(bound, float) else bound or NOTHING for bound in bounds]
        optimum = NOTHING if run["bound"] is None else f"{run['bound']:.6f}"
        yield "| " + " | ".join([run["instance"], optimum, f"{run['cpu_seconds']:.1f}", *cells]) + " |"


def memory(runs: Sequence[Run]) -> Iterator[str]:
    """Peak memory of the whole process on the largest dataset, in MB."""
    yield "| instance | " + " | ".join(f"`{name}`" for name in SOLVERS) + " |"
    yield "|---|" + "---:|" * len(SOLVERS)
    largest = max((run for run in compared(runs)), key=lambda run: run["sizes"].get("n_nodes", 0))["dataset"]
    for name, own in grouped(grouped(compared(runs), "dataset")[largest], "instance").items():
        peaks = {run["method"]: run["peak_memory_bytes"] for run in own}
        cells = [f"{peaks[m] / 1e6:.0f}" if peaks.get(m) else NOT_APPLICABLE for m in SOLVERS]
        yield "| " + " | ".join([name, *cells]) + " |"


def machine(runs: Sequence[Run]) -> Iterator[str]:
    """On what, and of which bytes."""
    yield machine_note(runs)
    yield ""
    yield f"SHA-256 of the records: `{hashlib.sha256(PACKED.read_bytes()).hexdigest()}`"


TABLES: dict[str, Callable[[Sequence[Run]], Iterator[str]]] = {
    "averages": averages,
    "instances": instances,
    "verdict": verdict,
    "moments": moments,
    "behind": behind,
    "paper": beside_the_paper,
    "exact": exact,
    "memory": memory,
    "machine": machine,
}


def made(page: str, runs: Sequence[Run]) -> str:
    """The page with its blocks made anew."""

    def block(found: re.Match[str]) -> str:
        return found[1] + "\n".join(TABLES[found[2]](runs)) + "\n" + found[3]

    return BLOCK.sub(block, page)


def draw(runs: Sequence[Run]) -> None:
    """The three figures."""
    draw_bounds(compared(runs), IMAGES / "experiments_bounds.png")
    weighted = {run["instance"] for run in runs if "proximal_weight" in run["method"]}
    draw_weights([run for run in runs if run["instance"] in weighted], IMAGES / "experiments_weights.png")
    gap = [run for run in runs if run["dataset"].startswith("synthetic")]
    draw_gap(gap, IMAGES / "experiments_gap.png")


def main() -> int:
    """Write, or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    runs = read_runs([PACKED])
    page = PAGE.read_text(encoding="utf-8")
    anew = made(page, runs)
    if check:
        return int(anew != page)
    PAGE.write_text(anew, encoding="utf-8")
    draw(runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
