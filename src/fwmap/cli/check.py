"""`fwmap check`: does a certificate prove what it says of an instance?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..certificate import AlteredCertificate, Certificate
from ..progress import say
from ..settings import Settings
from .exits import NOT_PROVED, NOT_VALID, SOLVED
from .outputs import Quiet
from .reading import Costs, Evidence, ForbiddenAbove, Format, Instance, LogPotentials, Matching, read_instance


def check(
    instance: Instance,
    certificate: Annotated[
        Path,
        typer.Argument(
            metavar="CERTIFICATE", help="What `fwmap solve --certificate` wrote.", show_default=False
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

    The instance must be read as it was for the solve: give the same options.

    Exit codes: 0 the labeling is proved to be optimal, 3 the certificate holds and leaves a gap or rests on
    another program, 4 it does not hold, 2 wrong input.
    """
    settings = Settings(gap=gap, absolute_gap=absolute_gap)
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
