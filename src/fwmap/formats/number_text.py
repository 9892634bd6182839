"""Text that is all numbers, parsed in bulk; places are worked out only when something is wrong."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import NoReturn

import numpy as np

from ..errors import FormatError
from ..models.arrays import Floats

CHUNK = 1 << 22
SPACES = b" \t\r\n\x0b\x0c"
NEWLINE = b"\n"


class NumberText:
    """White-space separated numbers in `text[start:]`, as `numbers`, with the place of each on demand.

    Parsing stops before the first token that is no number; `numbers` then ends there, and asking for what
    should follow raises an error that names the token.

    Examples
    --------
    >>> NumberText(Path("a.uai"), b"UAI 1 2.5 x", 3).numbers.tolist()
    [1.0, 2.5]
    """

    def __init__(self, path: Path, text: bytes, start: int = 0) -> None:
        """Parse; `path` is for messages."""
        self.path = path
        self.text = text
        self.start = start
        self.numbers, self._bad = _parse(text, start)

    def fail(self, index: int, message: str) -> NoReturn:
        """Raise a FormatError about number `index`, or about what is found in its place."""
        raise FormatError(f"{self.path}, {self.place(index)}: {message}")

    def fail_at(self, offset: int, message: str) -> NoReturn:
        """Raise a FormatError about what stands at an offset of the text."""
        raise FormatError(f"{self.path}, line {self.text.count(NEWLINE, 0, offset) + 1}: {message}")

    def expect(self, index: int, what: str) -> float:
        """Return number `index`; where there is none, raise a FormatError saying what was expected."""
        if index < len(self.numbers):
            return float(self.numbers[index])
        if self._bad is None:
            raise FormatError(f"{self.path}, line {self.last_line()}: the file ends; expected {what}")
        self.fail(index, f"found {_shown(self._token_at(self._bad))}; expected {what}")

    def expect_integer(self, index: int, what: str, lowest: int = 0, highest: int = 2**53) -> int:
        """Return number `index` as an integer from `lowest` to `highest`."""
        value = self.expect(index, what)
        if not (lowest <= value <= highest and value.is_integer()):
            self.fail(index, f"found {self.token(index)}; expected {what}")
        return int(value)

    def expect_end(self, index: int, what: str) -> None:
        """Raise a FormatError unless there are exactly `index` numbers and nothing after them."""
        if index < len(self.numbers):
            left = len(self.numbers) - index
            self.fail(
                index, f"found {self.token(index)} ({left} more numbers) after {what}; expected the end"
            )
        if self._bad is not None:
            found = _shown(self._token_at(self._bad))
            self.fail(index, f"found {found} after {what}; expected the end of the file")

    def token(self, index: int) -> str:
        """Return number `index` as it is written."""
        return _shown(self._token_at(self._offset(index)))

    def word(self, index: int) -> str:
        """Return what stands in place of number `index`, a number or not; empty at the end of the file."""
        offset = self._offset(index)
        return "" if offset < 0 else self._token_at(offset).decode("utf-8", "replace")

    def place(self, index: int) -> str:
        """Return the line of number `index`, counted from 1, as words."""
        return f"line {self.line(index)}"

    def line(self, index: int) -> int:
        """Return the line of number `index`, or of the bad token in its place, or the last one."""
        offset = self._offset(index)
        return self.last_line() if offset < 0 else self.text.count(NEWLINE, 0, offset) + 1

    def last_line(self) -> int:
        """Return the line of the last token."""
        return self.text.count(NEWLINE, 0, len(self.text.rstrip(SPACES))) + 1

    def _token_at(self, offset: int) -> bytes:
        found = re.compile(rb"\S+").match(self.text, offset)
        return found.group() if found else b""

    def _offset(self, index: int) -> int:
        """Return where token `index` begins, or -1."""
        if index >= len(self.numbers):
            return -1 if self._bad is None else self._bad
        passed = 0
        for begin in range(self.start, len(self.text), CHUNK):
            starts = _token_starts(self.text, begin, min(begin + CHUNK, len(self.text)), self.start)
            if index < passed + len(starts):
                return begin + int(starts[index - passed])
            passed += len(starts)
        return -1


def _token_starts(text: bytes, begin: int, end: int, start: int) -> np.ndarray:
    """Return where tokens begin in `text[begin:end]`, relative to `begin`."""
    first = begin if begin == start else begin - 1
    space = np.isin(np.frombuffer(text, np.uint8, end - first, first), np.frombuffer(SPACES, np.uint8))
    starts = np.flatnonzero(~space[1:] & space[:-1]) + 1
    if begin == start and len(space) and not space[0]:
        starts = np.concatenate([[0], starts])
    return starts - (begin - first)


def _parse(text: bytes, start: int) -> tuple[Floats, int | None]:
    """Return the numbers up to the first token that is none, and where that one begins."""
    arrays, begin = [np.zeros(0)], start
    while begin < len(text):
        end = _next_space(text, begin + CHUNK)
        array = parse_numbers(text[begin:end])
        if array is None:
            good, bad = _parse_up_to_error(text, begin, end)
            return np.concatenate([*arrays, good]), bad
        arrays.append(array)
        begin = end
    return np.concatenate(arrays), None


def _next_space(text: bytes, position: int) -> int:
    found = re.compile(rb"\s").search(text, position)
    return found.start() if found else len(text)


def parse_numbers(chunk: bytes) -> Floats | None:
    """Return white-space separated numbers, or None where anything is not a number.

    Examples
    --------
    >>> parse_numbers(b"1 2e1 inf").tolist()
    [1.0, 20.0, inf]
    """
    if not chunk.strip():
        return np.zeros(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(chunk, dtype=np.float64, sep=" ")
        except (ValueError, DeprecationWarning):
            return None


def _parse_up_to_error(text: bytes, begin: int, end: int) -> tuple[Floats, int]:
    good: list[float] = []
    for found in re.compile(rb"\S+").finditer(text, begin, end):
        number = parse_numbers(found.group())
        if number is None:
            return np.array(good), found.start()
        good.extend(number.tolist())
    raise AssertionError("a chunk is refused but each of its tokens is a number")


def _shown(token: bytes) -> str:
    text = token.decode("utf-8", "replace")
    return repr(text if len(text) <= 40 else text[:40] + "...")
