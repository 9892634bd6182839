"""The version of the program."""

from __future__ import annotations

import typer

from ..version import __version__


def print_version(wanted: bool) -> None:
    """Print name and version on standard output and end the program, if `wanted`."""
    if wanted:
        typer.echo(f"fwmap {__version__}")
        raise typer.Exit(0)
