"""From a model to a result: decompose, raise the bound, round, and say what is proved."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .certificate import Certificate
from .certify import Claims, certify
from .decompose import FieldDecomposition, cycle_terms, cycles_of, decompose, with_terms
from .decompose.limit import largest_energy
from .decompose.scale import scale_of
from .errors import InvalidModel, InvalidSetting
from .exact import Exact, Finished
from .memory import peak_memory_bytes
from .models import MRF, Decomposition, GraphMatching, Model, Tomography
from .models.energy import check_labeling
from .models.matching_right import chosen_decomposition
from .models.step import energy_step
from .planes import Planes
from .result import Result, Status, TraceRow
from .rounding import Incumbent, Rounding, TomographyRounding, rounding_of
from .rounding.fractional import relaxation_upper
from .settings import Settings
from .solvers import Clock, start_of
from .stages import (
    Following,
    Improvement,
    LocalMatchings,
    Moment,
    Persistency,
    Proved,
    Stage,
    with_local_matchings,
)
from .tightening import Tightening
from .version import __version__

Callback = Callable[[TraceRow], bool | None]


class ProgressDisplay(Protocol):
    """Whoever wants to show a run while it goes on; see `fwmap.progress.Progress`."""

    def start(self, model: Model, settings: Settings) -> None:
        """A solve begins."""

    def update(self, row: TraceRow) -> None:
        """A point was evaluated."""

    def finish(self, result: Result) -> None:
        """The solve has ended."""


def solve(
    model: Model,
    *,
    settings: Settings | None = None,
    start: Result | None = None,
    labeling: ArrayLike | None = None,
    callback: Callback | None = None,
    progress: ProgressDisplay | None = None,
    instance: str | None = None,
    **keywords: Any,
) -> Result:
    """Find a low-energy labeling of a model and prove how good it is.

    Parameters
    ----------
    model
        An `fwmap.MRF`, `fwmap.Tomography` or `fwmap.GraphMatching`, or an `fwmap.Decomposition` with oracles
        of your own.
    settings
        An `fwmap.Settings`; its fields can be given as keywords instead, or to change some of them.
    start
        An earlier result to start from: its multipliers, planes and labeling. Costs may have changed since,
        variables, labels and edges may not.
    labeling
        A labeling to start with; the result's is never worse.
    callback
        Called with each `TraceRow`; a true answer ends the solve as `interrupted`.
    progress
        Shows the run to a person, for example `fwmap.progress.Progress()`.
    instance
        A name for the result.

    Returns
    -------
    Result
        Whatever ends the run, a limit, Ctrl-C or a proof: `bound <= optimum <= energy`.

    Raises
    ------
    InvalidModel, InvalidSetting
        Before anything runs.
    OracleError
        When an oracle of your own raises or returns nonsense.

    Examples
    --------
    >>> import fwmap
    >>> model = fwmap.MRF([[0.0, 1.0], [2.0, 0.0]], edges=[(0, 1)], pairwise=fwmap.Potts(0.5))
    >>> result = fwmap.solve(model)
    >>> result.status, result.labeling.tolist(), result.energy
    ('optimal', [0, 1], 0.5)
    """
    settings = combined_settings(settings, keywords)
    field = field_of(model)
    if isinstance(model, GraphMatching):
        if settings.matching is not None:
            model = model.with_matching(settings.matching)
        chosen = chosen_decomposition(model, settings.decomposition)
        settings = replace(settings, matching=model.matching, decomposition=chosen)
    elif settings.decomposition not in ("auto", "forests"):
        asked = settings.decomposition
        raise InvalidSetting(f"decomposition is {asked!r}; only an fwmap.GraphMatching is decomposed so")
    if field is not None:
        settings = replace(settings, forbidden_above=field.forbidden_above)  # what was applied
    check_applies(settings.solver, model)
    first = None if labeling is None else checked_labeling(model, labeling)
    run = Run(settings, Clock(settings.time_limit), instance, callback, progress, start)
    run.take_labeling(model, first)
    if progress is not None:
        progress.start(model, settings)
    try:
        run.solve(model)
    except KeyboardInterrupt:
        run.status = "interrupted"
    try:
        result = run.result()
    except KeyboardInterrupt:
        run.status = "interrupted"
        result = run.result()
    if progress is not None:
        progress.finish(result)
    return result


def field_of(model: Model) -> MRF | None:
    """The Markov random field inside a model; None for oracles of one's own."""
    if isinstance(model, (Tomography, GraphMatching)):
        return model.field
    if isinstance(model, MRF):
        return model
    if isinstance(model, Decomposition):
        return None
    expected = "fwmap.MRF, fwmap.Tomography, fwmap.GraphMatching or fwmap.Decomposition"
    raise InvalidModel(f"cannot solve a {type(model).__name__}; expected {expected}")


