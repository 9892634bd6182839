"""Tomography: images with few grey values, and the models of their projections."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidSetting
from ..geometry import Directions, noisy, project, sinogram
from ..geometry.directions import rays_of
from ..models import Tomography
from ..models.arrays import Floats, Ints
from .dataset import Dataset, expect_at_least

#: The ellipses of Shepp and Logan (1974) with the contrast of Toft (1996): value added, half axes, centre,
#: and angle in degrees; x to the right and y up, both from -1 to 1.
ELLIPSES = (
    (1.0, 0.69, 0.92, 0.0, 0.0, 0.0),
    (-0.8, 0.6624, 0.874, 0.0, -0.0184, 0.0),
    (-0.2, 0.11, 0.31, 0.22, 0.0, -18.0),
    (-0.2, 0.16, 0.41, -0.22, 0.0, 18.0),
    (0.1, 0.21, 0.25, 0.0, 0.35, 0.0),
    (0.1, 0.046, 0.046, 0.0, 0.1, 0.0),
    (0.1, 0.046, 0.046, 0.0, -0.1, 0.0),
    (0.1, 0.046, 0.023, -0.08, -0.605, 0.0),
    (0.1, 0.023, 0.023, 0.0, -0.606, 0.0),
    (0.1, 0.023, 0.046, 0.06, -0.605, 0.0),
)

#: Where the values 0, 0.1, ... of the phantom are cut, the most telling cut first.
CUTS = (0.05, 0.25, 0.6, 0.35, 0.15)


def shepp_logan(
    size: int = 64,
    labels: int = 3,
    directions: Directions = 4,
    *,
    smoothness: float = 1.0,
    noise: float = 0.0,
    seed: int = 0,
) -> Dataset[Tomography]:
    """Return the reconstruction of the Shepp-Logan phantom, a slice of a head, with few grey values.

    Parameters
    ----------
    size
        Height and width in pixels.
    labels
        Number of grey values, 2 to 6; with 3: background, brain, and skull with everything brighter.
    directions
        How many, or which: see `fwmap.geometry.directions`.
    smoothness
        Weight of the truncated linear cost of neighbours that differ.
    noise
        Standard deviation of normal noise on the sums; with 0 they are required exactly.
    seed
        Of the noise.

    Examples
    --------
    >>> data = shepp_logan(16, directions=2)
    >>> data.model.image_shape, data.model.n_rays, bool(np.isfinite(data.model.energy(data.truth)))
    ((16, 16), 32, True)
    """
    image = shepp_logan_image(size, labels)
    words = f"Shepp-Logan phantom of {size} x {size} pixels, {labels} grey values"
    return measured(image, labels, directions, f"shepp_logan_{size}", words, smoothness, noise, seed)


def random_objects(
    size: int = 32,
    density: float = 0.5,
    labels: int = 3,
    directions: Directions = 2,
    *,
    smoothness: float = 1.0,
    noise: float = 0.0,
    seed: int = 0,
) -> Dataset[Tomography]:
    """Return the reconstruction of random ellipses and rectangles of random grey values.

    Parameters
    ----------
    size
        Height and width in pixels.
    density
        Share of the pixels that are not background, 0 to 1; met to one pixel.
    labels
        Number of grey values, at least 2.
    directions, smoothness, noise
        As for `shepp_logan`.
    seed
        Of objects and noise.

    Examples
    --------
    >>> data = random_objects(10, density=0.3, seed=5)
    >>> float(np.mean(data.truth > 0))
    0.3
    """
    image = random_objects_image(size, density, labels, seed)
    name = f"random_objects_{size}_{round(100 * density)}_{seed}"
    words = f"random objects, {size} x {size}, {labels} grey values, density {density:g}, seed {seed}"
    return measured(image, labels, directions, name, words, smoothness, noise, seed)


def measured(
    image: ArrayLike,
    labels: int,
    directions: Directions,
    name: str,
    description: str,
    smoothness: float = 1.0,
    noise: float = 0.0,
    seed: int = 0,
) -> Dataset[Tomography]:
    """Return the problem to reconstruct an image from its projections, with noise on them or without.

    Examples
    --------
    >>> measured(np.eye(3, dtype=int), 2, 2, "eye", "a diagonal").model.n_rays
    6
    """
    if not 0 <= noise < math.inf:
        raise InvalidSetting(f"noise is {noise!r}; expected a standard deviation >= 0")
    truth = np.asarray(image, dtype=np.int64)
    shape = (truth.shape[0], truth.shape[1])
    projections = project(truth, directions)
    own = rays_of(shape, directions)
    if noise:
        sums = np.concatenate(sinogram(truth, directions))
        given = sums + noise * np.random.default_rng([seed, 1]).standard_normal(len(sums))
        projections = noisy(given, noise, [ray for rays in own for ray in rays], labels)
    counted = f"{description}, {len(own)} directions" + (f" with noise {noise:g}" if noise else "")
    return Dataset(
        name=f"{name}_{len(own)}",
        model=Tomography(shape, projections, labels, smoothness, name=name),
        truth=truth.reshape(-1),
        description=counted,
        pictures={"phantom": np.round(truth * (255 / max(labels - 1, 1))).astype(np.uint8)},
    )


def shepp_logan_image(size: int, labels: int) -> Ints:
    """Return the phantom with grey values 0 … labels - 1; the first and last pixels are at -1 and 1.

    Examples
    --------
    >>> np.bincount(shepp_logan_image(64, 3).reshape(-1)).tolist()
    [2410, 1327, 359]
    """
    expect_at_least(1, size=size)
    expect_at_least(2, labels=labels)
    if labels > len(CUTS) + 1:
        raise InvalidSetting(
            f"labels is {labels}; expected at most {len(CUTS) + 1}, the values of the phantom"
        )
    x = np.linspace(-1.0, 1.0, size)
    y = -x[:, None]
    values = np.zeros((size, size))
    for added, a, b, center_x, center_y, degrees in ELLIPSES:
        values[_ellipse(x - center_x, y - center_y, a, b, math.radians(degrees))] += added
    return quantised(values, sorted(CUTS[: labels - 1]))


def random_objects_image(size: int, density: float, labels: int, seed: int) -> Ints:
    """Return an image of random ellipses and rectangles; they overlap, the later above the earlier.

    Examples
    --------
    >>> np.unique(random_objects_image(16, 0.4, 3, seed=1)).tolist()
    [0, 1, 2]
    """
    expect_at_least(1, size=size)
    expect_at_least(2, labels=labels)
    if not 0 <= density <= 1:
        raise InvalidSetting(f"density is {density!r}; expected a share from 0 to 1")
    random = np.random.default_rng([seed, 0])
    image = np.zeros((size, size), dtype=np.int64)
    wanted = round(density * size * size)
    while (left := wanted - np.count_nonzero(image)) > 0:
        row, column = random.choice(np.argwhere(image == 0))
        a, b = random.uniform(size / 16, size / 5, size=2)
        y, x = np.arange(size)[:, None] - row, np.arange(size) - column
        angle = random.uniform(0, math.pi)
        shape = _ellipse if random.random() < 0.5 else _rectangle
        inside = shape(x, y, a, b, angle)
        new = np.argwhere(inside & (image == 0))
        if len(new) > left:  # keep those nearest to the centre: the last object is cut
            far = np.argsort(((new - [row, column]) ** 2).sum(axis=1), kind="stable")[left:]
            inside[tuple(new[far].T)] = False
        image[inside] = random.integers(1, labels)
    return image


def quantised(values: ArrayLike, cuts: ArrayLike) -> Ints:
    """Return how many of the cuts each value reaches.

    Examples
    --------
    >>> quantised([[0.1, 0.5], [0.7, 1.0]], [0.5, 0.9]).tolist()
    [[0, 1], [1, 2]]
    """
    return np.searchsorted(np.asarray(cuts), np.asarray(values), side="right").astype(np.int64)


def _turned(x: Floats, y: Floats, angle: float) -> tuple[Floats, Floats]:
    cosine, sine = math.cos(angle), math.sin(angle)
    return x * cosine + y * sine, y * cosine - x * sine


def _ellipse(x: Floats, y: Floats, a: float, b: float, angle: float) -> NDArray[np.bool_]:
    u, v = _turned(x, y, angle)
    inside: NDArray[np.bool_] = (u / a) ** 2 + (v / b) ** 2 <= 1
    return inside


def _rectangle(x: Floats, y: Floats, a: float, b: float, angle: float) -> NDArray[np.bool_]:
    u, v = _turned(x, y, angle)
    inside: NDArray[np.bool_] = (np.abs(u) <= a) & (np.abs(v) <= b)
    return inside
