"""Matchings: proposed by the oracles and by rounding y with one assignment problem, improved by searches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..decompose import FieldDecomposition
from ..models import GraphMatching
from .field import BACK_OFF, LEAST_SHARE, NOISE, SCATTERED, SHARE, WORTHWHILE
from .fusion import fused_matchings
from .graph import penalised, penalty_of
from .incumbent import Incumbent
from .nearest import NearestMatching
from .proposals import Proposals

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]


class MatchingRounding:
    """Proposes matchings after evaluations, within a share of the counted work.

    Each attempt improves what y and one term propose, takes from them what improves the best matching known
    (fusion), and spends what is left of its budget on a search around that one. `assignment` is the number of
    the assignment term, `n_terms` that of the terms whose nodes are left points, `nodes` are those.
    """

    def __init__(
        self, model: GraphMatching, assignment: int, nodes: list[NDArray[np.int64]], seed: int = 0
    ) -> None:
        self.model, self.side = model, model.left
        self.assignment, self.nodes = assignment, nodes
        self.starts = self.side.label_offsets[:-1]
        penalty = penalty_of(model.field)
        unaries = self.side.unaries(model.costs, model.unassigned_costs)
        self.costs = penalised(unaries, penalty)
        self.pairs = self.side.place[model.pairs].astype(np.int32)
        self.pair_costs = penalised(model.pair_costs, penalty)
        partners = self.side.partner.astype(np.int32)
        self.search = _core.MatchingSearch(
            self.side.label_offsets,
            partners,
            model.n_right,
            self.costs,
            np.ascontiguousarray(self.pairs[:, 0]),
            np.ascontiguousarray(self.pairs[:, 1]),
            self.pair_costs,
            seed,
        )
        self.alone = NearestMatching(model)
        self.size = float(len(unaries) + model.n_pairs)
        self.spent = 0.0  # in the solver's unit
        self.share, self.attempts = SHARE, 0
        self.best: Labels | None = None
        self.cost = np.inf  # of the best, with penalties

    def follow(self, decomposition: FieldDecomposition) -> None:
        """Go on with the proposals of another decomposition, which have not failed yet."""
        self.assignment = decomposition.n_forests
        self.share = SHARE

    def after_evaluation(self, core: Proposals, incumbent: Incumbent) -> None:
        """Round, improve, and keep what is better; takes a smaller share each time it does not help."""
        budget = (self.share * core.work - self.spent) / SCATTERED
        if self.attempts and budget < WORTHWHILE * self.size:
            return
        terms = [self.attempts % len(self.nodes)] if self.nodes else []
        helped = self.attempt(core, terms, budget, incumbent)
        self.attempts += 1
        self.share = SHARE if helped else max(BACK_OFF * self.share, LEAST_SHARE)

    def at_the_end(self, core: Proposals, incumbent: Incumbent) -> None:
        """One last attempt where the method has converged, with all terms and the whole share."""
        budget = (SHARE * core.work - self.spent) / SCATTERED
        self.attempt(core, list(range(len(self.nodes))), budget, incumbent)

    def attempt(self, core: Proposals, terms: list[int], budget: float, incumbent: Incumbent) -> bool:
        """Improve what y and some terms propose; tell whether it led to a better matching than all before."""
        if self.best is None and incumbent.labeling is not None:  # given by the user
            self.best = self.model.labels_of(incumbent.labeling).astype(np.int32)
            self.cost = self.search.energy(self.best)
        before, allowed = self.cost, self.spent + SCATTERED * max(budget, WORTHWHILE * self.size)
        proposals = self.proposals(core, terms)
        if self.best is None:  # something to show where time is short
            self.offer(proposals[-1], incumbent)
        try:
            for labels in proposals:
                self.improve(labels)
            if self.best is not None:
                left = max(0.0, (allowed - self.spent) / SCATTERED)
                self.take(*self.search.wander(self.best, left))
        finally:  # what was found until time was over counts
            helped = bool(self.cost < before - NOISE * abs(self.cost))
            if helped and self.best is not None:
                self.offer(self.best, incumbent)
        return helped

    def offer(self, labels: Labels, incumbent: Incumbent) -> None:
        """Offer a matching with the energy that the model gives it."""
        found = self.model.labeling_of(labels.astype(np.int64))
        incumbent.offer(found, self.model.energy(found))

    def proposals(self, core: Proposals, terms: list[int]) -> list[Labels]:
        """Matchings near y, near what y makes each label cost, and near the minimisers of some terms."""
        y = core.marginals()[: len(self.costs)]
        dear = self.costs.copy()  # what each label costs where the others are as y has them
        np.add.at(dear, self.pairs[:, 0], self.pair_costs * y[self.pairs[:, 1]])
        np.add.at(dear, self.pairs[:, 1], self.pair_costs * y[self.pairs[:, 0]])
        own = self.labels_of(core.minimizer(self.assignment)) if self.model.n_left else np.zeros(0, np.int32)
        wanted = [-y, dear]
        for term in terms:
            chosen = -y
            nodes = self.nodes[term]
            support = core.minimizer(term)[: len(nodes)].astype(np.int64)
            sizes = self.side.n_labels[nodes]
            chosen[self.starts[nodes] + support - (np.cumsum(sizes) - sizes)] -= 2.0
            wanted.append(chosen)
        return [own, *(self.nearest(values) for values in wanted)]

    def nearest(self, values: Floats) -> Labels:
        """The matching with the least sum of values."""
        labels, operations = self.alone(values)
        self.spent += SCATTERED * (operations + self.size)
        return labels

    def labels_of(self, support: NDArray[np.int32]) -> Labels:
        """Labels of all points, from the labels among all."""
        labels: Labels = (support - self.starts).astype(np.int32)
        return labels

    def improve(self, labels: Labels) -> None:
        """Search around a proposal, and fuse the best matching with what was found."""
        improved, _, operations = self.search.descend(labels, 100 * self.size)
        cost = self.search.energy(improved)
        self.spent += SCATTERED * (operations + 3 * self.size)
        if self.best is None or cost < self.cost:
            improved, self.best, old = improved, improved, self.best
            self.cost = cost
            if old is None:
                return
            improved = old
        both, operations = fused_matchings(self, self.best, improved)
        self.take(both, 0.0, operations)

    def take(self, labels: Labels, change: float, operations: float) -> None:
        """The best matching, changed by a search."""
        self.spent += SCATTERED * (operations + self.size)
        cost = self.search.energy(labels)
        if cost <= self.cost:
            self.best, self.cost = labels, cost
