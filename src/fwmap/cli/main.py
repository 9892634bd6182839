"""`fwmap`: the list of commands, and the one way in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from .bench import bench
from .check import check
from .convert import convert
from .demo import demo
from .exits import report_and_exit_code, reporting
from .info import info
from .interrupts import interruptible
from .solve import solve
from .tomography import tomography
from .version import print_version

COMMANDS = (solve, check, info, convert, tomography, demo, bench)

app = typer.Typer(
    name="fwmap",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def fwmap(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=print_version, is_eager=True),
    ] = False,
) -> None:
    """Low-energy labelings of discrete energies, with a proof of how good they are."""


for command in COMMANDS:
    app.command()(reporting(command))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    arguments
        What follows the program's name; taken from the command line when absent.

    Returns
    -------
    int
        0 solved or a limit was reached (check: proved), 1 infeasible, 2 wrong input or usage, 3 and 4 a
        certificate that proves no optimum, or does not hold, 130 interrupted (after the results so far
        were written), 70 an error of the program itself.
    """
    with interruptible():
        return report_and_exit_code(lambda: app(args=arguments, prog_name="fwmap", standalone_mode=False))
