"""From a model to a result: decompose, raise the bound, round, and say what is proved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from .errors import InvalidModel, InvalidSetting
from .models import MRF, GraphMatching, Model, Tomography
from .models.chains import chosen_rays
from .models.matching_right import chosen_decomposition
from .models.model import checked_labeling, field_of
from .outcome import result_of
from .result import Result
from .run import Callback, ProgressDisplay, Run
from .settings import Settings
from .solvers import Clock


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
    elif isinstance(model, Tomography):
        settings = replace(settings, decomposition=chosen_rays(model, settings.decomposition))
    elif settings.decomposition not in ("auto", "forests"):
        asked = settings.decomposition
        raise InvalidSetting(f"decomposition is {asked!r}; a {type(model).__name__} is not decomposed so")
    if field is not None:
        settings = replace(settings, forbidden_above=field.forbidden_above)  # what was applied
    settings = replace(settings, threads=settings.most_threads)
    check_applies(settings.solver, model)
    if start is not None and not isinstance(start, Result):
        raise InvalidModel(f"start is a {type(start).__name__}; expected an earlier fwmap.Result")
    if callback is not None and not callable(callback):
        raise InvalidSetting(f"callback is a {type(callback).__name__}; expected a function of a trace row")
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
        result = result_of(run)
    except KeyboardInterrupt:
        run.status = "interrupted"
        result = result_of(run)
    if progress is not None:
        progress.finish(result)
    return result


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
