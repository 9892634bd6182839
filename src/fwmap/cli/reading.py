"""The options that say how an instance is read, shared by all commands that read one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from .. import formats
from ..errors import InvalidSetting
from ..models import GraphMatching

READING = "Reading"  # heading in the help

Instance = Annotated[
    Path, typer.Argument(metavar="INSTANCE", help="The instance to read.", show_default=False)
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="F",
        help=f"{', '.join(formats.READ)}; by default as the name or content says.",
        show_default=False,
        rich_help_panel=READING,
    ),
]
Costs = Annotated[
    bool,
    typer.Option("--costs", help="UAI: the numbers are costs, to be minimised.", rich_help_panel=READING),
]
LogPotentials = Annotated[
    bool,
    typer.Option("--log-potentials", help="UAI: the numbers are log potentials.", rich_help_panel=READING),
]
Evidence = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Variables whose label is known (a UAI evidence file).",
        show_default=False,
        rich_help_panel=READING,
    ),
]
ForbiddenAbove = Annotated[
    float,
    typer.Option(metavar="COST", help="Finite costs from here on mean forbidden.", rich_help_panel=READING),
]

Matching = Annotated[
    str | None,
    typer.Option(
        metavar="partial|perfect",
        help="Graph matching: left points may stay unassigned, or may not.",
        show_default=False,
        rich_help_panel=READING,
    ),
]


def read_instance(
    instance: Path,
    format: str | None,
    costs: bool,
    log_potentials: bool,
    evidence: Path | None,
    forbidden_above: float,
    matching: str | None = None,
) -> formats.Loaded:
    """Read an instance as the options say; refuse options that contradict each other."""
    if costs and log_potentials:
        raise InvalidSetting("--costs and --log-potentials are both given; expected at most one of them")
    loaded = formats.read(
        instance,
        format=format,
        costs=costs,
        log_potentials=log_potentials,
        evidence=evidence,
        forbidden_above=forbidden_above,
    )
    return loaded if matching is None else with_matching(loaded, matching)


def with_matching(loaded: formats.Loaded, matching: str) -> formats.Loaded:
    """The instance with left points that may stay unassigned, or may not."""
    if matching not in ("partial", "perfect"):
        raise InvalidSetting(f"--matching is {matching!r}; expected partial or perfect")
    if not isinstance(loaded.model, GraphMatching):
        raise InvalidSetting(f"--matching is given, and the instance is no graph matching: {loaded.model}")
    model = loaded.model.with_matching("perfect" if matching == "perfect" else "partial")
    assigned = "every left point is assigned" if matching == "perfect" else "left points may stay unassigned"
    return replace(loaded, model=model, reading=f"{loaded.reading}; asked for: {assigned}")
