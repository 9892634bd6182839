"""When to evaluate, when to move the centre, and how large the proximal weight is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from .. import _core


class Schedule(Protocol):
    """What the loop of `FrankWolfe` asks between its passes."""

    pairwise_steps: int  # of a block; 0: the paper's single step
    evaluate_every: int  # iterations

    def first_weight(self) -> float:
        """The proximal weight to start with."""

    def after_evaluation(self, core: _core.FrankWolfe, point: _core.Evaluation) -> None:
        """Move the centre and change the weight, or leave them."""

    def wants_approximate_pass(self, spent: Spent, last: _core.Pass | None) -> bool:
        """Tell whether another approximate pass pays; `last` is the latest one of this iteration."""


@dataclass
class Spent:
    """What an iteration has gained so far, and its operations."""

    decrease: float
    work: float

    @property
    def rate(self) -> float:
        """Decrease of the objective per operation."""
        return self.decrease / self.work

    def add(self, one: _core.Pass) -> None:
        """Count another pass."""
        self.decrease += one.decrease
        self.work += one.work


@dataclass
class PaperSchedule:
    """Fixed weight; h every 5 iterations, the centre to the best point every 10 (section "Algorithm's summary").

    Approximate passes go on as long as they raise the decrease per operation since the iteration began. The
    paper divides by seconds; operations make runs repeat exactly (DESIGN, note 7).
    """

    weight: float
    pairwise_steps: int = 0
    evaluate_every: int = 5
    move_every: int = 10

    def first_weight(self) -> float:
        """The weight, which stays."""
        return self.weight

    def after_evaluation(self, core: _core.FrankWolfe, point: _core.Evaluation) -> None:
        """Every second evaluation moves the centre."""
        if core.iteration % self.move_every == 0:
            core.move_center(to_best=True)

    def wants_approximate_pass(self, spent: Spent, last: _core.Pass | None) -> bool:
        """Stop when the last pass lowered the rate, and at stagnation (0 < 0)."""
        if last is None:
            return spent.decrease > 0
        before = Spent(spent.decrease - last.decrease, spent.work - last.work)
        return spent.rate > before.rate


@dataclass
class AutoSchedule:
    """The default: weight and centre follow what the evaluations show, from any start and for any scale.

    The centre moves at every evaluation, to the point evaluated plus momentum (Nesterov's, started again
    when the bound falls). The weight grows while the bound rises and shrinks when it falls: too large a
    weight leaves the inner problem unsolved and shows as a bound that falls, too small a one as a bound that
    always rises. Where the bound has stood still for long, the weight goes back to where it last brought
    progress: it may have shrunk until nothing moves any more.
    """

    scale: float
    pairwise_steps: int = 8
    evaluate_every: int = 2
    grow: float = 1.2
    shrink: float = 0.7
    significant: float = 0.01  # falls of the bound below this share of A do not count
    solved: float = 0.1  # A below this share of the proximal term: the inner problem is solved, c may grow
    noise: float = 1e-12  # differences of bounds below this, relative, are rounding
    most: float = 1000.0  # times the weight that brought progress: no larger
    progress: float = 1e-5  # of what the bound has risen by in all: less is standing still
    patience: int = 30  # evaluations to stand still before the weight is put back; doubled each time it is
    most_patience: int = 240
    most_passes: int = 8  # per evaluation: two more each time the bound stands still, the inner problem wants them

    previous: float = -math.inf
    first: float = -math.inf
    best: float = -math.inf
    mark: float = -math.inf  # bound at the last progress
    waited: int = 0
    wait: int = 0
    theta: float = 1.0
    logs: float = 0.0  # mean of the weight's logarithm at rises of the best bound, weighted by the rise
    rises: float = 0.0
    resting: int = 0  # iterations still without approximate passes

    def first_weight(self) -> float:
        """The typical size of the costs."""
        return self.scale

    def after_evaluation(self, core: _core.FrankWolfe, point: _core.Evaluation) -> None:
        """Move the centre to the point just evaluated; then adapt the weight."""
        if point.bound < self.previous:
            self.theta = 1.0
        following = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * self.theta**2))
        core.move_center(to_best=False, momentum=(self.theta - 1.0) / following)
        self.theta = following
        self.remember(core.proximal_weight, point.bound)
        weight = self.next_weight(core, point)
        self.previous = point.bound
        if weight != core.proximal_weight:
            core.proximal_weight = weight

    def remember(self, weight: float, bound: float) -> None:
        """Keep track of the best bound and of the weights that raised it."""
        if self.first == -math.inf:
            self.first = bound
        elif bound > self.best:
            rise = bound - self.best
            self.logs += rise * math.log(weight / self.scale)
            self.rises += rise
        self.best = max(self.best, bound)

    def next_weight(self, core: _core.FrankWolfe, point: _core.Evaluation) -> float:
        """The weight for the next proximal problem."""
        weight = core.proximal_weight
        noise = self.noise * abs(point.value)
        if point.bound < self.previous - self.significant * point.A - noise:
            weight *= self.shrink
        elif point.bound > self.previous + noise or point.A < self.solved * point.spread:
            weight *= self.grow
        if self.rises > 0:
            successful = self.scale * math.exp(self.logs / self.rises)
            weight = min(weight, self.most * successful)
            if self.stands_still():
                weight = max(weight, successful)
                self.theta = 1.0
                self.evaluate_every = min(self.evaluate_every + 2, self.most_passes)
        return weight

    def stands_still(self) -> bool:
        """True now and then while the best bound does not rise."""
        if self.best > self.mark + self.progress * (self.best - self.first + self.scale):
            self.mark, self.waited, self.wait = self.best, 0, self.patience
            return False
        self.waited += 1
        if self.waited < self.wait:
            return False
        self.waited, self.wait = 0, min(2 * self.wait, self.most_patience)
        return True

    def wants_approximate_pass(self, spent: Spent, last: _core.Pass | None) -> bool:
        """As long as they gain more per operation than the iteration did; when not even the first does, rest."""
        if last is None:
            if self.resting > 0:
                self.resting -= 1
                return False
            return spent.decrease > 0
        before = Spent(spent.decrease - last.decrease, spent.work - last.work)
        pays = last.decrease * before.work > before.decrease * last.work
        if not pays:
            self.resting = 10
        return pays
