"""The end of a run in a few aligned lines, and how numbers are written for people."""

from __future__ import annotations

from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from .gaps import dual_gap, own_gap, what_is_left
from .result import STATUS_MEANING, Result

#: What each `Result.proof` says, in one sentence.
PROOF_MEANING: dict[str, str] = {
    "gap": "energy and lower bound meet within the gap asked for",
    "step": "no energy can lie between the labeling's and the bound",
    "exact": "an exact solver found nothing better: the proof rests on it",
    "term": "a part of the decomposition has no labeling of finite cost",
    "bound": "the lower bound exceeds what any labeling could cost",
    "contradiction": "what is required contradicts itself: see the note",
}

_COLOURS = {"optimal": "green", "converged": "green", "infeasible": "red"}


def summary(result: Result, model: Any = None) -> RenderableType:
    """Return what there is to say about a result, at most 80 columns wide.

    Parameters
    ----------
    result
        The result.
    model
        The model that was solved; named in the heading where given.
    """
    heading = Text.assemble((f"fwmap {result.version}", "bold"))
    if result.instance is not None:
        heading.append(f"   {_tail(result.instance, 77 - len(heading))}", style="bold")
    parts: list[RenderableType] = [heading]
    size = size_of(model)
    if size:
        parts.append(Text(size, style="dim"))
    parts.append(_Line())

    sentences = _grid()
    colour = _COLOURS.get(result.status, "yellow")
    sentences.add_row(
        Text(result.status.replace("_", " "), style=f"bold {colour}"), STATUS_MEANING[result.status]
    )
    if result.proof is not None:
        sentences.add_row(Text("proof", style="dim"), PROOF_MEANING.get(result.proof, result.proof))
    if result.cycles:
        sentences.add_row(Text("tightened", style="dim"), f"by {count(len(result.cycles))} cycles")
    left = what_is_left(result)
    if left is not None:
        sentences.add_row(Text("what is left", style="dim"), Text(left))
    parts += [sentences, Text(), _numbers(result)]

    if result.notes:
        notes = _grid()
        for note in result.notes:
            notes.add_row(Text("note", style="dim"), Text(note))
        parts += [Text(), notes]
    return Group(*parts)


def _tail(name: str, length: int) -> str:
    """The end of a long path tells more than its beginning."""
    return name if len(name) <= length else "..." + name[3 - length :]


class _Line:
    """A line across the page, in ASCII where the terminal knows no more."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(("-" if options.ascii_only else "─") * min(80, options.max_width), style="dim")


def _grid() -> Table:
    grid = Table.grid(padding=(0, 1, 0, 1))
    grid.add_column(width=15, no_wrap=True)
    grid.add_column(overflow="fold", max_width=62)
    return grid


def _numbers(result: Result) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 1))
    for width in (15, 21, 16, 20):
        grid.add_column(width=width, no_wrap=True)
    rows = [
        ("energy", number(result.energy), "lower bound", number(result.bound)),
        ("gap", small(result.gap), "relative gap", small(result.relative_gap)),
        ("bound's gap", limit("<=", dual_gap(result)), "relaxation's gap", limit(">=", own_gap(result))),
        ("A", small(result.relaxation_gap.get("A")), "B", small(result.relaxation_gap.get("B"))),
        ("time", seconds(result.seconds), "CPU time", seconds(result.cpu_seconds)),
        ("iterations", count(result.iterations), "oracle calls", count(result.oracle_calls)),
        ("peak memory", memory(result.peak_memory_bytes), "counted work", small(result.work)),
    ]
    if result.exact_bound is not None:
        rows.append(
            ("exact bound", number(result.exact_bound), "by", str(result.exact_solver).split(" (")[0])
        )
    removed = result.removed
    if removed:
        labels = f"{count(removed['labels'])} of {count(removed['labels_in_total'])}"
        fixed = f"{count(removed['variables_fixed'])} of {count(removed['variables'])}"
        rows.append(("labels removed", labels, "variables fixed", fixed))
    for left, first, right, second in rows:
        grid.add_row(Text(left, style="dim"), first, Text(right, style="dim"), second)
    return grid


def size_of(model: Any) -> str:
    """Return the size of a model in a few words, and nothing where it tells none.

    Examples
    --------
    >>> from fwmap.models import MRF, Potts
    >>> size_of(MRF([[0, 0], [0, 0, 0]], [(0, 1)], [[1, 2, 3], [4, 5, 6]]))
    '2 variables, 2 to 3 labels, 1 edge'
    """
    words = []
    for attribute, noun in (
        ("n_nodes", "variable"),
        ("n_labels", "label"),
        ("n_edges", "edge"),
        ("n_factors", "factor"),
    ):
        amount = getattr(model, attribute, None)
        if amount is None:
            continue
        low, high = (int(amount.min()), int(amount.max())) if getattr(amount, "size", 0) else (amount, amount)
        if isinstance(high, int) and (high or noun == "variable"):
            span = count(low) if low == high else f"{count(low)} to {count(high)}"
            words.append(f"{span} {noun}{'' if high == 1 else 's'}")
    return ", ".join(words)


def number(value: float | None, digits: int = 12) -> str:
    """Write a value with its significant digits.

    Examples
    --------
    >>> number(-1234.5), number(None)
    ('-1234.5', '-')
    """
    return "-" if value is None else f"{value:.{digits}g}"


def small(value: float | None) -> str:
    """Write a value where only its size matters.

    Examples
    --------
    >>> small(0.0), small(0.00012345), small(2.5)
    ('0', '1.23e-04', '2.5')
    """
    if value is None:
        return "-"
    if value == 0 or 0.01 <= abs(value) < 10000:
        return f"{value:.3g}"
    return f"{value:.2e}"


def limit(relation: str, value: float | None) -> str:
    """Write a bound of what is named beside it.

    Examples
    --------
    >>> limit("<=", 0.5), limit(">=", None)
    ('<= 0.5', '-')
    """
    return "-" if value is None else f"{relation} {small(value)}"


def count(value: int) -> str:
    """Write a number of things.

    Examples
    --------
    >>> count(1234567)
    '1,234,567'
    """
    return f"{value:,}"


def short_count(value: int) -> str:
    """Write a number of things in at most four characters or so.

    Examples
    --------
    >>> short_count(9999), short_count(12345), short_count(1234567)
    ('9999', '12k', '1.2M')
    """
    if value < 10_000:
        return str(value)
    if value < 1_000_000:
        return f"{value // 1000}k"
    return f"{value / 1e6:.1f}M" if value < 10e6 else f"{value // 1_000_000}M"


def seconds(value: float) -> str:
    """Write a duration.

    Examples
    --------
    >>> seconds(0.0123), seconds(12.34), seconds(4000)
    ('0.012 s', '12.3 s', '1 h 06 min')
    """
    if value < 1:
        return f"{value:.3f} s"
    if value < 100:
        return f"{value:.3g} s"
    if value < 3600:
        return f"{int(value) // 60} min {int(value) % 60:02d} s"
    return f"{int(value) // 3600} h {int(value) % 3600 // 60:02d} min"


def memory(size_bytes: int) -> str:
    """Write an amount of memory.

    Examples
    --------
    >>> memory(123_456_789)
    '123 MB'
    """
    size, unit = float(size_bytes), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:.3g} {unit}"
