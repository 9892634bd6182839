"""`fwmap convert`: the same model in another format, checked by reading it back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from .. import formats
from ..errors import FwmapError, InvalidModel, InvalidSetting
from ..formats.format import VALUES, Values
from ..progress import say
from ..settings import Settings
from ..summary import small
from .exits import SOLVED
from .outputs import Quiet, check_outputs, written_whole
from .reading import Costs, Evidence, ForbiddenAbove, Format, LogPotentials, read_instance


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The instance to read.", show_default=False)],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.", show_default=False)],
    format: Format = None,
    costs: Costs = False,
    log_potentials: LogPotentials = False,
    evidence: Evidence = None,
    write_as: Annotated[
        str | None,
        typer.Option(
            metavar="potentials|costs|log-potentials", help="UAI: what to write.", show_default=False
        ),
    ] = None,
    resolution: Annotated[
        int | None,
        typer.Option(metavar="DECIMALS", help="wcsp: decimals of a cost to keep.", show_default=False),
    ] = None,
    integer: Annotated[
        bool,
        typer.Option("--integer", help="lp, mps: the integer programme, and not the relaxation."),
    ] = False,
    quiet: Quiet = False,
    forbidden_above: ForbiddenAbove = Settings.forbidden_above,
) -> int:
    """Write an instance in another format, read it back and tell the largest error of a cost.

    The format of OUT follows from the ending of its name. Linear programmes (.lp, .mps) are for other
    solvers, and are not read back.
    """
    if target.exists() and not target.is_file() and not target.is_dir():
        raise InvalidSetting(
            f"OUT {target}: this is a device or a pipe; expected a file that can be read back"
        )
    check_outputs({"OUT": target}, {"IN": source, "the evidence": evidence})
    loaded = read_instance(source, format, costs, log_potentials, evidence, forbidden_above)
    with written_whole(target) as partial, _speaking_of(target, partial):
        written = formats.write(
            loaded, partial, write_as=_values(write_as), resolution=resolution, integer=integer
        )
        if not formats.can_read(partial):
            outcome = f"{written['columns']} columns and {written['rows']} rows for other solvers"
            said = f"{'integer programme' if integer else 'relaxation'} of {outcome}"
        else:
            said = _read_back(loaded, partial, target, written.get("values"), forbidden_above)
    if not quiet:
        say(f"{source}: {loaded.reading}", kind="note")
        say(f"{target}: written as {said}", kind="note")
    return SOLVED


def _read_back(
    loaded: formats.Loaded, partial: Path, target: Path, values: Values | None, forbidden_above: float
) -> str:
    """Compare what was written with the model; return the words about it."""
    back = formats.read(
        partial,
        costs=values == "costs",
        log_potentials=values == "log-potentials",
        forbidden_above=forbidden_above,
    )
    error = formats.compare(loaded.model, back.model)
    if not error < float("inf"):
        raise InvalidModel(f"{target}: what was written reads back as another model; nothing is kept")
    return f"{back.format}, largest error when read back {small(error)}"


@contextlib.contextmanager
def _speaking_of(target: Path, partial: Path) -> Iterator[None]:
    """Let errors name the file that the user knows of, and not the partial one."""
    try:
        yield
    except FwmapError as error:
        raise type(error)(str(error).replace(str(partial), str(target))) from None


def _values(name: str | None) -> Values | None:
    if name is not None and name not in VALUES:
        raise InvalidSetting(f"--write-as is {name!r}; expected one of {', '.join(VALUES)}")
    return next((value for value in VALUES if value == name), None)
