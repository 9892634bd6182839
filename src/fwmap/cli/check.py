"""`fwmap check`: does a certificate prove what it says of an instance?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .. import formats
from ..certificate import AlteredCertificate, Certificate
from ..errors import InvalidSetting
from ..formats.files import suffix_of
from ..formats.qaplib import energies_of, read_solution
from ..models import GraphMatching
from ..progress import say
from ..settings import Settings
from ..summary import number
from .exits import NOT_PROVED, NOT_VALID, SOLVED
from .outputs import Quiet
from .reading import Costs, Evidence, ForbiddenAbove, Format, Instance, LogPotentials, Matching, read_instance


def check(
    instance: Instance,
    certificate: Annotated[
        Path,
        typer.Argument(
            metavar="CERTIFICATE",
            help="What `fwmap solve --certificate` wrote, or a .sln file of QAPLIB.",
            show_default=False,
        ),
    ],
    format: Format = None,
    costs: Costs = False,
    log_potentials: LogPotentials = False,
    evidence: Evidence = None,
    matching: Matching = None,
    forbidden_above: ForbiddenAbove = Settings.forbidden_above,
    gap: Annotated[
        float, typer.Option(metavar="G", help="Relative gap that counts as proved.")
    ] = Settings.gap,
    absolute_gap: Annotated[
        float, typer.Option(metavar="G", help="Absolute gap that counts as proved.")
    ] = Settings.absolute_gap,
    quiet: Quiet = False,
) -> int:
    """Recompute energy and bound of a certificate from the instance alone, without the solver.

    The instance must be read as it was for the solve: give the same options. A .sln file, which has a
    permutation and its cost, is checked for that cost and proves nothing more.

    Exit codes: 0 the labeling is proved to be optimal, 3 the certificate holds and leaves a gap or rests on
    another program, 4 it does not hold, 2 wrong input.
    """
    settings = Settings(gap=gap, absolute_gap=absolute_gap)
    if suffix_of(certificate) == ".sln":
        loaded = read_instance(instance, format, costs, log_potentials, evidence, forbidden_above, matching)
        return check_solution(loaded, certificate, quiet)
    try:
        given = Certificate.load(certificate)
    except AlteredCertificate as error:
        say(str(error), kind="error")
        return NOT_VALID
    loaded = read_instance(instance, format, costs, log_potentials, evidence, forbidden_above, matching)
    verdict = given.check(loaded.model, gap=settings.gap, absolute_gap=settings.absolute_gap)
    if not quiet:
        say(str(verdict))
    if not verdict.holds:
        return NOT_VALID
    return SOLVED if verdict.proved else NOT_PROVED


def check_solution(loaded: formats.Loaded, path: Path, quiet: bool) -> int:
    """Tell whether the permutation of a .sln file, or its inverse, costs what the file says."""
    if not isinstance(loaded.model, GraphMatching):
        raise InvalidSetting(f"{path}: solutions are those of matchings, and the instance is {loaded.model}")
    solution = read_solution(path)
    own, inverse = energies_of(loaded.model, solution)
    agrees = solution.value in (own, inverse)
    if not quiet:
        say(
            f"{path}: says {number(solution.value, 17)}; the permutation costs {number(own, 17)}, "
            f"its inverse {number(inverse, 17)}"
        )
        say("NOT PROVED: the cost is right, and no bound is given" if agrees else "the cost is WRONG")
    return NOT_PROVED if agrees else NOT_VALID
