"""What a solve returns: labeling, bound, and what is known about both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .certificate import Certificate, Verdict
from .errors import InvalidModel
from .planes import Planes

if TYPE_CHECKING:
    from .models import Model
    from .settings import Settings

Status = Literal[
    "optimal", "converged", "time_limit", "iteration_limit", "interrupted", "stalled", "infeasible"
]

#: What each status says about the result, in one sentence.
STATUS_MEANING: dict[str, str] = {
    "optimal": "the labeling is proved to be optimal",
    "converged": "the relaxation is solved; the gap that is left is the relaxation's own",
    "time_limit": "the time limit was reached; bound and labeling are valid",
    "iteration_limit": "the iteration limit was reached; bound and labeling are valid",
    "interrupted": "interrupted by the user; bound and labeling are valid",
    "stalled": "this method gains nothing more, another may; bound and labeling are valid",
    "infeasible": "it is proved that no labeling has a finite energy",
}


@dataclass(frozen=True)
class TraceRow:
    """One evaluated point of the dual: what was known, and what it had cost."""

    seconds: float
    cpu_seconds: float
    work: float
    iteration: int
    oracle_calls: int
    lower_bound: float | None  # best so far
    energy: float | None  # best so far
    A: float
    B: float
    proximal_weight: float
    planes: int
    labels_removed: int = 0
    cycles: int = 0  # that tighten the relaxation


@dataclass(frozen=True)
class Result:
    """The outcome of a solve. `bound` <= optimum <= `energy` holds whatever the status.

    `labeling` is None where none with finite energy is known, and `energy` with it.
    `status` is one of the keys of `STATUS_MEANING`; `proof` names what proves `optimal` or
    `infeasible` ("gap", "step", "exact", "term", "bound", "contradiction"), and is None otherwise.
    `trace` has one row per evaluated point. `least_violating` is no solution: see `fwmap.Tomography`.
    """

    labeling: NDArray[np.int64] | None
    energy: float | None
    bound: float | None
    status: Status
    proof: str | None
    trace: list[TraceRow]
    multipliers: list[NDArray[np.float64]]  # lambda of the printed bound, one array per term; `cycles` last
    marginals: Any  # per variable: the mean of y over the terms (for an MRF a list of arrays, one per node)
    seconds: float
    cpu_seconds: float
    work: float
    iterations: int
    oracle_calls: int
    peak_memory_bytes: int
    relaxation_gap: dict[str, float | None]  # A, B, and upper >= the relaxation's optimum
    settings: Settings
    version: str
    solver: str = "fwmap"
    instance: str | None = None
    notes: list[str] = field(default_factory=list)
    planes: Planes = field(default_factory=Planes.none)  # what the method remembers, for `solve(start=...)`
    least_violating: NDArray[np.int64] | None = None  # image nearest to the projections where none is known
    # that satisfies them; None otherwise
    exact_bound: float | None = None  # no energy is less, says `exact_solver`; None where it was not asked
    exact_solver: str | None = None  # name and version
    removed: dict[str, int] = field(default_factory=dict)  # labels, of so many; variables fixed, of so many
    cycles: list[NDArray[np.int64]] = field(default_factory=list)  # variables along each that tightens
    certificate: Certificate | None = None  # None where nothing was evaluated, or where infeasible

    @property
    def gap(self) -> float | None:
        """Energy minus bound, or None where one of them is unknown."""
        if self.energy is None or self.bound is None:
            return None
        return self.energy - self.bound

    @property
    def relative_gap(self) -> float | None:
        """The gap divided by max(1, |energy|)."""
        gap = self.gap
        return None if gap is None or self.energy is None else gap / max(1.0, abs(self.energy))

    def check(self, model: Model) -> Verdict:
        """Recompute energy and bound from the model's own costs, in NumPy, without the solver.

        Raises
        ------
        InvalidModel
            Where there is nothing to check: no point was evaluated, or the model is infeasible.

        Examples
        --------
        >>> import fwmap
        >>> model = fwmap.MRF([[0.0, 1.0], [2.0, 0.0]], [(0, 1)], fwmap.Potts(0.5))
        >>> print(fwmap.solve(model).check(model).conclusion())
        PROVED: energy and lower bound meet
        """
        if self.certificate is None:
            raise InvalidModel(f"there is no certificate to check: the status is {self.status}")
        settings = self.settings
        return self.certificate.check(model, gap=settings.gap, absolute_gap=settings.absolute_gap)

    def as_dict(self) -> dict[str, Any]:
        """The result as the JSON object of the command line."""
        labeling, nearest = (
            None if labels is None else np.asarray(labels).tolist()
            for labels in (self.labeling, self.least_violating)
        )
        return {
            "instance": self.instance,
            "solver": self.solver,
            "status": self.status,
            "energy": self.energy,
            "lower_bound": self.bound,
            "gap": self.gap,
            "relative_gap": self.relative_gap,
            "labeling": labeling,
            "least_violating": nearest,
            "proof": self.proof,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "work": self.work,
            "iterations": self.iterations,
            "oracle_calls": self.oracle_calls,
            "peak_memory_bytes": self.peak_memory_bytes,
            "exact_bound": self.exact_bound,
            "exact_solver": self.exact_solver,
            "relaxation_gap": dict(self.relaxation_gap),
            "removed": dict(self.removed),
            "settings": self.settings.as_dict(),
            "version": self.version,
            "notes": list(self.notes),
        }
