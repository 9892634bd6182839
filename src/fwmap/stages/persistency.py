"""Persistency: labels that no better labeling can have are removed, and the solve goes on without them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..decompose import FieldDecomposition
from ..solvers import is_opening
from .reduction import labels_left, reduced
from .stage import Moment

#: Share of the counted work that may be spent on looking for labels to remove.
SHARE = 0.1
#: Another look is worth its price once the gap is so much of what it was, or so many times the work was done.
CLOSER, LATER = 0.7, 1.5
#: So much of the labels that are left must go to make another decomposition worth while: a method that goes
#: on with it has lost some of its y. Any one is enough where the relaxation is solved.
WORTHWHILE = 0.3
#: By so much of all costs and multipliers the cut-off must be exceeded: a check adds them up otherwise.
SLACK = 2.0**-48
#: Operations of a look, per operation of the oracles.
PRICE = 6.0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Persistency:
    """Removes labels whose reduced costs lift the bound above the energy of the best labeling known.

    `step`: energies are multiples of this apart, where known; a labeling that is better is so by that much.
    """

    def __init__(self, step: float | None) -> None:
        self.step = step
        self.unseen = 0.0  # operations not told yet
        self.spent = 0.0
        self.gap, self.work = math.inf, 0.0  # at the last look
        self.looked_at: tuple[float, float] | None = None  # energy and bound when a relaxation was solved
        self.known: tuple[_core.Decomposition, float] | None = None  # operations of all its oracles

    def take_work(self) -> float:
        """Operations spent since it was last asked."""
        work, self.unseen = self.unseen, 0.0
        return work

    def next_decomposition(self, moment: Moment) -> FieldDecomposition | None:
        """The problem without the labels that no better labeling has; None: not now."""
        decomposition, energy = moment.stage.decomposition, moment.incumbent.energy
        if energy is None or not isinstance(decomposition, FieldDecomposition):
            return None
        if not all(term.restrict is not None for term in decomposition.further):
            return None
        if is_opening(moment.stage.solver) or not self.is_time(moment, energy):
            return None
        core = moment.stage.solver.core
        multipliers = core.best_lambda
        complete, infeasible, bound, excess, work = decomposition.core.reduced_costs(
            multipliers, moment.clock.seconds_left()
        )
        self.unseen += work
        self.spent += work
        if not complete or infeasible:
            return None
        cutoff = self.cutoff(energy)
        removed = removable(decomposition, multipliers, bound, excess, cutoff)
        choices = np.count_nonzero(labels_left(decomposition)) - decomposition.field.n_nodes
        if len(removed) < max(1.0, 0.0 if moment.converged else WORTHWHILE * choices):
            return None
        return reduced(decomposition, multipliers, removed, cutoff, energy)

    def is_time(self, moment: Moment, energy: float) -> bool:
        """Whether a look may find more than the last one did, and is paid for."""
        gap, core = energy - moment.bound, moment.stage.solver.core
        if moment.converged:
            before, self.looked_at = self.looked_at, (energy, moment.bound)
            return before != self.looked_at
        price = PRICE * self.operations(moment.stage.decomposition.core)
        soon = gap > CLOSER * self.gap and core.work < LATER * self.work
        if soon or self.spent + price > SHARE * core.work:
            return False
        self.gap, self.work = min(gap, self.gap), core.work
        return True

    def cutoff(self, energy: float) -> float:
        """Labels whose labelings all cost more than this are removed: the optimum is kept, or known."""
        if self.step is None:
            return energy
        return float(Fraction(energy) - Fraction(self.step))

    def operations(self, core: _core.Decomposition) -> float:
        """Operations of all oracles."""
        if self.known is None or self.known[0] is not core:
            self.known = core, math.fsum(core.operations(t) for t in range(core.n_terms))
        return self.known[1]


def removable(
    decomposition: FieldDecomposition, multipliers: Floats, bound: float, excess: Floats, cutoff: float
) -> Ints:
    """Labels that are proved to cost more than the cut-off, numbered as in the whole problem."""
    unaries = decomposition.field.unaries
    left = np.isfinite(unaries)
    size = abs(cutoff) + np.abs(unaries[left]).sum() + np.abs(multipliers).sum()
    costs = bound + excess[: len(unaries)]
    removed: Ints = decomposition.lasting[: len(unaries)][left & (costs > cutoff + SLACK * size)]
    return removed