def check_applies(solver: str, model: Model) -> None:
    """Raise InvalidSetting where a solver cannot do anything for a model, and say why."""
    if solver != "message-passing" or isinstance(model, (MRF, GraphMatching)):
        return
    reason = "an oracle of one's own tells its minimum only, and messages are min-marginals"
    if isinstance(model, Tomography):
        reason = (
            "as long as many labelings have the sum that a ray asks for, its min-marginals are the same for "
            "all labels of a pixel, so messages stand still where they start"
        )
    name = type(model).__name__
    raise InvalidSetting(f"solver 'message-passing' does not apply to fwmap.{name}: {reason}; use 'fwmap'")


def checked_labeling(model: Model, labeling: ArrayLike) -> NDArray[np.int64]:
    """A labeling as one integer per variable, or InvalidModel saying which entry is wrong."""
    if isinstance(model, GraphMatching):
        return model.check_labeling(labeling)
    field = field_of(model)
    if field is not None:
        return check_labeling(field, labeling)
    model.energy(labeling)  # raises where it is none
    return np.asarray(labeling, np.int64)


def combined_settings(settings: Settings | None, keywords: dict[str, Any]) -> Settings:
    """The settings given, with the keywords in place of its fields."""
    if settings is not None and not isinstance(settings, Settings):
        raise InvalidSetting(f"settings is a {type(settings).__name__}; expected an fwmap.Settings")
    known = Settings.__dataclass_fields__
    for name in keywords:
        if name not in known:
            raise InvalidSetting(f"solve has no setting {name!r}; expected one of {', '.join(known)}")
    fields = {} if settings is None else settings.as_dict()
    return Settings(**{**fields, **keywords})


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
        """Decompose, then take the solver's points one by one until one of them ends the run."""
        self.model = model
        field = field_of(model)
        if field is not None and field.n_forbidden_read:
            threshold = f"{field.forbidden_above:g}"
            self.notes.append(f"{field.n_forbidden_read} finite costs >= {threshold} were read as forbidden")
        self.energy_limit = largest_energy(model)
        if self.energy_limit == -math.inf or (field is not None and field.constant == math.inf):
            self.status, self.proof = "infeasible", "term"
            return
        impossible = model.contradiction() if isinstance(model, (GraphMatching, Tomography)) else None
        if impossible is not None:
            self.status, self.proof = "infeasible", "contradiction"
            self.notes.append(impossible)
            return
        if self.settings.primal or self.incumbent.energy is not None:
            self.step = energy_step(model)
        self.exact = Exact.of(model, self.settings, self.step, self.notes)
        decomposition = decompose(model, self.settings.decomposition)
        if self.settings.primal:
            self.rounding = rounding_of(model, decomposition, self.settings.seed)
            self.improvements.append(Persistency(self.step))
        if self.start is not None and isinstance(decomposition, FieldDecomposition):
            decomposition = with_terms(decomposition, cycle_terms(decomposition.cover, self.start.cycles))
            if isinstance(model, GraphMatching):
                decomposition = with_local_matchings(decomposition, model, self.start.certificate)
        if self.settings.tighten:
            local = LocalMatchings(model) if isinstance(model, GraphMatching) else Tightening()
            self.improvements.append(local)
        start = None if self.start is None else start_of(self.start, decomposition.core)
        stage: Stage | None = Stage.begin(decomposition, self.settings, scale_of(decomposition), start)
        while stage is not None:
            stage = self.pass_through(stage)

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
            moment = Moment(stage, point, self.bound, self.incumbent, self.has_converged(point), self.clock)
            at_a_limit = stopped or self.clock.is_over()
            following = None if at_a_limit else self.next_stage(moment)
            if following is not None:
                return following
            if not at_a_limit and self.is_finished_exactly(moment):
                return None
            if moment.converged:
                self.status = "converged"
                self.round_at_the_end()
                return None
            if at_a_limit:
                self.status = "interrupted" if stopped else "time_limit"
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

    def round_at_the_end(self) -> None:
        """A last look for a labeling that meets the bound."""
        assert self.stage is not None
        if self.rounding is None:
            return
        self.rounding.at_the_end(self.stage.proposals, self.incumbent)
        self.is_optimal()

    def row(self, point: _core.Evaluation) -> TraceRow:
        """The trace's row of a point."""
        assert self.stage is not None
        core = self.stage.solver.core
        return TraceRow(
            seconds=self.clock.seconds(),
            cpu_seconds=self.clock.cpu_seconds(),
            work=core.work,
            iteration=core.iteration,
            oracle_calls=core.oracle_calls,
            lower_bound=self.bound,
            energy=self.incumbent.energy,
            A=self.relaxation_a(point),
            B=point.B,
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
        tolerance = self.settings.tolerance
        risen = max(0.0, self.bound - self.first_bound) + self.stage.scale
        n_shared = max(1, self.stage.decomposition.core.n_shared)
        return self.relaxation_a(point) <= tolerance * risen and point.B <= 10 * tolerance * n_shared

    def result(self) -> Result:
        """What is known when the run has ended."""
        infeasible = self.status == "infeasible"
        core = None if self.stage is None else self.stage.solver.core
        last = self.trace[-1] if self.trace else None
        bound = None if infeasible or not math.isfinite(self.bound) else self.bound
        return Result(
            labeling=None if infeasible else self.incumbent.labeling,
            energy=None if infeasible else self.incumbent.energy,
            bound=bound,
            status=self.status,
            proof=self.proof,
            trace=self.trace,
            multipliers=self.multipliers(),
            marginals=self.marginals(),
            seconds=self.clock.seconds(),
            cpu_seconds=self.clock.cpu_seconds(),
            work=0.0 if core is None else core.work,
            iterations=0 if core is None else core.iteration,
            oracle_calls=0 if core is None else core.oracle_calls,
            peak_memory_bytes=peak_memory_bytes(),
            relaxation_gap={
                "A": None if last is None else last.A,
                "B": None if last is None else last.B,
                "upper": self.relaxation_upper(),
            },
            settings=self.settings,
            version=__version__,
            solver=self.settings.solver,
            instance=self.instance,
            notes=[*self.notes, *self.closing_notes()],
            planes=self.planes(),
            least_violating=self.least_violating(),
            exact_bound=None if infeasible else self.finished.bound,
            exact_solver=self.finished.solver,
            removed={} if self.stage is None else self.stage.removed(),
            cycles=self.cycles(),
            certificate=self.certificate(),
        )

    def least_violating(self) -> NDArray[np.int64] | None:
        """The image nearest to the projections, where none is known that satisfies them."""
        if self.incumbent.labeling is not None or not isinstance(self.rounding, TomographyRounding):
            return None
        return self.rounding.least_violating

    def closing_notes(self) -> list[str]:
        """What is worth saying at the end."""
        if self.least_violating() is None:
            return []
        assert isinstance(self.rounding, TomographyRounding)
        return [
            "no image was found that satisfies all projections; the nearest one, which is no solution, "
            f"violates them by {self.rounding.least_violation} in all"
        ]

    def relaxation_upper(self) -> float | None:
        """The relaxation's optimum is at most this; None for a run that asked for the bound only."""
        if self.stage is None or not (self.trace and self.settings.primal):
            return None
        return relaxation_upper(self.stage.decomposition, self.stage.solver.core, self.incumbent.energy)

    def certificate(self) -> Certificate | None:
        """What proves the bound; None without one."""
        proved = self.proves_the_bound()
        if proved is None or not math.isfinite(self.bound) or self.status == "infeasible":
            return None
        exact = self.finished.bound, self.finished.solver or ""
        found = self.incumbent.labeling, self.incumbent.energy, self.bound
        claims = Claims(*found, self.status, self.proof, *exact)
        return certify(type(self.model).__name__, proved, claims)

    def proves_the_bound(self) -> Proved | None:
        """The multipliers of the printed bound, from the stage that found them; None before any."""
        if self.stage is None or not self.trace:
            return None
        return self.proved or self.stage.proved()

    def multipliers(self) -> list[np.ndarray[Any, np.dtype[np.float64]]]:
        """Lambda of the printed bound over the shared variables of each term."""
        proved = self.proves_the_bound()
        return [] if proved is None else proved.per_term()

    def cycles(self) -> list[NDArray[np.int64]]:
        """The cycles of the printed bound."""
        proved = self.proves_the_bound()
        return [] if proved is None else cycles_of(proved.decomposition)

    def planes(self) -> Planes:
        """What the solver remembers, of the terms of the printed bound."""
        return Planes.none() if self.stage is None or self.proved is not None else self.stage.planes()

    def marginals(self) -> Any:
        """Mean of y: one array per node of a field, one number per variable otherwise."""
        if self.stage is None or not self.trace:
            return []
        values = self.stage.proposals.marginals()
        if not isinstance(self.stage.decomposition, FieldDecomposition):
            return values
        offsets = self.stage.decomposition.origin.label_offsets
        values = values[: offsets[-1]]
        sizes = np.diff(offsets)
        if len(sizes) and (sizes == sizes[0]).all():
            return values.reshape(len(sizes), sizes[0])
        return np.split(values, offsets[1:-1])
