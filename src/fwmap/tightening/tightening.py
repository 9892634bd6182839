"""Cycles that raise the bound, chosen and weighed by messages, then left to the solver."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..decompose import FieldDecomposition, cycle_term, with_terms
from ..decompose.field import Cover, NodeTerm
from ..stages import Following, Moment
from .pace import Pace

#: Fields with more table entries, and cycles with more of them in all, are left alone: they take memory.
MOST_ENTRIES, MOST_CYCLE_ENTRIES = 1 << 24, 1 << 22
#: A round adds so many cycles at most: a share of the number of edges, or so many.
BATCH_SHARE, LEAST_BATCH = 0.15, 20
#: Where no triangle gains anything, cycles of so many edges at most are looked for.
LONGEST = 12
#: Of the cycles found, those stay away that gain less than this share of the best one's gain.
LEAST_GAIN = 0.01
#: Sequences of messages there and back after each round.
SWEEPS = 3
#: Rounds end where one raises the bound by less than this share of what all have.
LITTLE = 1e-3
#: A call that brings less than this share of what the bound has risen by in all brings nothing.
NOTHING = 1e-6
#: Where a call brings less than this share of the gap, the next one waits for so many times less of a rise.
POOR, WAIT = 0.03, 5.0
#: The operations it may take: a share of those counted so far, and so many per table entry at least.
SHARE, LEAST_OPERATIONS = 0.5, 1000.0
#: The weight that the solver goes on with, times the typical cost: the bound is high already.
WEIGHT = 0.01
#: Gains below this, times the typical cost, are rounding.
NOISE = 1e-9

Floats = NDArray[np.float64]


@dataclass
class Tightening:
    """Adds cycles where the bound stands still; see `Improvement`.

    Rounds of choosing cycles by what they gain at least, and of messages among nodes, edges and cycles
    (`core/tightening`), raise the bound at once; the solver goes on from there. Where a call brings little,
    the next one waits longer; where nothing is found for a relaxation that is solved, there is none.
    """

    pace: Pace = field(default_factory=Pace)
    work: float = 0.0
    done: bool = False

    def next_decomposition(self, moment: Moment) -> Following | None:
        """The decomposition with more cycles, and multipliers that make use of them."""
        decomposition = moment.stage.decomposition
        if self.done or not isinstance(decomposition, FieldDecomposition):
            return None
        if not self.pace.stands_still(moment):
            return None
        if int(decomposition.cover.n_entries.sum()) > MOST_ENTRIES:
            return None
        if len(moment.stage.solver.core.best_lambda) != decomposition.core.n_slots:  # nothing was evaluated
            return None
        return self.tightened(moment, decomposition)

    def take_work(self) -> float:
        """Operations spent since it was last asked."""
        work, self.work = self.work, 0.0
        return work

    def tightened(self, moment: Moment, decomposition: FieldDecomposition) -> Following | None:
        """Rounds of cycles and messages, as long as they pay."""
        stage = moment.stage
        lambdas = stage.solver.core.best_lambda
        dual = _core.Reparametrization(decomposition.core, decomposition.n_forests, lambdas)
        allowed = max(SHARE * stage.solver.core.work, LEAST_OPERATIONS * decomposition.cover.n_entries.sum())
        first = dual.bound()
        chosen = self.rounds(dual, decomposition, moment, float(allowed))
        rise = dual.bound() - first
        self.work += dual.work
        energy = moment.incumbent.energy
        size = self.pace.size(moment)
        if rise < POOR * (size if energy is None else energy - moment.bound):
            self.pace.patience *= WAIT
        if not chosen or rise <= NOTHING * size:
            self.done = moment.converged
            return None
        tighter = with_terms(decomposition, chosen)
        center = dual.multipliers(tighter.core, lambdas)
        return Following(tighter, center, WEIGHT * stage.scale)

    def rounds(
        self,
        dual: _core.Reparametrization,
        decomposition: FieldDecomposition,
        moment: Moment,
        allowed: float,
    ) -> list[NodeTerm]:
        """The terms of the cycles added to `dual`."""
        cover = decomposition.cover
        order = decomposition.edges_of_forests
        room = MOST_CYCLE_ENTRIES - entries_of(decomposition.further, cover)
        batch = max(LEAST_BATCH, int(BATCH_SHARE * len(order)))
        noise = NOISE * moment.stage.scale
        first = before = dual.bound()
        terms: list[NodeTerm] = []
        dual.spread()
        while dual.work < allowed and not moment.clock.is_over():
            found = dual.triangles(batch, noise, allowed - dual.work)
            if not found:
                found = dual.odd_cycles(batch, noise, LONGEST, allowed - dual.work)
            chosen = [one for one in found if one[2] >= LEAST_GAIN * found[0][2]]
            added = [closed(cover, order[edges], flipped) for edges, flipped, _ in chosen]
            room -= entries_of(added, cover)
            if not added or room < 0:
                break
            for edges, flipped, _ in chosen:
                dual.add(edges, flipped)
            terms += added
            for _ in range(SWEEPS):
                dual.sweep(forward=True)
                dual.sweep(forward=False)
            now = dual.bound()
            if now == math.inf or now - before < LITTLE * (now - first):
                break
            before = now
            dual.spread()
        return terms


def closed(cover: Cover, edges: NDArray[np.int64], flipped: NDArray[np.uint8]) -> NodeTerm:
    """The term of a cycle of edges; a flipped one leads from its second end to its first."""
    nodes = np.where(flipped, cover.edges.ends[edges, 1], cover.edges.ends[edges, 0])
    return cycle_term(cover, nodes, edges)


def entries_of(terms: list[NodeTerm] | tuple[NodeTerm, ...], cover: Cover) -> int:
    """How many table entries terms share, each counted as often as it occurs."""
    return int(sum(cover.n_entries[term.edges].sum() for term in terms))
