"""Labelings of a Markov random field: proposed by the oracles and by rounding y, improved by searches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..decompose import FieldDecomposition
from ..models import MRF
from .graph import penalised_graph
from .incumbent import Incumbent
from .proposals import Proposals
from .turns import Turns

#: Share of the counted work that labelings may take.
SHARE = 0.2
#: Operations of the solver's unit that one operation takes here, in scattered memory.
SCATTERED = 4.0
#: The share after an attempt that did not help, as a part of the share before; and the least one.
BACK_OFF, LEAST_SHARE = 0.7, 0.01
#: The least share here: where relaxations stay loose, labelings are found late.
LEAST = 0.1
#: An attempt is worth starting with so many operations per label and edge.
WORTHWHILE = 20.0
#: Kicks, elimination and tabu search.
SEARCHES = 3
#: Gains below this, relative, are rounding.
NOISE = 1e-12

Labels = NDArray[np.int32]


class FieldRounding:
    """Proposes labelings after evaluations, within a share of the counted work.

    Each attempt improves what y and one term propose, takes from them what improves the best labeling known
    (fusion), and spends what is left of its budget on one search around that one: kicks and repairs, parts
    re-solved exactly, or tabu search, whichever helped last more often than the others.
    """

    def __init__(self, model: MRF, decomposition: FieldDecomposition, seed: int = 0) -> None:
        self.model, self.decomposition = model, decomposition
        self.graph = penalised_graph(model)
        self.nodes = _core.LocalSearch(self.graph)
        self.forests = _core.LabelingSearch(self.graph, seed)
        self.tabu = _core.TabuSearch(self.graph, seed)
        self.turns = Turns(SEARCHES)
        self.size = float(model.n_labels.sum() + model.n_edges + len(model.factor_scopes))
        self.expandable = bool(model.n_nodes and (model.n_labels == model.n_labels[0]).all())
        self.spent = 0.0  # in the solver's unit
        self.share, self.attempts = SHARE, 0
        self.best: Labels | None = None
        self.cost = np.inf  # of the best, with penalties

    def after_evaluation(self, core: Proposals, incumbent: Incumbent) -> None:
        """Round, improve, and keep what is better; takes a smaller share each time it does not help."""
        budget = (self.share * core.work - self.spent) / SCATTERED
        if self.attempts and budget < WORTHWHILE * self.size:
            return
        forests = self.decomposition.covering_forests
        chosen = [forests[self.attempts % len(forests)]] if forests else []
        helped = self.attempt(core, chosen, budget, incumbent)
        self.attempts += 1
        self.share = SHARE if helped else max(BACK_OFF * self.share, LEAST)

    def at_the_end(self, core: Proposals, incumbent: Incumbent) -> None:
        """One last attempt where the method has converged: all forests, all searches and the whole share."""
        budget = (SHARE * core.work - self.spent) / SCATTERED
        self.attempt(core, self.decomposition.covering_forests, budget, incumbent, SEARCHES)

    def attempt(
        self,
        core: Proposals,
        forests: list[NDArray[np.int64]],
        budget: float,
        incumbent: Incumbent,
        searches: int = 1,
    ) -> bool:
        """Improve what y and some forests propose; tell whether that led to a better labeling."""
        if self.best is None and incumbent.labeling is not None:  # given by the user
            self.best = incumbent.labeling.astype(np.int32)
            self.cost = self.nodes.energy(self.best)[1]
        before, allowed = self.cost, self.spent + SCATTERED * max(budget, WORTHWHILE * self.size)
        if self.best is None:  # something to show where time is short
            self.offer(self.rounded(core.marginals()), incumbent)
        proposals = self.proposals(core, forests)
        try:
            for labeling in proposals:
                self.improve(labeling)
            if self.best is not None and len(self.best):
                guides = np.concatenate(proposals)
                if self.expandable and self.attempts % 4 == 0:
                    self.take(*self.forests.expand(self.best, self.left(allowed)))
                for left in range(searches, 0, -1):
                    self.search(guides, self.left(allowed) / left)
        finally:  # what was found until time was over counts
            helped = self.cost < before - NOISE * abs(self.cost)
            if helped and self.best is not None:
                self.offer(self.best, incumbent)
        return helped

    def offer(self, labeling: Labels, incumbent: Incumbent) -> None:
        """Offer a labeling with the energy that the model gives it."""
        found = labeling.astype(np.int64)
        incumbent.offer(found, self.model.energy(found))

    def search(self, guides: Labels, budget: float) -> None:
        """One search around the best labeling."""
        assert self.best is not None
        before, turn = self.cost, self.turns.next()
        if turn == 0:
            self.take(*self.forests.kick(self.best, guides, budget))
        elif turn == 1:
            self.take(*self.forests.resolve(self.best, budget))
        else:
            self.take(*self.tabu.wander(self.best, budget))
        self.turns.tell(turn, self.cost < before - NOISE * abs(self.cost))

    def left(self, allowed: float) -> float:
        """Operations until so much is spent."""
        return max(0.0, (allowed - self.spent) / SCATTERED)

    def proposals(self, core: Proposals, forests: list[NDArray[np.int64]]) -> list[Labels]:
        """Labelings by y, node by node and one after the other, and by the minimisers of some forests."""
        offsets = self.model.label_offsets
        marginals = core.marginals()[: int(offsets[-1])]
        rounded = self.rounded(marginals)
        result = [rounded, *(self.labels_of_terms(core, forest, rounded) for forest in forests)]
        if len(rounded):
            labeling, operations = _core.round_sequentially(self.graph, marginals)
            self.spent += SCATTERED * operations
            result.append(labeling)
        return result

    def rounded(self, marginals: NDArray[np.float64]) -> Labels:
        """The label with the largest mean of each node."""
        offsets = self.model.label_offsets
        return argmax_per_node(marginals[: int(offsets[-1])], offsets).astype(np.int32)

    def labels_of_terms(self, core: Proposals, terms: NDArray[np.int64], others: Labels) -> Labels:
        """The minimisers of terms without common nodes; `others` where none has the node."""
        labeling = others.copy()
        for term in terms.tolist():
            support = core.minimizer(term)
            if len(support):
                labeling[self.decomposition.nodes[term]] = self.decomposition.term_labels(term, support)
        return labeling

    def improve(self, labeling: Labels) -> None:
        """Search around a proposal, and fuse the best labeling with what was found."""
        improved, operations = self.nodes.improve(labeling, 100 * self.size)
        improved, _, further = self.forests.descend(improved, 50 * self.size)
        cost = self.nodes.energy(improved)[1]
        self.spent += SCATTERED * (operations + further + 3 * self.size)
        if self.best is None or cost < self.cost:
            improved, self.best, old = improved, improved, self.best
            self.cost = cost
            if old is None:
                return
            improved = old
        self.take(*self.forests.fuse(self.best, improved, 50 * self.size))

    def take(self, labeling: Labels, change: float, operations: float) -> None:
        """The best labeling, changed by a search."""
        self.spent += SCATTERED * (operations + self.size)
        cost = self.nodes.energy(labeling)[1]
        if cost <= self.cost:
            self.best, self.cost = labeling, cost


def argmax_per_node(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Label with the largest value of each node, the first among equals.

    >>> argmax_per_node(np.array([0.2, 0.8, 1.0, 0.5, 0.5]), np.array([0, 2, 3, 5])).tolist()
    [1, 0, 0]
    """
    if len(offsets) == 1:
        return np.zeros(0, np.int64)
    sizes = np.diff(offsets)
    largest = np.repeat(np.maximum.reduceat(values, offsets[:-1]), sizes)
    where = np.flatnonzero(values == largest)
    node = np.repeat(np.arange(len(sizes)), sizes)[where]
    first = np.flatnonzero(np.diff(node, prepend=-1))
    return where[first] - offsets[:-1]
