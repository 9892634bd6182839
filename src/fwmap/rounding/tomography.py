"""Images that satisfy their projections: exchanges and annealing from y, within a share of the work."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import Tomography
from .field import SHARE
from .graph import penalised_graph
from .incumbent import Incumbent
from .proposals import Proposals

#: Annealings begin with so many looks at each pixel, and each is longer than the one before by a factor.
FIRST_SWEEPS, LONGER = 100.0, 1.26
#: What exchanges may take, in annealings.
EXCHANGES = 5.0
#: Operations of one look at each pixel, in units of pixels and rays.
SWEEP = 10.0
#: Sweeps that a solve's end may take whatever the share allows.
LAST_SWEEPS = 300.0
#: Penalties of one unit of violation, in units of a typical step of labels: of the first annealing, the range
#: of others while no image satisfies all projections, and the least one afterwards.
FIRST_PENALTY, PENALTIES, LEAST_PENALTY = 3.5, (3.0, 8.0), 1.5
#: Temperatures of an annealing at its beginning and its end, relative to the penalty.
HOT, WARM, COLD = 1.0, 0.4, 0.15
#: Operations of the solver's unit that one operation takes here: usually, and from so many pixels on, whose
#: memory is far away.
NEAR, FAR, LARGE = 2.0, 16.0, 1 << 14
#: Fractions of the golden ratio: they fall evenly into any interval.
GOLDEN = 0.6180339887498949

Labels = NDArray[np.int32]


class TomographyRounding:
    """Looks for images that satisfy all projections, within a share of the counted work.

    Where rays fall into two directions, exchanges along paths make any image satisfy them. In general an
    annealing finds such images: it starts from y, or from the best image known, and is cut into pieces as
    large as the share allows. Penalty and temperature follow what has succeeded. `least_violating` is the
    image nearest to the projections while none satisfies them.
    """

    def __init__(self, model: Tomography, seed: int = 0) -> None:
        self.model = model
        self.search = _core.RaySearch(
            penalised_graph(model.field),
            model.ray_offsets,
            model.ray_pixels.astype(np.int32),
            model.ray_cost_offsets,
            model.ray_costs,
            seed,
        )
        self.size = float(model.n_nodes + len(model.ray_pixels))
        self.per_operation = FAR if model.n_nodes > LARGE else NEAR
        self.spent = 0.0  # in the solver's unit
        self.length = FIRST_SWEEPS * SWEEP * model.n_nodes  # of the next annealing
        self.attempts = 0
        self.penalty = self.good_penalty = FIRST_PENALTY
        self.least: Labels | None = None
        self.least_violation = np.iinfo(np.int64).max
        self.running = False

    @property
    def least_violating(self) -> NDArray[np.int64] | None:
        """The image that violates the projections least, None where one satisfies them or none was made."""
        return None if self.least is None or self.least_violation == 0 else self.least.astype(np.int64)

    def after_evaluation(self, core: Proposals, incumbent: Incumbent) -> None:
        """Go on with the annealing as far as the share allows; take what it has found when it is over."""
        budget = (SHARE * core.work - self.spent) / self.per_operation
        if budget >= self.size or not (
            self.attempts or self.running
        ):  # the first proposal is looked at at once
            self.go_on(core, incumbent, budget)

    def at_the_end(self, core: Proposals, incumbent: Incumbent) -> None:
        """Spend the whole share, or a little more, where the method has converged."""
        budget = (SHARE * core.work - self.spent) / self.per_operation
        until = self.spent + self.per_operation * max(budget, LAST_SWEEPS * SWEEP * self.model.n_nodes)
        while self.spent < until:
            self.go_on(core, incumbent, (until - self.spent) / self.per_operation)

    def go_on(self, core: Proposals, incumbent: Incumbent, budget: float) -> None:
        """Spend about so many operations."""
        if not self.running:
            self.begin(core, incumbent)
        self.spend(self.search.anneal(budget))
        if self.search.is_over:
            self.running = False
            self.finish(incumbent)

    def begin(self, core: Proposals, incumbent: Incumbent) -> None:
        """Prepare an annealing: every other one melts what y proposes, the others start from the best."""
        proposal = self.proposal(core)
        self.offer(proposal, incumbent)
        known = incumbent.labeling
        self.penalty = self.next_penalty(incumbent)
        hot, start = (HOT if self.attempts % 2 else WARM), proposal
        if known is not None and self.attempts % 2 == 0:
            start = known.astype(np.int32)
        self.search.begin(start, hot * self.penalty, COLD * self.penalty, self.penalty, self.length)
        self.spend(2 * self.size)
        self.running = True

    def next_penalty(self, incumbent: Incumbent) -> float:
        """A penalty near the one that has succeeded; before any has, one after the other."""
        if self.attempts == 0:
            return self.penalty
        fraction = (self.attempts * GOLDEN) % 1.0
        low, high = PENALTIES
        if incumbent.labeling is None:
            return float(low * (high / low) ** fraction)
        return float(min(max(self.good_penalty * 2 ** (fraction - 0.5), LEAST_PENALTY), high))

    def proposal(self, core: Proposals) -> Labels:
        """The grey value of each pixel that is nearest to its mean in y.

        Where a ray can be satisfied in many ways y is spread over all of them: its mean is near the truth,
        its largest entry is not.
        """
        field = self.model.field
        marginals = core.marginals()[: int(field.label_offsets[-1])]
        label = np.arange(len(marginals)) - np.repeat(field.label_offsets[:-1], field.n_labels)
        mean = np.add.reduceat(label * marginals, field.label_offsets[:-1])
        return np.clip(np.rint(mean), 0, field.n_labels - 1).astype(np.int32)

    def finish(self, incumbent: Incumbent) -> None:
        """Take the annealing's image; what it lacks exchanges may give."""
        self.attempts += 1
        self.length *= LONGER
        if self.offer(self.search.best, incumbent):
            self.good_penalty = self.penalty

    def offer(self, labels: Labels, incumbent: Incumbent) -> bool:
        """Offer an image, with exchanges where it violates projections; tell whether it was better."""
        violation = self.violation_of(labels)
        if violation and self.search.has_exchanges:
            labels, operations = self.search.exchange(labels, EXCHANGES * self.length)
            self.spend(operations)
            violation = self.violation_of(labels)
        if violation < self.least_violation:
            self.least, self.least_violation = labels, violation
        if violation:
            return False
        image = labels.astype(np.int64)
        return incumbent.offer(image, self.model.energy(image))

    def violation_of(self, labels: Labels) -> int:
        """The sum over rays of the distance to the nearest allowed sum."""
        self.spend(self.size)
        return int(np.abs(self.model.violations(labels)).sum())

    def spend(self, operations: float) -> None:
        """Count operations."""
        self.spent += self.per_operation * operations
