"""What rounding reads of a method's dual point."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Proposals(Protocol):
    """A method that proposes labelings: through y, and through the minimisers of its last evaluation."""

    @property
    def work(self) -> float:
        """Operations so far; rounding takes a share."""

    def marginals(self) -> NDArray[np.float64]:
        """Per variable the mean of y over its terms."""

    def planes(self, term: int) -> Any:
        """Planes of a term as (support in slots, cost, weight), those that y is thought to consist of."""

    def minimizer(self, term: int) -> NDArray[np.int32]:
        """Coordinates that are 1 in a term's minimiser, ascending."""

    def minimizer_cost(self, term: int) -> float:
        """Its own cost."""
