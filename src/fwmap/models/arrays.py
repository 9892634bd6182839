"""Checked arrays: every number that enters a model passes here once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidModel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def as_costs(values: ArrayLike, what: str) -> Floats:
    """Return `values` as a new float64 array; refuse what are not real numbers.

    `what` is its name in the error message, and is followed by "has".
    """
    if isinstance(values, np.ma.MaskedArray):
        raise InvalidModel(f"{what} is a masked array; expected plain numbers (inf where forbidden)")
    try:
        array = np.asarray(values)
    except ValueError:
        raise InvalidModel(f"{what} has rows of different lengths; expected a rectangular array") from None
    if array.dtype.kind not in "biuf":
        raise InvalidModel(f"{what} has entries of type {array.dtype}; expected real numbers")
    return np.array(array, dtype=np.float64, order="C")


def as_indices(values: ArrayLike, what: str) -> Ints:
    """Return `values` as a new int64 array; refuse floats even where they happen to be whole."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise InvalidModel(f"{what} has rows of different lengths; expected a rectangular array") from None
    if array.size and array.dtype.kind not in "iu":
        raise InvalidModel(f"{what} has entries of type {array.dtype}; expected integers")
    return np.array(array, dtype=np.int64, order="C")


def as_list(values: Iterable[Any], what: str, of: str) -> list[Any]:
    """Return the elements of a sequence, or raise InvalidModel saying of what there was to be one."""
    try:
        return list(values)
    except TypeError:
        raise InvalidModel(f"{what} is a {type(values).__name__}; expected a sequence of {of}") from None


def read_forbidden(costs: Floats, forbidden_above: float, locate: Callable[[int], str]) -> int:
    """Turn finite entries >= `forbidden_above` into inf, in place, and return how many there were.

    NaN and -inf are refused; `locate` turns the flat index of an entry into the words that name it.
    """
    flat = costs.reshape(-1)
    if flat.size == 0:
        return 0
    lowest = float(flat.min())
    if math.isnan(lowest) or lowest == -math.inf:
        where = int(np.flatnonzero(np.isnan(flat) | (flat == -math.inf))[0])
        raise InvalidModel(
            f"{locate(where)} is {flat[where]}; expected a finite cost, or inf where forbidden"
        )
    if float(flat.max()) < forbidden_above:
        return 0
    read = (flat >= forbidden_above) & np.isfinite(flat)
    if not read.any():  # arrays of an existing model are read-only, and have been read
        return 0
    flat[read] = math.inf
    return int(np.count_nonzero(read))


def finite_range(*arrays: Floats) -> tuple[float, float] | None:
    """Return the smallest and the largest finite entry of all arrays, or None where there is none.

    Examples
    --------
    >>> finite_range(np.array([1.0, np.inf]), np.array([-2.0]))
    (-2.0, 1.0)
    """
    lowest, highest = math.inf, -math.inf
    for array in arrays:
        if array.size == 0:
            continue
        finite = np.isfinite(array)
        lowest = min(lowest, float(np.min(array, where=finite, initial=math.inf)))
        highest = max(highest, float(np.max(array, where=finite, initial=-math.inf)))
    return None if lowest > highest else (lowest, highest)


def check_forbidden_above(value: float) -> float:
    """Return the threshold above which a finite cost means forbidden, checked."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not float(value) > 0:
        raise InvalidModel(
            f"forbidden_above is {value!r}; expected a number > 0 (inf: read none as forbidden)"
        )
    return float(value)


def offsets_of(sizes: Ints) -> Ints:
    """Return where each of consecutive blocks of the given sizes starts, and where the last one ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])


def check_size(given: object, what: str) -> int:
    """Return a number of things, or raise InvalidModel.

    >>> check_size(np.int32(3), "n_left")
    3
    """
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 0:
        raise InvalidModel(f"{what} is {given!r}; expected an integer >= 0")
    return int(given)
