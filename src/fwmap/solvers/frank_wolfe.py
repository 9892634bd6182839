"""The method of the paper: multi-plane block-coordinate Frank-Wolfe inside a proximal bundle method."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from .. import _core
from ..planes import Planes
from ..settings import Settings
from .clock import Clock
from .counting import Counting, count_on
from .opening import Opened, Opening
from .schedule import AutoSchedule, PaperSchedule, Schedule, Spent, fixed_weight
from .start import Start

#: Decreases of the objective below this, relative, are rounding.
NOISE = 1e-12


class FrankWolfe(Counting):
    """Raises the bound of a decomposition.

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
    opening
        Finds a better place to begin at; without a start only.
    """

    def __init__(
        self,
        decomposition: _core.Decomposition,
        settings: Settings,
        scale: float,
        start: Start | None = None,
        opening: Opening | None = None,
    ) -> None:
        self.opening = opening
        self.opened: Opened | None = None  # when the opening has ended, until it is taken over
        self.gained = 0.0  # by the opening in the end
        self.schedule = schedule_of(settings, decomposition, scale)
        self.decomposition, self.settings = decomposition, settings
        if start is not None:
            self.begin_at(start, settings.proximal_weight == "auto")
        self.iterations = settings.iterations
        self.size = scale  # of the numbers that decreases are differences of: the objective may end at 0

    @cached_property
    def frank_wolfe(self) -> _core.FrankWolfe:
        """The compiled method; made when the opening has ended, which needs as much memory."""
        core = _core.FrankWolfe(
            self.decomposition,
            self.settings.seed,
            self.settings.cache_iterations,
            self.schedule.pairwise_steps,
            self.settings.most_threads,
        )
        core.proximal_weight = self.schedule.first_weight()
        if self.opened is not None:
            self.opened.hand_over(core)
        return core

    @property
    def core(self) -> _core.FrankWolfe | _core.MessagePassing:
        """The compiled part that is at work."""
        return self.frank_wolfe if self.opening is None else self.opening.core

    @property
    def proximal_weight(self) -> float:
        """The weight in use."""
        return self.schedule.first_weight() if self.opening is not None else self.frank_wolfe.proximal_weight

    @property
    def n_planes(self) -> int:
        """Cached planes of all terms."""
        return 0 if self.opening is not None else self.frank_wolfe.n_planes

    @property
    def weight_to_go_on_with(self) -> float:
        """The weight for another solver that begins where this one ends."""
        return self.proximal_weight

    def planes(self) -> Planes:
        """The cached planes."""
        if self.opening is not None:
            return Planes.none(self.decomposition.n_terms)
        return Planes(*self.frank_wolfe.all_planes())

    def begin_at(self, start: Start, adapts: bool) -> None:
        """Begin at an earlier centre, with its planes, and with its weight where the weight adapts."""
        planes = start.planes
        self.frank_wolfe.take_planes(planes.counts, planes.sizes, planes.supports, planes.weights)
        if adapts and start.proximal_weight is not None:
            self.frank_wolfe.proximal_weight = start.proximal_weight
        self.frank_wolfe.set_center(start.center)
        count_on(self.frank_wolfe, start)

    def points(self, clock: Clock) -> Iterator[_core.Evaluation]:
        """Evaluated points, one after the other, until a limit; the last one may be incomplete.

        An incomplete one (`complete` is false) was cut by the time limit and says nothing; an infeasible
        one names the term that has no feasible labeling.
        """
        schedule = self.schedule
        lowest: float | None = None  # of the first point
        for point in self.opening_points(clock):
            yield point
            lowest = point.bound if lowest is None else lowest
        if self.opening is not None:  # it was cut
            return
        core, self.opened = self.frank_wolfe, None
        point = core.initialize(clock.seconds_left())
        schedule.begin(point, lowest if lowest is not None else point.bound)
        if self.least_weight(point) > core.proximal_weight:
            core.proximal_weight = self.least_weight(point)
        yield point
        while self.iterations is None or core.iteration < self.iterations:
            exact = core.exact_pass(clock.seconds_left())
            cut = self.approximate_passes(exact, clock) if exact.complete else exact
            if not cut.complete or exact.infeasible:
                yield nothing_evaluated(core, clock)
                return
            if schedule.wants_evaluation(core, exact) or core.iteration == self.iterations:
                point = core.evaluate(clock.seconds_left())
                yield point
                schedule.after_evaluation(core, point)

    def opening_points(self, clock: Clock) -> Iterator[_core.Evaluation]:
        """Points of the opening, where there is one; then this method is to go on from there."""
        if self.opening is None:
            return
        for point in self.opening.points(clock):
            yield point
            if not point.complete:
                return
        self.opened, self.gained = self.opening.opened(), self.opening.gained
        self.opening = None

    def least_weight(self, point: _core.Evaluation) -> float:
        """No less a proximal weight to go on with after an opening, where `point` is the first one.

        A step of length c along y - mean can raise the bound by c |y - mean|^2. Where large costs forbid, the
        typical cost says little of what steps are needed.
        """
        return self.gained * self.frank_wolfe.proximal_weight / point.spread if point.spread > 0 else 0.0

    def approximate_passes(self, exact: _core.Pass, clock: Clock) -> _core.Pass:
        """Passes over the cached planes, as many as pay; returns the last pass."""
        self.size = max(self.size, abs(self.frank_wolfe.objective), exact.decrease)
        spent = Spent(exact.decrease, exact.work, NOISE * self.size)
        last: _core.Pass | None = None
        while self.schedule.wants_approximate_pass(spent, last):
            last = self.frank_wolfe.approximate_pass(clock.seconds_left())
            spent.add(last)
            if not last.complete:
                return last
        return last or exact


def nothing_evaluated(core: _core.FrankWolfe, clock: Clock) -> _core.Evaluation:
    """An evaluation: cut at once where time is over, else it meets the infeasible term again."""
    return core.evaluate(clock.seconds_left())


def schedule_of(settings: Settings, decomposition: _core.Decomposition, scale: float) -> Schedule:
    """The schedule that `proximal_weight` asks for."""
    weight = fixed_weight(settings, decomposition.n_terms)
    if weight is None:
        return AutoSchedule(scale if scale > 0 else 1.0, decomposition.n_shared)
    return PaperSchedule(weight)
