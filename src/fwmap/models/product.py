"""Costs of pairs of assignments that are products of a number of the left points and one of the right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InvalidModel
from ..rounding_down import exact_products
from .arrays import Floats, Ints
from .costs import PRODUCT
from .edge_costs import EdgeCosts

#: Products beyond this would overflow when they are split into a rounded part and what rounding takes.
LARGEST = 1e290


@dataclass(frozen=True, eq=False)
class ProductCosts:
    """Where left points i ≠ j are assigned to right points k and l, the cost is left[i, j] * right[k, l].

    Ordered pairs count: (i, j) and (j, i) pay both. Diagonals are kept and cost nothing.

    Attributes
    ----------
    left, right
        float64 (n_left, n_left) and (n_right, n_right).
    """

    left: Floats
    right: Floats

    def check(self, n_left: int, n_right: int, forbidden_above: float) -> None:
        """Refuse matrices that do not fit the points, or hold what is no finite number."""
        for matrix, n, side in ((self.left, n_left, "left"), (self.right, n_right, "right")):
            if matrix.shape != (n, n):
                raise InvalidModel(f"the {side} matrix has shape {matrix.shape}; expected ({n}, {n})")
            bad = np.argwhere(~np.isfinite(matrix))
            if len(bad):
                row, column = bad[0].tolist()
                raise InvalidModel(
                    f"entry ({row}, {column}) of the {side} matrix is {matrix[row, column]}; expected a "
                    "finite number (forbidden assignments have the linear cost inf)"
                )
        size = max(self.largest(), *(float(np.abs(m).max(initial=0.0)) for m in (self.left, self.right)))
        if size * max(1, n_left * n_left) > LARGEST:
            raise InvalidModel(f"products as large as {size:g} overflow when added; expected smaller numbers")
        if size >= forbidden_above:
            raise InvalidModel(
                f"products as large as {size:g} would be read as forbidden; expected numbers below "
                f"{forbidden_above:g} (forbidden_above)"
            )

    def largest(self) -> float:
        """The largest magnitude that a product can have."""
        return float(np.abs(self.left).max(initial=0.0)) * float(np.abs(self.right).max(initial=0.0))

    def diagonal(self) -> Floats:
        """What the diagonals cost: left[i, i] * right[k, k] of the assignment (i, k), rounded."""
        return np.outer(np.diag(self.left), np.diag(self.right))

    def matrices(self) -> tuple[Floats, Floats]:
        """The left one and the right one."""
        return self.left, self.right

    def scaled(self, factor: float) -> ProductCosts:
        """All costs times a number."""
        return ProductCosts(self.left * factor, self.right)

    def copy(self) -> ProductCosts:
        """The same numbers in arrays of their own."""
        return ProductCosts(self.left.copy(), self.right.copy())

    def paid(self, labeling: Ints) -> Floats:
        """Numbers whose exact sum is what a labeling, right points or -1, pays for its pairs.

        >>> costs = ProductCosts(np.array([[0.0, 2.0], [3.0, 0.0]]), np.array([[0.0, 5.0], [7.0, 0.0]]))
        >>> float(costs.paid(np.array([1, 0])).sum())
        29.0
        """
        made = np.flatnonzero(labeling >= 0)
        left = self.left[np.ix_(made, made)]
        rows, columns = np.nonzero((left != 0) & ~np.eye(len(made), dtype=bool))
        partners = labeling[made]
        return np.concatenate(
            exact_products(left[rows, columns], self.right[partners[rows], partners[columns]])
        )

    def edges(self) -> Ints:
        """Pairs of left points i < j of which some assignments cost something."""
        costs = (self.left != 0) | (self.left.T != 0)
        if not self.right[~np.eye(len(self.right), dtype=bool)].any():
            costs[:] = False
        return np.argwhere(np.triu(costs, 1))

    def stars(self) -> list[tuple[int, Ints]]:
        """Left points with entries in their row of the left matrix, and the points of these entries.

        >>> ProductCosts(np.array([[9.0, 2.0], [0.0, 0.0]]), np.zeros((2, 2))).stars()
        [(0, array([1]))]
        """
        linked = (self.left != 0) & ~np.eye(len(self.left), dtype=bool)
        return [(i, np.flatnonzero(linked[i])) for i in np.flatnonzero(linked.any(axis=1)).tolist()]

    def edge_costs(self, exclude: bool) -> tuple[Ints, EdgeCosts]:
        """Edges between left points and their costs: weights of one table that all of them share.

        Labels are the right points, and last to have none, which costs nothing. With `exclude` the table
        forbids that both points choose the same right point.
        """
        edges, m = self.edges(), len(self.right)
        table = np.zeros((m + 1, m + 1))
        table[:m, :m] = self.right
        np.fill_diagonal(table[:m, :m], np.inf if exclude else 0.0)
        forth, back = self.left[edges[:, 0], edges[:, 1]], self.left[edges[:, 1], edges[:, 0]]
        if np.array_equal(self.right, self.right.T):  # then one weight is enough where their sum is exact
            total = forth + back
            part = total - forth
            exact = (forth - (total - part)) + (back - part) == 0
            forth, back = np.where(exact, total, forth), np.where(exact, 0.0, back)
        n, numbers = len(edges), np.zeros(len(edges), np.int64)
        costs = EdgeCosts.of_tables(table.reshape(-1), np.array([table.shape]), numbers)
        costs.kind = np.full(n, PRODUCT, np.uint8)
        costs.weight, costs.truncation = forth, back
        return edges, costs
