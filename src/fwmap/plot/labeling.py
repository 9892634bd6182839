"""The labeling of an image model as a picture, beside what it was made from."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidModel
from ..models import MRF, Tomography
from ..result import Result
from .canvas import INK, head, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..datasets import Dataset

PANEL_INCHES = 3.2


def plot_labeling(result: Result, model: MRF, path: Path | str, title: str | None = None) -> None:
    """Draw the labeling of an image model between its input and its uncertainty.

    From left to right: each pixel's cheapest label on its own, the labeling, and how undecided the relaxation
    is (1 − the largest marginal).

    Parameters
    ----------
    result
        A result for `model`.
    model
        A model with an `image_shape`.
    path
        The file to write.
    title
        Heading; the instance's name when absent.
    """
    figure = new_figure(3 * PANEL_INCHES + 0.5, panel_height(model) + 0.6)
    draw_labeling(list(figure.subplots(1, 3)), result, model)
    head(figure, result.instance if title is None else title)
    save(figure, path)


def plot_before_and_after(
    data: Dataset[MRF], result: Result, path: Path | str, title: str | None = None
) -> None:
    """Draw what was given, what was found, and the truth where it is known.

    Parameters
    ----------
    data
        A generated problem with pictures.
    result
        A result for its model.
    path
        The file to write.
    title
        Heading; none when absent.
    """
    shape = image_shape(data.model)
    n_labels = int(data.model.n_labels.max())
    colours = "gray" if "clean" in data.pictures else "cividis"  # labels are grey values, or they are not
    panels: list[tuple[str, NDArray[np.generic], int, str]] = [
        (name, picture, 255, "gray") for name, picture in data.pictures.items()
    ]
    if result.labeling is not None:
        panels.append((_found(data, result), result.labeling.reshape(shape), n_labels - 1, colours))
    if data.truth is not None and "clean" not in data.pictures:
        panels.append(("the truth", data.truth.reshape(shape), n_labels - 1, colours))
    figure = new_figure(PANEL_INCHES * len(panels), panel_height(data.model) + 0.3)
    for position, (name, picture, highest, colours) in enumerate(panels, start=1):
        show_image(figure.add_subplot(1, len(panels), position), name, picture, highest, colours)
    head(figure, title)
    save(figure, path)


def draw_labeling(axes: list[Axes], result: Result, model: MRF) -> None:
    """Draw input, labeling and uncertainty into three axes."""
    shape = image_shape(model)
    highest = int(model.n_labels.max()) - 1
    alone = [
        int(np.argmin(model.unaries[start:end])) for start, end in itertools.pairwise(model.label_offsets)
    ]
    show_image(axes[0], "each pixel alone", np.reshape(alone, shape), highest)
    if result.labeling is None:
        show_image(axes[1], "no labeling", None, highest)
    else:
        show_image(axes[1], "labeling", np.reshape(result.labeling, shape), highest)
    if len(result.marginals) == 0:
        show_image(axes[2], "nothing is known of the relaxation", None, highest)
        return
    undecided = np.array([1 - float(np.max(marginal)) for marginal in result.marginals]).reshape(shape)
    image = axes[2].imshow(undecided, cmap="magma", vmin=0, vmax=1, interpolation="nearest")
    show_image(axes[2], "undecided in the relaxation", None, highest)
    bar = axes[2].figure.colorbar(image, cax=axes[2].inset_axes((1.03, 0, 0.04, 1)))
    bar.outline.set_visible(False)
    bar.ax.yaxis.set_major_formatter("{x:g}")
    bar.ax.tick_params(labelsize=8, colors=INK, length=0)


def image_shape(model: MRF | Tomography) -> tuple[int, int]:
    """Return height and width, or refuse a model that is no image."""
    if model.image_shape is None:
        raise InvalidModel("the model is no image; expected one made by MRF.grid")
    return model.image_shape


def panel_height(model: MRF | Tomography) -> float:
    """Return the inches an image needs, within reason for very long ones."""
    height, width = image_shape(model)
    return PANEL_INCHES * min(max(height / width, 0.4), 2.0)


def _found(data: Dataset[MRF], result: Result) -> str:
    if data.truth is None or result.labeling is None:
        return "labeling"
    share = float(np.mean(np.abs(result.labeling - data.truth) <= 1))
    return f"labeling ({share:.1%} within one label)"


def show_image(
    axes: Axes, title: str, picture: NDArray[np.generic] | None, highest: int, colours: str = "gray"
) -> None:
    """Show an image, or nothing, under its title and without a frame."""
    if picture is not None:
        axes.imshow(picture, cmap=colours, vmin=0, vmax=max(1, highest), interpolation="nearest")
    axes.set_title(title, fontsize=9, color=INK)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
