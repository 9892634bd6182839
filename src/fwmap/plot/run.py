"""Everything there is to see of one run in one picture."""

from __future__ import annotations

from pathlib import Path

from ..models import MRF, Model
from ..result import Result
from .canvas import head, new_figure, save
from .labeling import PANEL_INCHES, draw_labeling, panel_height
from .trace import draw_trace, plot_trace

TRACE_INCHES = 4.8


def plot_run(result: Result, model: Model, path: Path | str, title: str | None = None) -> None:
    """Draw the trace and, for an image model, the labeling above it.

    Parameters
    ----------
    result, model
        A result and its model.
    path
        The file to write.
    title
        Heading; the instance's name when absent.
    """
    if not isinstance(model, MRF) or model.image_shape is None:
        plot_trace(result, path, title)
        return
    images = panel_height(model) + 0.5
    figure = new_figure(3 * PANEL_INCHES, images + TRACE_INCHES)
    above, below = figure.subfigures(2, 1, height_ratios=(images, TRACE_INCHES), squeeze=False)[:, 0]
    head(figure, result.instance if title is None else title)
    draw_labeling(list(above.subplots(1, 3)), result, model)
    upper, lower = below.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    draw_trace(upper, lower, result.trace)
    save(figure, path)
