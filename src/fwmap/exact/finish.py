"""When a solve hands what is left to an exact solver, and what it makes of the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from ..decompose import FieldDecomposition
from ..errors import InvalidSetting
from ..models import Decomposition, GraphMatching, Model
from ..models.arrays import Ints
from ..settings import Settings
from ..stages import Moment
from ..stages.reduction import least_removed
from ..tightening.pace import Pace
from . import toulbar2
from .remainder import Remainder, remainder_of
from .reparametrise import reparametrised

#: Unasked, what is left may have so many entries of tables, and the search so many backtracks: where the
#: relaxation is solved, and where the bound stands still and labels were removed since the last attempt.
AT_THE_END, ON_THE_WAY = (2_000_000, 20_000), (20_000, 2_000)
#: At the end it takes no more operations than all work so far, or than so many: about a second.
UNASKED = 2e9
#: On request the first attempt is made once so much work was done, per operation of all oracles; the next
#: ones when `AGAIN` times as much was.
FIRST, AGAIN = 300.0, 2.0
#: Operations of a backtrack per entry, so that attempts take as long as what was done so far; the fewest.
BACKTRACK, FEWEST = 15.0, 50
#: Attempts on the way, and those on request at the end, have no more entries than this.
MOST_ON_THE_WAY, MOST = 5_000_000, 20_000_000


@dataclass(frozen=True)
class Finished:
    """A bound that rests on a solver, where one has answered."""

    bound: float | None = None
    solver: str | None = None


class Exact:
    """Attempts to finish a solve.

    Parameters
    ----------
    model
        Whose problem it is.
    settings
        `exact` and what counts as optimal.
    step
        Energies are multiples of this apart, where known.
    notes
        Where to say why something was not tried.
    """

    def __init__(
        self, model: Model, settings: Settings, step: float | None, notes: list[str] | None = None
    ) -> None:
        self.model, self.settings, self.step = model, settings, step
        self.notes = [] if notes is None else notes
        self.asked: bool | Literal["auto"] = settings.exact
        self.next_work: float | None = None
        self.pace = Pace()
        self.seen: tuple[int, float] | None = None  # labels removed and bound at the last attempt unasked

    @staticmethod
    def of(model: Model, settings: Settings, step: float | None, notes: list[str]) -> Exact | None:
        """Whoever finishes a model; None where nobody may.

        Raises
        ------
        InvalidSetting
            Where it was asked for and cannot be done.
        """
        if settings.exact is False or not settings.primal:
            return None
        if isinstance(model, Decomposition):
            if settings.exact is True:
                raise InvalidSetting("exact is True; no exact solver knows the costs of oracles of one's own")
            return None
        if not toulbar2.is_installed():
            if settings.exact is True:
                raise InvalidSetting(
                    "exact is True and needs toulbar2, which is not installed: pip install 'fwmap[exact]'"
                )
            return None
        return Exact(model, settings, step, notes)

    def attempt(self, moment: Moment, last: bool) -> Finished | None:
        """Try to finish, if it is time; `last`: the run ends after this. Labelings go to the incumbent.

        None where there is no answer.
        """
        decomposition = moment.stage.decomposition
        assert isinstance(decomposition, FieldDecomposition)
        limits = self.limits(moment, decomposition, last)
        if limits is None:
            return None
        energy, (most_entries, backtracks) = moment.incumbent.energy, limits
        entries = entries_of_tables(decomposition)
        if entries > most_entries:
            if most_entries == MOST:
                self.notes.append(f"what is left has {entries:,} entries: too many for an exact solver")
            return None
        tolerance = self.tolerance(energy, moment.bound)
        remainder = remainder_of(self.model, decomposition, tolerance / 4)
        if remainder is None or remainder.size > most_entries:
            return None
        moment.clock.check()
        remainder = reparametrised(remainder, decomposition, moment.stage.solver.core.best_lambda)
        below = self.below(remainder, energy, tolerance)
        answer = toulbar2.solve_by_toulbar2(remainder, below, backtracks, moment.clock.seconds_left())
        if answer is None:
            return None
        if answer.labels is not None:
            labeling = whole_labeling(self.model, decomposition, answer.labels)
            moment.incumbent.offer(labeling, self.model.energy(labeling))
        if answer.bound is None:
            return None
        if answer.labels is None and energy is None and below >= remainder.largest():
            return Finished(math.inf, answer.solver)  # there is no labeling at all
        bound = min(remainder.energy_of(int(answer.bound)), least_removed(decomposition))
        return Finished(bound, answer.solver)

    def limits(
        self, moment: Moment, decomposition: FieldDecomposition, last: bool
    ) -> tuple[int, int | None] | None:
        """Entries and backtracks that an attempt may take now; None: no attempt."""
        if self.asked is True:
            if last or moment.converged:
                return MOST, None
            work = moment.stage.solver.core.work
            if self.next_work is None:
                core = decomposition.core
                self.next_work = FIRST * math.fsum(core.operations(t) for t in range(core.n_terms))
            if work < self.next_work:
                return None
            self.next_work = AGAIN * work
            return MOST_ON_THE_WAY, backtracks_of(work, decomposition)
        removed, stands_still = moment.stage.n_removed, self.pace.stands_still(moment)
        if moment.converged or last:
            now = (removed, moment.bound)
            before, self.seen = self.seen, now
            entries, backtracks = AT_THE_END
            work = max(UNASKED, moment.stage.solver.core.work)
            return None if before == now else (entries, min(backtracks, backtracks_of(work, decomposition)))
        if not stands_still or not removed or (self.seen is not None and removed == self.seen[0]):
            return None
        self.seen = (removed, moment.bound)
        return ON_THE_WAY

    def tolerance(self, energy: float | None, bound: float) -> float:
        """So far below the labeling's energy a bound proves it optimal."""
        size = abs(bound) if energy is None else abs(energy)
        return max(self.settings.gap * size, self.settings.absolute_gap)

    def below(self, remainder: Remainder, energy: float | None, tolerance: float) -> int:
        """Labelings with so much or more in integers need not be looked for."""
        largest = remainder.largest()
        if energy is None:
            return largest
        if self.step is not None:  # better is better by a step
            at_most = remainder.integer_below(Fraction(energy) - Fraction(self.step)) + 1
        else:
            at_most = remainder.integer_below(Fraction(energy) - Fraction(tolerance) / 2)
        return max(1, min(largest, at_most))


def backtracks_of(work: float, decomposition: FieldDecomposition) -> int:
    """Backtracks that take about so many operations."""
    return max(FEWEST, int(work / (BACKTRACK * max(1, entries_of_tables(decomposition)))))


def entries_of_tables(decomposition: FieldDecomposition) -> int:
    """Entries that the tables of edges and factors would have."""
    field = decomposition.field
    return int(field.n_labels[decomposition.cost_edges.ends].prod(axis=1).sum()) + len(field.factor_values)


def whole_labeling(model: Model, decomposition: FieldDecomposition, labels: Ints) -> Ints:
    """A labeling of the model, from labels of what is left."""
    restriction = decomposition.cover.restriction
    if restriction is not None:
        places = restriction.labels[decomposition.label_offsets[:-1] + labels]
        labels = places - decomposition.origin.label_offsets[:-1]
    if isinstance(model, GraphMatching):
        return model.labeling_of(labels)
    return np.asarray(labels, np.int64)
