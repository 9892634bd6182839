"""Labelings of a Markov random field: proposed by the oracles and by rounding y, improved node by node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..decompose import FieldDecomposition
from ..models import MRF
from .incumbent import Incumbent

#: Share of the counted work that labelings may take.
SHARE = 0.2
#: Operations of the solver's unit that one look at a cost takes here, in scattered memory.
SCATTERED = 4.0
#: Most evaluations between two attempts when none of them helps.
LONGEST_WAIT = 64


class FieldRounding:
    """Proposes labelings after evaluations, within a share of the counted work."""

    def __init__(self, model: MRF, decomposition: FieldDecomposition) -> None:
        self.model, self.decomposition = model, decomposition
        self.search = local_search(model)
        self.size = float(model.n_labels.sum() + model.n_edges)  # of one labeling's energy
        self.spent = 0.0
        self.wait, self.waited, self.attempts = 1, 0, 0
        self.best = (np.iinfo(np.int64).max, np.inf)  # forbidden entries, finite costs

    def after_evaluation(self, core: _core.FrankWolfe, incumbent: Incumbent) -> None:
        """Round, improve, and keep what is better; waits longer each time it does not help."""
        self.waited += 1
        if self.waited < self.wait or (self.attempts and self.spent > SHARE * core.work):
            return
        self.waited = 0
        term = self.attempts % max(1, self.decomposition.n_forests)
        self.attempts += 1
        helped = self.try_around(core, [term], incumbent)
        self.wait = 1 if helped else min(2 * self.wait, LONGEST_WAIT)

    def at_the_end(self, core: _core.FrankWolfe, incumbent: Incumbent) -> None:
        """One last attempt where the method has converged, with every forest's labeling."""
        self.try_around(core, list(range(self.decomposition.n_forests)), incumbent)

    def try_around(self, core: _core.FrankWolfe, terms: list[int], incumbent: Incumbent) -> bool:
        """Improve what y and some terms propose; tell whether it led to a better labeling than all before."""
        rounded = argmax_per_node(core.marginals(), self.model.label_offsets)
        proposals = [rounded, *(self.labels_of_term(core, term, rounded) for term in terms)]
        helped = [self.improve(labeling, incumbent) for labeling in proposals]  # all of them
        return any(helped)

    def labels_of_term(
        self, core: _core.FrankWolfe, term: int, others: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The minimiser of one term; `others` where the term has no node."""
        labeling = others.copy()
        support = core.minimizer(term) if self.decomposition.core.n_terms else np.zeros(0, np.int32)
        if len(support):
            labeling[self.decomposition.nodes[term]] = self.decomposition.term_labels(term, support)
        return labeling

    def improve(self, labeling: NDArray[np.int64], incumbent: Incumbent) -> bool:
        """Search around a labeling; tell whether it led to a better one than all before."""
        improved, operations = self.search.improve(labeling.astype(np.int32), 100 * self.size)
        self.spent += SCATTERED * (operations + 3 * self.size)
        cost = self.search.energy(improved)
        if cost >= self.best:
            return False
        self.best = cost
        found = improved.astype(np.int64)
        if cost[0] == 0:
            incumbent.offer(found, self.model.energy(found))
        return True


def local_search(model: MRF) -> _core.LocalSearch:
    """The core's local search over the model's own arrays."""
    ends = model.edges.astype(np.int32)
    return _core.LocalSearch(
        model.label_offsets,
        model.unaries,
        np.ascontiguousarray(ends[:, 0]),
        np.ascontiguousarray(ends[:, 1]),
        model.edge_kind,
        model.edge_table,
        model.edge_weight,
        model.edge_truncation,
        _core.TablePool(model.table_values, model.table_offsets),
        model.factor_scopes,
        model.factor_scope_offsets,
        model.factor_table_offsets[model.factor_table],
        model.factor_values,
    )


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
