"""Projections from a matrix: one row per ray, 1 where the ray meets the pixel."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidModel
from ..models import Projection
from ..models.arrays import Floats, Ints, as_costs, offsets_of
from .directions import checked_shape


def from_matrix(
    A: Any,
    b: ArrayLike,
    *,
    shape: tuple[int, int] | None = None,
    order: Literal["C", "F"] = "C",
) -> list[Projection]:
    """Return the projections that a system A x = b of sums says.

    Rows without pixels and with the sum 0 say nothing and give no projection.

    Parameters
    ----------
    A
        (rays, pixels): a SciPy sparse matrix or array of any kind, or a dense array, with entries 0 and 1.
    b
        The required sums: whole numbers. For noisy ones see `noisy`, with the rays of `matrix_rays`.
    shape
        Height and width of the image, needed for `order` "F".
    order
        How columns of A number the pixels: "C", row by row as here, or "F", column by column as MATLAB does.

    Raises
    ------
    InvalidModel
        If entries are neither 0 nor 1, a row without pixels requires a sum, or sizes do not fit.

    Examples
    --------
    >>> projections = from_matrix([[1, 1, 0], [0, 0, 0], [0, 1, 1]], [2, 0, 1])
    >>> [(projection.pixels.tolist(), projection.sum) for projection in projections]
    [([0, 1], 2), ([1, 2], 1)]
    """
    pixels = matrix_rays(A, shape=shape, order=order)
    sums = as_costs(b, "b").reshape(-1)
    if len(sums) != len(pixels):
        raise InvalidModel(f"b has {len(sums)} entries; expected one per row of A: {len(pixels)}")
    wrong = np.flatnonzero(sums != np.floor(sums))
    if len(wrong):
        raise InvalidModel(
            f"entry {wrong[0]} of b is {sums[wrong[0]]}; expected a whole number "
            "(measured sums with noise: see noisy)"
        )
    empty = [r for r, own in enumerate(pixels) if len(own) == 0 and sums[r] != 0]
    if empty:
        raise InvalidModel(
            f"row {empty[0]} of A has no pixels, but the sum {sums[empty[0]]:g}; expected 0 there"
        )
    return [Projection(own, int(sums[r])) for r, own in enumerate(pixels) if len(own)]


def matrix_rays(
    A: Any, *, shape: tuple[int, int] | None = None, order: Literal["C", "F"] = "C"
) -> list[Ints]:
    """Return the pixels of each row of a 0/1 matrix, in increasing order; see `from_matrix`.

    Examples
    --------
    >>> [ray.tolist() for ray in matrix_rays([[1, 0, 0, 1], [1, 1, 0, 0]], shape=(2, 2), order="F")]
    [[0, 3], [0, 2]]
    """
    rows, columns, values, (n_rows, n_columns) = _entries(A)
    keep = values != 0
    rows, columns, values = rows[keep], columns[keep], values[keep]
    wrong = np.flatnonzero(values != 1)
    if len(wrong):
        i = int(wrong[0])
        raise InvalidModel(
            f"A has the entry {values[i]:g} in row {rows[i]}, column {columns[i]}; expected 0 or 1 "
            "(a sum counts the label of each of its pixels once)"
        )
    columns = _row_major(columns, n_columns, shape, order)
    by_row = np.lexsort((columns, rows))
    return np.split(columns[by_row], offsets_of(np.bincount(rows, minlength=n_rows))[1:-1]) if n_rows else []


def _entries(A: Any) -> tuple[Ints, Ints, Floats, tuple[int, int]]:
    """Return row, column and value of the entries that are stored, equal places added up, and the shape."""
    if hasattr(A, "tocoo"):  # a SciPy sparse matrix, without importing SciPy
        stored = A.tocsr(copy=True)
        stored.sum_duplicates()
        stored = stored.tocoo()
        values = as_costs(stored.data, "A")
        return stored.row.astype(np.int64), stored.col.astype(np.int64), values, stored.shape
    dense = as_costs(A, "A")
    if dense.ndim != 2:
        raise InvalidModel(f"A has shape {dense.shape}; expected (rays, pixels)")
    rows, columns = np.nonzero(dense)
    return rows, columns, dense[rows, columns], (dense.shape[0], dense.shape[1])


def _row_major(columns: Ints, n_columns: int, shape: tuple[int, int] | None, order: str) -> Ints:
    """Return the numbers, row by row, of pixels that are numbered in another order."""
    if order not in ("C", "F"):
        raise InvalidModel(f"order is {order!r}; expected 'C' (row by row) or 'F' (column by column)")
    if shape is None:
        if order == "F":
            raise InvalidModel("order is 'F' without a shape; expected shape=(height, width)")
        return columns
    height, width = checked_shape(shape)
    if height * width != n_columns:
        raise InvalidModel(
            f"A has {n_columns} columns; expected one per pixel: {height} x {width} = {height * width}"
        )
    return columns if order == "C" else columns % height * width + columns // height
