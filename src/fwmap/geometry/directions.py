"""Rational directions, and the rays into which each of them cuts an image."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..errors import InvalidModel
from ..models.arrays import Ints, offsets_of

#: (p, q): the pixels (row y, column x) with equal p x + q y are on one ray.
Direction = tuple[int, int]

#: A number of directions, see `directions`, or the directions themselves.
Directions = int | Sequence[Direction]

#: Rows, columns, the two diagonals, x + 2y, 2x + y.
FIRST: tuple[Direction, ...] = ((0, 1), (1, 0), (1, 1), (1, -1), (1, 2), (2, 1))


def directions(n: int) -> list[Direction]:
    """Return the first `n` directions.

    A direction (p, q) has one ray for each value of p x + q y, where x is the column and y the row of a
    pixel. The order is rows, columns, the two diagonals, x + 2y, 2x + y, and then all others with coprime p
    and q by the larger of |p| and |q|.

    Examples
    --------
    >>> directions(6)
    [(0, 1), (1, 0), (1, 1), (1, -1), (1, 2), (2, 1)]
    >>> directions(10)[6:]
    [(1, -2), (2, -1), (1, 3), (3, 1)]
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise InvalidModel(f"the number of directions is {n!r}; expected an integer >= 0")
    chosen, largest = list(FIRST), 1
    while len(chosen) < n:
        largest += 1
        smaller = [p for p in range(1, largest) if math.gcd(p, largest) == 1]
        pairs = [
            pair for sign in (1, -1) for p in smaller for pair in ((p, sign * largest), (largest, sign * p))
        ]
        chosen.extend(pair for pair in pairs if pair not in FIRST)
    return chosen[:n]


def rays(shape: tuple[int, int], direction: Direction) -> list[Ints]:
    """Return the pixels of each ray of a direction; every pixel is in exactly one.

    Parameters
    ----------
    shape
        Height and width; pixel (row, column) has the number row * width + column.
    direction
        (p, q), see `directions`. Common factors change nothing.

    Returns
    -------
    list of arrays
        By increasing p x + q y; the pixels of a ray in increasing order. Rays of one pixel occur.

    Examples
    --------
    >>> [ray.tolist() for ray in rays((2, 3), (0, 1))]
    [[0, 1, 2], [3, 4, 5]]
    >>> [ray.tolist() for ray in rays((2, 3), (1, -1))]
    [[3], [0, 4], [1, 5], [2]]
    """
    height, width = checked_shape(shape)
    p, q = checked_direction(direction)
    value = (p * np.arange(width) + q * np.arange(height)[:, None]).reshape(-1)
    _, lengths = np.unique(value, return_counts=True)
    return np.split(np.argsort(value, kind="stable"), offsets_of(lengths)[1:-1])


def rays_of(shape: tuple[int, int], given: Directions) -> list[list[Ints]]:
    """Return the rays of each of several directions.

    Examples
    --------
    >>> [len(own) for own in rays_of((4, 4), 6)]
    [4, 4, 7, 7, 10, 10]
    """
    chosen = directions(int(given)) if isinstance(given, (int, np.integer)) else list(given)
    reduced = [checked_direction(direction) for direction in chosen]
    for i, direction in enumerate(reduced):
        first = reduced.index(direction)
        if first < i:
            raise InvalidModel(
                f"the directions {first} and {i}, {chosen[first]} and {chosen[i]}, have the same rays; "
                "expected different directions"
            )
    return [rays(shape, direction) for direction in chosen]


def checked_direction(given: object) -> Direction:
    """Return a direction without common factors and with its first entry that is not 0 positive.

    Examples
    --------
    >>> checked_direction((-2, 4))
    (1, -2)
    """
    pair = tuple(given) if isinstance(given, (tuple, list, np.ndarray)) else ()
    if len(pair) != 2 or any(isinstance(x, bool) or not isinstance(x, (int, np.integer)) for x in pair):
        raise InvalidModel(f"a direction is {given!r}; expected two integers (p, q)")
    p, q = int(pair[0]), int(pair[1])
    if p == q == 0:
        raise InvalidModel("a direction is (0, 0); expected (p, q) with one of them not 0")
    divisor = math.gcd(p, q) * (1 if (p, q) > (0, 0) else -1)
    return p // divisor, q // divisor


def checked_shape(shape: object) -> tuple[int, int]:
    """Return height and width, or refuse what is none."""
    pair = tuple(shape) if isinstance(shape, (tuple, list)) else ()
    if len(pair) != 2 or any(
        isinstance(x, bool) or not isinstance(x, (int, np.integer)) or x < 1 for x in pair
    ):
        raise InvalidModel(f"shape is {shape!r}; expected (height, width), two integers >= 1")
    return int(pair[0]), int(pair[1])
