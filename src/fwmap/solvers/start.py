"""Where a solve starts: at zero, or where an earlier one ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidModel
from ..planes import Planes
from ..result import Result


@dataclass(frozen=True)
class Counts:
    """What was counted so far."""

    iteration: int
    oracle_calls: int
    work: float


@dataclass(frozen=True)
class Start:
    """A centre over the slots of all terms, planes, the proximal weight in use, and where counts go on.

    `opening`: the method before had not yet begun in earnest, see `Opening`.
    """

    center: NDArray[np.float64]
    planes: Planes
    proximal_weight: float | None = None
    counts: Counts | None = None
    opening: bool = False

    @staticmethod
    def at_zero(core: _core.Decomposition, counts: Counts | None) -> Start:
        """Begin at 0 with nothing but the counts of what was done before."""
        return Start(np.zeros(core.n_slots), Planes.none(core.n_terms), counts=counts)


def start_of(result: Result, core: _core.Decomposition) -> Start | None:
    """What an earlier result says about where to start; None where it was not even evaluated.

    Raises InvalidModel where its terms are not those of this decomposition.
    """
    given = [np.asarray(values, np.float64) for values in result.multipliers]
    if not given:
        return None
    n_terms = core.n_terms
    if len(given) != n_terms:
        raise InvalidModel(
            f"start has multipliers of {len(given)} terms; expected {n_terms}, as this model has"
        )
    for t, values in enumerate(given):
        size = len(core.shared_variables(t))
        name = core.term_name(t)
        if values.shape != (size,):
            raise InvalidModel(
                f"start has {values.size} multipliers for {name}; expected {size}: its model has other "
                "labels or edges"
            )
        if not np.isfinite(values).all():
            raise InvalidModel(f"start has a multiplier of {name} that is not finite")
    planes = result.planes if planes_fit(result.planes, core) else Planes.none(n_terms)
    weight = result.trace[-1].proximal_weight if result.trace else None
    return Start(np.concatenate(given), planes, weight)


def planes_fit(planes: Planes, core: _core.Decomposition) -> bool:
    """True where every support names coordinates that its term has."""
    if len(planes.counts) != core.n_terms:
        return False
    sizes = np.array([core.n_coordinates(t) for t in range(core.n_terms)], np.int64)
    term_of_plane = np.repeat(np.arange(core.n_terms), planes.counts)
    most = np.repeat(sizes[term_of_plane], planes.sizes)
    return bool((planes.supports >= 0).all() and (planes.supports < most).all())
