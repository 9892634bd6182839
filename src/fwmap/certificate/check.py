"""A certificate against a model: everything recomputed, nothing believed, in NumPy alone."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from ..errors import InvalidModel
from ..models import Decomposition, Model
from ..models.step import energy_step
from .certificate import Certificate
from .own import check_own
from .proof import SLACK, Failure, Proof
from .verdict import Verdict

#: Sums of zeros, rounded down, are so close to zero.
TINY = float(np.finfo(np.float64).tiny)


def check(certificate: Certificate, model: Model, *, gap: float, absolute_gap: float) -> Verdict:
    """Recompute energy, removals and bound, and say what they prove."""
    energy = bound = None
    removed = 0
    try:
        if certificate.model != type(model).__name__:
            raise Failure(f"it is about a {certificate.model}, and this model is a {type(model).__name__}")
        energy = check_energy(certificate, model)
        if isinstance(model, Decomposition):
            bound, size = check_own(certificate, model)
        else:
            proof = Proof(certificate, model)
            bound, size = proof.bound()
            removed = int(np.count_nonzero(certificate.removed_at >= 0))
        check_claims(certificate, bound, SLACK * size + TINY)
    except (Failure, InvalidModel) as failure:
        return Verdict(False, False, energy, bound, [str(failure)], removed=removed)
    return verdict_of(certificate, model, energy, bound, removed, (gap, absolute_gap))


def verdict_of(
    certificate: Certificate,
    model: Model,
    energy: float | None,
    bound: float,
    removed: int,
    gaps: tuple[float, float],
) -> Verdict:
    """What a certificate that holds proves."""
    if energy is None:
        return Verdict(True, False, None, bound, removed=removed)
    if meets(energy, bound, *gaps):
        return Verdict(True, True, energy, bound, removed=removed)
    step = energy_step(model)
    if step is not None and Fraction(energy) - Fraction(bound) < Fraction(step):
        return Verdict(True, True, energy, bound, removed=removed, by_step=step)
    exact, solver = certificate.exact_bound, certificate.exact_solver
    rests = solver if not math.isnan(exact) and meets(energy, exact, *gaps, step=step) else None
    return Verdict(True, False, energy, bound, rests_on=rests, removed=removed)


def meets(energy: float, bound: float, gap: float, absolute_gap: float, step: float | None = None) -> bool:
    """True where energy and bound are as close as asked, or closer than energies can be apart."""
    difference = energy - bound
    close = difference <= gap * max(abs(energy), abs(bound)) or difference <= absolute_gap
    return close or (step is not None and difference < step)


def check_energy(certificate: Certificate, model: Model) -> float | None:
    """The energy of the labeling, which must be the one claimed."""
    if not len(certificate.labeling):
        if not math.isnan(certificate.energy) and len(certificate.n_labels):
            raise Failure(f"it claims an energy of {certificate.energy!r} and has no labeling")
        if len(certificate.n_labels):
            return None
    if isinstance(model, Decomposition):
        energy = model.energy(certificate.labeling)
        if energy is None:  # its oracles have no cost: the claim is all there is
            return None
    else:
        energy = model.energy(certificate.labeling)
    if energy != certificate.energy:
        raise Failure(f"the labeling has the energy {energy!r}; it claims {certificate.energy!r}")
    return energy


def check_claims(certificate: Certificate, bound: float, slack: float) -> None:
    """Refuse a claimed bound that is not the recomputed one, up to rounding."""
    claimed = certificate.lower_bound
    if claimed != bound and not abs(claimed - bound) <= slack:
        raise Failure(f"the multipliers prove the bound {bound!r}; it claims {claimed!r}")
    if certificate.energy < bound - slack:
        raise Failure(f"the bound {bound!r} lies above the energy {certificate.energy!r}")
    if math.isnan(certificate.exact_bound) != (not certificate.exact_solver):
        raise Failure("an exact bound has a solver that found it, and a solver a bound")
    if certificate.energy < certificate.exact_bound - slack:
        raise Failure(f"its exact bound {certificate.exact_bound!r} lies above the energy")
