"""Matchings of models with product costs: proposed by y, improved by exchanges among permutations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..decompose import FieldDecomposition
from ..models import GraphMatching
from .field import BACK_OFF, NOISE, SHARE
from .incumbent import Incumbent
from .nearest import NearestMatching
from .proposals import Proposals

Floats = NDArray[np.float64]
Places = NDArray[np.int32]

#: Operations that the first search may take, however little the method has done: less than a second; and its
#: steps per exchange that there is.
FIRST, FIRST_STEPS = 1e9, 400.0
#: The least share of the counted work: relaxations of these problems are loose, and energies found late.
LEAST = 0.1
#: An attempt is worth starting with so many steps of the search.
STEPS = 200.0


class ProductRounding:
    """Proposes matchings after evaluations, within a share of the counted work, and a first one at once.

    A matching is a permutation of points that fill both sides up to the same number: a left point without
    partner has one of the places added, which cost what it costs to have none.
    """

    def __init__(self, model: GraphMatching, assignment: int, seed: int = 0) -> None:
        assert model.product is not None
        self.model, self.assignment = model, assignment
        n, m = model.n_left, model.n_right
        may_stay = np.isfinite(model.unassigned_costs)
        self.size = max(n, m + int(np.count_nonzero(may_stay)))
        matrices = padded_matrices(model, self.size)
        self.search = _core.ExchangeSearch(n, *matrices, seed)  # goes on from attempt to attempt
        self.descents = _core.ExchangeSearch(n, *matrices, seed)
        self.nearest = NearestMatching(model)
        self.step = 3.0 * n * self.size
        self.spent = -min(FIRST, FIRST_STEPS * self.size**2 * self.step)
        self.share, self.attempts = SHARE, 0
        self.best: Places | None = None
        self.cost = np.inf  # of the best, with penalties

    def follow(self, decomposition: FieldDecomposition) -> None:
        """Go on with the proposals of another decomposition, which have not failed yet."""
        self.assignment = decomposition.n_forests
        self.share = SHARE

    def after_evaluation(self, core: Proposals, incumbent: Incumbent) -> None:
        """Search, and keep what is better; takes a smaller share each time it does not help."""
        budget = self.share * core.work - self.spent
        if self.attempts and budget < STEPS * self.step:
            return
        helped = self.attempt(core, budget, incumbent)
        self.attempts += 1
        self.share = SHARE if helped else max(BACK_OFF * self.share, LEAST)

    def at_the_end(self, core: Proposals, incumbent: Incumbent) -> None:
        """One last attempt where the method has converged, with the whole share."""
        self.attempt(core, max(SHARE * core.work - self.spent, STEPS * self.step), incumbent)

    def attempt(self, core: Proposals, budget: float, incumbent: Incumbent) -> bool:
        """Improve what y proposes, then search around the best; tell whether a better matching was found."""
        if self.best is None and incumbent.labeling is not None:  # given by the user
            self.take(self.places_of(incumbent.labeling))
        before, allowed = self.cost, self.spent + budget
        proposals = self.proposals(core)
        if self.best is None:  # something to show where time is short
            incumbent.offer(proposals[-1], self.model.energy(proposals[-1]))
        try:
            for labels in proposals:
                if self.attempts and self.spent > allowed - 0.5 * budget:
                    break
                places, _, operations = self.descents.descend(self.places_of(labels), 0.2 * budget)
                self.spent += operations
                self.take(places)
            if self.best is not None:
                found, _, operations = self.search.wander(self.best, max(0.0, allowed - self.spent))
                self.spent += operations
                self.take(found)
        finally:  # what was found until time was over counts
            helped = bool(self.cost < before - NOISE * max(1.0, abs(self.cost)))
            if helped and self.best is not None:
                labeling = self.labeling_of(self.best)
                incumbent.offer(labeling, self.model.energy(labeling))
        return helped

    def proposals(self, core: Proposals) -> list[NDArray[np.int64]]:
        """Matchings near y, near what y makes each label cost, and the assignment term's own."""
        model, side = self.model, self.nearest.side
        product = model.product
        assert product is not None
        y = core.marginals()[: len(side.partner)]
        assigned = np.zeros(model.n_left * model.n_right)
        assigned[:] = y[side.place]
        wanted = assigned.reshape(model.n_left, model.n_right)
        dear = side.unaries(model.costs, model.unassigned_costs)
        pairs = product.left @ wanted @ product.right.T + product.left.T @ wanted @ product.right
        dear[side.place] += pairs.ravel()
        own = core.minimizer(self.assignment) if model.n_left else np.zeros(0, np.int32)
        rounded = [self.nearest(-y), self.nearest(dear)]
        self.spent += sum(operations for _, operations in rounded)
        labels = [own - side.label_offsets[:-1], *(labels for labels, _ in rounded)]
        return [model.labeling_of(each) for each in labels]

    def take(self, places: Places) -> None:
        """Keep a permutation if it is better."""
        cost = self.search.energy(places)
        if self.best is None or cost < self.cost:
            self.best, self.cost = places, cost

    def places_of(self, labeling: NDArray[np.int64]) -> Places:
        """The permutation: who has no partner gets a place of those added, all others what is left."""
        places = np.full(self.size, -1)
        made = np.flatnonzero(labeling >= 0)
        places[made] = labeling[made]
        free = np.setdiff1d(np.arange(self.size), labeling[made])
        alone = np.flatnonzero(labeling < 0)
        added = free[free >= self.model.n_right][: len(alone)]
        places[alone[: len(added)]] = added
        left = np.flatnonzero(places < 0)
        places[left] = np.setdiff1d(free, added)
        return places.astype(np.int32)

    def labeling_of(self, places: Places) -> NDArray[np.int64]:
        """Right points, or -1."""
        own = places[: self.model.n_left].astype(np.int64)
        return np.where(own < self.model.n_right, own, -1)


def padded_matrices(model: GraphMatching, size: int) -> tuple[Floats, Floats, Floats]:
    """Left, right and linear costs of so many points, flat, with a penalty in place of inf.

    >>> model = GraphMatching.from_koopmans_beckmann([[0, 1], [2, 0]], [[0, 3], [4, 0]], matching="partial")
    >>> padded_matrices(model, 4)[2].tolist()[:8]
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    product, n, m = model.product, model.n_left, model.n_right
    assert product is not None
    left, right, linear = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size))
    left[:n, :n], right[:m, :m] = product.left, product.right
    linear[:n, :m] = model.costs.reshape(n, m)
    linear[:n, m:] = model.unassigned_costs[:, None]
    finite = np.abs(linear[np.isfinite(linear)]).max(initial=0.0)
    pairs = float(np.abs(product.left).sum()) * float(np.abs(product.right).max(initial=0.0))
    linear[np.isinf(linear)] = 1.0 + 4.0 * (pairs + (size + 1) * float(finite))
    return left.ravel(), right.ravel(), linear.ravel()
