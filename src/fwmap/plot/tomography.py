"""Reconstructions: what was measured, what was found, and where they differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..models import Tomography
from ..models.arrays import Ints
from ..result import Result
from .canvas import BLUE, INK, VERMILION, head, new_figure, save
from .labeling import PANEL_INCHES, image_shape, panel_height, show_image

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_reconstruction(
    result: Result,
    model: Tomography,
    path: Path | str,
    truth: ArrayLike | None = None,
    title: str | None = None,
) -> None:
    """Draw the reconstruction beside the relaxation's mean and, where the truth is known, their difference.

    Parameters
    ----------
    result, model
        A result and its model, which must be an image.
    path
        The file to write.
    truth
        The image that was projected, if it is known.
    title
        Heading; the instance's name when absent.
    """
    panels = 2 if truth is None else 4
    figure = new_figure(panels * PANEL_INCHES + 0.4, panel_height(model) + 0.6)
    axes = list(figure.subplots(1, panels))
    shape = image_shape(model)
    if truth is not None:
        original = np.asarray(truth).reshape(shape)
        show_image(axes[0], "the image", original, _highest(model))
        draw_difference(axes[3], shown_image(result, shape)[1], original, _highest(model))
    draw_reconstruction(axes[-2:] if truth is None else axes[1:3], result, model)
    head(figure, result.instance if title is None else title)
    save(figure, path)


def draw_reconstruction(axes: list[Axes], result: Result, model: Tomography) -> None:
    """Draw the image found, and the mean grey value of each pixel in the relaxation."""
    shape = image_shape(model)
    name, image = shown_image(result, shape)
    show_image(axes[0], name, image, _highest(model))
    if len(result.marginals) == 0:
        show_image(axes[1], "nothing is known of the relaxation", None, 1)
        return
    mean = [float(np.arange(len(marginal)) @ np.asarray(marginal)) for marginal in result.marginals]
    show_image(axes[1], "mean of the relaxation", np.reshape(mean, shape), _highest(model))


def draw_difference(axes: Axes, found: Ints | None, truth: Ints, highest: int) -> None:
    """Draw where the image found is darker or brighter than the truth."""
    if found is None:
        show_image(axes, "nothing to compare", None, 1)
        return
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("difference", [BLUE, "#FFFFFF", VERMILION])
    wrong = int(np.count_nonzero(found != truth))
    drawn = axes.imshow(
        found - truth, cmap=colours, vmin=-max(1, highest), vmax=max(1, highest), interpolation="nearest"
    )
    title = f"{wrong} of {truth.size:,} pixels differ ({wrong / truth.size:.2%})"
    show_image(axes, title if wrong else "no pixel differs", None, 1)
    for spine in axes.spines.values():  # most of it is white
        spine.set(visible=True, color=INK, linewidth=0.4)
    bar = axes.figure.colorbar(drawn, cax=axes.inset_axes((1.03, 0, 0.04, 1)))
    bar.outline.set_visible(False)
    bar.set_ticks(range(-highest, highest + 1, max(1, highest // 4)))
    bar.ax.tick_params(labelsize=8, colors=INK, length=0)


def save_grey(image: Ints, highest: int, path: Path | str) -> None:
    """Write an image pixel by pixel; the grey values 0 … highest become equally spaced brightnesses."""
    new_figure(1, 1)  # which refuses in words where Matplotlib is not installed
    from matplotlib.image import imsave

    imsave(path, image, cmap="gray", vmin=0, vmax=max(1, highest), format="png")


def shown_image(result: Result, shape: tuple[int, int]) -> tuple[str, NDArray[np.int64] | None]:
    """Return the best there is to look at and what it is; one that violates projections says so."""
    if result.labeling is not None:
        return "reconstruction", result.labeling.reshape(shape)
    if result.least_violating is not None:
        return "no reconstruction; this one violates projections", result.least_violating.reshape(shape)
    return "no reconstruction", None


def _highest(model: Tomography) -> int:
    return int(model.n_labels.max()) - 1
