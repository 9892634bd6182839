"""The best labeling known, with its energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass
class Incumbent:
    """Holds a labeling and the energy that the model gives it; None until one with finite energy is known."""

    labeling: NDArray[np.int64] | None = None
    energy: float | None = None

    def offer(self, labeling: NDArray[np.int64], energy: float | None) -> bool:
        """Take the labeling if it is better; tell whether it was."""
        if energy is None or not np.isfinite(energy) or (self.energy is not None and energy >= self.energy):
            return False
        self.labeling, self.energy = labeling, energy
        return True
