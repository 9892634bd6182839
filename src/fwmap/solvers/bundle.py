"""A proximal bundle method on the dual as one function (the paper's CB)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from .. import _core
from ..settings import Settings
from .clock import Clock
from .counting import WithoutPlanes, count_on
from .schedule import fixed_weight
from .start import Start

#: Planes of the model in the beginning and at most; with more, those of least weight are aggregated.
FIRST_PLANES, MOST_PLANES = 50, 200
#: A weight so many times the size of costs has nothing left to drive together.
STALLED = 1e12


class Bundle(WithoutPlanes):
    """Moves all multipliers at once to the maximiser of a cutting-plane model near the best point.

    Parameters
    ----------
    decomposition
        Connected terms.
    settings
        Those of the run.
    scale
        Typical size of the costs: where an automatic proximal weight starts.
    start
        Where to begin; at zero when absent.
    """

    points_every = 5  # iterations

    def __init__(
        self, decomposition: _core.Decomposition, settings: Settings, scale: float, start: Start | None
    ) -> None:
        self.core: _core.Bundle = _core.Bundle(decomposition, MOST_PLANES, settings.most_threads)
        self.core.keep_more(FIRST_PLANES)
        if start is not None:
            self.core.move_to(start.center)
        self.iterations, self.n_terms = settings.iterations, decomposition.n_terms
        self.scale = scale if scale > 0 else 1.0
        fixed = fixed_weight(settings, decomposition.n_terms)
        self.weight = Weight(fixed or self.scale, self.scale, settings.tolerance, fixed is None)
        count_on(self.core, start)
        if start is not None and start.counts is not None:  # another stage of the same solve
            self.weight.c = fixed or start.proximal_weight or self.scale

    @property
    def proximal_weight(self) -> float:
        """The weight in use."""
        return self.weight.c

    @property
    def n_planes(self) -> int:
        """Planes of the model."""
        return self.core.n_planes

    @property
    def weight_to_go_on_with(self) -> float:
        """The one that has raised the bound: in the end it grows only to drive the copies of y together."""
        return self.weight.usual()

    def points(self, clock: Clock) -> Iterator[_core.Evaluation]:
        """The best point so far, now and then; see `Method.points`."""
        core, weight = self.core, self.weight
        point = core.evaluate(clock.seconds_left())
        while point.complete and not point.infeasible:
            weight.see(point.value)
            last = self.iterations is not None and core.iteration >= self.iterations
            stalled = weight.c > STALLED * self.scale
            if last or stalled or core.iteration % self.points_every == 0:
                yield core.best()
            if last or stalled:
                return
            core.propose(weight.c)
            point = core.evaluate(clock.seconds_left())
            if not point.complete or point.infeasible:
                break
            if weight.accepts(core.risen, core.promised, core.newest_error):
                core.accept()
            elif 2 * weight.nulls > core.most_planes:  # too coarse a model for this centre
                core.keep_more(2 * core.most_planes)
        yield point


@dataclass
class Weight:
    """Whether a step is serious, and how c changes.

    c follows Kiwiel's rules (1990): as if h were a parabola along the step, once steps of one kind have shown
    so. With few planes that is not enough, since h has many more kinks than these: null steps would go on for
    ever. So c grows after quick serious steps and shrinks after many null ones, never far below the weight
    that has raised the bound on the whole (the mean of its logarithm, weighted by the rise).
    """

    c: float
    scale: float  # of costs
    tolerance: float
    adapts: bool = True
    serious: float = 0.001  # share of the promised rise that moves the centre
    good: float = 0.5  # share of it at which a parabola may make the weight grow
    most: float = 10.0  # factor of one change by a parabola
    patience: int = 3  # steps of one kind before it changes the weight
    quick: int = 3  # null steps before a serious one, fewer: the weight grows
    slow: int = 10  # null steps: the weight shrinks
    grow: float = 1.5
    shrink: float = 0.7
    floor: float = 0.1  # of the weight that has raised the bound
    nothing: float = 0.1  # of the tolerance: a promise of so little is none

    nulls: int = 0  # since the last serious step
    in_row: int = 0  # serious steps, negative: null steps, since a parabola changed the weight
    estimate: float = math.inf  # of what h can still rise by
    first: float = -math.inf  # values
    best: float = -math.inf
    logs: float = 0.0
    rises: float = 0.0

    def see(self, value: float) -> None:
        """Take note of h at a point that was reached with this weight."""
        if self.first == -math.inf:
            self.first = self.best = value
        elif value > self.best:
            self.logs += (value - self.best) * math.log(self.c / self.scale)
            self.rises += value - self.best
            self.best = value

    def accepts(self, risen: float, promised: float, error: float) -> bool:
        """Whether a step is serious; the weight changes with it.

        The new plane is `error` above h at the centre.
        """
        is_exhausted = promised <= self.nothing * self.tolerance * (self.best - self.first + self.scale)
        is_serious = risen > 0 if is_exhausted else risen >= self.serious * promised
        if not self.adapts:
            return is_serious
        if is_exhausted:  # a larger weight drives the copies of y together
            self.c *= 2.0
            return is_serious
        before = self.c
        self.follow_parabola(risen / promised, promised, error, is_serious)
        if is_serious:
            self.c *= self.grow if self.nulls < self.quick else 1.0
            self.nulls = 0
        else:
            self.nulls += 1
            self.c *= self.shrink if self.nulls % self.slow == 0 else 1.0
            if self.rises > 0:
                self.c = max(self.c, min(before, self.floor * self.usual()))
        return is_serious

    def usual(self) -> float:
        """The weight that has raised the bound, on the whole; the one in use before any did."""
        return self.scale * math.exp(self.logs / self.rises) if self.rises > 0 else self.c

    def follow_parabola(self, share: float, promised: float, error: float, is_serious: bool) -> None:
        """Kiwiel's rules, where a step kept this share of what was promised."""
        before = self.c
        top = self.c / (2.0 * (1.0 - share)) if share < 1.0 else math.inf
        if is_serious:
            if share >= self.good and self.in_row > 0:
                self.c = min(top, self.most * self.c)
            elif self.in_row > self.patience:
                self.c *= 2.0
            self.estimate = max(self.estimate, 2.0 * promised)
        else:
            self.estimate = min(self.estimate, promised)
            if error > max(self.estimate, 10.0 * promised) and self.in_row < -self.patience:
                self.c = max(top, self.c / self.most)
        step = 1 if is_serious else -1
        goes_on = self.c == before and self.in_row * step > 0
        self.in_row = self.in_row + step if goes_on else step
