"""Everything there is to see of one run in one picture."""

from __future__ import annotations

from pathlib import Path

from ..models import MRF, GraphMatching, Model, Tomography
from ..result import Result
from .canvas import head, new_figure, save
from .labeling import PANEL_INCHES, draw_labeling, panel_height
from .matching import draw_matching, has_points
from .matching import panel_height as matching_height
from .tomography import draw_reconstruction
from .trace import draw_trace, plot_trace

TRACE_INCHES = 4.8


def plot_run(result: Result, model: Model, path: Path | str, title: str | None = None) -> None:
    """Draw the trace and, for an image or points with coordinates, the labeling or matching above it.

    Parameters
    ----------
    result, model
        A result and its model.
    path
        The file to write.
    title
        Heading; the instance's name when absent.
    """
    if isinstance(model, GraphMatching) and has_points(model):
        upper_inches = matching_height(model) + 0.5
    elif isinstance(model, (MRF, Tomography)) and model.image_shape is not None:
        upper_inches = panel_height(model) + 0.5
    else:
        plot_trace(result, path, title)
        return
    figure = new_figure(3 * PANEL_INCHES, upper_inches + TRACE_INCHES)
    above, below = figure.subfigures(2, 1, height_ratios=(upper_inches, TRACE_INCHES), squeeze=False)[:, 0]
    head(figure, result.instance if title is None else title)
    if isinstance(model, GraphMatching):
        draw_matching(above.subplots(), result, model)
    elif isinstance(model, Tomography):
        draw_reconstruction(list(above.subplots(1, 2)), result, model)
    else:
        draw_labeling(list(above.subplots(1, 3)), result, model)
    upper, lower = below.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    draw_trace(upper, lower, result.trace)
    save(figure, path)
