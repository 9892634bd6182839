"""The relaxed JSON of `.cfn` files: commas, colons and quotes are optional, brackets are interchangeable."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NoReturn

from ..errors import FormatError
from ..models.arrays import Floats
from .number_text import NEWLINE, parse_numbers

SKIPPED = re.compile(rb"[\s,:]*")
TOKEN = re.compile(rb'"([^"\n]*)"|([{}\[\]])|([^\s,:{}\[\]"]+)')
BRACKET = re.compile(rb"[{}\[\]]")
COMMENT = re.compile(rb"^#[^\n]*", re.MULTILINE)
SEPARATORS = bytes.maketrans(b',:"', b"   ")


class RelaxedJson:
    """A reader of one token after the other, and of whole arrays of numbers at once.

    Examples
    --------
    >>> text = RelaxedJson(Path("a.cfn"), b"{ costs: [1 2.5, 3] }")
    >>> text.open("the problem"); text.string("a name")
    'costs'
    >>> text.array("costs")
    ['1', '2.5', '3']
    """

    def __init__(self, path: Path, data: bytes) -> None:
        """Blank out comments, lines that begin with `#`; offsets stay as they are."""
        self.path = path
        blank = COMMENT.sub(lambda found: b" " * len(found.group()), data) if b"#" in data else data
        self.text = blank
        self.position = 0

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        """Raise a FormatError about the next token, or about what stands at `position`."""
        where = self._next() if position is None else position
        raise FormatError(f"{self.path}, line {self.text.count(NEWLINE, 0, where) + 1}: {message}")

    def peek(self) -> str:
        """Return the next token without passing it: a bracket, a word, or "" at the end."""
        found = TOKEN.match(self.text, self._next())
        if found is None:
            if self._next() < len(self.text):
                self.fail("found a quote that is not closed; expected its end on the same line")
            return ""
        return (found.group(1) if found.group(1) is not None else found.group()).decode("utf-8", "replace")

    def at_open(self) -> bool:
        """Return whether an object or array begins here."""
        return self._byte() in (b"{", b"[")

    def at_close(self) -> bool:
        """Return whether the object or array ends here."""
        return self._byte() in (b"}", b"]")

    def open(self, what: str) -> None:
        """Pass an opening bracket."""
        if not self.at_open():
            self._expected(f"{{ or [ to begin {what}")
        self.position = self._next() + 1

    def close(self, what: str) -> None:
        """Pass a closing bracket."""
        if not self.at_close():
            self._expected(f"}} or ] to end {what}")
        self.position = self._next() + 1

    def string(self, what: str) -> str:
        """Pass a word, quoted or not, and return it."""
        found = TOKEN.match(self.text, self._next())
        if found is None or found.group(2) is not None:
            self._expected(what)
        word = self.peek()
        self.position = found.end()
        return word

    def array(self, what: str) -> list[str]:
        """Pass an array of words and return them."""
        self.open(what)
        words = []
        while not self.at_close():
            words.append(self.string(f"an entry of {what}"))
        self.close(what)
        return words

    def numbers(self, what: str) -> Floats | None:
        """Pass an array of numbers and return them; None, passing nothing, where an entry is no number."""
        if not self.at_open():
            self._expected(f"{{ or [ to begin {what}")
        begin = self._next() + 1
        found = BRACKET.search(self.text, begin)
        if found is None or found.group() not in (b"}", b"]"):
            return None
        inside = self.text[begin : found.start()]
        numbers = None if inside.count(b'"') % 2 else parse_numbers(inside.translate(SEPARATORS))
        if numbers is not None:
            self.position = found.end()
        return numbers

    def _next(self) -> int:
        found = SKIPPED.match(self.text, self.position)
        return found.end() if found else self.position

    def _byte(self) -> bytes:
        position = self._next()
        return self.text[position : position + 1]

    def _expected(self, what: str) -> NoReturn:
        found = self.peek()
        self.fail(f"found {found!r}; expected {what}" if found else f"the file ends; expected {what}")
