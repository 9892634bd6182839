"""What a matching adds to the field of its left points."""

from __future__ import annotations

import numpy as np

from ..models import GraphMatching
from ..models.arrays import Ints
from .program import Builder


def add_right_points(builder: Builder, model: GraphMatching, labels: Ints) -> None:
    """Add that each right point is the label of at most one left point; `labels` are the labels' columns."""
    partner = model.left.partner
    chosen = np.flatnonzero(partner >= 0)
    occurring, position = np.unique(partner[chosen], return_inverse=True)
    rows = builder.add_rows(1.0, len(occurring), equal=False)
    builder.add_entries(rows[position.reshape(-1)], labels[chosen], 1.0)
