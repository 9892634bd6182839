"""The recorded results as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from measures import CHECKPOINTS, PUBLISHED


def tables(record: Mapping[str, Any]) -> str:
    """Return the summary per class, and one line per instance."""
    return "\n".join([*summary_table(record), "", *instance_table(record)])


def summary_table(record: Mapping[str, Any]) -> Iterator[str]:
    """Dominance and speed-up per class and over all."""
    yield (
        "| class | instances | ahead at | dominance | "
        + " | ".join(f"speed-up, {name}: mean | least | over" for name in PUBLISHED)
        + " |"
    )
    yield "|---|---:|---:|---:|" + "---:|" * (3 * len(PUBLISHED))
    for name, each in record["summary"].items():
        cells = [
            name,
            str(each["instances"]),
            f"{each['ahead']} of {each['checkpoints']}",
            percent(each["share"]),
        ]
        for published in PUBLISHED:
            speed = each[published]
            missed = f" ({speed['not_reached']} not reached)" if speed["not_reached"] else ""
            cells += [factor(speed["geometric_mean"]), factor(speed["least"]), f"{speed['counted']}{missed}"]
        yield "| " + " | ".join(cells) + " |"


def instance_table(record: Mapping[str, Any]) -> Iterator[str]:
    """Where we are ahead, how much faster, and what is left."""
    checkpoints = " | ".join(f"{time:g} s" for time in CHECKPOINTS)
    speeds = " | ".join(f"speed-up, {name}" for name in PUBLISHED)
    yield f"| instance | {checkpoints} | {speeds} | distance | bound | decomposing |"
    yield "|---|" + ":-:|" * len(CHECKPOINTS) + "---:|" * (len(PUBLISHED) + 3)
    for run in record["runs"]:
        at = {row["seconds"]: row for row in run["dominance"]}
        cells = [run["name"], *(mark(at.get(time)) for time in CHECKPOINTS)]
        cells += [one_factor(run["speed_up"].get(name)) for name in PUBLISHED]
        cells += [distance(run["distance"]), number(run["bound"]), percent(run["decompose_share"])]
        yield "| " + " | ".join(cells) + " |"


def mark(row: Mapping[str, Any] | None) -> str:
    """Whether we are ahead at a checkpoint; if not, how far behind, relatively."""
    if row is None:
        return ""
    if row["ahead"]:
        return "✓"
    if row["bound"] is None:
        return "none yet"
    return f"−{(row['best'] - row['bound']) / max(1.0, abs(row['best'])):.0e}"


def one_factor(speed: Mapping[str, Any] | None) -> str:
    """A speed-up; in brackets where it does not count, with < where we never got there."""
    if speed is None:
        return ""
    text = ("< " if speed["ours"] is None else "") + factor(speed["factor"])
    return text if speed["counts"] else f"({text})"


def distance(given: Mapping[str, Any] | None) -> str:
    """A distance, with ≤ or ≥ where only that is known."""
    if given is None:
        return "–"
    sign = {"exact": "", "at most": "≤ ", "at least": "≥ "}[given["kind"]]
    return f"{sign}{max(given['value'], 0.0):.0e}"


def factor(value: float | None) -> str:
    """A factor."""
    return "–" if value is None else f"{value:.3g}"


def percent(value: float | None) -> str:
    """A share."""
    return "–" if value is None else f"{100 * value:.0f} %"


def number(value: float | None) -> str:
    """A bound."""
    return "none" if value is None else f"{value:.8g}"
