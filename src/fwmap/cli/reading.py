"""The options that say how an instance is read, shared by all commands that read one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .. import formats
from ..errors import InvalidSetting

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


def read_instance(
    instance: Path,
    format: str | None,
    costs: bool,
    log_potentials: bool,
    evidence: Path | None,
    forbidden_above: float,
) -> formats.Loaded:
    """Read an instance as the options say; refuse options that contradict each other."""
    if costs and log_potentials:
        raise InvalidSetting("--costs and --log-potentials are both given; expected at most one of them")
    return formats.read(
        instance,
        format=format,
        costs=costs,
        log_potentials=log_potentials,
        evidence=evidence,
        forbidden_above=forbidden_above,
    )
