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
#: What a message costs beside its table, in operations: counted, but no part of what is allowed.
MESSAGE = 150.0
#: The weight that the solver goes on with, times the typical cost: the bound is high already.
WEIGHT = 0.01
#: Gains below this, times the typical cost, are rounding.
NOISE = 1e-9

#: Edges of a cycle as the core numbers them, which of them are flipped, and what the cycle gains.
Proposal = tuple[NDArray[np.int32], NDArray[np.uint8], float]


@dataclass
class Tightening:
    """Adds cycles where the bound stands still; see `Improvement`.

    Rounds of choosing cycles by what they gain at least, and of messages among nodes, edges and cycles
    (`core/tightening`), raise the bound at once; the solver goes on from there. Where a call brings little,
    the next one waits longer; where nothing is found for a relaxation that is solved, there is none.
    """

    pace: Pace = field(default_factory=Pace)
    work: float = 0.0
    beside: float = 0.0  # of all work counted so far, what messages cost beside their entries
    done: bool = False

    def next_decomposition(self, moment: Moment) -> Following | None:
        """The decomposition with more cycles, and multipliers that make use of them."""
        decomposition = moment.stage.decomposition
        if self.done or not isinstance(decomposition, FieldDecomposition):
            return None
        if decomposition.cover.chains:  # these share no entries of tables
            return None
        if not self.pace.stands_still(moment):
            return None
        if int(decomposition.cover.n_entries.sum()) > MOST_ENTRIES:
            return None
        if len(moment.stage.solver.core.best_lambda) != decomposition.core.n_slots:  # nothing was evaluated
            return None
        if not moment.converged and moment.look():  # the gap was the labeling's, in part at least
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
        entries = decomposition.cover.n_entries
        allowed = max(SHARE * (stage.solver.core.work - self.beside), LEAST_OPERATIONS * entries.sum())
        first = dual.bound()
        chosen = self.rounds(dual, decomposition, moment, float(allowed))
        rise, energy, size = dual.bound() - first, moment.incumbent.energy, self.pace.size(moment)
        beside = dual.work * MESSAGE * len(entries) / max(1.0, float(entries.sum()))
        self.work, self.beside = self.work + dual.work + beside, self.beside + beside
        if rise < POOR * (size if energy is None else energy - moment.bound):
            self.pace.patience *= WAIT
        if not chosen or not rise > NOTHING * size:  # without more cycles it is the solver's turn
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
        cover, order = decomposition.cover, decomposition.edges_of_forests
        room = MOST_CYCLE_ENTRIES - entries_of(decomposition.further, cover)
        batch = max(LEAST_BATCH, int(BATCH_SHARE * len(order)))
        first = before = dual.bound()
        terms: list[NodeTerm] = []
        while dual.work < allowed:
            moment.clock.check()
            dual.spread()
            found = proposals(dual, batch, NOISE * moment.stage.scale, allowed)
            added = [closed(cover, order[edges], flipped) for edges, flipped, _ in found]
            if entries_of([*terms, *added], cover) <= room:
                for edges, flipped, _ in found:
                    dual.add(edges, flipped)
                terms += added
            for _ in range(SWEEPS):
                dual.sweep(forward=True)
                dual.sweep(forward=False)
            now = dual.bound()
            if now == math.inf or now - before <= LITTLE * (now - first):
                break
            before = now
        return terms


def proposals(dual: _core.Reparametrization, most: int, least: float, allowed: float) -> list[Proposal]:
    """Cycles that gain not much less than the best one: triangles, or else longer ones."""
    found: list[Proposal] = dual.triangles(most, least, allowed - dual.work)
    if not found:
        found = dual.odd_cycles(most, least, LONGEST, allowed - dual.work)
    return [one for one in found if one[2] >= LEAST_GAIN * found[0][2]]


def closed(cover: Cover, edges: NDArray[np.int64], flipped: NDArray[np.uint8]) -> NodeTerm:
    """The term of a cycle of edges; a flipped one leads from its second end to its first."""
    nodes = np.where(flipped, cover.edges.ends[edges, 1], cover.edges.ends[edges, 0])
    return cycle_term(cover, nodes, edges)


def entries_of(terms: list[NodeTerm] | tuple[NodeTerm, ...], cover: Cover) -> int:
    """How many table entries terms share, each counted as often as it occurs."""
    return int(sum(cover.n_entries[term.edges].sum() for term in terms))
