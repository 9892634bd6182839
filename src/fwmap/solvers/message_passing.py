"""Message passing: TRW-S, SRMP for factors, and dual block ascent for matchings (the paper's MP)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from .. import _core
from ..settings import Settings
from .clock import Clock
from .counting import WithoutPlanes, count_on
from .start import Start

#: Messages are cut off at this times the typical size of the costs: higher ones are as good as forbidden, and
#: their rounding would be seen in the bound.
HIGHEST_MESSAGE = 2.0**20


class MessagePassing(WithoutPlanes):
    """Ascends over the multipliers of one node after the other.

    Parameters
    ----------
    decomposition
        Connected terms over labels of nodes.
    settings
        Those of the run.
    scale
        Typical size of the costs: gains that are nothing beside it end the run.
    start
        Where to begin; at zero when absent.
    """

    n_planes = 0
    proximal_weight = 0.0
    weight_to_go_on_with = 0.0
    rarely = 4  # a point is evaluated when a share of 1/rarely has been added to the iterations
    at_least_every = 20  # iterations
    nothing = 1e-10  # of what was gained and the scale: an iteration that gains less is a pause
    patience = 5  # pauses in a row that end the run

    def __init__(
        self, decomposition: _core.Decomposition, settings: Settings, scale: float, start: Start | None
    ) -> None:
        self.core: _core.MessagePassing = messages_of(decomposition, settings, scale, HIGHEST_MESSAGE, start)
        self.begun = start is not None
        self.iterations, self.n_terms, self.scale = settings.iterations, decomposition.n_terms, scale

    def points(self, clock: Clock) -> Iterator[_core.Evaluation]:
        """The multipliers of the messages, more and more rarely; see `Method.points`."""
        core = self.core
        first = best = -math.inf
        pauses, evaluated = 0, core.iteration
        if self.begun or self.iterations == 0:
            yield core.evaluate(clock.seconds_left())
        while self.iterations is None or core.iteration < self.iterations:
            sweep = core.iterate(clock.seconds_left())
            if not sweep.complete or sweep.infeasible:
                yield core.evaluate(0.0 if not sweep.complete else clock.seconds_left())
                return
            first = sweep.bound if first == -math.inf else first
            gained = sweep.bound - max(best, first)
            best = max(best, sweep.bound)
            pauses = 0 if gained > self.nothing * (best - first + self.scale) else pauses + 1
            is_last = pauses == self.patience or core.iteration == self.iterations
            since = core.iteration - evaluated
            if is_last or since >= min(self.at_least_every, core.iteration / self.rarely):
                evaluated = core.iteration
                yield core.evaluate(clock.seconds_left())
            if is_last:
                return


def messages_of(
    decomposition: _core.Decomposition,
    settings: Settings,
    scale: float,
    highest: float,
    start: Start | None = None,
) -> _core.MessagePassing:
    """Messages on a decomposition whose costs have this typical size; 0: they are 0 or forbid.

    `highest` times that size is where they are cut off.
    """
    highest *= scale if scale > 0 else 1.0
    core = _core.MessagePassing(decomposition, highest, settings.most_threads)
    if start is not None:
        core.start_from(start.center)
    count_on(core, start)
    return core
