"""Whether the allowed assignments leave every left point that must have one a right point of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .matching import GraphMatching


def crowded_points(model: GraphMatching) -> tuple[list[int], list[int]] | None:
    """Return left points that must be assigned and all their right points, fewer than they are; or None.

    By augmenting paths: where none leads from a point to a free right point, those reached are the proof.

    >>> from fwmap.models import GraphMatching
    >>> crowded_points(GraphMatching([(0, 0), (1, 0), (1, 1), (2, 0)], [0] * 4, matching="perfect"))
    ([0, 2], [0])
    """
    allowed = np.isfinite(model.costs)
    neighbours: list[list[int]] = [[] for _ in range(model.n_left)]
    for left, right in model.assignments[allowed].tolist():
        neighbours[left].append(right)
    partner = [-1] * model.n_right  # of each right point
    for start in np.flatnonzero(np.isinf(model.unassigned_costs)).tolist():
        came_from: dict[int, int] = {}  # right point -> the left point it was reached from
        reached, free = [start], -1
        for left in reached:
            for right in neighbours[left]:
                if right in came_from:
                    continue
                came_from[right] = left
                if partner[right] < 0:
                    free = right
                    break
                reached.append(partner[right])
            if free >= 0:
                break
        if free < 0:
            return sorted(reached), sorted(came_from)
        of_left = {left: right for right, left in enumerate(partner) if left >= 0}
        while True:
            left = came_from[free]
            partner[free], before = left, of_left.get(left, -1)
            if left == start:
                break
            free = before
    return None
