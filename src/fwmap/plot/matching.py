"""A matching between two sets of points, or two images, with the doubtful matches standing out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidModel
from ..models import GraphMatching
from ..result import Result
from .canvas import BLUE, FAINT, INK, VERMILION, head, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

PANEL_INCHES = 4.2
#: Space between the two sides, in widths of one.
GAP = 0.18

Floats = NDArray[np.float64]


def plot_matching(
    result: Result,
    model: GraphMatching,
    path: Path | str,
    title: str | None = None,
    *,
    truth: ArrayLike | None = None,
    left_image: ArrayLike | None = None,
    right_image: ArrayLike | None = None,
) -> None:
    """Draw both sets of points with lines between those that are matched.

    The colour of a line is y, how much of the relaxation agrees with it: blue where all of it does, red where
    none. Points without a partner are hollow. Where the truth is known, wrong matches are dashed.

    Parameters
    ----------
    result
        A result for `model`.
    model
        A model with `left_points` and `right_points`; of three coordinates the first two are drawn.
    path
        The file to write.
    title
        Heading; the instance's name when absent.
    truth
        The right labeling, where it is known; -1: has no partner.
    left_image, right_image
        Pictures (height, width) or (height, width, colours) behind the points; coordinates are then columns
        and rows of pixels.
    """
    figure = new_figure(2 * PANEL_INCHES + 1.0, panel_height(model, left_image, right_image) + 0.9)
    images = tuple(None if image is None else np.asarray(image) for image in (left_image, right_image))
    draw_matching(figure.subplots(), result, model, truth=truth, images=(images[0], images[1]))
    head(figure, result.instance if title is None else title)
    save(figure, path)


def has_points(model: object) -> bool:
    """Whether a model is a matching whose points have coordinates."""
    return (
        isinstance(model, GraphMatching) and model.left_points is not None and model.right_points is not None
    )


def panel_height(model: GraphMatching, *images: ArrayLike | None) -> float:
    """Return the inches both sides need, within reason."""
    given = images if images else (None, None)
    boxes = [frame_of(points, image) for points, image in zip(points_of(model), given, strict=True)]
    return PANEL_INCHES * min(max(map(slenderness, boxes)), 1.6)


def slenderness(frame: Floats) -> float:
    """Height over width."""
    width, height = frame[1] - frame[0]
    return float(height / width)


def draw_matching(
    axes: Axes,
    result: Result,
    model: GraphMatching,
    *,
    truth: ArrayLike | None = None,
    images: tuple[NDArray[np.generic] | None, NDArray[np.generic] | None] = (None, None),
) -> None:
    """Draw both sides and the matches into one pair of axes, with a scale for y."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import LineCollection

    frames = [frame_of(points, image) for points, image in zip(points_of(model), images, strict=True)]
    highest = max(map(slenderness, frames))
    places = []
    for k, (points, frame, image) in enumerate(zip(points_of(model), frames, images, strict=True)):
        height = slenderness(frame)
        corner = np.array([k * (1 + GAP), (highest - height) / 2])
        scaled = (points - frame[0]) / (frame[1, 0] - frame[0, 0])
        if image is not None:  # rows count downwards
            scaled[:, 1] = height - scaled[:, 1]
            extent = (corner[0], corner[0] + 1, corner[1], corner[1] + height)
            axes.imshow(image, extent=extent, cmap="gray", interpolation="nearest", alpha=0.75)
        else:
            outline = np.array([[0, 0], [1, 0], [1, height], [0, height], [0, 0]]) + corner
            axes.plot(*outline.T, color=FAINT, lw=1.0, zorder=0)
        places.append(scaled + corner)
    labeling = np.full(model.n_left, -1) if result.labeling is None else np.asarray(result.labeling)
    made = np.flatnonzero(labeling >= 0)
    y = agreement(result, model, labeling)[made]
    order = np.argsort(-y, kind="stable")  # the doubtful ones above
    made, y = made[order], y[order]
    lines = np.stack([places[0][made], places[1][labeling[made]]], axis=1)
    colours = doubtful_to_sure()
    wrong = np.zeros(len(made), bool) if truth is None else labeling[made] != np.asarray(truth)[made]
    width = 1.8 if len(made) <= 60 else 1.1
    for which, style in ((~wrong, "solid"), (wrong, (0, (4, 2)))):
        drawn = LineCollection(
            list(lines[which]), colors=colours(y[which]), linewidths=width, linestyles=[style], alpha=0.85
        )
        axes.add_collection(drawn)
    taken = np.zeros(model.n_right, bool)
    taken[labeling[made]] = True
    for points, has in ((places[0], labeling >= 0), (places[1], taken)):
        for which, fill, edge in ((has, INK, "white"), (~has, "white", INK)):
            x, height = points[which].T
            axes.scatter(x, height, s=28, facecolors=fill, edgecolors=edge, linewidths=1.1, zorder=3)
    axes.set_aspect("equal")
    margin = 0.04
    axes.set_xlim(-margin, 2 + GAP + margin)
    axes.set_ylim(-margin, highest + margin)
    axes.set_axis_off()
    axes.set_title(words_of(model, labeling, truth), fontsize=9, color=INK)
    bar = axes.figure.colorbar(ScalarMappable(cmap=colours), ax=axes, fraction=0.025, pad=0.01, shrink=0.7)
    bar.outline.set_visible(False)
    bar.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    bar.ax.tick_params(labelsize=8, colors=INK, length=0)
    bar.set_label("y of the match", fontsize=9, color=INK)


def points_of(model: GraphMatching) -> tuple[Floats, Floats]:
    """The first two coordinates of both sides, or a refusal where there are none."""
    if model.left_points is None or model.right_points is None:
        raise InvalidModel("the model has no coordinates; expected left_points and right_points")
    return model.left_points[:, :2], model.right_points[:, :2]


def frame_of(points: Floats, image: ArrayLike | None) -> Floats:
    """The corners of what is drawn: the image, or the points with a margin around them."""
    if image is not None:
        height, width = np.shape(image)[:2]
        return np.array([[-0.5, -0.5], [width - 0.5, height - 0.5]])
    if not len(points):
        return np.array([[0.0, 0.0], [1.0, 1.0]])
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max()) or 1.0
    middle = (low + high) / 2
    half = np.maximum((high - low) / 2, 0.2 * size) + 0.06 * size
    return np.array([middle - half, middle + half])


def agreement(result: Result, model: GraphMatching, labeling: NDArray[np.int64]) -> Floats:
    """y of the chosen label of each left point; 1 where nothing is known of y."""
    y = np.ones(model.n_left)
    if len(result.marginals) != model.n_left:
        return y
    labels = model.labels_of(labeling)
    for i, marginal in enumerate(result.marginals):
        y[i] = float(np.clip(marginal[labels[i]], 0.0, 1.0))
    return y


def doubtful_to_sure() -> Colormap:
    """From red through a pale middle, which is darker than the page, to blue."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("doubt", [VERMILION, "#E6AC6C", "#7DB3D8", BLUE])


def words_of(model: GraphMatching, labeling: NDArray[np.int64], truth: ArrayLike | None) -> str:
    """How many are matched, and how many of them rightly."""
    made = int(np.count_nonzero(labeling >= 0))
    words = f"{made} of {model.n_left} points matched ({model.matching} matching)"
    if truth is None:
        return words
    wrong = int(np.count_nonzero((labeling != np.asarray(truth)) & (labeling >= 0)))
    return f"{words}, {wrong} of them wrong (dashed)" if wrong else f"{words}, all of them rightly"
