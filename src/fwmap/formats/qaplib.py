"""QAPLIB's quadratic assignment problems (`.dat`) and their solutions (`.sln`).

A `.dat` file is n, then the n² numbers of a matrix A, then those of B, in free form: rows wrap as they like.
The cost of a permutation p is Σ_ij A[i, j] * B[p(i), p(j)], all ordered pairs and the diagonals. Some
collections write a second number, the best known cost, behind n on the first line. A `.sln` file is n, the
cost, and the permutation, counted from 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..errors import FormatError
from ..memory import refuse_beyond_memory
from ..models import GraphMatching
from ..models.arrays import Ints
from ..models.matching_matrices import parts_of_products
from .files import read_bytes
from .format import Format, Loaded, ReadOptions, WriteOptions
from .number_text import NumberText

READING = "numbers are those of two matrices; a permutation p costs the sum of A[i, j] B[p(i), p(j)]"


def read_qaplib(path: Path, data: bytes, options: ReadOptions) -> Loaded:
    """Read a `.dat` file."""
    text = NumberText(path, data)
    n = text.expect_integer(0, "the number of points", lowest=1, highest=2**20)
    refuse_beyond_memory(100.0 * n * n, f"{path}: {n} points on each side")
    needed, facts = 2 * n * n, dict[str, Any]()
    first = 1
    if len(text.numbers) == needed + 2 and text.line(1) == text.line(0) != text.line(2):
        facts["best_known"] = text.expect(1, "the best known cost")
        first = 2
    for index in range(len(text.numbers), first + needed):
        matrix, place = divmod(index - first, n * n)
        row, column = divmod(place, n)
        text.expect(index, f"entry ({row}, {column}) of the matrix {'AB'[matrix]}: two of {n} by {n} numbers")
    text.expect_end(first + needed, f"two matrices of {n} by {n} numbers")
    matrices = text.numbers[first:].reshape(2, n, n)
    bad = np.argwhere(~np.isfinite(matrices))
    if len(bad):
        text.fail(first + int(np.flatnonzero(~np.isfinite(matrices.ravel()))[0]), "expected a finite number")
    parts = parts_of_products(*matrices, forbidden_above=options.forbidden_above, name=path.name)
    model = GraphMatching.from_parts(parts)
    facts["symmetric"] = [bool(np.array_equal(matrix, matrix.T)) for matrix in matrices]
    return Loaded(model, "qaplib", READING, "costs", facts, path=path)


def write_qaplib(
    model: GraphMatching, path: Path, stream: IO[bytes], options: WriteOptions
) -> dict[str, Any]:
    """Write a `.dat` file, every number exactly."""
    product = model.product
    if product is None:
        raise FormatError(f"{path}: the model has no product of two matrices; .dat files hold nothing else")
    if model.n_left != model.n_right or model.matching != "perfect":
        raise FormatError(
            f"{path}: the model has {model.n_left} left and {model.n_right} right points, {model.matching} "
            "matching; .dat files hold as many on both sides, all assigned"
        )
    if model.constant or not np.array_equal(model.costs, product.diagonal().ravel()):
        raise FormatError(f"{path}: the model has linear costs or a constant; .dat files cannot hold them")
    stream.write(f"{model.n_left}\n".encode())
    for matrix in (product.left, product.right):
        stream.write(b"\n")
        stream.writelines((" ".join(map(_number, row)) + "\n").encode() for row in matrix.tolist())
    return {"values": "costs"}


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


@dataclass(frozen=True, eq=False)
class Solution:
    """What a `.sln` file says: a cost, and a permutation counted from 0."""

    value: float
    permutation: Ints


def read_solution(path: str | PathLike[str]) -> Solution:
    """Read a `.sln` file; commas count as spaces, and a permutation counted from 0 is taken as it is.

    Raises
    ------
    FormatError
        If it is no number, cost and permutation.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.sln"
    >>> _ = path.write_text("2 14  2,1")
    >>> read_solution(path).permutation.tolist()
    [1, 0]
    """
    where = Path(path)
    text = NumberText(where, read_bytes(where).replace(b",", b" "))
    n = text.expect_integer(0, "the number of points", lowest=1)
    value = text.expect(1, "the cost of the solution")
    for index in range(2, n + 2):
        text.expect_integer(index, f"number {index - 1} of {n} of the permutation", lowest=0, highest=n)
    text.expect_end(n + 2, f"the permutation of {n} numbers")
    given = text.numbers[2:].astype(np.int64)
    for base in (1, 0):
        if np.array_equal(np.sort(given), np.arange(base, n + base)):
            return Solution(value, given - base)
    raise FormatError(f"{where}: the {n} numbers are no permutation of 1 to {n}, nor of 0 to {n - 1}")


def energies_of(model: GraphMatching, solution: Solution) -> tuple[float, float]:
    """Return what the permutation costs, and what its inverse does: files differ in which one they mean.

    Examples
    --------
    >>> model = GraphMatching.from_koopmans_beckmann([[0, 1], [2, 0]], [[0, 3], [5, 0]])
    >>> energies_of(model, Solution(11.0, np.array([1, 0])))
    (11.0, 11.0)
    """
    if len(solution.permutation) != model.n_left:
        raise FormatError(
            f"the solution has {len(solution.permutation)} points; expected {model.n_left}, as the model has"
        )
    return model.energy(solution.permutation), model.energy(np.argsort(solution.permutation))


QAPLIB = Format(
    name="qaplib",
    title="quadratic assignment",
    suffixes=(".dat",),
    recognises=lambda head: re.match(rb"\s*\d{1,4}\s+-?\d", head) is not None,
    read=read_qaplib,
    write_matching=write_qaplib,
)
