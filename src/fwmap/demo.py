"""The demonstration: a few generated problems, solved and shown in a table and in pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from rich.table import Table
from rich.text import Text

from . import datasets
from .datasets import AnyDataset, Dataset
from .models import MRF, GraphMatching, Tomography
from .plot import (
    plot_before_and_after,
    plot_labeling,
    plot_matching,
    plot_reconstruction,
    plot_trace,
)
from .progress import Progress, say
from .result import STATUS_MEANING, Result
from .solve import solve
from .summary import PROOF_MEANING, count, number, seconds, small

SECONDS_PER_PROBLEM = 6.0
GAP = 1e-4

#: The problems shown, by the name they have in the table.
PROBLEMS: dict[str, Callable[[], AnyDataset]] = {
    "tree": lambda: datasets.tree(2000, 6),
    "noisy-or": lambda: datasets.noisy_or(80, 160),
    "denoising": lambda: datasets.denoising(120, 160, labels=16),
    "stereo": lambda: datasets.stereo(96, 128, disparities=16),
    "spin glass": lambda: datasets.ising(24, 24),
    "side chains": lambda: datasets.side_chains(20, 6),
    "keypoints": lambda: datasets.keypoints(15, 5),
    "tomography": lambda: datasets.random_objects(20, 0.5, directions=4),
}


@dataclass(frozen=True)
class Solved:
    """A problem, what came out, and the pictures of it."""

    data: AnyDataset
    result: Result
    pictures: list[Path]


def run_demo(folder: Path, time_limit: float = SECONDS_PER_PROBLEM) -> bool:
    """Solve every problem, write pictures and an index into `folder`, and show a table.

    Parameters
    ----------
    folder
        Where to write; made when it does not exist.
    time_limit
        Seconds for each problem.

    Returns
    -------
    bool
        False if the user interrupted; what was solved until then is shown and written all the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    solved: dict[str, Solved] = {}
    complete = True
    for name, make_dataset in PROBLEMS.items():
        data = make_dataset()
        say(data.description, kind="note")
        with Progress(report=False) as progress:
            result = solve(data.model, progress=progress, instance=data.name, time_limit=time_limit, gap=GAP)
        solved[name] = Solved(data, result, draw(data, result, folder))
        if result.status == "interrupted":
            complete = False
            break
    say("")
    say(results_table(solved))
    say("")
    say(f"optimal: proved to within {GAP:g}, or by the step between energies", kind="note")
    index = folder / "index.html"
    index.write_text(index_page(solved), encoding="utf-8")
    say(
        f"{sum(len(each.pictures) for each in solved.values())} pictures, shown together in {index}",
        kind="note",
    )
    return complete


def draw(data: AnyDataset, result: Result, folder: Path) -> list[Path]:
    """Draw what there is to see of one problem and return the files written."""
    pictures = []

    def path(what: str) -> Path:
        pictures.append(folder / f"{data.name}_{what}.png")
        return pictures[-1]

    model = data.model
    if isinstance(model, MRF) and data.pictures:
        plot_before_and_after(cast(Dataset[MRF], data), result, path("before_after"))
    if len(result.trace) > 2:  # else it was over before there was anything to see
        plot_trace(result, path("curve"))
    if isinstance(model, MRF) and model.image_shape is not None:
        plot_labeling(result, model, path("labeling"))
    if isinstance(model, Tomography):
        plot_reconstruction(result, model, path("reconstruction"), data.truth)
    if isinstance(model, GraphMatching):
        plot_matching(result, model, path("matching"), truth=data.truth)
    return pictures


def results_table(solved: Mapping[str, Solved]) -> Table:
    """Return the results as a table that fits 80 columns."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold", pad_edge=False)
    table.add_column("instance", no_wrap=True)
    for heading in ("nodes", "edges", "labels"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for heading in ("energy", "bound", "rel. gap", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, each in solved.items():
        model, result = each.data.model, each.result
        field = model if isinstance(model, MRF) else model.field
        table.add_row(
            name,
            count(field.n_nodes),
            count(field.n_edges + field.n_factors),
            str(int(field.n_labels.max())),
            Text(result.status.replace("_", " "), style="green" if result.status == "optimal" else "yellow"),
            number(result.energy, digits=7),
            number(result.bound, digits=7),
            small(result.relative_gap),
            seconds(result.seconds),
        )
    return table


def index_page(solved: Mapping[str, Solved]) -> str:
    """Return a page that shows the pictures with the numbers that belong to them."""
    sections = []
    for each in solved.values():
        result = each.result
        images = "\n".join(f'<img src="{picture.name}" alt="{picture.stem}">' for picture in each.pictures)
        sections.append(
            f"<h2>{each.data.description}</h2>\n"
            f"<p>energy {number(result.energy)}, lower bound {number(result.bound)}, "
            f"relative gap {small(result.relative_gap)}, {seconds(result.seconds)}: "
            f"{STATUS_MEANING[result.status]}{_because(result)}.</p>\n{images}"
        )
    return _PAGE.format(sections="\n".join(sections))


def _because(result: Result) -> str:
    return "" if result.proof is None else f", as {PROOF_MEANING[result.proof]}"


_PAGE = """<!doctype html>
<meta charset="utf-8">
<title>fwmap: demonstration</title>
<style>
body {{ font-family: sans-serif; color: #333; max-width: 60em; margin: 2em auto; padding: 0 1em; }}
h2 {{ font-size: 1.1em; margin-top: 2.5em; }}
img {{ max-width: 100%; display: block; margin: 1em 0; }}
</style>
<h1>What fwmap found</h1>
<p>Every problem below was generated by the package itself. The lower bound proves that no labeling can
have a smaller energy.</p>
{sections}
"""
