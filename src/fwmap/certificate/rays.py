"""Least cost of a ray's pixels given the cost of their sum, by going along the ray; sums are rounded down."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..models import Tomography
from ..rounding_down import add_rounding_down

Floats = NDArray[np.float64]


class Ray:
    """One ray of a tomography model, as a term; arrays are over the labels of its pixels in turn."""

    def __init__(self, model: Tomography, number: int) -> None:
        sizes = model.field.n_labels[model.ray(number)]
        self.ends = np.cumsum(sizes)
        n_sums = int((sizes - 1).sum()) + 1
        given = model.ray_cost(number)[:n_sums]
        self.sum_costs = np.full(n_sums, np.inf)
        self.sum_costs[: len(given)] = given

    def along(self, pixels: list[Floats]) -> list[Floats]:
        """Before each pixel and after the last: the least cost of the pixels so far, by their sum."""
        steps = [np.zeros(1)]
        for costs in pixels:
            steps.append(convolved(steps[-1], costs))
        return steps

    def minimum(self, weights: Floats) -> float:
        """No labeling of the ray costs less than this."""
        last = self.along(np.split(weights, self.ends[:-1]))[-1]
        return float(add_rounding_down(last, self.sum_costs).min())

    def min_marginals(self, weights: Floats) -> Floats:
        """No labeling with this label costs less than this."""
        pixels = np.split(weights, self.ends[:-1])
        steps, out = self.along(pixels), []
        behind = self.sum_costs  # cost of what follows, by the sum so far
        for before, costs in zip(steps[-2::-1], pixels[::-1], strict=True):
            n = len(before)
            shifted = [behind[a : a + n] for a in range(len(costs))]
            through = [add_rounding_down(before, rest).min() for rest in shifted]
            out.append(add_rounding_down(costs, np.array(through)))
            ahead = [add_rounding_down(costs[a : a + 1], rest) for a, rest in enumerate(shifted)]
            behind = np.min(ahead, axis=0)
        return np.concatenate(out[::-1])


def convolved(costs: Floats, labels: Floats) -> Floats:
    """Least cost by sum when a pixel with these labels is added.

    >>> convolved(np.array([0.0, 1.0]), np.array([5.0, 2.0])).tolist()
    [5.0, 2.0, 3.0]
    """
    out = np.full(len(costs) + len(labels) - 1, np.inf)
    for a in range(len(labels)):
        part = slice(a, a + len(costs))
        out[part] = np.minimum(out[part], add_rounding_down(costs, labels[a : a + 1]))
    return out
