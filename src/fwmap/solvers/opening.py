"""A few iterations of message passing, from whose multipliers another method goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..settings import Settings
from .clock import Clock
from .message_passing import messages_of
from .start import Start


@dataclass(frozen=True)
class Opened:
    """What is left of an opening when its messages are forgotten, which need as much memory as a method."""

    center: NDArray[np.float64]  # where it ended
    best: tuple[NDArray[np.float64], float, float]  # multipliers, their bound and h there
    counts: tuple[int, int, float]  # iterations, calls of oracles, work

    def hand_over(self, core: _core.FrankWolfe) -> None:
        """Let a method go on from here."""
        core.set_center(self.center)
        if len(self.best[0]):
            core.take_best(*self.best)
        core.count_from(*self.counts)


class Opening:
    """Message passing as long as it pays.

    It is the quickest way to a good bound, and slow or stuck near the optimum. It goes on while twice as many
    iterations gain a tenth more than half of them: a rule in counted work that knows no scale.

    Parameters
    ----------
    decomposition
        Connected terms; those to which messages do not apply keep multipliers 0.
    settings
        Those of the run: its limit of iterations counts these.
    scale
        Typical size of the costs.
    start
        Where another opening was when the decomposition changed.
    """

    pays = 0.1  # of what the iterations from the first one on have gained: less in as many again, and it ends
    highest = 2.0**16  # times the size of the costs: messages are cut off, at a digit's cost less than usual

    def __init__(
        self, decomposition: _core.Decomposition, settings: Settings, scale: float, start: Start | None = None
    ) -> None:
        self.core = messages_of(decomposition, settings, scale, self.highest, start)
        self.iterations = settings.iterations
        self.center: NDArray[np.float64] = np.zeros(decomposition.n_slots)  # where it ended
        self.gained = 0.0  # by the latest half of the iterations: what the bound may lack, at least

    def points(self, clock: Clock) -> Iterator[_core.Evaluation]:
        """The point at zero, and one whenever the iterations have doubled; not the last one."""
        core = self.core
        point = core.evaluate(clock.seconds_left())
        yield point
        first = halfway = -np.inf
        begun = core.iteration
        next_mark = 1
        while point.complete and not point.infeasible:
            if self.iterations is not None and core.iteration >= self.iterations:
                break
            sweep = core.iterate(clock.seconds_left())
            if not sweep.complete:
                yield core.evaluate(0.0)
                return
            if sweep.infeasible:
                return
            n = core.iteration - begun
            if n < next_mark:
                continue
            next_mark *= 2
            if n == 1:
                first = sweep.bound
            else:
                self.gained = sweep.bound - halfway
                if n > 2 and self.gained <= self.pays * (halfway - first):
                    break
            halfway = sweep.bound
            point = core.evaluate(clock.seconds_left())
            yield point
        self.center = core.multipliers()

    def opened(self) -> Opened:
        """What another method goes on from."""
        core = self.core
        best = core.best_lambda, core.best_bound, core.best_value
        return Opened(self.center, best, (core.iteration, core.oracle_calls, core.work))
