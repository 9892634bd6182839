"""What a run has found, as a result."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .certificate import Certificate
from .certify import Claims, certify
from .decompose import FieldDecomposition, cycles_of
from .memory import peak_memory_bytes
from .models import GraphMatching
from .planes import Planes
from .result import Result
from .rounding import TomographyRounding
from .rounding.fractional import relaxation_upper
from .run import Run
from .version import __version__


def result_of(run: Run) -> Result:
    """What is known when the run has ended."""
    infeasible = run.status == "infeasible"
    core = None if run.stage is None else run.stage.solver.core
    last = run.trace[-1] if run.trace else None
    bound = None if infeasible or not math.isfinite(run.bound) else run.bound
    if not isinstance(run.rounding, TomographyRounding):
        run.rounding = None  # what follows needs its memory
    found = Result(
        labeling=None if infeasible else run.incumbent.labeling,
        energy=None if infeasible else run.incumbent.energy,
        bound=bound,
        status=run.status,
        proof=run.proof,
        trace=run.trace,
        multipliers=multipliers(run),
        marginals=marginals(run),
        seconds=run.clock.seconds(),
        cpu_seconds=run.clock.cpu_seconds(),
        work=0.0 if core is None else core.work,
        iterations=0 if core is None else core.iteration,
        oracle_calls=0 if core is None else core.oracle_calls,
        peak_memory_bytes=0,
        relaxation_gap={
            "A": None if last is None else last.A,
            "B": None if last is None else last.B,
            "upper": upper_of_relaxation(run),
        },
        settings=run.settings,
        version=__version__,
        solver=run.settings.solver,
        instance=run.instance,
        notes=[*run.notes, *closing_notes(run)],
        planes=planes(run),
        least_violating=least_violating(run),
        exact_bound=None if infeasible else run.finished.bound,
        exact_solver=run.finished.solver,
        removed={} if run.stage is None else run.stage.removed(),
        cycles=cycles(run),
        certificate=certificate(run),
    )
    return replace(found, peak_memory_bytes=peak_memory_bytes())  # with what the result has taken


def least_violating(run: Run) -> NDArray[np.int64] | None:
    """The image nearest to the projections, where none is known that satisfies them."""
    if run.incumbent.labeling is not None or not isinstance(run.rounding, TomographyRounding):
        return None
    return run.rounding.least_violating


def closing_notes(run: Run) -> list[str]:
    """What is worth saying at the end."""
    if least_violating(run) is None:
        return []
    assert isinstance(run.rounding, TomographyRounding)
    return [
        "no image was found that satisfies all projections; the nearest one, which is no solution, "
        f"violates them by {run.rounding.least_violation} in all"
    ]


def upper_of_relaxation(run: Run) -> float | None:
    """The relaxation's optimum is at most this; a run that asked for the bound only looks for no point."""
    if run.stage is None or not run.trace:
        return None
    known = [run.solved.upper] if run.solved is not None and run.solved.upper < math.inf else []
    if run.settings.primal:
        partners = run.model.left.partner if isinstance(run.model, GraphMatching) else None
        core, energy = run.stage.solver.core, run.incumbent.energy
        found = relaxation_upper(run.stage.decomposition, core, energy, partners)
        known += [] if found is None else [found]
    return min(known, default=None)


def certificate(run: Run) -> Certificate | None:
    """What proves the bound; None without one."""
    proved = run.proves_the_bound()
    if proved is None or not math.isfinite(run.bound) or run.status == "infeasible":
        return None
    exact = run.finished.bound, run.finished.solver or ""
    found = run.incumbent.labeling, run.incumbent.energy, run.bound
    claims = Claims(*found, run.status, run.proof, *exact)
    return certify(type(run.model).__name__, proved, claims)


def multipliers(run: Run) -> list[np.ndarray[Any, np.dtype[np.float64]]]:
    """Lambda of the printed bound over the shared variables of each term."""
    proved = run.proves_the_bound()
    return [] if proved is None else proved.per_term()


def cycles(run: Run) -> list[NDArray[np.int64]]:
    """The cycles of the printed bound."""
    proved = run.proves_the_bound()
    return [] if proved is None else cycles_of(proved.decomposition)


def planes(run: Run) -> Planes:
    """What the solver remembers, of the terms of the printed bound."""
    return Planes.none() if run.stage is None or run.proved is not None else run.stage.planes()


def marginals(run: Run) -> Any:
    """Mean of y: one array per node of a field, one number per variable otherwise."""
    if run.stage is None or not run.trace:
        return []
    values = run.stage.proposals.marginals()
    if not isinstance(run.stage.decomposition, FieldDecomposition):
        return values
    offsets = run.stage.decomposition.origin.label_offsets
    values = values[: offsets[-1]]
    sizes = np.diff(offsets)
    if len(sizes) and (sizes == sizes[0]).all():
        return values.reshape(len(sizes), sizes[0])
    return np.split(values, offsets[1:-1])
