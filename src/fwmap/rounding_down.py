"""Sums and products that are never more than the exact ones."""

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


def multiply_rounding_down(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest numbers at hand that are no more than a * b, for arrays that broadcast.

    >>> float(multiply_rounding_down(np.array([3.0]), np.array([0.1]))[0]) <= 0.3
    True
    """
    total, error = exact_products(a, b)
    return np.where(error < 0, np.nextafter(total, -np.inf), total)


def products_rounded_down(
    weight: NDArray[np.float64],
    transposed: NDArray[np.float64],
    entry: NDArray[np.float64],
    mirrored: NDArray[np.float64],
) -> NDArray[np.float64]:
    """No more than weight * entry + transposed * mirrored (see `product_costs`); inf where `entry` is.

    >>> ones, forbidden = np.ones(1), np.array([np.inf])
    >>> float(products_rounded_down(ones, 2 * ones, 3 * ones, 4 * ones)[0])
    11.0
    >>> float(products_rounded_down(ones, -ones, forbidden, forbidden)[0])
    inf
    """
    first, second = (np.where(np.isposinf(values), 0.0, values) for values in (entry, mirrored))
    costs = multiply_rounding_down(weight, first)
    if transposed.any():
        costs = add_rounding_down(costs, multiply_rounding_down(transposed, second))
    return np.where(np.isposinf(entry), np.inf, costs)


def exact_products(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The rounded products and what rounding took from each (Dekker); factors must be below 1e290.

    >>> [part.tolist() for part in exact_products(np.array([2.0**30 + 1]), np.array([2.0**30 + 1]))]
    [[1.1529215067543306e+18], [1.0]]
    """
    total = a * b
    high_a, high_b = upper_half(a), upper_half(b)
    low_a, low_b = a - high_a, b - high_b
    return total, ((high_a * high_b - total) + high_a * low_b + low_a * high_b) + low_a * low_b


def upper_half(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The leading 26 bits of each number (Veltkamp)."""
    spread = 134217729.0 * values
    return spread - (spread - values)


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
