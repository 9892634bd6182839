"""Supergradient ascent with Polyak steps towards an estimate of the optimum (the paper's SA)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from .. import _core
from ..settings import Settings
from .clock import Clock
from .counting import WithoutPlanes, count_on
from .start import Start


class Subgradient(WithoutPlanes):
    """Moves all multipliers at once along a deflected supergradient.

    Parameters
    ----------
    decomposition
        Connected terms.
    settings
        Those of the run.
    scale
        Typical size of the costs: the length of the first step.
    start
        Where to begin; at zero when absent.
    """

    n_planes = 0
    points_every = 5  # iterations

    def __init__(
        self, decomposition: _core.Decomposition, settings: Settings, scale: float, start: Start | None
    ) -> None:
        self.core: _core.Subgradient = _core.Subgradient(decomposition, settings.most_threads)
        if start is not None:
            self.core.move_to(start.center)
        count_on(self.core, start)
        self.iterations, self.n_terms = settings.iterations, decomposition.n_terms
        self.target = Target(scale if scale > 0 else 1.0)
        self.proximal_weight = self.target.first_step

    @property
    def weight_to_go_on_with(self) -> float:
        """The length of the last step."""
        return self.proximal_weight

    def points(self, clock: Clock) -> Iterator[_core.Evaluation]:
        """The best point so far, now and then; see `Method.points`."""
        core = self.core
        point = core.evaluate(clock.seconds_left())
        while point.complete and not point.infeasible:
            last = self.iterations is not None and core.iteration >= self.iterations
            agreed = core.products[0] <= 0  # all minimisers: they are an optimal labeling
            if agreed:
                core.advance(1.0, 0.0)
            if last or agreed or core.iteration % self.points_every == 0:
                yield core.best()
            if last or agreed:
                return
            share, self.proximal_weight = self.target.step(point, core.products)
            core.advance(share, self.proximal_weight)
            point = core.evaluate(clock.seconds_left())
        yield point


@dataclass
class Target:
    """Lengths of steps: Polyak's, towards the best value so far plus delta.

    delta is an estimate of what is missing. It grows when the best value has come closer by a share of it and
    shrinks when that has not happened for some steps (patience grows in the beginning, when steps are
    easy). A direction d whose y has slack A supports h + A + <d, .>, so the step to the target is
    (target - h - A) / |d|^2, as in deflected conditional subgradient methods (d'Antonio and Frangioni 2009).
    A round ends where delta has become small: it is right, or it shrank too fast, which only a slower one can
    tell. So each round begins with a large delta again, has twice the patience and goes further down.
    """

    first_step: float
    share: float = 0.3  # of the new minimisers in y
    reached: float = 0.1  # of delta: so much is progress
    grow: float = 1.2
    shrink: float = 0.7
    impatience: int = 10  # steps that patience begins with, and after which it grows by one
    patience: int = 20  # and how far
    nothing: float = 1e-6  # of what was gained: a delta that ends a round
    again: float = 0.1  # of what was gained: delta at the beginning of the next one
    finer: float = 0.3  # and how much lower that one goes

    delta: float = 0.0
    first: float = -math.inf
    best: float = -math.inf
    mark: float = -math.inf  # the best value at the last progress
    waited: int = 0
    steps: int = 0

    def step(
        self, point: _core.Evaluation, products: tuple[float, float, float, float]
    ) -> tuple[float, float]:
        """The share of the new minimisers in y, and the length of the step along y - mean."""
        gradient_norm, crossed, norm, slack = products
        self.steps += 1
        self.best = max(self.best, point.value)
        if self.steps == 1:
            self.first = self.mark = point.value
            self.delta = self.first_step * gradient_norm
            return 1.0, self.first_step
        self.adapt()
        missing = self.best + self.delta - point.value
        kept = 1.0 - self.share
        ahead = missing - kept * max(0.0, slack)
        norm = kept**2 * norm + 2 * self.share * kept * crossed + self.share**2 * gradient_norm
        if ahead <= 0 or norm <= 1e-12 * gradient_norm:  # y is worth nothing here, or is a maximiser's
            return 1.0, missing / gradient_norm
        return self.share, ahead / norm

    def adapt(self) -> None:
        """Grow, wait or shrink."""
        if self.best >= self.mark + self.reached * self.delta:
            self.delta *= self.grow
            self.mark, self.waited = self.best, 0
            return
        self.waited += 1
        if self.waited < min(self.patience, self.impatience + self.steps / self.impatience):
            return
        self.delta *= self.shrink
        self.mark, self.waited = self.best, 0
        gained = self.best - self.first
        if self.delta < self.nothing * gained:
            self.delta = self.again * gained
            self.patience *= 2
            self.nothing *= self.finer
