"""Options that several commands have in common."""

from __future__ import annotations

from typing import Annotated

import typer

STOPPING, METHOD = "Stopping", "Method"  # headings in the help

TimeLimit = Annotated[
    float | None,
    typer.Option(metavar="S", help="Seconds, at most.", show_default=False, rich_help_panel=STOPPING),
]
Iterations = Annotated[
    int | None,
    typer.Option(metavar="N", help="Iterations, at most.", show_default=False, rich_help_panel=STOPPING),
]
Gap = Annotated[
    float, typer.Option(metavar="G", help="Relative gap that counts as solved.", rich_help_panel=STOPPING)
]
Threads = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Threads that share the work (unasked: one for each core); the result does not depend on it.",
        show_default=False,
        rich_help_panel=METHOD,
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of the order of blocks.", rich_help_panel=METHOD)]
