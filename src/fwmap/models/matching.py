"""Graph matching: points on the left assigned to points on the right, with costs of pairs of assignments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidModel
from .arrays import Floats, Ints, as_costs, as_indices, check_forbidden_above, check_size
from .matching_constructors import Constructors
from .matching_facts import facts_of_matching, summary_of_matching
from .matching_feasibility import crowded_points
from .matching_parts import MatchingParts
from .matching_sides import Side, field_of_left
from .mrf import MRF
from .product import ProductCosts

#: May points on the left stay without a partner?
Matching = Literal["partial", "perfect"]


class GraphMatching(Constructors):
    """Assign each left point to at most one right point, and each right point to at most one left point.

    The energy is a constant, plus the costs of the assignments made, of the left points without one, and of
    the pairs of assignments that are both made. A labeling has one integer per left point: its right point,
    or -1. A model does not change after construction.

    Parameters
    ----------
    assignments
        Integers (n, 2): the allowed assignments (left, right), each once, in any order. Others are forbidden.
    costs
        One number per assignment; inf forbids it.
    pairs, pair_costs
        Integers (m, 2), two different assignments by their position in `assignments`, and the cost paid once
        if both are made; inf forbids that. Pairs that occur again, also the other way round, add up. Pairs
        that share a point are never both made: they are left out and counted in `n_excluded_pairs`.
    n_left, n_right
        Numbers of points; by default as many as `assignments` and the points' coordinates tell.
    unassigned
        Cost of a left point without assignment, one for all or one for each; inf: it must have one.
    matching
        "perfect": every left point must have an assignment, as if `unassigned` were inf. "partial": as
        `unassigned` says.
    left_points, right_points
        Coordinates (points, 2) or (points, 3), for pictures.
    constant, forbidden_above, name
        As for `MRF`.

    Raises
    ------
    InvalidModel
        For NaN, -inf, wrong sizes, points and assignments that do not exist, assignments that occur twice.

    Attributes
    ----------
    n_left, n_right, n_assignments, n_pairs
        Numbers of points, allowed assignments, and pairs with a cost.
    assignments, costs
        int64 (n_assignments, 2), float64 (n_assignments): as given.
    unassigned_costs
        float64 (n_left).
    pairs, pair_costs
        int64 (n_pairs, 2), float64 (n_pairs): the lower number first, in ascending order, without repetition.
    n_excluded_pairs
        How many pairs given share a point.
    product
        `ProductCosts` of pairs, with `from_koopmans_beckmann`; then every assignment is there, row by row,
        and `pairs` are none. Else None.
    matching
        "perfect" where no left point may stay without assignment, else "partial".
    left_points, right_points
        float64 (points, dimensions), or None.
    constant, forbidden_above, n_forbidden_read, name
        As for `MRF`.

    Examples
    --------
    >>> from fwmap.models import GraphMatching
    >>> assignments = [(0, 0), (0, 1), (1, 0), (1, 1)]
    >>> model = GraphMatching(assignments, [0, -1, -1, -3], pairs=[(1, 2)], pair_costs=[-5])
    >>> model.energy([1, 0]), model.energy([0, 1]), model.energy([-1, 1]), model.energy([1, 1])
    (-7.0, -3.0, -3.0, inf)
    """

    n_left: int
    n_right: int
    assignments: Ints
    costs: Floats
    unassigned_costs: Floats
    pairs: Ints
    pair_costs: Floats
    n_excluded_pairs: int
    product: ProductCosts | None
    matching: Matching
    left_points: Floats | None
    right_points: Floats | None
    constant: float
    forbidden_above: float
    n_forbidden_read: int
    name: str | None

    def __init__(
        self,
        assignments: ArrayLike,
        costs: ArrayLike,
        pairs: ArrayLike = (),
        pair_costs: ArrayLike = (),
        *,
        n_left: int | None = None,
        n_right: int | None = None,
        unassigned: ArrayLike = 0.0,
        matching: Matching = "partial",
        left_points: ArrayLike | None = None,
        right_points: ArrayLike | None = None,
        constant: float = 0.0,
        forbidden_above: float = 1e20,
        name: str | None = None,
    ) -> None:
        """Check and copy what is given; the parameters are described with the class."""
        left = None if left_points is None else as_costs(left_points, "left_points")
        right = None if right_points is None else as_costs(right_points, "right_points")
        own = (
            as_indices(assignments, "assignments").reshape(-1, 2)
            if np.size(assignments) == 0
            else (as_indices(assignments, "assignments"))
        )
        joined = as_indices(pairs, "pairs")
        parts = MatchingParts(
            own,
            as_costs(costs, "costs"),
            joined if joined.size else joined.reshape(0, 2),
            as_costs(pair_costs, "pair_costs"),
            _size(n_left, "n_left", own, 0, left),
            _size(n_right, "n_right", own, 1, right),
            as_costs(unassigned, "unassigned"),
            matching,
            left,
            right,
            constant,
            check_forbidden_above(forbidden_above),
            name=name,
        )
        self._freeze(parts.checked_fields())

    @property
    def n_assignments(self) -> int:
        """Number of allowed assignments."""
        return len(self.assignments)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of assignments that have a cost."""
        return len(self.pairs)

    @cached_property
    def left(self) -> Side:
        """The left points and their labels."""
        return Side.of(self, 0)

    @cached_property
    def field(self) -> MRF:
        """The field of the left points, whose labels are those of `left`: all costs, but a right point may be
        chosen by two left points that no pair is about.
        """
        return field_of_left(self)

    def labels_of(self, labeling: ArrayLike) -> Ints:
        """Return the labels of `field` that a labeling is; every assignment in it must be allowed.

        Examples
        --------
        >>> GraphMatching([(0, 1), (0, 0), (1, 0)], [1.0, 2.0, 3.0]).labels_of([1, -1]).tolist()
        [1, 1]
        """
        own = self.made(self.check_labeling(labeling))
        if (own == -2).any():
            point = int(np.flatnonzero(own == -2)[0])
            raise InvalidModel(f"the labeling gives left point {point} an assignment that is not allowed")
        labels = self.left.n_labels - 1
        labels[own >= 0] = self.left.place[own[own >= 0]] - self.left.label_offsets[:-1][own >= 0]
        return labels

    def labeling_of(self, labels: Ints) -> Ints:
        """Return the labeling, right points or -1, that labels of `field` are.

        Examples
        --------
        >>> GraphMatching([(0, 1), (0, 0), (1, 0)], [1.0, 2.0, 3.0]).labeling_of(np.array([1, 1])).tolist()
        [1, -1]
        """
        partners: Ints = self.left.partner[self.left.label_offsets[:-1] + labels]
        return partners

    def check_labeling(self, labeling: ArrayLike) -> Ints:
        """Return a labeling as int64, or raise InvalidModel saying which entry is wrong.

        Examples
        --------
        >>> GraphMatching([(0, 0)], [1.0]).check_labeling([-1]).tolist()
        [-1]
        """
        labels = as_indices(labeling, "the labeling")
        if labels.shape != (self.n_left,):
            expected = f"one right point or -1 per left point: ({self.n_left},)"
            raise InvalidModel(f"the labeling has shape {labels.shape}; expected {expected}")
        bad = np.flatnonzero((labels < -1) | (labels >= self.n_right))
        if len(bad):
            raise InvalidModel(
                f"the labeling assigns left point {bad[0]} to {labels[bad[0]]}; "
                f"expected a right point from 0 to {self.n_right - 1}, or -1"
            )
        return labels

    def made(self, labels: Ints) -> Ints:
        """Return per left point the number of its assignment: -1 for none, -2 where it is not allowed.

        Examples
        --------
        >>> GraphMatching([(1, 0), (0, 1)], [1.0, 2.0]).made(np.array([1, -1])).tolist()
        [1, -1]
        """
        found = np.full(self.n_left, -1)
        assigned = np.flatnonzero(labels >= 0)
        keys = self.assignments[:, 0] * self.n_right + self.assignments[:, 1]
        order = np.argsort(keys)
        wanted = assigned * self.n_right + labels[assigned]
        place = np.searchsorted(keys[order], wanted)
        known = place < len(keys)
        known[known] = keys[order[place[known]]] == wanted[known]
        found[assigned] = -2
        found[assigned[known]] = order[place[known]]
        return found

    def energy(self, labeling: ArrayLike) -> float:
        """Return the energy of a labeling, correctly rounded; inf where it is no allowed matching.

        Examples
        --------
        >>> GraphMatching([(0, 0), (1, 1)], [1, 2], [(0, 1)], [4], unassigned=0.5).energy([0, -1])
        1.5
        """
        labels = self.check_labeling(labeling)
        used = labels[labels >= 0]
        own = self.made(labels)
        if len(np.unique(used)) < len(used) or (own == -2).any():
            return math.inf
        active = np.zeros(self.n_assignments, bool)
        active[own[own >= 0]] = True
        paid = active[self.pairs].all(axis=1)
        terms = np.concatenate(
            [
                [self.constant],
                self.costs[own[own >= 0]],
                self.unassigned_costs[own < 0],
                self.pair_costs[paid],
                np.zeros(0) if self.product is None else self.product.paid(labels),
            ]
        )
        return math.inf if np.isinf(terms).any() else math.fsum(terms.tolist())

    def contradiction(self) -> str | None:
        """Return words that prove that no matching is allowed, or None.

        Some left points that must be assigned have, all together, fewer right points than they are (Hall).
        Costs of pairs are not looked at, so None does not prove that there is a matching of finite energy.

        Examples
        --------
        >>> print(GraphMatching([(0, 0), (1, 0)], [1, 2], matching="perfect").contradiction())
        the 2 left points 0, 1 must all be assigned, and have only the 1 right points 0
        """
        if self.constant == math.inf:
            return "the constant is inf"
        found = crowded_points(self)
        if found is None:
            return None
        left, right = (", ".join(map(str, points)) for points in found)
        return (
            f"the {len(found[0])} left points {left} must all be assigned, and have only the {len(found[1])} "
            f"right points {right}"
        )

    def with_pairs(self) -> GraphMatching:
        """Return the same model with the costs of all pairs one by one; refused where memory lacks for it.

        Only a model with `product` costs is changed. Products are rounded down, so that bounds stay bounds.

        Examples
        --------
        >>> model = GraphMatching.from_koopmans_beckmann([[0, 2], [3, 0]], [[0, 5], [6, 0]])
        >>> model.with_pairs().pair_costs.tolist()
        [28.0, 27.0]
        """
        from .matching_matrices import with_pairs

        return self if self.product is None else GraphMatching.from_parts(with_pairs(self.parts()))

    def with_matching(self, matching: Matching) -> GraphMatching:
        """Return the model in which left points must all be assigned ("perfect"), or the model as it is.

        Examples
        --------
        >>> GraphMatching([(0, 0)], [1.0]).with_matching("perfect").energy([-1])
        inf
        """
        if matching == "partial" and self.matching == "perfect" and self.n_left:
            raise InvalidModel("matching is 'partial', and the model forbids left points without assignment")
        return GraphMatching.from_parts(replace(self.parts(), matching=matching))

    def condition(self, evidence: Mapping[int, int]) -> GraphMatching:
        """Return the model in which each left point of `evidence` has the right point (or -1) given there.

        Examples
        --------
        >>> GraphMatching([(0, 0), (0, 1)], [1.0, 0.0]).condition({0: 0}).energy([1])
        inf
        """
        parts = self.parts()
        for left, right in evidence.items():
            if not (0 <= left < self.n_left and -1 <= right < self.n_right):
                raise InvalidModel(
                    f"the evidence assigns left point {left} to {right}; there is no such point"
                )
            of_point = self.assignments[:, 0] == left
            parts.costs[of_point & (self.assignments[:, 1] != right)] = math.inf
            if right >= 0:
                parts.unassigned[left] = math.inf
        return GraphMatching.from_parts(parts)

    def scaled(self, factor: float) -> GraphMatching:
        """Return the model with every finite cost, and `forbidden_above`, multiplied by `factor` > 0.

        Examples
        --------
        >>> GraphMatching([(0, 0)], [1.0]).scaled(4).energy([0])
        4.0
        """
        if (
            isinstance(factor, bool)
            or not isinstance(factor, (int, float, np.number))
            or not 0 < factor < math.inf
        ):
            raise InvalidModel(f"factor is {factor!r}; expected a finite number > 0")
        parts, s = self.parts(), float(factor)
        for costs in (parts.costs, parts.pair_costs, parts.unassigned):
            costs *= s
        parts.constant *= s
        parts.forbidden_above *= s
        if parts.product is not None:
            parts.product = parts.product.scaled(s)
        return GraphMatching.from_parts(parts)

    def facts(self) -> dict[str, Any]:
        """Return counts, ranges and peculiarities of the model as plain data.

        Examples
        --------
        >>> GraphMatching([(0, 0)], [1.0]).facts()["assignments"]
        1
        """
        return facts_of_matching(self)

    def summary(self) -> str:
        """Return the facts as a few lines of text.

        Examples
        --------
        >>> print(GraphMatching([(0, 0)], [1.0]).summary().splitlines()[0])
        points          1 left, 1 right
        """
        return summary_of_matching(self)

    def parts(self) -> MatchingParts:
        """Return copies of the arrays of the model."""
        return MatchingParts(
            self.assignments.copy(),
            self.costs.copy(),
            self.pairs.copy(),
            self.pair_costs.copy(),
            self.n_left,
            self.n_right,
            self.unassigned_costs.copy(),
            self.matching,
            None if self.left_points is None else self.left_points.copy(),
            None if self.right_points is None else self.right_points.copy(),
            self.constant,
            self.forbidden_above,
            self.n_excluded_pairs,
            self.n_forbidden_read,
            self.name,
            None if self.product is None else self.product.copy(),
        )

    def __repr__(self) -> str:
        """Return name and sizes."""
        name = f"{self.name!r}: " if self.name else ""
        sizes = f"{self.n_left} left, {self.n_right} right, {self.n_assignments} assignments"
        pairs = f"{self.n_pairs} pairs" if self.product is None else "products of two matrices"
        return f"GraphMatching({name}{sizes}, {pairs})"


def _size(given: int | None, what: str, assignments: Ints, column: int, points: Floats | None) -> int:
    """Return a number of points as given, or as the assignments and coordinates tell."""
    if given is not None:
        return check_size(given, what)
    if points is not None:
        return len(points)
    known = assignments.ndim == 2 and assignments.shape[1] == 2 and len(assignments)
    return max(0, int(assignments[:, column].max()) + 1) if known else 0
