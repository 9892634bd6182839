"""Tables that occur again and again in a file, stored once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..models.arrays import Floats, Ints, offsets_of

BLOCK = 1 << 20  # numbers looked at together, so that temporary arrays stay small


@dataclass(eq=False)
class Pool:
    """Tables one after the other; user number i has the table `index[i]`."""

    values: Floats
    offsets: Ints
    index: Ints


def share_equal_tables(pool: Pool, shape_numbers: Ints) -> Pool:
    """Return a pool with each distinct table once, or `pool` itself where that saves less than half.

    Tables are equal when all bits and the shapes (`shape_numbers`, one per table) are.

    Examples
    --------
    >>> pool = Pool(np.array([1.0, 2.0, 1.0, 2.0]), np.array([0, 2, 4]), np.array([0, 1]))
    >>> share_equal_tables(pool, np.array([0, 0])).index.tolist()
    [0, 0]
    """
    n_tables = len(pool.offsets) - 1
    if n_tables < 2:
        return pool
    _, first, distinct = np.unique(_hashes(pool, shape_numbers), return_index=True, return_inverse=True)
    if 2 * len(first) > n_tables:
        return pool
    twin = first[distinct.reshape(-1)]
    if not _equal(pool, shape_numbers, twin):
        return pool
    kept = np.sort(first)
    number = np.zeros(n_tables, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    sizes = np.diff(pool.offsets)
    chosen = np.zeros(n_tables, dtype=bool)
    chosen[kept] = True
    values = pool.values[np.repeat(chosen, sizes)]
    return Pool(values, offsets_of(sizes[kept]), number[twin[pool.index]])


def _blocks(offsets: Ints) -> list[tuple[int, int]]:
    """Return ranges of tables with about `BLOCK` numbers each."""
    ends = np.searchsorted(offsets, np.arange(BLOCK, offsets[-1] + BLOCK, BLOCK), side="left")
    ends = np.unique(np.minimum(ends, len(offsets) - 1))
    return list(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True))


def _hashes(pool: Pool, shape_numbers: Ints) -> NDArray[np.uint64]:
    """Return a hash per table: the sum of its bits times pseudo-random odd numbers, modulo 2^64."""
    bits = pool.values.view(np.uint64)
    sizes = np.diff(pool.offsets)
    multipliers = _mixed(np.arange(sizes.max(), dtype=np.uint64)) | np.uint64(1)
    hashes = _mixed(_mixed(sizes.astype(np.uint64)) + shape_numbers.astype(np.uint64))
    for begin, end in _blocks(pool.offsets):
        starts = pool.offsets[begin:end] - pool.offsets[begin]
        entries = np.arange(pool.offsets[end] - pool.offsets[begin]) - np.repeat(starts, sizes[begin:end])
        products = _mixed(bits[pool.offsets[begin] : pool.offsets[end]]) * multipliers[entries]
        hashes[begin:end] += np.add.reduceat(products, starts)
    return hashes


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the numbers with their bits well mixed (the finaliser of splitmix64)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _equal(pool: Pool, shape_numbers: Ints, twin: Ints) -> bool:
    """Return whether each table equals its twin in bits and shape."""
    sizes = np.diff(pool.offsets)
    if not (np.array_equal(sizes, sizes[twin]) and np.array_equal(shape_numbers, shape_numbers[twin])):
        return False
    bits = pool.values.view(np.uint64)
    for begin, end in _blocks(pool.offsets):
        moved = np.repeat(pool.offsets[twin[begin:end]] - pool.offsets[begin:end], sizes[begin:end])
        own = np.arange(pool.offsets[begin], pool.offsets[end])
        if not np.array_equal(bits[own], bits[own + moved]):
            return False
    return True
