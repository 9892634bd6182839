"""The parts of a matching model before they are checked: how readers and the model hand them over."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InvalidModel
from .arrays import Floats, Ints, check_forbidden_above, finite_range, read_forbidden
from .product import ProductCosts


@dataclass(eq=False)
class MatchingParts:
    """Everything that makes a model, as arrays that the model takes over; see `GraphMatching`."""

    assignments: Ints
    costs: Floats
    pairs: Ints
    pair_costs: Floats
    n_left: int
    n_right: int
    unassigned: Floats
    matching: Any = "partial"
    left_points: Floats | None = None
    right_points: Floats | None = None
    constant: float = 0.0
    forbidden_above: float = 1e20
    n_excluded_pairs: int = 0
    n_forbidden_read: int = 0
    name: str | None = None
    product: ProductCosts | None = None

    def checked_fields(self) -> dict[str, Any]:
        """Check everything and return the attributes of the model; arrays of `self` may be changed."""
        threshold = check_forbidden_above(self.forbidden_above)
        if self.matching not in ("partial", "perfect"):
            raise InvalidModel(f"matching is {self.matching!r}; expected 'partial' or 'perfect'")
        self._check_assignments()
        constant = np.array([self.constant], np.float64)
        n_read = self.n_forbidden_read + read_forbidden(constant, threshold, lambda i: "the constant")
        n_read += read_forbidden(self.costs, threshold, lambda k: f"the cost of assignment {k}")
        n_read += self._check_pairs(threshold)
        unassigned = self._unassigned(threshold)
        pairs, pair_costs, n_excluded = self._ordered_pairs()
        for points, n, side in (
            (self.left_points, self.n_left, "left"),
            (self.right_points, self.n_right, "right"),
        ):
            check_points(points, n, side)
        self._check_product(threshold)
        finite = finite_range(self.costs, pair_costs, unassigned, constant)
        largest = 0.0 if finite is None else max(abs(finite[0]), abs(finite[1]))
        if math.isinf(largest * (len(self.costs) + len(pair_costs) + len(unassigned) + 1)):
            raise InvalidModel(f"costs as large as {largest:g} overflow when added; expected smaller ones")
        return {
            "n_left": self.n_left,
            "n_right": self.n_right,
            "assignments": self.assignments,
            "costs": self.costs,
            "unassigned_costs": unassigned,
            "pairs": pairs,
            "pair_costs": pair_costs,
            "product": self.product,
            "n_excluded_pairs": self.n_excluded_pairs + n_excluded,
            "matching": "perfect" if np.isinf(unassigned).all() else "partial",
            "left_points": self.left_points,
            "right_points": self.right_points,
            "constant": float(constant[0]),
            "forbidden_above": threshold,
            "n_forbidden_read": n_read,
            "name": self.name,
        }

    def _check_assignments(self) -> None:
        own = self.assignments
        if own.ndim != 2 or own.shape[1] != 2:
            raise InvalidModel(f"assignments have shape {own.shape}; expected (left, right) for each: (n, 2)")
        if self.costs.shape != (len(own),):
            raise InvalidModel(
                f"costs have shape {self.costs.shape}; expected one per assignment: ({len(own)},)"
            )
        for column, n, side in ((0, self.n_left, "left"), (1, self.n_right, "right")):
            bad = np.flatnonzero((own[:, column] < 0) | (own[:, column] >= n))
            if len(bad):
                raise InvalidModel(
                    f"assignment {bad[0]} has the {side} point {own[bad[0], column]}; expected 0 to {n - 1}"
                )
        keys = own[:, 0] * max(self.n_right, 1) + own[:, 1]
        order = np.argsort(keys, kind="stable")
        same = np.flatnonzero(np.diff(keys[order]) == 0)
        if len(same):
            first, again = order[same[0]], order[same[0] + 1]
            raise InvalidModel(
                f"assignments {first} and {again} are both {tuple(own[again].tolist())}; expected each once"
            )

    def _check_pairs(self, threshold: float) -> int:
        """Refuse pairs that are none; return how many finite costs were read as forbidden."""
        pairs, n = self.pairs, len(self.assignments)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise InvalidModel(f"pairs have shape {pairs.shape}; expected two assignments for each: (m, 2)")
        if self.pair_costs.shape != (len(pairs),):
            raise InvalidModel(
                f"pair_costs have shape {self.pair_costs.shape}; expected one per pair: ({len(pairs)},)"
            )
        bad = np.flatnonzero(((pairs < 0) | (pairs >= n)).any(axis=1))
        if len(bad):
            raise InvalidModel(
                f"pair {bad[0]} is {tuple(pairs[bad[0]].tolist())}; expected assignments from 0 to {n - 1}"
            )
        bad = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
        if len(bad):
            raise InvalidModel(
                f"pair {bad[0]} is assignment {pairs[bad[0], 0]} twice; expected two different ones (the "
                "cost of one assignment belongs to `costs`)"
            )
        return read_forbidden(self.pair_costs, threshold, lambda k: f"the cost of pair {k}")

    def _check_product(self, threshold: float) -> None:
        """Refuse products beside pairs or for less than all assignments."""
        if self.product is None:
            return
        every = np.indices((self.n_left, self.n_right)).reshape(2, -1).T
        if len(self.pairs) or not np.array_equal(self.assignments, every):
            raise InvalidModel(
                "products of two matrices need all assignments, row by row, and no pairs beside"
            )
        self.product.check(self.n_left, self.n_right, threshold)
        for matrix in (self.product.left, self.product.right):
            matrix.setflags(write=False)

    def _unassigned(self, threshold: float) -> Floats:
        if self.unassigned.shape not in ((), (self.n_left,)):
            raise InvalidModel(
                f"unassigned has shape {self.unassigned.shape}; expected one number, or one per left point: "
                f"({self.n_left},)"
            )
        costs = np.array(np.broadcast_to(self.unassigned, (self.n_left,)), np.float64)
        if self.matching == "perfect":
            costs[:] = math.inf
        read_forbidden(costs, threshold, lambda k: f"the cost of left point {k} without assignment")
        return costs

    def _ordered_pairs(self) -> tuple[Ints, Floats, int]:
        """Return pairs in ascending order with repeated ones added up, and the number that share a point."""
        if not len(self.pairs):
            return self.pairs, self.pair_costs, 0
        first, second = self.assignments[self.pairs[:, 0]], self.assignments[self.pairs[:, 1]]
        excluded = (first == second).any(axis=1)
        low, high = self.pairs.min(axis=1)[~excluded], self.pairs.max(axis=1)[~excluded]
        keys = low * len(self.assignments) + high
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
        costs = self.pair_costs[~excluded][order]
        total = np.add.reduceat(costs, starts) if len(starts) else costs
        pairs = np.stack([low[order][starts], high[order][starts]], axis=1)
        return pairs, total, int(np.count_nonzero(excluded))


def check_points(points: Floats | None, n: int, side: str) -> None:
    """Refuse coordinates that are not two or three finite numbers for each of `n` points."""
    if points is None:
        return
    if points.ndim != 2 or len(points) != n or points.shape[1] not in (2, 3):
        raise InvalidModel(f"{side}_points have shape {points.shape}; expected ({n}, 2) or ({n}, 3)")
    if not np.isfinite(points).all():
        raise InvalidModel(f"{side}_points hold numbers that are not finite")
