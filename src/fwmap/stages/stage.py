"""One stage of a solve, and who may ask for the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..decompose import FieldDecomposition, OwnDecomposition
from ..planes import Planes
from ..rounding import Incumbent
from ..rounding.proposals import Proposals
from ..settings import Settings
from ..solvers import Clock, Method, Start, method_of
from .carry import carried, counted
from .reduction import (
    Reduction,
    history_of,
    least_removed,
    lifted,
    over_slots,
    proposals_of,
    whole,
)


@dataclass
class Stage:
    """A decomposition and the solver that raises its bound."""

    decomposition: FieldDecomposition | OwnDecomposition
    solver: Method
    scale: float
    known_proposals: tuple[object, Proposals] | None = None  # of which core

    @property
    def proposals(self) -> Proposals:
        """What the part of the solver that is at work proposes, as labels of the whole problem."""
        core = self.solver.core
        if self.known_proposals is not None and self.known_proposals[0] is core:
            return self.known_proposals[1]
        proposals = proposals_of(core, self.decomposition)
        if proposals is not core:  # itself would be kept here when its work is done
            self.known_proposals = core, proposals
        return proposals

    @classmethod
    def begin(
        cls,
        decomposition: FieldDecomposition | OwnDecomposition,
        settings: Settings,
        scale: float,
        start: Start | None = None,
    ) -> Stage:
        """A stage with a solver that begins at `start`."""
        return cls(decomposition, method_of(decomposition, settings, scale, start), scale)

    def followed_by(self, following: Following, settings: Settings) -> Stage:
        """The stage that goes on with another decomposition, from what this one knows."""
        assert isinstance(self.decomposition, FieldDecomposition)
        if following.afresh:
            start = Start.at_zero(following.decomposition.core, counted(self.solver))
        else:
            start = carried(self.decomposition, self.solver, following.decomposition)
        if following.center is not None:
            start = replace(start, center=following.center)
        if following.proximal_weight is not None:
            start = replace(start, proximal_weight=following.proximal_weight)
        return Stage.begin(following.decomposition, settings, self.scale, start)

    def bound_of(self, bound: float) -> float:
        """What a bound of this stage's problem says of the whole one: labels may have been removed."""
        if isinstance(self.decomposition, OwnDecomposition):
            return bound
        return min(bound, least_removed(self.decomposition))

    @property
    def n_removed(self) -> int:
        """Labels removed so far."""
        if isinstance(self.decomposition, OwnDecomposition):
            return 0
        return sum(len(reduction.removed) for reduction in history_of(self.decomposition))

    def removed(self) -> dict[str, int]:
        """How many labels were removed and variables fixed, of how many; nothing where none was."""
        if isinstance(self.decomposition, OwnDecomposition) or not self.n_removed:
            return {}
        origin, fixed = self.decomposition.origin, self.decomposition.cover.fixed
        return {
            "labels": self.n_removed,
            "labels_in_total": int(np.isfinite(origin.field.unaries).sum()),
            "variables_fixed": int(np.count_nonzero(fixed)),
            "variables": len(fixed),
        }

    @property
    def n_cycles(self) -> int:
        """Cycles among the terms."""
        if isinstance(self.decomposition, OwnDecomposition):
            return 0
        return sum(term.kind == "cycle" for term in self.decomposition.further)

    def proved(self) -> Proved:
        """What this stage has proved so far."""
        return Proved.of(self.decomposition, self.solver.core.best_lambda)

    def planes(self) -> Planes:
        """What its solver remembers of the whole problem: nothing where labels were removed."""
        if self.n_removed:
            return Planes.none()
        return self.solver.planes()


@dataclass(frozen=True)
class Proved:
    """The multipliers of a bound, over the shared slots of all terms of a decomposition of the whole problem.

    `history` is how labels were removed before, from the same terms.
    """

    decomposition: FieldDecomposition | OwnDecomposition
    multipliers: NDArray[np.float64]
    history: tuple[Reduction, ...] = ()

    @classmethod
    def of(
        cls, decomposition: FieldDecomposition | OwnDecomposition, multipliers: NDArray[np.float64]
    ) -> Proved:
        """What the multipliers of a decomposition, maybe of a reduced problem, prove."""
        if isinstance(decomposition, OwnDecomposition) or decomposition.cover.restriction is None:
            return cls(decomposition, multipliers)
        origin, history = whole(decomposition), history_of(decomposition)
        evaluated = len(multipliers) == decomposition.core.n_slots  # else nothing is left to choose from
        over = lifted(decomposition, multipliers) if evaluated else history[-1].multipliers
        return cls(origin, over_slots(origin, over), history)

    def per_term(self) -> list[NDArray[np.float64]]:
        """The multipliers of each term."""
        core = self.decomposition.core
        sizes = [len(core.shared_variables(t)) for t in range(core.n_terms)]
        return np.split(self.multipliers, np.cumsum(sizes)[:-1]) if sizes else []

    def rows(self) -> list[NDArray[np.float64]]:
        """Multipliers over the same slots: one array per reduction, then those of the bound."""
        if isinstance(self.decomposition, OwnDecomposition):
            return [self.multipliers]
        origin = self.decomposition
        return [*(over_slots(origin, step.multipliers) for step in self.history), self.multipliers]


@dataclass(frozen=True)
class Following:
    """What to go on with, and where to begin where that is known better than what is carried over."""

    decomposition: FieldDecomposition
    center: NDArray[np.float64] | None = None  # over the slots of all terms
    proximal_weight: float | None = None
    afresh: bool = False  # begin at 0, and forget planes and weight


@dataclass(frozen=True)
class Moment:
    """Where a solve stands after an evaluated point."""

    stage: Stage
    point: _core.Evaluation
    bound: float  # the best of all stages
    incumbent: Incumbent
    converged: bool  # the stage's relaxation is solved
    clock: Clock  # for limits only
    look: Callable[[], bool] = lambda: False  # for labelings; tells whether a better one was found


class Improvement(Protocol):
    """Whoever can go on with another decomposition: with more terms, or with fewer labels.

    Its bound must be one of the original problem, and for the same multipliers no less than the one before.
    """

    def next_decomposition(self, moment: Moment) -> FieldDecomposition | Following | None:
        """The decomposition to go on with; None: stay. Must not read the clock except to give up."""

    def take_work(self) -> float:
        """Operations spent since it was last asked."""
