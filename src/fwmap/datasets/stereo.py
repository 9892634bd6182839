"""Stereo: two views of a textured scene whose depth is known, and the energy that finds it again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..models import MRF, TruncatedLinear
from .dataset import Dataset, expect_at_least

_WALL = 160.0  # its brightness


def stereo(
    height: int = 96, width: int = 128, disparities: int = 16, *, noise: float = 8.0, seed: int = 0
) -> Dataset[MRF]:
    """Return a stereo pair: pixel (y, x) of the left view is pixel (y, x − d) of the right one.

    A label is a disparity; it pays the difference of the two grey values it pairs, truncated, and neighbours
    pay a truncated linear cost. Pixels that the right view cannot see pay the same for every label.

    Parameters
    ----------
    height, width
        Size of both views.
    disparities
        Number of disparities, from 0.
    noise
        Standard deviation of the noise, independent in both views, in grey values of 0 … 255.
    seed
        Of texture and noise.

    Examples
    --------
    >>> data = stereo(6, 8, disparities=3)
    >>> data.model.n_nodes, int(data.truth.max())
    (48, 2)
    """
    expect_at_least(1, height=height, width=width)
    expect_at_least(2, disparities=disparities)
    random = np.random.default_rng(seed)
    depth, brightness = _scene(height, width, disparities)
    left = np.clip(brightness + _texture(random, height, width), 0, 255)
    right = np.clip(_WALL + _texture(random, height, width), 0, 255)  # what only the right view sees
    for disparity in range(disparities):  # the nearer hides the farther
        rows, columns = np.nonzero(depth == disparity)
        seen = columns >= disparity
        right[rows[seen], columns[seen] - disparity] = left[rows[seen], columns[seen]]
    left = left + noise * random.standard_normal(left.shape)
    right = right + noise * random.standard_normal(right.shape)

    truncation = 40.0
    unaries = np.full((height, width, disparities), truncation)
    for disparity in range(min(disparities, width)):
        difference = np.abs(left[:, disparity:] - right[:, : width - disparity])
        unaries[:, disparity:, disparity] = np.minimum(difference, truncation)
    model = MRF.grid(unaries / 10, TruncatedLinear(0.8, 3.0))
    return Dataset(
        name=f"stereo_{height}x{width}_{disparities}",
        model=model,
        truth=depth.ravel(),
        description=f"stereo pair of {height} x {width} pixels with {disparities} disparities, seed {seed}",
        pictures={"left view": _as_grey(left), "right view": _as_grey(right)},
    )


def _scene(height: int, width: int, disparities: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return disparity and brightness of a wall, a slanted floor, a ball, and a box with a hole."""
    y = ((np.arange(height) + 0.5) / height)[:, None]
    x = ((np.arange(width) + 0.5) / width)[None, :]
    aspect = width / height
    depth = np.full((height, width), 0.12)
    brightness = np.full((height, width), _WALL)

    def put(where: NDArray[np.bool_], nearness: float | NDArray[np.float64], grey: float) -> None:
        np.copyto(depth, nearness, where=where)
        np.copyto(brightness, grey, where=where)

    put(y > np.full_like(x, 0.55), 0.12 + 1.5 * (y - 0.55), 120.0)  # the floor comes nearer
    put(((x - 0.72) * aspect) ** 2 + (y - 0.40) ** 2 < 0.22**2, 0.52, 205.0)  # the ball
    box = (np.abs(x - 0.29) < 0.18) & (np.abs(y - 0.52) < 0.26)
    hole = (np.abs(x - 0.29) < 0.10) & (np.abs(y - 0.46) < 0.11)
    put(box & ~hole, 0.8, 75.0)
    return np.rint(np.clip(depth, 0, 1) * (disparities - 1)).astype(np.int64), brightness


def _texture(random: np.random.Generator, height: int, width: int) -> NDArray[np.float64]:
    """Noise at three scales, so that there is something to match everywhere."""
    texture = np.zeros((height, width))
    for cell, strength in ((1, 22.0), (2, 22.0), (5, 18.0)):
        coarse = random.standard_normal((-(-height // cell), -(-width // cell)))
        texture += strength * np.repeat(np.repeat(coarse, cell, axis=0), cell, axis=1)[:height, :width]
    return texture


def _as_grey(picture: NDArray[np.float64]) -> NDArray[np.uint8]:
    return np.round(np.clip(picture, 0, 255)).astype(np.uint8)
