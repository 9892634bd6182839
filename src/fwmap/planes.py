"""Planes that a solve ends with, for another one to start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Planes:
    """Choices of each term that the method remembers, and their weights in y; plain arrays.

    `counts` says how many there are of each term, `sizes` how long each one's support is. A support lists
    the term's coordinates that are 1, ascending: labels of its nodes, then entries of tables that it shares.
    Costs are left out: another model asks its own oracles.
    """

    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    supports: NDArray[np.int32]
    weights: NDArray[np.float64]

    @classmethod
    def none(cls, n_terms: int = 0) -> Planes:
        """No planes at all.

        >>> Planes.none(2).counts.tolist()
        [0, 0]
        """
        nothing = np.zeros(0, np.int64)
        return cls(np.zeros(n_terms, np.int64), nothing, nothing.astype(np.int32), np.zeros(0))
