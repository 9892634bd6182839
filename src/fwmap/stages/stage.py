"""One stage of a solve, and who may ask for the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..decompose import FieldDecomposition, OwnDecomposition
from ..planes import Planes
from ..rounding import Incumbent
from ..settings import Settings
from ..solvers import Clock, Method, Start, method_of
from .carry import carried


@dataclass
class Stage:
    """A decomposition and the solver that raises its bound."""

    decomposition: FieldDecomposition | OwnDecomposition
    solver: Method
    scale: float

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

    def followed_by(self, decomposition: FieldDecomposition, settings: Settings) -> Stage:
        """The stage that goes on with another decomposition, from what this one knows."""
        assert isinstance(self.decomposition, FieldDecomposition)
        start = carried(self.decomposition, self.solver, decomposition)
        return Stage.begin(decomposition, settings, self.scale, start)

    def proved(self) -> Proved:
        """What this stage has proved so far."""
        return Proved(self.decomposition, self.solver.core.best_lambda)

    def planes(self) -> Planes:
        """What its solver remembers."""
        return self.solver.planes()


@dataclass(frozen=True)
class Proved:
    """The multipliers of a bound, over the shared slots of all terms of a decomposition."""

    decomposition: FieldDecomposition | OwnDecomposition
    multipliers: NDArray[np.float64]

    def per_term(self) -> list[NDArray[np.float64]]:
        """The multipliers of each term."""
        core = self.decomposition.core
        sizes = [len(core.shared_variables(t)) for t in range(core.n_terms)]
        return np.split(self.multipliers, np.cumsum(sizes)[:-1]) if sizes else []


@dataclass(frozen=True)
class Moment:
    """Where a solve stands after an evaluated point."""

    stage: Stage
    point: _core.Evaluation
    bound: float  # the best of all stages
    incumbent: Incumbent
    converged: bool  # the stage's relaxation is solved
    clock: Clock  # for limits only


class Improvement(Protocol):
    """Whoever can go on with another decomposition: with more terms, or with fewer labels.

    Its bound must be one of the original problem, and for the same multipliers no less than the one before.
    """

    def next_decomposition(self, moment: Moment) -> FieldDecomposition | None:
        """The decomposition to go on with; None: stay. Must not read the clock except to give up."""

    def take_work(self) -> float:
        """Operations spent since it was last asked."""
