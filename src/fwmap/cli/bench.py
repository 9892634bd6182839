"""`fwmap bench`: run a suite of benchmarks, and turn recorded runs into tables and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..bench.jobs import Job
from ..bench.methods import HIGHS, SOLVERS, Method
from ..bench.records import Run, RunFile, read_runs
from ..bench.runner import jobs_of, run_all
from ..bench.suites import SUITES
from ..bench.tables import tables
from ..errors import FwmapError, InvalidSetting
from ..progress import say
from ..summary import number
from .exits import SOLVED
from .outputs import make_folder

#: What `fwmap bench` does with recorded runs, besides running suites.
TABLE, PLOT = "table", "plot"
#: What keeps all methods on one relaxation.
ONE_RELAXATION = {"tighten": False, "exact": False}
#: Its files within the folder of a benchmark.
RUNS_FILE, TABLES_FILE = "runs.jsonl", "tables.md"


def bench(
    what: Annotated[
        str,
        typer.Argument(
            metavar=f"{'|'.join(SUITES)}|{TABLE}|{PLOT}",
            help="A suite to run, or what to make of recorded runs.",
            show_default=False,
        ),
    ],
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUNS]...", help="table, plot: recorded runs.", show_default=False),
    ] = None,
    solvers: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help=f"Methods, among {', '.join(SOLVERS)} and {HIGHS}; a setting follows a colon, as in "
            "fwmap:proximal_weight=10. All of the package's own by default.",
            show_default=False,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S", help="CPU seconds of each run; the suite's own by default.", show_default=False
        ),
    ] = None,
    repetitions: Annotated[int, typer.Option(metavar="N", help="Runs of each, with seeds 0, 1, …")] = 1,
    calibration: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="Scale CPU seconds to a machine whose calibration kernel takes S seconds.",
            show_default=False,
        ),
    ] = None,
    primal: Annotated[bool, typer.Option("--primal", help="Look for labelings, too.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this instance; may be repeated.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder of reference instances.",
            envvar="FWMAP_REFERENCE_DATA",
            show_default=False,
            show_envvar=True,
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Where runs, tables and figures go: bench-SUITE.", show_default=False
        ),
    ] = None,
) -> int:
    """Run a suite by several methods, each run in a process of its own with one thread.

    A finished run is on disk at once and never run again: what was killed goes on where it was. At the end
    the tables and figures are made; `table` prints them from RUNS, `plot` draws them again.
    """
    if what == TABLE:
        typer.echo(tables(_recorded(files)), nl=False)
        return SOLVED
    if what == PLOT:
        _plot(_recorded(files), folder or Path())
        return SOLVED
    if what not in SUITES:
        raise InvalidSetting(
            f"there is no suite {what!r}; expected one of {', '.join([*SUITES, TABLE, PLOT])}"
        )
    if files:
        raise InvalidSetting(f"{files[0]}: a suite takes no files of runs; expected --folder")
    if repetitions < 1:
        raise InvalidSetting(f"--repetitions is {repetitions}; expected at least 1")
    if seconds is not None and not seconds > 0:
        raise InvalidSetting(f"--seconds is {seconds:g}; expected a number > 0")
    if calibration is not None and not calibration > 0:
        raise InvalidSetting(f"--calibration is {calibration:g}; expected a number > 0")
    suite = SUITES[what]
    methods = [Method.parse(text) for text in (solvers.split(",") if solvers else SOLVERS)]
    instances = suite.instances(data, only or ())
    limit = suite.seconds if seconds is None else seconds
    given = {"primal": primal, **ONE_RELAXATION}
    jobs = jobs_of(instances, methods, repetitions, limit, given, calibration)
    _run(jobs, folder or Path(f"bench-{what}"))
    return SOLVED


def _run(jobs: list[Job], folder: Path) -> None:
    """Run what is not recorded in `folder` yet, then make tables and figures of all that is."""
    make_folder(folder)
    file = RunFile(folder / RUNS_FILE)
    left = [job for job in jobs if not file.has(job)]
    done = len(jobs) - len(left)
    if done:
        say(f"{done} of {len(jobs)} runs are recorded in {file.path} already", kind="note")

    def tell(run: Run) -> None:
        place = f"{len(file.runs):4d}"
        if run["status"] == "not_applicable":
            say(f"{place}  {run['instance']:24s} {run['method']:24s} does not apply: {run['reason']}")
            return
        bound = number(run["bound"], digits=9)
        say(
            f"{place}  {run['instance']:24s} {run['method']:24s} {run['status']:14s} "
            f"{bound:>14s} {run['cpu_seconds']:7.2f} s"
        )

    failures = run_all(left, file, tell)
    for failure in failures:
        say(failure, kind="error")
    if file.runs:
        (folder / TABLES_FILE).write_text(tables(file.runs), encoding="utf-8")
        say(f"tables in {folder / TABLES_FILE}", kind="note")
        _plot(file.runs, folder)
    if failures:
        raise FwmapError(f"{len(failures)} runs failed; start again to try them once more")


def _recorded(files: list[Path] | None) -> list[Run]:
    """The runs of all files; a folder stands for the file of runs in it."""
    if not files:
        raise InvalidSetting(f"no files of runs are given; expected some, such as bench-quick/{RUNS_FILE}")
    runs = read_runs([path / RUNS_FILE if path.is_dir() else path for path in files])
    if not runs:
        raise InvalidSetting(f"{files[0]}: no runs are recorded there")
    return runs


def _plot(runs: list[Run], folder: Path) -> None:
    """Draw what there is to draw."""
    from ..bench.figures import draw_all
    from ..plot import check_can_plot

    check_can_plot()
    make_folder(folder)
    drawn = draw_all(runs, folder)
    say(f"figures in {', '.join(map(str, drawn))}", kind="note")
