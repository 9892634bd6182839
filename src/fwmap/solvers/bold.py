"""The schedule of problems with rays: first bold, then cautious."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .. import _core
from .schedule import Spent


@dataclass
class BoldSchedule:
    """What is done with rays. Nothing to tune, for any scale of the costs.

    Many images have the sum that a ray asks for, and its minimisers say little: h rises only after many steps
    that lower it. `AutoSchedule`, which goes on from better points only, is slow then. This one begins boldly
    (`Bold`) and turns cautious (`Cautious`) for good when boldness brings no more. It remembers which weights
    raised the bound, as a mean of their logarithms weighted by the rise.
    """

    scale: float
    tolerance: float
    pairwise_steps: int = 8
    careful_steps: int = 32  # in the cautious phase
    evaluate_every: int = 2
    most: float = 1000.0  # times the weight that raised the bound: no larger
    phase: Bold | Cautious = field(default_factory=lambda: Bold())
    first: float = -math.inf  # bounds
    best: float = -math.inf
    logs: float = 0.0
    rises: float = 0.0
    resting: int = 0  # iterations still without approximate passes

    def first_weight(self) -> float:
        """The typical size of the costs."""
        return self.scale

    def begin(self, point: _core.Evaluation, first: float) -> None:
        """What the bound has risen by counts from the first one of the run."""
        self.first, self.best = first, point.bound

    def wants_evaluation(self, core: _core.FrankWolfe, exact: _core.Pass) -> bool:
        """After every second iteration."""
        return core.iteration % self.evaluate_every == 0

    def after_evaluation(self, core: _core.FrankWolfe, point: _core.Evaluation) -> None:
        """Remember; then the phase moves the centre and chooses the weight."""
        if point.bound > self.best:
            rise = point.bound - self.best
            self.logs += rise * math.log(core.proximal_weight / self.scale)
            self.rises += rise
        self.best = max(self.best, point.bound)
        weight = self.phase.next_weight(core, point, self)
        if isinstance(self.phase, Bold) and self.phase.is_tired(self):
            self.phase = Cautious(self.best)
            core.pairwise_steps = self.careful_steps
            core.move_center(to_best=True)
            weight = self.successful_weight() or weight
        limit = self.most * (self.successful_weight() or math.inf)
        if weight != core.proximal_weight:
            core.proximal_weight = min(weight, limit)

    def successful_weight(self) -> float | None:
        """The weight that has raised the bound, on the whole; None before any did."""
        return self.scale * math.exp(self.logs / self.rises) if self.rises > 0 else None

    def weight_to_go_on_with(self, core: _core.FrankWolfe) -> float:
        """The one that has raised the bound: at the end it grows only to drive the copies of y together."""
        return self.successful_weight() or core.proximal_weight

    def risen(self) -> float:
        """What the bound has risen by, plus the typical cost: the size that differences are compared with."""
        return self.best - self.first + self.scale

    def wants_approximate_pass(self, spent: Spent, last: _core.Pass | None) -> bool:
        """As long as they gain more per operation than the iteration did; else rest for a while."""
        if last is None:
            if self.resting > 0:
                self.resting -= 1
                return False
            return spent.decrease > spent.noise
        before = Spent(spent.decrease - last.decrease, spent.work - last.work)
        pays = last.decrease > spent.noise and last.decrease * before.work > before.decrease * last.work
        if not pays:
            self.resting = 10
        return pays


@dataclass
class Bold:
    """The centre moves at every evaluation, with momentum; the weight follows the bound.

    Momentum is Nesterov's, started again when the bound falls. The weight grows while the bound rises and
    shrinks when it falls: too large a weight leaves the inner problem unsolved and shows as a bound that
    falls, too small a one as a bound that always rises. It works from any first weight, but near the end it
    can shrink until nothing moves.
    """

    grow: float = 1.2
    shrink: float = 0.7
    significant: float = 0.01  # falls of the bound below this share of A do not count
    solved: float = 0.1  # A below this share of the proximal term: the inner problem is solved, c may grow
    noise: float = 1e-12  # differences of bounds below this, relative, are rounding
    progress: float = 1e-5  # of what the bound has risen by in all: less is standing still
    patience: int = 30  # evaluations of standing still

    previous: float = -math.inf
    theta: float = 1.0
    mark: float = -math.inf  # bound at the last progress
    waited: int = 0

    def next_weight(self, core: _core.FrankWolfe, point: _core.Evaluation, run: BoldSchedule) -> float:
        """Move the centre to the point just evaluated, and beyond; then adapt the weight."""
        if point.bound < self.previous:
            self.theta = 1.0
        following = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * self.theta**2))
        core.move_center(to_best=False, momentum=(self.theta - 1.0) / following)
        self.theta = following
        weight = core.proximal_weight
        noise = self.noise * abs(point.value)
        if point.bound < self.previous - self.significant * point.A - noise:
            weight *= self.shrink
        elif point.bound > self.previous + noise or point.A < self.solved * point.spread:
            weight *= self.grow
        self.previous = point.bound
        return weight

    def is_tired(self, run: BoldSchedule) -> bool:
        """True when the best bound has stood still for long."""
        if run.best > self.mark + self.progress * run.risen():
            self.mark, self.waited = run.best, 0
        else:
            self.waited += 1
        return self.waited >= self.patience


@dataclass
class Cautious:
    """A proximal bundle method as in the books: serious and null steps.

    The centre is the best point and moves only to one whose bound rises by a share of what the model
    f_{mu,c}(y) promises. Until then the inner problem is solved further, and after many such null steps the
    weight shrinks. Where the model promises nothing any more the bound is optimal; a weight that grows then
    drives the copies of y together, which is the proof.
    """

    center: float  # bound at the centre
    serious: float = 0.01  # share of the promised rise that moves the centre
    grow: float = 1.3
    shrink: float = 0.5
    patience: int = 10  # null steps
    nothing: float = 0.3  # of the tolerance

    nulls: int = 0

    def next_weight(self, core: _core.FrankWolfe, point: _core.Evaluation, run: BoldSchedule) -> float:
        """Move the centre, or not; then adapt the weight."""
        weight = core.proximal_weight
        promised = point.value + point.A - 0.5 * point.spread - self.center
        if point.bound > self.center + self.serious * max(promised, 0.0):
            core.move_center(to_best=False)
            self.center = point.bound
            quick = self.nulls < self.patience // 2
            self.nulls = 0
            return weight * self.grow if quick else weight
        if promised <= self.nothing * run.tolerance * run.risen():
            return weight * self.grow
        self.nulls += 1
        return weight * self.shrink if self.nulls % self.patience == 0 else weight
