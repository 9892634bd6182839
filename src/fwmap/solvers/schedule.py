"""When to evaluate, when to move the centre, and how large the proximal weight is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from .. import _core
from ..settings import Settings


def fixed_weight(settings: Settings, n_terms: int) -> float | None:
    """The proximal weight that was asked for; None where it adapts.

    >>> fixed_weight(Settings(proximal_weight="paper"), 3)
    2400.0
    """
    if settings.proximal_weight == "auto":
        return None
    if settings.proximal_weight == "paper":
        return 1_500_000 / (n_terms + 22) ** 2
    return float(settings.proximal_weight)


class Schedule(Protocol):
    """What the loop of `FrankWolfe` asks between its passes."""

    pairwise_steps: int  # of a block; 0: the paper's single step

    def first_weight(self) -> float:
        """The proximal weight to start with."""

    def begin(self, point: _core.Evaluation, first: float) -> None:
        """Take notice of the point that the method begins with, and of the first bound of the run."""

    def wants_evaluation(self, core: _core.FrankWolfe, exact: _core.Pass) -> bool:
        """Tell whether to evaluate h after this exact pass and the approximate passes behind it."""

    def after_evaluation(self, core: _core.FrankWolfe, point: _core.Evaluation) -> None:
        """Move the centre and change the weight, or leave them."""

    def wants_approximate_pass(self, spent: Spent, last: _core.Pass | None) -> bool:
        """Tell whether another approximate pass pays; `last` is the latest one of this iteration."""


@dataclass
class Spent:
    """What an iteration has gained so far, and its operations.

    Decreases of the objective below `noise` are rounding: passes that gain no more must end (0 < 0).
    """

    decrease: float
    work: float
    noise: float = 0.0

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
    """Fixed weight, h every 5 iterations, the centre to the best point every 10 (the paper's summary).

    Approximate passes go on as long as they raise the decrease per operation since the iteration began. The
    paper divides by seconds; operations make runs repeat exactly.
    """

    weight: float
    pairwise_steps: int = 0
    evaluate_every: int = 5
    move_every: int = 10

    def first_weight(self) -> float:
        """The weight, which stays."""
        return self.weight

    def begin(self, point: _core.Evaluation, first: float) -> None:
        """Nothing depends on them."""

    def wants_evaluation(self, core: _core.FrankWolfe, exact: _core.Pass) -> bool:
        """After every fifth iteration."""
        return core.iteration % self.evaluate_every == 0

    def after_evaluation(self, core: _core.FrankWolfe, point: _core.Evaluation) -> None:
        """Every second evaluation moves the centre."""
        if core.iteration % self.move_every == 0:
            core.move_center(to_best=True)

    def wants_approximate_pass(self, spent: Spent, last: _core.Pass | None) -> bool:
        """Stop when the last pass lowered the rate, and at stagnation."""
        if last is None:
            return spent.decrease > spent.noise
        before = Spent(spent.decrease - last.decrease, spent.work - last.work)
        return last.decrease > spent.noise and spent.rate > before.rate


@dataclass
class AutoSchedule:
    """The default, a proximal bundle method with momentum: nothing to tune, for any scale of the costs.

    **Evaluation** where it is promising: when the minima that an exact pass met on its way add up to more
    than the best value of h, or after many passes that did not.

    **The centre** moves to an evaluated point that is better than all before, and beyond it, with Nesterov's
    momentum. Where the point is not better the step was not solved well enough: the same step is solved
    further. After many passes that helped nothing the centre goes back to the best point and momentum starts
    again. So even a weight that is ten times too large or too small costs little.

    **The weight** keeps a rhythm. It grows when few passes led to a better point, and when h still rises
    beyond a point that is solved well. Otherwise it shrinks, but only as long as A is farther from its
    tolerance than B is: A tells how badly the step is solved, as when it is too long; B how much the copies
    of y disagree, as when it is too short. This is what keeps the weight from collapsing. Where one step is
    solved for long it shrinks sooner. Until a first step succeeded it shrinks fast.
    """

    scale: float
    n_shared: int
    pairwise_steps: int = 8
    first_share: float = 0.3  # of the typical cost: the first weight
    retreat: float = 3.0  # factor by which the weight shrinks until a first step succeeds
    change: float = 1.2  # factor of other changes
    quick: int = 10  # passes for a step: fewer are quick
    lagging: float = 30.0  # A is this much farther from its tolerance than B
    rising: float = 0.2  # slope of h behind a point, over the slope that would be left where h were linear
    most_passes: int = 20  # without evaluation, and without a better point before momentum starts again
    noise: float = 1e-12  # differences of bounds below this, relative, are rounding
    resting_passes: int = 10  # without approximate passes after one that did not pay

    first: float = -math.inf  # bounds
    best: float = -math.inf
    best_value: float = -math.inf
    has_moved: bool = False
    theta: float = 1.0  # of the momentum
    unseen: int = 0  # passes since the last evaluation
    passes: int = 0  # since the centre moved
    resting: int = 0  # iterations still without approximate passes

    def first_weight(self) -> float:
        """A share of the typical cost: too small a weight grows quickly."""
        return self.first_share * self.scale

    def begin(self, point: _core.Evaluation, first: float) -> None:
        """Steps must raise its bound."""
        self.first, self.best = first, point.bound
        self.best_value = point.value

    def wants_evaluation(self, core: _core.FrankWolfe, exact: _core.Pass) -> bool:
        """Where the last pass promises a better value, and now and then."""
        self.unseen += 1
        self.passes += 1
        promising = exact.estimate > self.best_value + self.noise * abs(self.best_value)
        return promising or self.unseen >= self.most_passes

    def after_evaluation(self, core: _core.FrankWolfe, point: _core.Evaluation) -> None:
        """Move the centre where the point is better; then adapt the weight."""
        self.unseen = 0
        quick = False
        if point.bound > self.best + self.noise * abs(point.value):
            self.best, self.best_value, self.has_moved = point.bound, point.value, True
            core.move_center(to_best=False, momentum=self.next_momentum())
            quick, self.passes = self.passes < self.quick, 0
        elif self.theta > 1.0 and self.passes > self.most_passes:
            core.move_center(to_best=True)
            self.theta = 1.0
        factor = self.weight_factor(point, quick)
        if factor != 1.0:
            core.proximal_weight *= factor

    def next_momentum(self) -> float:
        """Nesterov's sequence."""
        following = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * self.theta**2))
        momentum = (self.theta - 1.0) / following
        self.theta = following
        return momentum

    def weight_factor(self, point: _core.Evaluation, quick: bool) -> float:
        """What the weight changes by."""
        if not self.has_moved:
            return 1.0 / self.retreat
        if quick or (point.A < point.spread and point.slope > self.rising * point.spread):
            return self.change
        risen = self.best - self.first + self.scale
        slow = max(1.0, self.passes / self.quick) ** 2  # solving one step for ever: a shorter one will do
        if point.A * (10 * self.n_shared) * slow > self.lagging * point.B * risen:
            return 1.0 / self.change
        return 1.0

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
            self.resting = self.resting_passes
        return pays
