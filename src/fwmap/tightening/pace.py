"""When it is time to tighten: when the bound rises no more, judged by counted work."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..stages import Moment, Stage

#: The bound stands still where half of the stage's work has raised it by less than this share of what there
#: is to gain: of the gap, or, where no labeling is known, of what the bound has risen by in all.
LITTLE_OF_GAP, LITTLE_OF_RISE = 0.03, 1e-3
#: A stage is watched for so many evaluations at least.
LEAST_POINTS = 10


@dataclass
class Pace:
    """The points of the current stage, and how much patience is asked for."""

    stage: Stage | None = None
    points: list[tuple[float, float]] = field(default_factory=list)  # work and bound
    first: float | None = None  # bound of the run
    patience: float = 1.0  # times which the little that is still a rise is divided

    def stands_still(self, moment: Moment) -> bool:
        """Tell whether the stage has brought what it can, or nearly so; must be asked at every point."""
        if moment.stage is not self.stage:
            self.stage, self.points = moment.stage, []
        self.points.append((moment.stage.solver.core.work, moment.bound))
        if self.first is None:
            self.first = moment.bound
        if moment.converged:
            return True
        if len(self.points) < LEAST_POINTS:
            return False
        start, now = self.points[0][0], self.points[-1][0]
        before = next(bound for work, bound in self.points if work >= 0.5 * (start + now))
        risen = moment.bound - before
        energy = moment.incumbent.energy
        if energy is not None:
            return risen <= LITTLE_OF_GAP / self.patience * (energy - moment.bound)
        return risen <= LITTLE_OF_RISE / self.patience * self.size(moment)

    def size(self, moment: Moment) -> float:
        """What the bound has risen by in all, plus the typical cost: what differences are compared with."""
        return moment.bound - (moment.bound if self.first is None else self.first) + moment.stage.scale
