"""One solve: the loop over evaluated points, and what ends it."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from . import _core
from .decompose import FieldDecomposition, OwnDecomposition, cycle_terms, decompose, with_terms
from .decompose.limit import largest_energy
from .decompose.scale import scale_of
from .errors import InvalidModel
from .exact import Exact, Finished
from .finish import Finish, Solved
from .models import GraphMatching, Model, Tomography
from .models.model import checked_labeling, field_of
from .models.step import energy_step
from .result import Result, Status, TraceRow
from .rounding import Incumbent, MatchingRounding, ProductRounding, Rounding, rounding_of
from .settings import Decomposed, Settings
from .solvers import Clock, start_of
from .stages import (
    BothSides,
    Following,
    Improvement,
    LocalMatchings,
    Moment,
    Persistency,
    Proved,
    Stage,
    first_sides,
    with_local_matchings,
)
from .tightening import Tightening

Callback = Callable[[TraceRow], bool | None]


class ProgressDisplay(Protocol):
    """Whoever wants to show a run while it goes on; see `fwmap.progress.Progress`."""

    def start(self, model: Model, settings: Settings) -> None:
        """A solve begins."""

    def update(self, row: TraceRow) -> None:
        """A point was evaluated."""

    def finish(self, result: Result) -> None:
        """The solve has ended."""


@dataclass
class Run:
    """One solve: what it was told, and what it knows so far."""

    settings: Settings
    clock: Clock
    instance: str | None
    callback: Callback | None
    progress: ProgressDisplay | None
    start: Result | None = None
    model: Model | None = None
    status: Status = "iteration_limit"
    proof: str | None = None
    bound: float = -math.inf
    first_bound: float = -math.inf
    energy_limit: float = math.inf
    step: float | None = None  # energies are multiples of this apart
    incumbent: Incumbent = field(default_factory=Incumbent)
    trace: list[TraceRow] = field(default_factory=list)
    stage: Stage | None = None
    proved: Proved | None = None  # by the stage that gave the bound
    improvements: list[Improvement] = field(default_factory=list)
    finish: Finish | None = None
    exact: Exact | None = None
    finished: Finished = field(default_factory=Finished)
    rounding: Rounding | None = None
    notes: list[str] = field(default_factory=list)

    def take_labeling(self, model: Model, labeling: NDArray[np.int64] | None) -> None:
        """Take a labeling given by the user, or else the earlier result's, where this model allows it."""
        if labeling is not None:
            energy = model.energy(labeling)
            if not self.incumbent.offer(labeling, energy):
                what = "unknown" if energy is None else f"{energy:g}"
                self.notes.append(f"the labeling given is of no use: its energy is {what}")
        elif self.start is not None and self.start.labeling is not None:
            try:
                earlier = checked_labeling(model, self.start.labeling)
            except InvalidModel as error:
                raise InvalidModel(f"start has another model's labeling: {error}") from None
            self.incumbent.offer(earlier, model.energy(earlier))

    def solve(self, model: Model) -> None:
        """Decompose, then take the solver's points one by one until one of them ends the run.

        Whatever is not yet done when time is over is thrown away, and leaves no row in the trace.
        """
        self.model = model
        try:
            with self.clock.watched():
                self.pass_through_stages(model)
        except _core.OutOfTime:
            self.status = "time_limit"
            if not self.is_infeasible():
                self.is_optimal()

    def pass_through_stages(self, model: Model) -> None:
        """From the first stage to the last one."""
        if self.is_refuted(model):
            return
        if self.settings.primal or self.incumbent.energy is not None:
            self.step = energy_step(model)
        self.exact = Exact.of(model, self.settings, self.step, self.notes)
        self.status = "time_limit"  # unless the solver begins
        decomposition = None if self.clock.is_over() else decompose(model, self.begins_with(model))
        stage = (
            None if decomposition is None or self.clock.is_over() else self.first_stage(model, decomposition)
        )
        while stage is not None:
            self.status = "iteration_limit"
            stage = self.pass_through(stage)

    def is_refuted(self, model: Model) -> bool:
        """True where the costs alone prove that no labeling is feasible."""
        field = field_of(model)
        if field is not None and field.n_forbidden_read:
            threshold = f"{field.forbidden_above:g}"
            self.notes.append(f"{field.n_forbidden_read} finite costs >= {threshold} were read as forbidden")
        self.energy_limit = largest_energy(model)
        if self.energy_limit == -math.inf or (field is not None and field.constant == math.inf):
            self.status, self.proof = "infeasible", "term"
            return True
        impossible = model.contradiction() if isinstance(model, (GraphMatching, Tomography)) else None
        if impossible is None:
            return False
        self.status, self.proof = "infeasible", "contradiction"
        self.notes.append(impossible)
        return True

    def first_stage(self, model: Model, decomposition: FieldDecomposition | OwnDecomposition) -> Stage:
        """The solver at its start, and who may improve on its decomposition later."""
        if self.settings.primal:
            self.rounding = rounding_of(model, decomposition, self.settings.seed)
            self.improvements.append(Persistency(self.step))
        if self.start is not None and isinstance(decomposition, FieldDecomposition):
            decomposition = with_terms(decomposition, cycle_terms(decomposition.cover, self.start.cycles))
            if isinstance(model, GraphMatching):
                decomposition = with_local_matchings(decomposition, model, self.start.certificate)
        self.finish = Finish.of(model, self.settings)
        if self.finish is not None:
            self.improvements.append(self.finish)
        later: list[Improvement] = []
        if self.settings.tighten:
            later.append(LocalMatchings(model) if isinstance(model, GraphMatching) else Tightening())
        if isinstance(model, GraphMatching) and self.begins_with(model) != self.settings.decomposition:
            later = [BothSides(model, later)]
        self.improvements += later
        start = None if self.start is None else start_of(self.start, decomposition.core)
        return Stage.begin(decomposition, self.settings, scale_of(decomposition), start)

    def begins_with(self, model: Model) -> Decomposed:
        """The decomposition of the first stage."""
        return first_sides(model, self.settings, self.start)

    def pass_through(self, stage: Stage) -> Stage | None:
        """Take the stage's points until one of them ends the run (None), or leads to another stage."""
        self.stage, moment = stage, None
        for point in stage.solver.points(self.clock):
            if not point.complete:
                self.status = "time_limit"
                return None
            if point.infeasible and not stage.n_removed:
                self.status, self.proof = "infeasible", "term"
                return None
            bound = stage.bound_of(math.inf if point.infeasible else point.bound)
            if bound > self.bound:
                self.bound, self.proved = bound, None
            if self.rounding is not None and not point.infeasible:
                self.rounding.after_evaluation(stage.proposals, self.incumbent)
            stopped = self.record(point)
            if self.is_infeasible() or self.is_optimal():
                return None
            moment = Moment(
                stage, point, self.bound, self.incumbent, self.has_converged(point), self.clock, self.look
            )
            at_a_limit = stopped or self.clock.is_over()
            following = None if at_a_limit else self.next_stage(moment)
            if following is not None:
                return following
            if moment.converged:
                self.status = "converged"
                if not self.is_rounded_at_the_end() and not at_a_limit:
                    self.is_finished_exactly(moment)
                return None
            if at_a_limit:
                self.status = "interrupted" if stopped else "time_limit"
                return None
            if self.is_finished_exactly(moment):
                return None
        if self.settings.iterations is None or stage.solver.core.iteration < self.settings.iterations:
            self.status = "stalled"
        if moment is not None and (self.status == "stalled" or self.settings.exact is True):
            self.is_finished_exactly(moment, last=True)
        return None

    def is_finished_exactly(self, moment: Moment, last: bool = False) -> bool:
        """Let an exact solver try, where it is time; tell whether that ends the run."""
        finished = None if self.exact is None else self.exact.attempt(moment, last)
        if finished is None:
            return False
        self.finished = finished
        if finished.bound == math.inf:
            self.status, self.proof = "infeasible", "exact"
        return finished.bound == math.inf or self.is_optimal()

    def next_stage(self, moment: Moment) -> Stage | None:
        """What the first improvement that has something to propose leads to."""
        for improvement in self.improvements:
            following = improvement.next_decomposition(moment)
            moment.stage.solver.count_work(improvement.take_work())
            if isinstance(following, FieldDecomposition):
                following = Following(following)
            if following is not None:
                self.proved = self.proved or moment.stage.proved()
                if following.afresh and isinstance(self.rounding, (MatchingRounding, ProductRounding)):
                    self.rounding.follow(following.decomposition)
                return moment.stage.followed_by(following, self.settings)
        return None

    def record(self, point: _core.Evaluation) -> bool:
        """Put an evaluated point into the trace; tell whether whoever watches wants to stop."""
        if not self.trace:
            self.first_bound = point.bound
        row = self.row(point)
        self.trace.append(row)
        if self.progress is not None:
            self.progress.update(row)
        return self.callback is not None and bool(self.callback(row))

    def is_infeasible(self) -> bool:
        """True when the bound is above all that a labeling can cost."""
        if self.bound <= self.energy_limit:
            return False
        self.status, self.proof = "infeasible", "bound"
        return True

    def is_rounded_at_the_end(self) -> bool:
        """A last look for a labeling that meets the bound; tell whether there is one."""
        with suppress(_core.OutOfTime):
            self.look()
        return self.is_optimal()

    def look(self) -> bool:
        """Look for labelings, whoever's turn it is; tell whether a better one was found."""
        assert self.stage is not None
        before = self.incumbent.energy
        if self.rounding is not None:
            self.rounding.at_the_end(self.stage.proposals, self.incumbent)
        return self.incumbent.energy != before

    def row(self, point: _core.Evaluation) -> TraceRow:
        """The trace's row of a point."""
        assert self.stage is not None
        core = self.stage.solver.core
        A, B = self.gaps(point)
        return TraceRow(
            seconds=self.clock.seconds(),
            cpu_seconds=self.clock.cpu_seconds(),
            work=core.work,
            iteration=core.iteration,
            oracle_calls=core.oracle_calls,
            lower_bound=self.bound,
            energy=self.incumbent.energy,
            A=A,
            B=B,
            proximal_weight=self.stage.solver.proximal_weight,
            planes=self.stage.solver.n_planes,
            labels_removed=self.stage.n_removed,
            cycles=self.stage.n_cycles,
        )

    def relaxation_a(self, point: _core.Evaluation) -> float:
        """A of the printed bound: for the lambda that gave it, or, where that is less, for the last one.

        The last one's A grows by what its bound lacks; with it eq. 9 holds for the printed bound too. A is
        negative by rounding only, which is left out.
        """
        return max(0.0, min(point.A_best, point.A + (self.bound - point.bound)))

    def is_optimal(self) -> bool:
        """True when the labeling is proved to be optimal; `proof` then says by what.

        Energy and bound meet as closely as asked, or are closer than two energies can be; or so do the energy
        and the bound of an exact solver.
        """
        if self.incumbent.energy is None:
            return False
        proof = self.proof_of(self.incumbent.energy, self.bound)
        if proof is None and self.finished.bound is not None:
            proof = self.proof_of(self.incumbent.energy, self.finished.bound) and "exact"
        if proof is not None:
            self.status, self.proof = "optimal", proof
        return proof is not None

    def proof_of(self, energy: float, bound: float) -> str | None:
        """Why a labeling of this energy is optimal with this bound; None where it need not be."""
        gap, size = energy - bound, max(abs(energy), abs(bound))
        if gap <= self.settings.gap * size or gap <= self.settings.absolute_gap:
            return "gap"
        if self.step is not None and Fraction(energy) - Fraction(bound) < Fraction(self.step):
            return "step"
        return None

    def has_converged(self, point: _core.Evaluation) -> bool:
        """True when A and B are both negligible, see `Settings.tolerance`.

        A is compared with what the bound has risen by plus the typical size of a cost, B with the number of
        shared variables: neither changes when costs are scaled or shifted.
        """
        assert self.stage is not None
        A, B = self.gaps(point)
        return self.are_small(A, B)

    def are_small(self, A: float, B: float) -> bool:
        """True when A and B are both negligible."""
        assert self.stage is not None
        tolerance = self.settings.tolerance
        risen = max(0.0, self.bound - self.first_bound) + self.stage.scale
        n_shared = max(1, self.stage.decomposition.core.n_shared)
        return A <= tolerance * risen and B <= 10 * tolerance * n_shared

    def gaps(self, point: _core.Evaluation) -> tuple[float, float]:
        """A and B of the printed bound, for the method's y, or for the finish's if that has converged."""
        solved = self.solved
        if solved is not None:
            A, B = max(0.0, solved.cost - self.bound), solved.disagreement
            if self.are_small(A, B):
                return A, B
        return self.relaxation_a(point), point.B

    @property
    def solved(self) -> Solved | None:
        """A point at the optimum of the stage's relaxation, where the finish has found one."""
        if self.finish is None or self.stage is None:
            return None
        return self.finish.solution(self.stage.decomposition)

    def proves_the_bound(self) -> Proved | None:
        """The multipliers of the printed bound, from the stage that found them; None before any."""
        if self.stage is None or (not self.trace and self.bound == -math.inf):
            return None
        return self.proved or self.stage.proved()
