"""Least cost of a star of a quadratic assignment, proved by prices; every sum is rounded down."""

from __future__ import annotations

import numpy as np

from ..models import GraphMatching
from ..models.arrays import Floats
from ..rounding_down import add_rounding_down, multiply_rounding_down, sum_rounding_down
from .assignment import column_prices


class Star:
    """A left point and those it pays for, no right point twice; arrays are over their labels in turn."""

    def __init__(self, model: GraphMatching, number: int) -> None:
        assert model.product is not None
        centre, others = model.product.stars()[number]
        self.nodes = np.concatenate([[centre], others])
        self.weights, self.right = model.product.left[centre, others], model.product.right
        self.n_right = model.n_right

    def minimum(self, weights: Floats) -> float:
        """No labeling of the star costs less than this.

        The places of the centre are looked at in turn, those that cost least without uniqueness first, until
        the next one costs more than what was found to be possible.
        """
        m, n = self.n_right, len(self.weights)
        own, others = weights[: m + 1], weights[m + 1 :].reshape(n, m + 1)
        crude = np.array([self.crude(own[k], self.table(others, k)) for k in range(m + 1)])
        least = np.inf
        for k in np.argsort(crude, kind="stable").tolist():
            if crude[k] >= least:
                break
            least = min(least, self.proved(own[k], self.table(others, k)))
        return float(least)

    def min_marginals(self, weights: Floats) -> Floats:
        """No labeling with this label costs less than this, which is the minimum of all."""
        return np.full(len(weights), self.minimum(weights))

    def table(self, others: Floats, k: int) -> Floats:
        """Costs of the others' places where the centre has place k; the last column is to have none."""
        table = others.copy()
        if k < self.n_right:
            pairs = multiply_rounding_down(self.weights[:, None], self.right[k])
            table[:, : self.n_right] = add_rounding_down(table[:, : self.n_right], pairs)
            table[:, k] = np.inf
        return table

    def crude(self, own: float, table: Floats) -> float:
        """What a place costs at least if others may share places."""
        return sum_rounding_down([own, *table.min(axis=1).tolist()])

    def proved(self, own: float, table: Floats) -> float:
        """What a place costs at least, by prices."""
        n, m = len(table), self.n_right
        if own == np.inf:
            return np.inf
        costs = np.full((n, m + n), np.inf)
        costs[:, :m] = table[:, :m]
        costs[np.arange(n), m + np.arange(n)] = table[:, m]
        solved = column_prices(costs, m)
        if solved is None:
            return np.inf
        net = add_rounding_down(table[:, :m], -solved[0])
        values = np.minimum(net.min(axis=1, initial=np.inf), table[:, m])
        return sum_rounding_down([own, *values.tolist(), *solved[0].tolist()])
