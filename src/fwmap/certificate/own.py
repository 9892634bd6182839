"""The bound of a decomposition with oracles of one's own: as good as their minima are exact."""

from __future__ import annotations

import math

import numpy as np

from ..errors import InvalidModel
from ..models import Decomposition
from ..rounding_down import add_rounding_down, sum_rounding_down
from .certificate import Certificate


def check_own(certificate: Certificate, model: Decomposition) -> tuple[float, float]:
    """The sum of the oracles' minima, less what the multipliers do not sum to zero by, and its size.

    InvalidModel where the certificate is another model's.
    """
    c = certificate
    variables = [member.variables for member in model.members]
    flat = np.concatenate([np.zeros(0, np.int64), *variables])
    if len(c.n_labels) != model.n_variables or not np.array_equal(c.term_nodes, flat):
        raise InvalidModel("the certificate's terms are not the model's oracles")
    if c.multipliers.shape != (1, len(flat)) or len(c.cutoffs):
        raise InvalidModel("the certificate's multipliers are not one row over its oracles' variables")
    given = c.multipliers[0]
    if not np.isfinite(given).all():
        raise InvalidModel("a multiplier is not a finite number")
    total = np.zeros(model.n_variables)
    minima, start = [model.constant], 0
    for member in model.members:
        own = given[start : start + len(member.variables)]
        start += len(own)
        total[member.variables] = add_rounding_down(total[member.variables], -own)
        indices, cost = member.oracle.minimize(own.copy())
        if cost == math.inf:
            return math.inf, math.inf
        chosen = np.sort(np.asarray(indices, np.int64))
        minima.append(sum_rounding_down([float(cost), *own[chosen].tolist()]))
    summands = [*minima, *np.minimum(total, 0.0).tolist()]
    return sum_rounding_down(summands), math.fsum(map(abs, summands))
