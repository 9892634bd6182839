"""Bound, energy and the distance to the relaxation's optimum against time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..result import Result, TraceRow
from .canvas import BLUE, FAINT, GREEN, INK, PURPLE, VERMILION, head, new_figure, save, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

#: Values of A and B below this, relative to the bound, are 0 but for rounding.
ROUNDING = 1e-14


def plot_trace(run: Result | Sequence[TraceRow], path: Path | str, title: str | None = None) -> None:
    """Draw bound and energy against time with the gap between them shaded, and A and B below.

    Parameters
    ----------
    run
        A result, or the rows of a trace.
    path
        The file to write, of a kind that Matplotlib knows by its ending.
    title
        Heading; the instance's name when absent.
    """
    figure = new_figure(7.2, 5.4)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    draw_trace(upper, lower, run.trace if isinstance(run, Result) else run)
    if title is None and isinstance(run, Result):
        title = run.instance
    head(figure, title)  # above the names of the lines, which a long one would meet
    save(figure, path)


def draw_trace(upper: Axes, lower: Axes, rows: Sequence[TraceRow]) -> None:
    """Draw bound, energy and gap into `upper`, A and B into `lower`; both share their time axis."""
    times = np.array([row.seconds for row in rows])
    bound = _known([row.lower_bound for row in rows])
    energy = _known([row.energy for row in rows])
    both = np.isfinite(bound) & np.isfinite(energy)
    marker = "o" if len(rows) == 1 else None  # one point has no line
    if np.isfinite(energy).any():
        upper.fill_between(
            times, bound, energy, where=both, step="post", color=FAINT, alpha=0.6, lw=0, label="gap"
        )
        upper.step(
            times, energy, where="post", color=VERMILION, lw=1.6, ls="--", marker=marker, label="energy"
        )
    upper.step(times, bound, where="post", color=BLUE, lw=1.8, marker=marker, label="lower bound")
    limits = interesting_range(bound, energy)
    if limits is not None:
        upper.set_ylim(*limits)
    upper.ticklabel_format(axis="y", useOffset=False)
    upper.set_ylabel("energy")
    _name_lines_above(upper)

    least = ROUNDING * float(np.nanmax(np.abs(bound), initial=0.0))
    distances = {name: _above([getattr(row, name) for row in rows], least) for name in ("A", "B")}
    for (name, values), colour, style in zip(distances.items(), (GREEN, PURPLE), ("-", "--"), strict=True):
        lower.plot(times, values, color=colour, lw=1.6, ls=style, marker=marker, label=name)
    lower.set_yscale("log")
    _mark_logarithms(lower.yaxis, np.concatenate(list(distances.values())))
    if rows and not any(np.isfinite(values).any() for values in distances.values()):
        lower.set_yticks([])
        lower.text(0.5, 0.5, "both are 0", ha="center", va="center", transform=lower.transAxes, color=INK)
    lower.set_ylabel("A and B")
    _name_lines_above(lower)
    lower.set_xlabel("seconds")
    _choose_time_axis(lower, times)
    for axes in (upper, lower):
        tidy(axes)


def interesting_range(bound: NDArray[np.float64], energy: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the energies to show, without those first points that would flatten all that follows.

    Examples
    --------
    >>> low, high = interesting_range(np.array([-1e9] + [0.0] * 50), np.full(51, 1.0))
    >>> -1 < low < 0 and 1 < high < 2
    True
    """
    bound, energy = bound[np.isfinite(bound)], energy[np.isfinite(energy)]
    if len(bound) == 0 and len(energy) == 0:
        return None
    known = np.concatenate([bound, energy])
    low = float(np.quantile(bound, 0.1)) if len(bound) else float(known.min())
    high = float(np.quantile(energy, 0.9)) if len(energy) else float(known.max())
    margin = max(0.08 * (high - low), 1e-4 * max(1.0, abs(high)))  # equal numbers need room, too
    return low - margin, high + margin


def _name_lines_above(axes: Axes) -> None:
    axes.legend(
        loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False, fontsize=9, borderaxespad=0.2
    )


def _choose_time_axis(axes: Axes, times: NDArray[np.float64]) -> None:
    """Logarithmic where the run spans more than a factor of 30 in time."""
    positive = times[times > 0]
    if len(positive) > 2 and positive[-1] > 30 * positive[0]:
        axes.set_xscale("log")
        _mark_logarithms(axes.xaxis, positive)
        axes.set_xlim(positive[0], positive[-1])


def _mark_logarithms(axis: Axis, values: NDArray[np.float64]) -> None:
    """Mark a logarithmic axis with 0.2, 0.5, 1, … instead of powers of ten where few of those fit."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    known = values[np.isfinite(values)]
    if len(known) and known.max() < 1e3 * known.min():
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _known(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _above(values: Sequence[float], least: float) -> NDArray[np.float64]:
    """The values that a logarithmic axis can show and that are not rounding, NaN for the others."""
    known = _known(values)
    known[~(known > least)] = np.nan
    return known
