"""Denoising: a clean picture, noise on top, and the energy whose minimum is the cleaned picture."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSetting
from ..models import MRF, Potts, TruncatedLinear, TruncatedQuadratic
from .dataset import Dataset, expect_at_least
from .scene import scene

Smoothness = Literal["potts", "linear", "quadratic"]


def denoising(
    height: int = 120,
    width: int = 160,
    labels: int = 16,
    *,
    noise: float = 25.0,
    smoothness: Smoothness = "linear",
    weight: float | None = None,
    truncation: float | None = None,
    seed: int = 0,
) -> Dataset[MRF]:
    """Return a noisy 8-bit picture to be cleaned with evenly spaced grey values.

    A pixel with value v pays (v − level)² / (2 noise²) for a label, at most 8 (outliers are forgiven), and
    each pair of neighbours pays for its difference.

    Parameters
    ----------
    height, width
        Size of the picture.
    labels
        Number of grey values, 2 to 256.
    noise
        Standard deviation of the noise in grey values of 0 … 255; a further 2 % of the pixels are lost
        entirely.
    smoothness
        "potts", "linear" or "quadratic" costs of differences, the latter two truncated.
    weight, truncation
        Of the smoothness, in costs and in labels (squared labels for "quadratic"); chosen to suit the number
        of labels when absent.
    seed
        Of the noise.

    Examples
    --------
    >>> data = denoising(6, 8, labels=4)
    >>> data.model.n_nodes, data.truth.shape
    (48, (48,))
    """
    expect_at_least(1, height=height, width=width)
    expect_at_least(2, labels=labels)
    if labels > 256:
        raise InvalidSetting(f"labels is {labels}; expected at most 256, the grey values of 8 bits")
    if not noise > 0:
        raise InvalidSetting(f"noise is {noise!r}; expected a standard deviation > 0")
    random = np.random.default_rng(seed)
    clean = scene(height, width)
    noisy: NDArray[np.float64] = clean + noise * random.standard_normal(clean.shape)
    lost = random.random(clean.shape) < 0.02
    noisy[lost] = random.integers(0, 256, int(lost.sum()))
    np.round(np.clip(noisy, 0, 255), out=noisy)

    levels = np.linspace(0, 255, labels)
    unaries = noisy[:, :, None] - levels
    unaries *= unaries
    unaries /= 2 * noise**2
    np.minimum(unaries, 8.0, out=unaries)
    model = MRF.grid(unaries, _smoothness_costs(smoothness, labels, weight, truncation))
    truth = np.rint(clean.astype(np.float64) / 255 * (labels - 1)).astype(np.int64).ravel()
    return Dataset(
        name=f"denoising_{height}x{width}_{labels}",
        model=model,
        truth=truth,
        description=(
            f"denoising of {height} x {width} pixels, {labels} grey values, {smoothness} costs, seed {seed}"
        ),
        pictures={"clean": clean, "noisy": noisy.astype(np.uint8)},
    )


def _smoothness_costs(
    smoothness: Smoothness, labels: int, weight: float | None, truncation: float | None
) -> Potts | TruncatedLinear | TruncatedQuadratic:
    """Defaults keep the cost of a step in grey values about the same whatever the number of labels."""
    step = 15 / (labels - 1)  # one label in units of sixteenths of the grey range
    if smoothness == "potts":
        return Potts(1.2 if weight is None else weight)
    if smoothness == "linear":
        return TruncatedLinear(
            0.7 * step if weight is None else weight, 4 / step if truncation is None else truncation
        )
    if smoothness == "quadratic":
        return TruncatedQuadratic(
            0.35 * step**2 if weight is None else weight, 8 / step**2 if truncation is None else truncation
        )
    raise InvalidSetting(f"smoothness is {smoothness!r}; expected 'potts', 'linear' or 'quadratic'")
