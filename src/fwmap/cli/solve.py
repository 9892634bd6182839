"""`fwmap solve`: an instance in; labeling, bound and what is known about both out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from .. import formats
from ..errors import InvalidSetting
from ..progress import Progress, say
from ..result import Result
from ..settings import DECOMPOSITIONS, SOLVERS, Decomposed, Settings, Solver
from ..solve import solve as run
from ..summary import number
from .exits import INFEASIBLE, INTERRUPTED, SOLVED
from .interrupts import HeldInterrupts, HoldingProgress
from .options import METHOD, STOPPING, Gap, Iterations, Seed, Threads, TimeLimit
from .outputs import OUTPUT, OutputFile, Quiet, check_outputs, write_json, written_whole
from .reading import Costs, Evidence, ForbiddenAbove, Format, Instance, LogPotentials, Matching, read_instance
from .trace_file import TraceFile


def solve(
    instance: Instance,
    format: Format = None,
    costs: Costs = False,
    log_potentials: LogPotentials = False,
    evidence: Evidence = None,
    matching: Matching = None,
    forbidden_above: ForbiddenAbove = Settings.forbidden_above,
    solver: Annotated[
        str,
        typer.Option(
            metavar="|".join(SOLVERS), help="Which method raises the bound.", rich_help_panel=METHOD
        ),
    ] = Settings.solver,
    decomposition: Annotated[
        str,
        typer.Option(
            metavar="|".join(DECOMPOSITIONS),
            help="How matchings and tomography are split into oracles; auto is the best known.",
            rich_help_panel=METHOD,
        ),
    ] = Settings.decomposition,
    time_limit: TimeLimit = None,
    iterations: Iterations = None,
    gap: Gap = Settings.gap,
    absolute_gap: Annotated[
        float, typer.Option(metavar="G", help="Absolute gap that counts as solved.", rich_help_panel=STOPPING)
    ] = Settings.absolute_gap,
    threads: Threads = None,
    seed: Seed = Settings.seed,
    proximal_weight: Annotated[
        str,
        typer.Option(
            metavar="auto|paper|NUMBER", help="Weight of the proximal term.", rich_help_panel=METHOD
        ),
    ] = "auto",
    no_tighten: Annotated[
        bool,
        typer.Option(
            "--no-tighten", help="Keep to the relaxation of forests and factors.", rich_help_panel=METHOD
        ),
    ] = False,
    no_primal: Annotated[
        bool, typer.Option("--no-primal", help="Find the bound only, no labeling.", rich_help_panel=METHOD)
    ] = False,
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--no-exact",
            help="Finish with an exact solver (unasked: where little is left and one is installed).",
            show_default=False,
            rich_help_panel=METHOD,
        ),
    ] = None,
    finish: Annotated[
        bool | None,
        typer.Option(
            "--finish/--no-finish",
            help="Solve a relaxation as a linear programme where the bound crawls (unasked: with HiGHS).",
            show_default=False,
            rich_help_panel=METHOD,
        ),
    ] = None,
    output: OutputFile = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl",
            help="One line of JSON per evaluated point.",
            show_default=False,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    result: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.MPE",
            help="The labeling as a UAI result file.",
            show_default=False,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.npz",
            help="What proves the bound, for `fwmap check`.",
            show_default=False,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.png", help="A picture of the run.", show_default=False, rich_help_panel=OUTPUT
        ),
    ] = None,
    quiet: Quiet = False,
) -> int:
    """Find a labeling of low energy and prove a lower bound.

    Ctrl-C ends the run with the best labeling and bound so far. The JSON result goes to --output, or to
    standard output when that is not a terminal.

    Exit codes: 0 solved or a limit was reached, 1 infeasible, 2 wrong input, 130 interrupted.
    """
    settings = Settings(
        solver=cast(Solver, solver),  # which refuses what it does not know
        decomposition=cast(Decomposed, decomposition),
        time_limit=time_limit,
        iterations=iterations,
        gap=gap,
        absolute_gap=absolute_gap,
        threads=threads,
        seed=seed,
        proximal_weight=_proximal_weight(proximal_weight),
        tighten=not no_tighten,
        primal=not no_primal,
        exact="auto" if exact is None else exact,
        finish="auto" if finish is None else finish,
        forbidden_above=forbidden_above,
    )
    check_outputs(
        {
            "--output": output,
            "--trace": trace,
            "--result": result,
            "--certificate": certificate,
            "--plot": plot,
        },
        {"the instance": instance, "the evidence": evidence},
    )
    if plot is not None:
        from ..plot import check_can_plot

        check_can_plot(plot)
    loaded = read_instance(instance, format, costs, log_potentials, evidence, forbidden_above, matching)
    if not quiet:
        say(f"{instance}: {loaded.reading}", kind="note")
    with HeldInterrupts() as interrupts, HoldingProgress(interrupts, quiet) as progress:
        outcome, trace_error = _run(loaded, settings, str(instance), progress, trace)
        interrupts.hold()
        log_value = None if outcome.energy is None else loaded.log_value(outcome.energy)
        if log_value is not None and not quiet:
            say(f"logarithm of the product of the potentials: {number(log_value)}", kind="note")
        facts = {"format": loaded.format, "reading": loaded.reading, "log_value": log_value}
        write_json(outcome.as_dict() | facts, output)
        if result is not None:
            _write_labeling(outcome, result)
        if certificate is not None:
            _write_certificate(outcome, certificate)
        if plot is not None:
            from ..plot import plot_run

            with written_whole(plot) as partial:
                plot_run(outcome, loaded.model, partial)
        if trace_error is not None:
            raise trace_error
    if outcome.status == "interrupted" or interrupts.happened:
        return INTERRUPTED
    return INFEASIBLE if outcome.status == "infeasible" else SOLVED


def _run(
    loaded: formats.Loaded, settings: Settings, name: str, progress: Progress, trace: Path | None
) -> tuple[Result, OSError | None]:
    """Solve, and return the result and what kept the trace from being complete."""
    if trace is None:
        return run(loaded.model, progress=progress, instance=name, **settings.as_dict()), None
    with TraceFile(trace) as rows:
        outcome = run(
            loaded.model, progress=progress, callback=rows.write, instance=name, **settings.as_dict()
        )
    return outcome, rows.error


def _write_labeling(outcome: Result, path: Path) -> None:
    if outcome.labeling is None:
        say(f"no labeling is known, so {path} is not written", kind="note")
        return
    with written_whole(path) as partial:
        formats.write_result(outcome.labeling, partial)


def _write_certificate(outcome: Result, path: Path) -> None:
    if outcome.certificate is None:
        say(f"nothing is proved by multipliers, so {path} is not written", kind="note")
        return
    with written_whole(path) as partial:
        outcome.certificate.save(partial)


def _proximal_weight(text: str) -> float | Literal["auto", "paper"]:
    if text == "auto":
        return "auto"
    if text == "paper":
        return "paper"
    try:
        return float(text)
    except ValueError:
        raise InvalidSetting(f"--proximal-weight is {text!r}; expected auto, paper or a number > 0") from None
