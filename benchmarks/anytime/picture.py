"""Every instance in a small picture: how far each program is from the best bound known, against time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from curves import Curve, size
from matplotlib.ticker import FuncFormatter, NullLocator

from fwmap.plot.canvas import BLUE, GREEN, INK, PURPLE, VERMILION, new_figure, save, tidy

#: Colour, line style and name in the legend; other programs are grey.
LOOKS = {
    "fwmap": (BLUE, "-", "fwmap"),
    "fwmap_published_own_c": (VERMILION, "-", "published, own c"),
    "fwmap_published_tuned_c": (VERMILION, ":", "published, tuned c"),
    "subgradient": (PURPLE, "--", "subgradient"),
    "trws": (GREEN, "--", "TRW-S"),
    "message-passing": (GREEN, "-.", "message passing"),
    "conicbundle": ("#E69F00", "-.", "ConicBundle"),
    "bundle": ("#E69F00", "--", "bundle"),
}
LEAST = 1e-9  # relative distances below this are drawn here
COLUMNS = 6


def draw(record: Mapping[str, Any], curves: Mapping[str, Mapping[str, Curve]], path: Path) -> None:
    """Draw all runs of a record; `curves` has those of other programs by instance and program."""
    runs = [run for run in record["runs"] if run["curve"]["seconds"]]
    rows = max(1, math.ceil(len(runs) / COLUMNS))
    columns = min(COLUMNS, max(1, len(runs)))
    figure = new_figure(2.6 * columns, 1.9 * rows + 0.7)
    panels = figure.subplots(rows, columns, squeeze=False).flatten()
    shown = {}
    for axes, run in zip(panels, runs, strict=False):
        own = Curve(run["curve"]["seconds"], run["curve"]["bounds"])
        drawn = {"fwmap": own, **curves.get(run["name"], {})}
        target = target_of(run, drawn)
        for name, curve in reversed(drawn.items()):
            colour, style, label = LOOKS.get(name, ("#888888", "-", name))
            last = max(record["seconds"], own.times[-1])
            times = [*curve.times, last] if name == "fwmap" else list(curve.times)
            bounds = [*curve.bounds, curve.bounds[-1]] if name == "fwmap" else list(curve.bounds)
            far = [max((target - bound) / size(target), LEAST) for bound in bounds]
            marker = None if name == "fwmap" else "o"
            (line,) = axes.plot(
                times, far, style, color=colour, lw=2.0 if name == "fwmap" else 1.2, marker=marker, ms=2.5,
                drawstyle="steps-post" if name == "fwmap" else "default",
            )  # fmt: skip
            shown[label] = line
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(3e-3, 25)
        axes.set_ylim(LEAST / 2, 2)
        axes.set_title(run["name"], fontsize=8, color=INK, parse_math=False)
        tidy(axes)
        axes.tick_params(labelsize=7)
        axes.set_xticks([0.01, 0.1, 1, 10])
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_yticks([1e-9, 1e-6, 1e-3, 1])
    for axes in panels[len(runs) :]:
        axes.set_visible(False)
    figure.supxlabel("CPU seconds of the reference machine", fontsize=9, color=INK)
    figure.supylabel("relative distance to the best value known", fontsize=9, color=INK)
    order = [label for _, _, label in LOOKS.values() if label in shown]
    columns = min(len(order), columns + 1)
    lines = [shown[label] for label in order]
    figure.legend(lines, order, loc="outside upper center", ncols=columns, frameon=False, fontsize=9)
    save(figure, path)


def target_of(run: Mapping[str, Any], drawn: Mapping[str, Curve]) -> float:
    """The relaxation's optimum, or the best bound that anybody reached."""
    best = max(bound for curve in drawn.values() for bound in curve.bounds)
    known = run["lp_optimum"]
    return best if known is None else max(best, float(known))
