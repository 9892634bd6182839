"""Sums that are never more than the exact ones."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def add_rounding_down(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest numbers at hand that are no more than a + b; inf where one of them is.

    >>> float(add_rounding_down(np.array([1.0]), np.array([2.0]))[0])
    3.0
    """
    total = a + b
    finite = np.isfinite(total)
    with np.errstate(invalid="ignore"):  # inf - inf, where nothing is to be corrected
        part = total - a
        error = (a - (total - part)) + (b - part)  # Knuth: a + b = total + error, exactly
    return np.where(finite & (error < 0), np.nextafter(total, -np.inf), total)


def sum_rounding_down(values: Iterable[float]) -> float:
    """A number that is no more than the exact sum, and at most one rounding below it.

    >>> sum_rounding_down([1.0, 2.0]) <= 3.0 < sum_rounding_down([1.0, 2.0, 1e-9])
    True
    """
    given = list(values)
    if any(value == math.inf for value in given):
        return math.inf
    total = math.fsum(given)
    return total if math.fsum([*given, -total]) >= 0 else math.nextafter(total, -math.inf)
