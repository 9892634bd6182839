"""Unary costs, shared among the terms of a node without any rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Bits that a share gives up, so that up to 2^20 shares add up exactly.
SPARE_BITS = 20


def equal_shares(
    costs: NDArray[np.float64], copies: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares with (copies - 1) * share + last == costs exactly, all nearly equal; inf goes to every term.

    A share has `SPARE_BITS` fewer digits than a double, so its multiples, and what they leave, are doubles.

    >>> share, last = equal_shares(np.array([0.1]), np.array([3]))
    >>> float(share[0] + share[0] + last[0])
    0.1
    """
    divided = np.where(np.isfinite(costs), costs, 0.0) / np.maximum(copies, 1)
    share = (divided.view(np.uint64) & ~np.uint64((1 << SPARE_BITS) - 1)).view(np.float64)
    with np.errstate(invalid="ignore"):
        last = costs - (copies - 1) * share
    forbidden = np.isinf(costs)
    return np.where(forbidden, np.inf, share), np.where(forbidden, np.inf, last)
