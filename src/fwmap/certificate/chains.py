"""Least cost of a ray's pixels and the edges along it, given the cost of their sum; sums are rounded down."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..models import Tomography
from ..rounding_down import add_rounding_down

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Chain:
    """A ray of a tomography model with some edges between its successive pixels, as a term.

    Arrays are over the labels of the pixels in the order of `nodes`. Raises ValueError, in words, where the
    nodes are not the ray's pixels, or an edge is not between pixels that follow each other.
    """

    def __init__(self, model: Tomography, number: int, nodes: Ints, edges: Ints) -> None:
        pixels, field = model.ray(number), model.field
        if not np.array_equal(np.sort(nodes), np.sort(pixels)):
            raise ValueError(f"it does not have the pixels of ray {number}")
        sizes = field.n_labels[nodes]
        starts = np.cumsum(sizes) - sizes
        order = np.argsort(nodes)[np.searchsorted(np.sort(nodes), pixels)]  # places of the pixels among nodes
        self.labels = [np.arange(starts[k], starts[k] + sizes[k]) for k in order.tolist()]
        self.links: list[list[Floats]] = [
            [] for _ in pixels
        ]  # of each pixel to the one before, parallel ones
        place = {v: k for k, v in enumerate(pixels.tolist())}
        for e in edges.tolist():
            u, v = field.edges[e].tolist()
            k = max(place.get(u, -1), place.get(v, -1))
            if k < 1 or {u, v} != set(pixels[k - 1 : k + 1].tolist()):
                raise ValueError(f"edge {e} is not between pixels that follow each other in ray {number}")
            table = field.pairwise_table(e)
            self.links[k].append(table if v == pixels[k] else table.T)
        n_sums = int((field.n_labels[pixels] - 1).sum()) + 1
        given = model.ray_cost(number)[:n_sums]
        self.sum_costs = np.full(n_sums, np.inf)
        self.sum_costs[: len(given)] = given

    def minimum(self, weights: Floats) -> float:
        """No labeling of the chain costs less than this."""
        last = self.along(weights)[-1]
        return float(add_rounding_down(last, self.sum_costs).min())

    def min_marginals(self, weights: Floats) -> Floats:
        """No labeling with this label costs less than this."""
        out = np.full(len(weights), np.inf)
        n_last = len(self.labels[-1])
        behind = np.repeat(
            self.sum_costs[None, :], n_last, axis=0
        )  # of what follows, by label and sum so far
        steps = self.along(weights)
        for k in range(len(self.labels) - 1, -1, -1):
            n_sums = steps[k].shape[1]
            here = behind[:, :n_sums]
            out[self.labels[k]] = add_rounding_down(steps[k], here).min(axis=1)
            if k:
                own = add_rounding_down(weights[self.labels[k]][:, None], here)
                n_before = steps[k - 1].shape[1]
                shifted = np.stack([own[b, b : b + n_before] for b in range(len(own))])
                behind = self.over(k, shifted, forward=False)
        return out

    def along(self, weights: Floats) -> list[Floats]:
        """For each pixel, by its label and the sum so far: the least cost of the pixels up to there."""
        first = np.full((len(self.labels[0]),) * 2, np.inf)
        np.fill_diagonal(first, weights[self.labels[0]])
        steps = [first]
        for k in range(1, len(self.labels)):
            arriving = self.over(k, steps[-1], forward=True)
            own, n = weights[self.labels[k]], arriving.shape[1]
            step = np.full((len(own), n + len(own) - 1), np.inf)
            for b in range(len(own)):
                step[b, b : b + n] = add_rounding_down(arriving[b], own[b : b + 1])
            steps.append(step)
        return steps

    def over(self, k: int, costs: Floats, *, forward: bool) -> Floats:
        """Costs by label and sum, sent over the link between pixels k - 1 and k: the least for each label."""
        n_out = len(self.labels[k if forward else k - 1])
        if not self.links[k]:
            return np.repeat(costs.min(axis=0)[None, :], n_out, axis=0)
        out = np.empty((n_out, costs.shape[1]))
        for b in range(n_out):
            sums = costs
            for table in self.links[k]:
                sums = add_rounding_down(sums, (table[:, b] if forward else table[b])[:, None])
            out[b] = sums.min(axis=0)
        return out
