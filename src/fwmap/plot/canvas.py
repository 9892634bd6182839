"""Figures that belong to no window and to no global state, and the look they share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FwmapError, InvalidSetting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which everyone can tell apart; lines differ in style too.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
INK, FAINT = "#333333", "#DDDDDD"
DOTS_PER_INCH = 150


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches; refuse where Matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise FwmapError("pictures need Matplotlib: pip install 'fwmap[plot]'") from None
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, path: Path | str) -> None:
    """Write a figure, as the kind of file that the ending of `path` names."""
    figure.savefig(path, dpi=DOTS_PER_INCH)


def check_can_plot(path: Path | None = None) -> None:
    """Refuse to begin where the end could not be drawn: no Matplotlib, or an unknown kind of file."""
    known = new_figure(1, 1).canvas.get_supported_filetypes()
    if path is not None and path.suffix.lstrip(".").lower() not in known:
        raise InvalidSetting(f"--plot {path}: cannot draw this kind of file; expected a name ending in .png")


def head(figure: Figure, title: str | None) -> None:
    """Write the heading of a figure, if there is one."""
    if title:
        figure.suptitle(title, color=INK, fontsize=11, parse_math=False)  # a name may hold $ signs


def tidy(axes: Axes) -> None:
    """Leave of the frame what carries the scales, and a faint grid."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(INK)
    axes.tick_params(labelsize=9, colors=INK)
    axes.grid(True, color=FAINT, lw=0.6)
    axes.set_axisbelow(True)
