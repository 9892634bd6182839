"""Projections: sets of pixels whose labels must sum to something, as users write and models store them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidModel
from .arrays import Floats, Ints, as_costs, as_indices, as_list, offsets_of, read_forbidden


class Projection:
    """A ray: pixels, and the sum that their labels must have or the cost of each sum.

    Parameters
    ----------
    pixels
        Variables of the ray, all different.
    sum
        The required sum, an integer; or, instead of `costs`, the costs.
    costs
        `costs[s]` is the cost of the sum s; inf and everything beyond the end is forbidden.
    weights
        Weights of the pixels in the sum. Only 1 is possible; here so that others are refused in words.

    Examples
    --------
    >>> Projection([0, 1], 3)
    Projection(2 pixels, sum 3)
    >>> Projection([0, 1, 2], costs=[1.0, 0.0, 1.0])
    Projection(3 pixels, costs of 3 sums)
    """

    __slots__ = ("costs", "pixels", "sum")

    def __init__(
        self,
        pixels: ArrayLike,
        sum: int | ArrayLike | None = None,
        costs: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
    ) -> None:
        """Keep what is given; a model checks it, since only the model knows the labels."""
        if (sum is None) == (costs is None):
            given = "neither a sum nor costs" if sum is None else "both a sum and costs"
            raise InvalidModel(f"a projection has {given}; expected one of them")
        self.pixels = pixels
        if sum is not None and np.ndim(sum) > 0:
            sum, costs = None, sum
        self.sum, self.costs = sum, costs
        if weights is not None:
            check_weights(as_costs(weights, "the weights of a projection"), "a projection")

    def __repr__(self) -> str:
        """Return sizes."""
        required = f"sum {self.sum!r}" if self.costs is None else f"costs of {np.size(self.costs)} sums"
        return f"Projection({np.size(self.pixels)} pixels, {required})"


#: What may stand for a projection: itself, or a pair (pixels, sum) or (pixels, costs).
ProjectionLike = Projection | tuple[ArrayLike, int | ArrayLike]


def check_weights(weights: Floats, what: str) -> None:
    """Refuse weights of pixels other than 1."""
    wrong = np.flatnonzero(weights.reshape(-1) != 1)
    if len(wrong):
        raise InvalidModel(
            f"{what} has the weight {weights.reshape(-1)[wrong[0]]:g}; expected 1 "
            "(a sum counts the label of each of its pixels once)"
        )


@dataclass(eq=False)
class Rays:
    """All projections of a model, one after the other; see the attributes of `Tomography` with `ray_`."""

    pixels: Ints
    offsets: Ints
    costs: Floats
    cost_offsets: Ints

    @staticmethod
    def of(projections: Sequence[ProjectionLike], n_labels: Ints) -> Rays:
        """Return the projections as arrays; sums are not yet checked against each other or costs."""
        pixels: list[Ints] = []
        costs: list[Floats] = []
        for r, given in enumerate(as_list(projections, "projections", "pairs (pixels, sum or costs)")):
            projection = _as_projection(given, r)
            own = as_indices(projection.pixels, f"the pixels of ray {r}")
            if own.ndim != 1:
                raise InvalidModel(
                    f"the pixels of ray {r} have shape {own.shape}; expected a list of integers"
                )
            pixels.append(own)
            _check_pixels(own, np.array([0, len(own)]), len(n_labels), first_ray=r)
            if projection.costs is None:
                costs.append(_hard_costs(projection.sum, int((n_labels[own] - 1).sum()), r))
                continue
            costs.append(as_costs(projection.costs, f"the costs of ray {r}"))
            if costs[-1].ndim != 1:
                raise InvalidModel(
                    f"the costs of ray {r} have shape {costs[-1].shape}; expected one number per sum"
                )
        return Rays(
            np.concatenate([np.zeros(0, dtype=np.int64), *pixels]),
            offsets_of(np.array([len(own) for own in pixels], dtype=np.int64)),
            np.concatenate([np.zeros(0), *costs]),
            offsets_of(np.array([len(own) for own in costs], dtype=np.int64)),
        )

    def checked(self, n_labels: Ints, forbidden_above: float) -> tuple[Rays, int]:
        """Return the rays without forbidden sums at the ends of their lists, and how many entries were
        finite and read as forbidden.

        Raises
        ------
        InvalidModel
            For pixels that repeat or do not exist, rays without pixels, NaN, -inf, and costs of sums that the
            pixels cannot have.
        """
        _check_offsets(self.offsets, len(self.pixels), "pixels")
        _check_offsets(self.cost_offsets, len(self.costs), "costs")
        if len(self.offsets) != len(self.cost_offsets):
            raise InvalidModel(
                f"there are pixels of {len(self.offsets) - 1} rays and costs of "
                f"{len(self.cost_offsets) - 1}; expected equal numbers"
            )
        _check_pixels(self.pixels, self.offsets, len(n_labels))
        n_read = read_forbidden(self.costs, forbidden_above, self._locate_cost)
        trimmed = self._trimmed()
        if len(self.pixels) == 0:
            return trimmed, n_read
        largest = np.add.reduceat(n_labels[self.pixels] - 1, self.offsets[:-1])
        lengths = np.diff(trimmed.cost_offsets)
        beyond = np.flatnonzero(lengths > largest + 1)
        if len(beyond):
            r = int(beyond[0])
            raise InvalidModel(
                f"ray {r} has a finite cost for the sum {lengths[r] - 1}; expected sums from 0 to "
                f"{largest[r]}, the largest that its {np.diff(self.offsets)[r]} pixels have"
            )
        return trimmed, n_read

    def _trimmed(self) -> Rays:
        """Return the rays with each list of costs ending with its last finite one."""
        ray = np.repeat(np.arange(len(self.cost_offsets) - 1), np.diff(self.cost_offsets))
        finite = np.flatnonzero(np.isfinite(self.costs))
        ends = self.cost_offsets[:-1].copy()
        np.maximum.at(ends, ray[finite], finite + 1)
        kept = np.arange(len(self.costs)) < ends[ray]
        return replace(self, costs=self.costs[kept], cost_offsets=offsets_of(ends - self.cost_offsets[:-1]))

    def _locate_cost(self, index: int) -> str:
        r = int(np.searchsorted(self.cost_offsets, index, side="right")) - 1
        return f"the cost of the sum {index - int(self.cost_offsets[r])} of ray {r}"


def _as_projection(given: ProjectionLike, r: int) -> Projection:
    if isinstance(given, Projection):
        return given
    if isinstance(given, tuple) and len(given) == 2:
        return Projection(*given)
    raise InvalidModel(
        f"ray {r} is a {type(given).__name__}; expected a Projection, or a pair (pixels, sum or costs)"
    )


def _hard_costs(required: object, largest: int, r: int) -> Floats:
    if isinstance(required, np.ndarray) and required.ndim == 0:
        required = required[()]
    if isinstance(required, (bool, np.bool_)) or not isinstance(required, (int, np.integer)):
        raise InvalidModel(f"the sum of ray {r} is {required!r}; expected an integer")
    if not 0 <= required <= largest:
        raise InvalidModel(
            f"the sum of ray {r} is {required}; expected 0 to {largest}, the largest that its pixels have"
        )
    costs = np.full(int(required) + 1, math.inf)
    costs[-1] = 0.0
    return costs


def _check_offsets(offsets: Ints, end: int, what: str) -> None:
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != end or (np.diff(offsets) < 0).any():
        raise InvalidModel(f"the offsets of the {what} of the rays are wrong; expected 0 to {end}, ascending")


def _check_pixels(pixels: Ints, offsets: Ints, n_nodes: int, first_ray: int = 0) -> None:
    """Refuse rays without pixels, and pixels that do not exist or repeat within a ray."""
    lengths = np.diff(offsets)
    empty = np.flatnonzero(lengths == 0)
    if len(empty):
        raise InvalidModel(f"ray {first_ray + int(empty[0])} has no pixels; expected at least one")
    ray = np.repeat(np.arange(len(lengths)), lengths)
    outside = np.flatnonzero((pixels < 0) | (pixels >= n_nodes))
    if len(outside):
        r = first_ray + int(ray[outside[0]])
        raise InvalidModel(
            f"ray {r} has the pixel {pixels[outside[0]]}; expected an integer from 0 to {n_nodes - 1}"
        )
    order = np.argsort(ray * n_nodes + pixels, kind="stable")
    again = np.flatnonzero((np.diff(pixels[order]) == 0) & (np.diff(ray[order]) == 0))
    if len(again):
        i = int(order[again[0]])
        raise InvalidModel(
            f"ray {first_ray + int(ray[i])} has the pixel {pixels[i]} twice; expected different pixels "
            "(each counts once in a sum)"
        )
