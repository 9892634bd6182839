"""Least cost of an assignment, proved by prices of the right points; what they prove is rounded down."""

from __future__ import annotations

import numpy as np

from ..models import GraphMatching
from ..models.arrays import Floats, Ints
from ..rounding_down import add_rounding_down, sum_rounding_down


class Assignment:
    """The term that no right point is chosen twice; arrays are over the labels of the left points in turn."""

    def __init__(self, model: GraphMatching) -> None:
        self.side, self.n_right = model.left, model.n_right

    def minimum(self, weights: Floats) -> float:
        """No matching costs less than this."""
        solved = self.solve(weights)
        return np.inf if solved is None else self.dual(weights, solved[0])[0]

    def min_marginals(self, weights: Floats) -> Floats:
        """No matching with this label costs less than this.

        At any prices, a matching costs what they prove, and for each of its labels and each partner that it
        leaves out what that costs more. Whoever takes this label instead of the one at hand leaves a partner
        to somebody, who leaves another one, and so on until the first one's is taken or left out.
        """
        solved = self.solve(weights)
        if solved is None:
            return np.full(len(weights), np.inf)
        prices, chosen = solved
        least, net, values = self.dual(weights, prices)
        n, m = self.side.n_points, self.n_right
        point = np.repeat(np.arange(n), self.side.n_labels)
        more = np.maximum(add_rounding_down(net, -values[point]), 0.0)
        node = np.where(self.side.partner < 0, m, self.side.partner)  # m: to have none, or to be left out
        own = np.minimum(chosen, m)[point]  # where the label's point is now
        moves = np.full((m + 1, m + 1), np.inf)
        np.minimum.at(moves, (own, node), more)
        taken = np.zeros(m, bool)
        taken[chosen[chosen < m]] = True
        moves[m, :m] = np.where(taken, np.minimum(moves[m, :m], -prices), moves[m, :m])
        moves[:m, m] = np.where(taken, moves[:m, m], 0.0)
        np.fill_diagonal(moves, 0.0)
        for middle in range(m + 1):
            through = add_rounding_down(moves[:, middle : middle + 1], moves[middle])
            np.minimum(moves, through, out=moves)
        here = (node == own) & ((node < m) | (self.side.partner < 0))
        change = np.where(here, 0.0, add_rounding_down(more, moves[node, own]))
        return add_rounding_down(np.full(len(weights), least), change)

    def dual(self, weights: Floats, prices: Floats) -> tuple[float, Floats, Floats]:
        """What any prices <= 0 prove, each label's cost less its price, and the least of each point."""
        net = weights.copy()
        taken = self.side.partner >= 0
        net[taken] = add_rounding_down(net[taken], -prices[self.side.partner[taken]])
        starts = self.side.label_offsets[:-1]
        values = np.minimum.reduceat(net, starts) if len(starts) else np.zeros(0)
        return sum_rounding_down([*values.tolist(), *prices.tolist()]), net, values

    def solve(self, weights: Floats) -> tuple[Floats, Ints] | None:
        """Best prices of the right points but for rounding, and the column of each left point.

        By augmenting paths; None: there is no matching. A left point that chooses none takes a column of its
        own behind the right points'.
        """
        n, m = self.side.n_points, self.n_right
        costs = np.full((n, m + n), np.inf)
        point = np.repeat(np.arange(n), self.side.n_labels)
        column = np.where(self.side.partner < 0, m + point, self.side.partner)
        costs[point, column] = weights
        return column_prices(costs, m)


def column_prices(costs: Floats, n_columns: int) -> tuple[Floats, Ints] | None:
    """Prices <= 0 of the first columns that prove the least cost of giving each row a column, and these.

    >>> prices, columns = column_prices(np.array([[1.0, 5.0], [0.0, 7.0]]), 2)
    >>> prices.tolist(), columns.tolist()
    ([-4.0, 0.0], [1, 0])
    """
    n, m = costs.shape
    value, price = np.zeros(n), np.zeros(m)
    row_of: Ints = np.full(m, -1)
    for start in range(n):
        distance, before = np.full(m, np.inf), np.full(m, -1)
        done = np.zeros(m, bool)
        row, column, reached = start, -1, 0.0
        while True:
            through = (
                reached + np.maximum(costs[row] - value[row] - price, 0.0)
                if row != start
                else (costs[row] - value[row] - price)
            )
            closer = ~done & (through < distance)
            distance[closer], before[closer] = through[closer], column
            nearest = int(np.argmin(np.where(done, np.inf, distance)))
            if done[nearest] or distance[nearest] == np.inf:
                return None
            column, reached = nearest, float(distance[nearest])
            if row_of[column] < 0:
                break
            done[column] = True
            row = int(row_of[column])
        price[done] += distance[done] - reached
        value[row_of[done]] += reached - distance[done]
        value[start] += reached
        while column >= 0:
            previous = int(before[column])
            row_of[column] = start if previous < 0 else row_of[previous]
            column = previous
    column_of: Ints = np.empty(n, np.int64)
    column_of[row_of[row_of >= 0]] = np.flatnonzero(row_of >= 0)
    return np.minimum(price[:n_columns], 0.0), column_of
