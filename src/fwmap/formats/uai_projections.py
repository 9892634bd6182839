"""The PROJECTIONS section of UAI files: tomography instances.

After the tables (costs, by definition) comes a line `PROJECTIONS`, and then one line per ray:
`v + v + ... = (c0, c1, ...)`, where c_s is the cost of the sum s of the labels of the variables v. `inf`
forbids a sum, and so does the end of the list. Spaces are optional.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, NoReturn

import numpy as np

from ..errors import FormatError, InvalidModel
from ..models import MRF, Tomography
from ..models.arrays import Floats, Ints, offsets_of
from ..models.grid import grid_edges
from ..models.parts import Parts
from ..models.projections import Rays
from .number_text import NumberText

KEYWORD = b"PROJECTIONS"
READING = "numbers are costs, as a PROJECTIONS section says; inf is forbidden; labels are grey values"
EXPECTED = "variable + variable + ... = (cost, cost, ...)"

#: For each separator: nothing but spaces between two of them, or at the end.
NOTHING = {sep: re.compile(rb"(?:^|[%b])\s*(?:[%b]|$)" % (sep, sep)) for sep in (b"+", b",")}


class FieldText(NumberText):
    """The numbers before a PROJECTIONS section."""

    def expect(self, index: int, what: str) -> float:
        """Return number `index`; where there is none, say that the section begins too early."""
        if index < len(self.numbers) or self._bad is not None:
            return super().expect(index, what)
        raise FormatError(f"{self.path}, line {self.last_line()}: PROJECTIONS follows; expected {what}")


def find_projections(text: bytes) -> int | None:
    """Return where the section begins, or None where there is none."""
    position = text.find(KEYWORD)
    return None if position < 0 else position


def with_projections(field: MRF, path: Path, text: bytes, position: int) -> Tomography:
    """Return the model of the field and the section of `text` that begins at `position`.

    A field whose edges are those of an image gets the shape of that image.

    Raises
    ------
    FormatError
        If a line is no projection, or the projection is not possible; the message names line and ray.
    """
    reader = _Reader(path, text, position, field.n_nodes)
    rays = reader.rays()
    shape = image_shape_of(field)
    if shape is not None:
        field = MRF.from_parts(replace(Parts.of(field), image_shape=shape))
    try:
        return Tomography.from_rays(field, rays)
    except InvalidModel as error:
        found = re.search(r"\bray (\d+)\b", str(error))
        if found is None:
            raise
        raise FormatError(f"{path}, line {reader.lines[int(found.group(1))]}: {error}") from None


def write_projections(model: Tomography, stream: IO[bytes]) -> None:
    """Write the section; lists of costs end with their last finite entry."""
    stream.write(KEYWORD + b"\n")
    stream.writelines(line.encode() for line in _lines(model))


def image_shape_of(field: MRF) -> tuple[int, int] | None:
    """Return the height and width of the image whose pixels' edges a field has, row by row, or None.

    Examples
    --------
    >>> from fwmap.models import Potts
    >>> image_shape_of(MRF(np.zeros((6, 2)), grid_edges(2, 3, 4)[::-1, ::-1], Potts(1)))
    (2, 3)
    """
    n, (u, v) = field.n_nodes, field.edges.T
    steps = np.abs(u - v)
    wide = steps[steps > 1]
    if len(wide) == 0:
        return None
    narrowest = int(wide.min())  # of a step down, or with 8 neighbours of one down and to the left
    for width, connectivity in ((narrowest, 4), (narrowest, 8), (narrowest + 1, 8)):
        if n % width or field.n_edges != _number_of_edges(n // width, width, connectivity):
            continue
        low, high = np.sort(field.edges, axis=1).T
        expected = np.sort(grid_edges(n // width, width, connectivity), axis=1) @ np.array([n, 1])
        if np.array_equal(np.sort(low * n + high), np.sort(expected)):
            return n // width, width
    return None


def _number_of_edges(height: int, width: int, connectivity: int) -> int:
    straight = height * (width - 1) + (height - 1) * width
    return straight + (2 * (height - 1) * (width - 1) if connectivity == 8 else 0)


class _Reader:
    """The lines of the section."""

    def __init__(self, path: Path, text: bytes, position: int, n_nodes: int) -> None:
        self.path, self.n_nodes = path, n_nodes
        self.first_line = text.count(b"\n", 0, position) + 1
        self.text = text[position:].split(b"\n")
        self.lines: list[int] = []  # of each ray
        before = text[text.rfind(b"\n", 0, position) + 1 : position]
        if before.strip() or self.text[0].strip() != KEYWORD:
            self._fail(self.first_line, f"found {_shown(before + self.text[0])}; expected PROJECTIONS alone")

    def rays(self) -> Rays:
        """Return the rays of all lines, not yet checked as a model does."""
        pixels: list[Ints] = []
        costs: list[Floats] = []
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            for number, line in enumerate(self.text[1:], start=self.first_line + 1):
                if not line or line.isspace():
                    continue
                self.lines.append(number)
                left, _, right = line.partition(b"=")
                right = right.strip()
                variables = _numbers(left, b"+")
                listed = _numbers(right[1:-1], b",") if right[:1] == b"(" and right[-1:] == b")" else None
                if variables is None or listed is None:
                    self._explain(line)
                self._check_variables(variables)
                pixels.append(variables.astype(np.int64))
                costs.append(listed)
        return Rays(
            np.concatenate([np.zeros(0, dtype=np.int64), *pixels]),
            offsets_of(np.array([len(own) for own in pixels], dtype=np.int64)),
            np.concatenate([np.zeros(0), *costs]),
            offsets_of(np.array([len(own) for own in costs], dtype=np.int64)),
        )

    def _check_variables(self, given: Floats) -> None:
        bad = np.flatnonzero(~((given >= 0) & (given < self.n_nodes) & (given == np.floor(given))))
        if len(bad):
            self._fail_ray(
                f"has the variable {given[bad[0]]:g}; expected an integer from 0 to {self.n_nodes - 1}"
            )

    def _explain(self, line: bytes) -> NoReturn:
        """Refuse a line, naming the first thing in it that is wrong."""
        left, equals, right = line.partition(b"=")
        if not equals:
            self._fail_ray(f"has no '=', but {_shown(line)}; expected {EXPECTED}")
        for piece in left.split(b"+"):
            if _numbers(piece, b"+") is None:
                self._fail_ray(f"has {_shown(piece)} in place of a variable; expected {EXPECTED}")
        right = right.strip()
        if right[:1] != b"(" or right[-1:] != b")":
            self._fail_ray(f"has the costs {_shown(right)}; expected them in parentheses: {EXPECTED}")
        for s, piece in enumerate(right[1:-1].split(b",")):
            if _numbers(piece, b",") is None:
                self._fail_ray(f"has {_shown(piece)} as the cost of the sum {s}; expected a number, or inf")
        self._fail_ray(f"is {_shown(line)}; expected {EXPECTED}")

    def _fail_ray(self, message: str) -> NoReturn:
        self._fail(self.lines[-1], f"ray {len(self.lines) - 1} {message}")

    def _fail(self, line: int, message: str) -> NoReturn:
        raise FormatError(f"{self.path}, line {line}: {message}")


def _numbers(text: bytes, separator: bytes) -> Floats | None:
    """Return numbers with one separator between each two, or None where the text is anything else.

    Examples
    --------
    >>> _numbers(b" 1+2 + 3", b"+").tolist()
    [1.0, 2.0, 3.0]
    """
    if NOTHING[separator].search(text):
        return None  # NumPy would read a number where there is none
    try:
        numbers = np.fromstring(text, dtype=np.float64, sep=separator.decode())
    except (ValueError, DeprecationWarning):
        return None
    return numbers if len(numbers) == text.count(separator) + 1 else None


def _lines(model: Tomography) -> Iterator[str]:
    texts: dict[float, str] = {}
    for r in range(model.n_rays):
        costs = model.ray_cost(r).tolist() or [np.inf]  # an empty list could not be read
        for cost in costs:
            if cost not in texts:
                texts[cost] = "Inf" if cost == np.inf else repr(cost).removesuffix(".0")
        listed = ",".join([texts[cost] for cost in costs])
        yield f"{' + '.join(map(str, model.ray(r).tolist()))} = ({listed})\n"


def _shown(text: bytes) -> str:
    words = text.strip().decode("utf-8", "replace")
    return repr(words if len(words) <= 40 else words[:40] + "...")
