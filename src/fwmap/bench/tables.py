"""Recorded runs as the tables of the paper: the best bound of each method, averaged and per instance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from .records import Run
from .traces import applies, average, grouped, known_at

NOT_APPLICABLE, NOTHING = "†", "–"
TOLERANCE = 1e-6  # relative: bounds closer than this are equal
LAST = 1.1  # times the limit: runs end at the first point after it
CHECKPOINTS = (0.1, 0.3, 1.0, 3.0, 10.0, 20.0, 60.0)


def tables(runs: Sequence[Run]) -> str:
    """Return all tables as Markdown."""
    methods = list(grouped(runs, "method"))
    parts = [
        "Largest lower bound, averaged over the instances of a dataset; the best in bold, † where a method "
        "does not apply.",
        "\n".join(average_table(runs, methods)),
        "The same per instance.",
        "\n".join(instance_table(runs, methods)),
        "The best method at each moment, by the averaged bound; all that are equal up to 1e-6.",
        "\n".join(leader_table(runs, methods)),
        machine_note(runs),
    ]
    return "\n\n".join(parts) + "\n"


def average_table(runs: Sequence[Run], methods: Sequence[str]) -> Iterator[str]:
    """One row per dataset."""
    yield "| dataset | instances | nodes | edges | " + " | ".join(f"`{name}`" for name in methods) + " |"
    yield "|---|---:|---:|---:|" + "---:|" * len(methods)
    for dataset, members in grouped(runs, "dataset").items():
        instances = grouped(members, "instance")
        bounds: list[float | str | None] = [mean_bound(instances, name) for name in methods]
        sizes = [span(members, "n_nodes"), span(members, "n_edges")]
        yield "| " + " | ".join([dataset, str(len(instances)), *sizes, *marked(bounds)]) + " |"


def instance_table(runs: Sequence[Run], methods: Sequence[str]) -> Iterator[str]:
    """One row per instance, under the names of their datasets."""
    yield "| instance | " + " | ".join(f"`{name}`" for name in methods) + " |"
    yield "|---|" + "---:|" * len(methods)
    for dataset, members in grouped(runs, "dataset").items():
        yield f"| **{dataset}** |" + " |" * len(methods)
        for name, own in grouped(members, "instance").items():
            yield "| " + " | ".join([name, *marked([bound_of(own, method) for method in methods])]) + " |"


def leader_table(runs: Sequence[Run], methods: Sequence[str]) -> Iterator[str]:
    """One row per dataset: who has the largest averaged bound at each checkpoint."""
    latest = max((float(run["cpu_limit"]) for run in runs), default=0.0)
    times = [time for time in CHECKPOINTS if time <= latest]
    yield "| dataset | " + " | ".join(f"{time:g} s" for time in times) + " |"
    yield "|---|" + ":-:|" * len(times)
    for dataset, members in grouped(runs, "dataset").items():
        limit = max(float(run["cpu_limit"]) for run in members)
        leading = leaders(members, methods, [time for time in times if time <= limit])
        leading += [[]] * (len(times) - len(leading))
        cells = [", ".join(f"`{name}`" for name in each) or NOTHING for each in leading]
        yield "| " + " | ".join([dataset, *cells]) + " |"


def leaders(runs: Sequence[Run], methods: Sequence[str], times: Sequence[float]) -> list[list[str]]:
    """The methods whose bound, averaged over a dataset, is the largest at each time; all that are equal."""
    bounds = {}
    n_instances = len(grouped(runs, "instance"))
    for name in methods:
        own = [run for run in runs if run["method"] == name and applies(run)]
        if len(grouped(own, "instance")) == n_instances:
            bounds[name] = average(own, "lower_bound", np.array(times))
    return [leading({name: float(values[i]) for name, values in bounds.items()}) for i in range(len(times))]


def leading(bounds: dict[str, float]) -> list[str]:
    """The names with the largest bound, up to the tolerance.

    >>> leading({"a": 1.0, "b": 1.0 + 1e-9, "c": 0.5, "d": math.nan})
    ['a', 'b']
    """
    known = {name: value for name, value in bounds.items() if not math.isnan(value)}
    if not known:
        return []
    best = max(known.values())
    return [name for name, value in known.items() if value >= best - TOLERANCE * max(1.0, abs(best))]


def mean_bound(instances: dict[str, list[Run]], method: str) -> float | str | None:
    """Mean over instances; † where the method does not apply, None where some instance has no bound."""
    bounds = [bound_of(own, method) for own in instances.values()]
    if NOT_APPLICABLE in bounds:
        return NOT_APPLICABLE
    known = [bound for bound in bounds if isinstance(bound, float)]
    return math.fsum(known) / len(known) if known and len(known) == len(bounds) else None


def bound_of(runs: Iterable[Run], method: str) -> float | str | None:
    """The largest bound of a method on an instance, the mean over repetitions; †, or None without one.

    A method that needed longer than the limit is told by the limit: what it knew then counts.
    """
    own = [run for run in runs if run["method"] == method]
    if any(not applies(run) for run in own):
        return NOT_APPLICABLE
    bounds = [float(known_at(run, "lower_bound", np.array([LAST * run["cpu_limit"]]))[0]) for run in own]
    return math.fsum(bounds) / len(bounds) if bounds and not any(map(math.isnan, bounds)) else None


def marked(bounds: Sequence[float | str | None]) -> list[str]:
    """The cells of a row, the best in bold: all that are equal up to the tolerance."""
    numbers = {str(i): bound for i, bound in enumerate(bounds) if isinstance(bound, float)}
    best = leading(numbers)
    cells = []
    for i, bound in enumerate(bounds):
        text = number(bound) if isinstance(bound, float) else bound or NOTHING
        cells.append(f"**{text}**" if str(i) in best else text)
    return cells


def number(value: float) -> str:
    """A bound with two decimals, or six digits where that is more.

    >>> number(-12917.437), number(45.37121), number(0.0)
    ('-12917.44', '45.3712', '0.00')
    """
    size = math.floor(math.log10(abs(value))) if value else 5
    return f"{value:.{max(2, min(5 - size, 8))}f}"


def span(runs: Iterable[Run], name: str) -> str:
    """The smallest and the largest of a count."""
    counts = [run["sizes"].get(name, 0) for run in runs]
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low}-{high}"


def machine_note(runs: Sequence[Run]) -> str:
    """What the runs were made on, and how fast that was."""
    processors = sorted({run["machine"]["processor"] for run in runs})
    calibrations = [seconds for run in runs for seconds in run["machine"]["calibration_seconds"]]
    limits = sorted({run["cpu_limit"] for run in runs})
    return (
        f"{len(runs)} runs of {' and '.join(f'{limit:g}' for limit in limits)} CPU seconds, one thread, "
        f"version {', '.join(sorted({run['version'] for run in runs}))}, on {', '.join(processors)}; "
        f"calibration kernel {min(calibrations):.4f} to {max(calibrations):.4f} s."
    )
