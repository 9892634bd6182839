"""Recorded runs as the figures of the paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..models.arrays import Floats
from ..plot.canvas import BLUE, GREEN, INK, PURPLE, VERMILION, new_figure, save, tidy
from .records import Run
from .traces import applies, average, common_times, grouped

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colour and line of each solver, as Okabe and Ito tell them apart.
LOOKS = {
    "fwmap": (BLUE, "-"),
    "bundle": ("#E69F00", "--"),
    "subgradient": (PURPLE, "-."),
    "message-passing": (GREEN, (0, (7, 2))),
    "highs": (INK, ":"),
}
OTHERS = ((VERMILION, "-"), ("#56B4E9", "--"), ("#F0E442", "-."), ("#999999", ":"))
COLUMNS = 4
LEGEND_WIDTH = 1.45  # inches of a name
LEAST_SHARE = 1e-9  # of the largest A or B: what is below is rounding


def draw_all(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Draw every figure for which there are runs; return the files written."""
    drawn = [folder / "bounds.png"]
    draw_bounds(runs, drawn[0])
    if weights := [run for run in runs if "proximal_weight=" in run["method"]]:
        names = {run["instance"] for run in weights}
        drawn.append(folder / "weights.png")
        draw_weights([run for run in runs if run["instance"] in names], drawn[-1])
    if any(run["trace"].get("A") for run in runs):
        drawn.append(folder / "gap.png")
        draw_gap(runs, drawn[-1])
    return drawn


def draw_bounds(runs: Sequence[Run], path: Path) -> None:
    """Averaged bound against CPU time, one panel per dataset (the paper's Figure 3)."""
    datasets = grouped([run for run in runs if ":" not in run["method"]], "dataset")
    figure, panels = small_multiples(len(datasets))
    shown = {}
    for axes, (dataset, members) in zip(panels, datasets.items(), strict=False):
        applied = [run for run in members if applies(run)]
        n_instances = len(grouped(members, "instance"))
        times = common_times(applied)
        curves = {}
        for name, own in grouped(applied, "method").items():
            if len(grouped(own, "instance")) == n_instances:
                curves[name] = average(own, "lower_bound", times)
        for name, bounds in curves.items():
            colour, style = look(name)
            width = 2.0 if name == "fwmap" else 1.4
            (shown[name],) = axes.step(times, bounds, where="post", color=colour, ls=style, lw=width)
        finish(axes, f"{dataset} ({n_instances})")
        show_upper_part(axes, list(curves.values()))
    figure.supylabel("lower bound", fontsize=10, color=INK)
    legend(figure, shown)
    save(figure, path)


def draw_weights(runs: Sequence[Run], path: Path) -> None:
    """Bound against CPU time for several proximal weights, one panel per instance (the paper's Figure 4)."""
    instances = grouped([run for run in runs if run["method"].split(":")[0] == "fwmap"], "instance")
    figure, panels = small_multiples(len(instances))
    shown = {}
    order = sorted({run["method"] for run in runs if run["method"].startswith("fwmap")}, key=weight_of)
    for axes, (instance, members) in zip(panels, instances.items(), strict=False):
        times = common_times(members)
        curves = []
        for name, own in grouped(members, "method").items():
            bounds = average(own, "lower_bound", times)
            curves.append(bounds)
            value = name.partition("proximal_weight=")[2]
            label = {"": "automatic", "paper": "the paper's c"}.get(value, f"c = {value}")
            (shown[label],) = axes.step(
                times, bounds, where="post", lw=2.2 if name == "fwmap" else 1.4,
                color=BLUE if name == "fwmap" else warm(order.index(name) / max(1, len(order) - 1)),
            )  # fmt: skip
        finish(axes, instance)
        show_upper_part(axes, curves)
    figure.supylabel("lower bound", fontsize=10, color=INK)
    legend(figure, shown)
    save(figure, path)


def draw_gap(runs: Sequence[Run], path: Path) -> None:
    """A and B of the paper's duality gap against CPU time, averaged per dataset (the paper's Figure 5)."""
    datasets = grouped([run for run in runs if run["method"] == "fwmap" and run["trace"]], "dataset")
    figure, panels = small_multiples(len(datasets))
    shown = {}
    for axes, (dataset, members) in zip(panels, datasets.items(), strict=False):
        times = common_times(members)
        for name, colour, style in (("A", GREEN, "-"), ("B", PURPLE, "--")):
            values = average(members, name, times)
            values[~(values > 0)] = np.nan  # a logarithm shows no zero
            (shown[name],) = axes.plot(times, values, color=colour, ls=style, lw=1.6)
        axes.set_yscale("log")
        top = axes.get_ylim()[1]
        axes.set_ylim(max(axes.get_ylim()[0], LEAST_SHARE * top), top)
        finish(axes, f"{dataset} ({len(grouped(members, 'instance'))})")
    legend(figure, shown)
    save(figure, path)


def small_multiples(count: int) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels, and those."""
    columns = max(1, min(COLUMNS, count))
    rows = max(1, math.ceil(count / columns))
    wide, high = (5.6, 3.4) if count <= 1 else (3.1, 2.4)  # one panel alone can be larger
    figure = new_figure(wide * columns + 0.4, high * rows + 0.7)
    panels = list(figure.subplots(rows, columns, squeeze=False).flatten())
    for axes in panels[count:]:
        axes.set_visible(False)
    return figure, panels


def finish(axes: Axes, title: str) -> None:
    """Title, logarithmic time axis, and the look of all pictures."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_title(title, fontsize=9, color=INK, parse_math=False)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    tidy(axes)
    axes.tick_params(labelsize=7)


def show_upper_part(axes: Axes, curves: Sequence[Floats]) -> None:
    """Show where the curves differ, without the first points, which are far below."""
    known = [curve[~np.isnan(curve)] for curve in curves]
    known = [curve for curve in known if len(curve)]
    if not known:
        return
    top = max(float(curve.max()) for curve in known)
    early = float(np.median([np.quantile(curve, 0.2) for curve in known]))
    low = min(early, *(float(curve[-1]) for curve in known))
    room = max(0.06 * (top - low), 1e-6 * max(1.0, abs(top)))
    axes.set_ylim(low - room, top + room)
    axes.ticklabel_format(axis="y", useOffset=False)


def legend(figure: Figure, shown: Mapping[str, Artist]) -> None:
    """Name the lines, above all panels."""
    figure.supxlabel("CPU seconds", fontsize=10, color=INK)
    figure.legend(
        list(shown.values()),
        list(shown),
        loc="outside upper center",
        ncols=max(1, min(len(shown), int(figure.get_figwidth() / LEGEND_WIDTH))),
        frameon=False,
        fontsize=9,
    )


def look(method: str) -> tuple[str, object]:
    """Colour and line of a method."""
    return LOOKS.get(method) or OTHERS[sum(map(ord, method)) % len(OTHERS)]


def weight_of(method: str) -> float:
    """The proximal weight that a method names; other methods come first."""
    try:
        return float(method.split("proximal_weight=")[1])
    except (IndexError, ValueError):
        return 0.0


def warm(share: float) -> tuple[float, float, float]:
    """A colour from yellow to dark red."""
    return (0.95 - 0.35 * share, 0.75 * (1 - share) + 0.05, 0.15 * (1 - share))
