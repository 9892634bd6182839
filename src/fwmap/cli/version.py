"""The version of the program."""

from __future__ import annotations

from importlib import metadata

import typer


def print_version(wanted: bool) -> None:
    """Print name and version on standard output and end the program, if `wanted`."""
    if wanted:
        typer.echo(f"fwmap {metadata.version('fwmap')}")
        raise typer.Exit(0)
