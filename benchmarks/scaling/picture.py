"""Time and memory against size, on logarithmic axes, beside a line of slope one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fwmap.plot.canvas import BLUE, INK, VERMILION, new_figure, save, tidy


def draw(record: Mapping[str, Any], path: Path) -> None:
    """Draw one panel per series."""
    series = record["series"]
    columns = min(3, len(series))
    rows = -(-len(series) // columns)
    figure = new_figure(4.2 * columns, 3.0 * rows + 0.3)
    panels = figure.subplots(rows, columns, squeeze=False).flatten()
    for axes in panels[len(series) :]:
        axes.set_visible(False)
    for axes, each in zip(panels, series.values(), strict=False):
        sizes = np.array([point["size"] for point in each["points"]], float)
        time = np.array([1e3 * point["seconds_per_iteration"] for point in each["points"]])
        memory = np.array([point["memory_bytes"] / 1e6 for point in each["points"]])
        axes.loglog(sizes, time, "o-", color=BLUE, label=f"ms per iteration, slope {slope_of(each)}")
        axes.loglog(sizes, time[-1] * sizes / sizes[-1], ":", color=BLUE, lw=1, label="linear")
        axes.set_xlabel(each["of"], fontsize=9)
        axes.set_title(each["what"], fontsize=9, color=INK)
        tidy(axes)
        axes.legend(fontsize=7, frameon=False, loc="upper left")
        other = axes.twinx()
        other.loglog(sizes, np.maximum(memory, 0.1), "s--", color=VERMILION, ms=4, lw=1)
        other.tick_params(labelsize=8, colors=VERMILION)
        other.set_ylabel("MB", fontsize=8, color=VERMILION)
        other.spines["top"].set_visible(False)
    save(figure, path)


def slope_of(series: Mapping[str, Any]) -> str:
    """The slope of the time, in words."""
    value = series["slopes"]["seconds_per_iteration"]
    return "unknown" if value is None else f"{value:.2f}"
