"""Unary costs: from what a user may write to one flat array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidModel
from .arrays import Floats, Ints, as_costs, as_list, offsets_of


def flat_unaries(unaries: ArrayLike | Sequence[ArrayLike]) -> tuple[Ints, Floats]:
    """Return the number of labels of each variable, and all costs in one array.

    Examples
    --------
    >>> flat_unaries([[1, 2], [3, 4, 5]])
    (array([2, 3]), array([1., 2., 3., 4., 5.]))
    """
    if isinstance(unaries, np.ndarray) and unaries.ndim == 2:
        costs = as_costs(unaries, "unaries")
        n, k = costs.shape
        check_label_counts(np.full(n, k))
        return np.full(n, k), costs.reshape(-1)
    if isinstance(unaries, np.ndarray) and unaries.dtype.kind != "O":
        raise InvalidModel(
            f"unaries have shape {unaries.shape}; expected (variables, labels), or a sequence of 1-D arrays"
        )
    given = as_list(unaries, "unaries", "one array of costs per variable")  # type: ignore[arg-type]
    blocks = [as_costs(costs, f"the costs of variable {v}") for v, costs in enumerate(given)]
    for v, block in enumerate(blocks):
        if block.ndim != 1:
            raise InvalidModel(
                f"the costs of variable {v} have shape {block.shape}; expected one number per label"
            )
    n_labels = np.array([len(block) for block in blocks], dtype=np.int64)
    check_label_counts(n_labels)
    return n_labels, np.concatenate([np.zeros(0), *blocks])


def check_label_counts(n_labels: Ints) -> None:
    """Refuse a variable that has no label."""
    bad = np.flatnonzero(n_labels < 1)
    if len(bad):
        raise InvalidModel(f"variable {bad[0]} has {n_labels[bad[0]]} labels; expected at least 1")


def locate_unary(n_labels: Ints, index: int) -> str:
    """Return the words that name an entry of the flat unaries."""
    offsets = offsets_of(n_labels)
    v = int(np.searchsorted(offsets, index, side="right")) - 1
    return f"the cost of label {index - int(offsets[v])} of variable {v}"


def locate_addition(v: int, index: int) -> str:
    """Return the words that name an entry of a unary factor on variable `v`."""
    return f"the cost of label {index} of variable {v}"
