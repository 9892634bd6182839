"""What an exact solver says about a problem of integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Answer:
    """The best labeling found below the cut-off, and what no labeling costs less than.

    Attributes
    ----------
    labels
        One per variable; None where none was found.
    bound
        No labeling costs less, in the remainder's units, unless it costs at least the cut-off; None: unknown.
    solver
        Name and version.
    """

    labels: NDArray[np.int64] | None
    bound: float | None
    solver: str
