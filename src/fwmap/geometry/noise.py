"""Measured sums with noise, as costs of sums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidModel
from ..models import Projection
from ..models.arrays import Floats, as_costs, as_indices

Penalty = Literal["quadratic", "absolute"]


def noisy(
    sums: ArrayLike,
    sigma: ArrayLike,
    rays: Sequence[ArrayLike],
    labels: int,
    *,
    penalty: Penalty = "quadratic",
    weight: float = 1.0,
    forbid_beyond: float = math.inf,
) -> list[Projection]:
    """Return soft projections for measured sums: the farther a sum from the measured one, the dearer.

    With d = (s - measured) / sigma, the cost of the sum s is `weight` * d²/2 for "quadratic" (the negative
    logarithm of Gaussian noise) and `weight` * √2 |d| for "absolute" (Laplacian noise of equal deviation,
    which forgives outliers).

    Parameters
    ----------
    sums
        What was measured on each ray; real numbers, also outside of what is possible.
    sigma
        Standard deviation of the noise, one number or one per ray, in units of sums.
    rays
        The pixels of each ray, for example of `fwmap.geometry.rays`.
    labels
        Number of grey values; sums are possible from 0 to (labels - 1) times the number of pixels.
    penalty
        "quadratic" or "absolute".
    weight
        Of the data against the smoothness.
    forbid_beyond
        Sums farther from the measured one than so many sigma are forbidden; a ray then may allow no sum at
        all, which `Tomography.contradiction` tells.

    Examples
    --------
    >>> noisy([1.0], 0.5, [[0, 1]], labels=2)[0].costs.tolist()
    [2.0, 0.0, 2.0]
    >>> noisy([0.5], 0.5, [[0, 1]], labels=2, forbid_beyond=2)[0].costs.tolist()
    [0.5, 0.5, inf]
    """
    measured = as_costs(sums, "the sums").reshape(-1)
    if len(measured) != len(rays):
        raise InvalidModel(f"there are {len(measured)} sums; expected one per ray: {len(rays)}")
    deviation = _per_ray(as_costs(sigma, "sigma"), len(rays))
    _refuse(~np.isfinite(measured), measured, "the sum of ray", "a finite number")
    _refuse(
        ~((deviation > 0) & np.isfinite(deviation)),
        deviation,
        "sigma of ray",
        "a finite number > 0 (exact sums: give them as they are)",
    )
    if isinstance(labels, bool) or not isinstance(labels, (int, np.integer)) or labels < 1:
        raise InvalidModel(f"labels is {labels!r}; expected an integer >= 1")
    if penalty not in ("quadratic", "absolute"):
        raise InvalidModel(f"penalty is {penalty!r}; expected 'quadratic' or 'absolute'")
    if not (weight >= 0 and math.isfinite(weight)):
        raise InvalidModel(f"weight is {weight!r}; expected a finite number >= 0")
    if not forbid_beyond >= 0:
        raise InvalidModel(f"forbid_beyond is {forbid_beyond!r}; expected a number of sigma >= 0")
    projections = []
    for r, given in enumerate(rays):
        pixels = as_indices(given, f"the pixels of ray {r}")
        distance = np.abs(np.arange((int(labels) - 1) * len(pixels) + 1) - measured[r]) / deviation[r]
        costs = weight * (distance**2 / 2 if penalty == "quadratic" else math.sqrt(2) * distance)
        costs[distance > forbid_beyond] = math.inf
        projections.append(Projection(pixels, costs=costs))
    return projections


def _per_ray(sigma: Floats, n: int) -> Floats:
    if sigma.ndim and sigma.shape != (n,):
        raise InvalidModel(f"sigma has shape {sigma.shape}; expected one number, or one per ray: ({n},)")
    return np.broadcast_to(sigma, (n,))


def _refuse(bad: np.ndarray, values: Floats, what: str, expected: str) -> None:
    where = np.flatnonzero(bad)
    if len(where):
        raise InvalidModel(f"{what} {where[0]} is {values[where[0]]}; expected {expected}")
