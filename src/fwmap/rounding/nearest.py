"""The matching with the least sum of given values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import GraphMatching


class NearestMatching:
    """One assignment problem over the labels of all left points (see `GraphMatching.left`)."""

    def __init__(self, model: GraphMatching) -> None:
        self.side = model.left
        n = len(self.side.partner)
        sizes, partners = (part.astype(np.int32) for part in (self.side.n_labels, self.side.partner))
        self.core = _core.Decomposition(n, np.zeros(0, np.int64), 0.0)
        self.core.add_assignment(np.arange(n), sizes, np.zeros(n), partners, model.n_right, "assignment")

    def __call__(self, values: NDArray[np.float64]) -> tuple[NDArray[np.int32], float]:
        """The labels of the points, counted from each point's first, and the operations it took."""
        support, *_ = self.core.minimize(0, values)
        labels: NDArray[np.int32] = (support - self.side.label_offsets[:-1]).astype(np.int32)
        return labels, self.core.operations(0)
