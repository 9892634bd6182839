"""UAI evidence files (`.evid`): which variables have been observed, and their labels.

Three layouts are in use: the number of observations and then `variable label` pairs, on one line or on one
line each; or the number of samples first, and then each sample in that way. Counting tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from ..errors import FormatError
from .files import read_bytes, writing
from .number_text import NumberText
from .uai import without_comments


def read_evidence(path: str | PathLike[str]) -> dict[int, int]:
    """Return the label of each observed variable.

    Raises
    ------
    FormatError
        If the numbers fit no layout, hold several samples, or contradict each other.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "seen.evid"
    >>> _ = path.write_text("2 0 1 3 0")
    >>> read_evidence(path)
    {0: 1, 3: 0}
    """
    where = Path(path)
    numbers = NumberText(where, without_comments(read_bytes(where)))
    given = [numbers.expect_integer(i, "an integer >= 0") for i in range(len(numbers.numbers))]
    numbers.expect_end(len(given), "the evidence")
    if not given:
        raise FormatError(f"{where}: the file is empty; expected the number of observations")
    single = _pairs(given) if len(given) == 1 + 2 * given[0] else None
    samples = _samples(given)
    if samples is not None and len(samples) > 1:
        raise FormatError(f"{where}: {len(samples)} samples of evidence; expected one sample")
    if single is None and not samples:
        raise FormatError(
            f"{where}: {len(given)} numbers that begin with {given[0]}; expected 1 + 2 x {given[0]} for "
            "as many observations, or a number of samples and each sample"
        )
    return _consistent(where, single if single is not None else (samples or [[]])[0])


def write_evidence(evidence: Mapping[int, int], path: str | PathLike[str]) -> None:
    """Write evidence in the layout of one line: number of observations and the pairs.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "seen.evid"
    >>> write_evidence({3: 0}, path)
    >>> path.read_text()
    '1 3 0\\n'
    """
    pairs = [f"{v} {label}" for v, label in evidence.items()]
    with writing(Path(path)) as stream:
        stream.write((" ".join([str(len(pairs)), *pairs]) + "\n").encode())


def _pairs(numbers: list[int]) -> list[tuple[int, int]]:
    return list(zip(numbers[1::2], numbers[2::2], strict=True))


def _samples(numbers: list[int]) -> list[list[tuple[int, int]]] | None:
    """Return the samples, or None where the numbers are not in that layout.

    One of several samples is not empty: `2 0 1 3 0` are two observations, and no empty sample before another.
    """
    samples, i = [], 1
    for _ in range(numbers[0]):
        if i >= len(numbers) or i + 1 + 2 * numbers[i] > len(numbers):
            return None
        if numbers[0] > 1 and numbers[i] == 0:
            return None
        samples.append(_pairs(numbers[i : i + 1 + 2 * numbers[i]]))
        i += 1 + 2 * numbers[i]
    return samples if i == len(numbers) else None


def _consistent(path: Path, pairs: list[tuple[int, int]]) -> dict[int, int]:
    evidence: dict[int, int] = {}
    for v, label in pairs:
        if evidence.setdefault(v, label) != label:
            raise FormatError(
                f"{path}: variable {v} is observed as {evidence[v]} and as {label}; expected one label"
            )
    return evidence
