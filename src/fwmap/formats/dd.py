"""Torresani's graph matching instances (`.dd`): points, assignments and pairs of them, with costs.

`p left right assignments pairs`, then a line `a id left right cost` for each assignment, ids from 0 in any
order, and a line `e id id cost` for each pair, whose cost is paid once if both assignments are made. Lines
`i0 id x y` and `i1 id x y` give left and right points coordinates; `n0`, `n1` and `c` lines say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NoReturn

import numpy as np

from ..errors import FormatError
from ..models import GraphMatching
from ..models.arrays import Floats, Ints
from ..models.matching_parts import MatchingParts
from .format import Format, Loaded, ReadOptions, WriteOptions
from .number_text import parse_numbers

READING = "numbers are costs, inf is forbidden; left points may stay unassigned at cost 0"
#: What a line of each kind holds after its letter.
LINES = {
    b"p": "left points, right points, assignments, pairs",
    b"a": "id, left point, right point, cost",
    b"e": "assignment, assignment, cost",
    b"i0": "left point, x, y",
    b"i1": "right point, x, y",
}
IGNORED = (b"c", b"n0", b"n1")
HEADER = re.compile(rb"\A(?:\s*c[^\n]*\n|\s*\n)*\s*p(?:[ \t]+\d+){4}\s*(?:\n|\Z)")


def read_dd(path: Path, data: bytes, options: ReadOptions) -> Loaded:
    """Read a `.dd` file; counts and ids are checked."""
    reader = _Reader(path, data)
    counts = reader.whole(b"p", 4, slice(0, 4))
    if len(counts) != 1:
        raise FormatError(f"{path}: there are {len(counts)} lines 'p'; expected one: p {LINES[b'p']}")
    n_left, n_right, n_assignments, n_pairs = counts[0].tolist()
    for kind, n, what in ((b"a", n_assignments, "assignments"), (b"e", n_pairs, "pairs")):
        if len(reader.lines[kind]) != n:
            raise FormatError(
                f"{path}: there are {len(reader.lines[kind])} lines {kind.decode()!r}; expected {n} {what}, "
                f"as line {reader.lines[b'p'][0][0]} says"
            )
    ids = reader.whole(b"a", 4, slice(0, 3))
    place = reader.places(b"a", ids[:, 0], n_assignments, "id")
    assignments, costs = np.empty((n_assignments, 2), np.int64), np.empty(n_assignments)
    assignments[place], costs[place] = ids[:, 1:], reader.numbers(b"a", 4)[:, 3]
    pairs = reader.whole(b"e", 3, slice(0, 2))
    model = GraphMatching.from_parts(
        MatchingParts(
            assignments,
            costs,
            pairs,
            reader.numbers(b"e", 3)[:, 2].copy(),
            n_left,
            n_right,
            np.zeros(()),
            "partial",
            reader.points(b"i0", n_left),
            reader.points(b"i1", n_right),
            forbidden_above=options.forbidden_above,
            name=path.name,
        )
    )
    return Loaded(model, "dd", READING, "costs", {"excluded_pairs": model.n_excluded_pairs}, path=path)


def write_dd(model: GraphMatching, path: Path, stream: IO[bytes], options: WriteOptions) -> dict[str, object]:
    """Write a `.dd` file, every number exactly. Whether left points may stay unassigned is not in it."""
    finite = model.unassigned_costs[np.isfinite(model.unassigned_costs)]
    if finite.any() or (len(finite) < model.n_left and model.matching == "partial"):
        raise FormatError(
            f"{path}: left points without assignment have costs other than 0; .dd files cannot hold them"
        )
    if model.constant:
        raise FormatError(f"{path}: the model has the constant {model.constant!r}; .dd files cannot hold it")
    model = model.with_pairs()
    stream.writelines(line.encode() for line in _lines(model))
    return {"values": "costs", "matching": model.matching}


def _lines(model: GraphMatching) -> Iterator[str]:
    yield f"c every left point {'may' if model.matching == 'partial' else 'must not'} stay unassigned\n"
    yield f"p {model.n_left} {model.n_right} {model.n_assignments} {model.n_pairs}\n"
    rows = zip(model.assignments.tolist(), model.costs.tolist(), strict=True)
    for k, ((left, right), cost) in enumerate(rows):
        yield f"a {k} {left} {right} {cost!r}\n"
    for (p, q), cost in zip(model.pairs.tolist(), model.pair_costs.tolist(), strict=True):
        yield f"e {p} {q} {cost!r}\n"
    for kind, points in (("i0", model.left_points), ("i1", model.right_points)):
        for k, point in enumerate([] if points is None else points.tolist()):
            yield f"{kind} {k} {' '.join(map(repr, point))}\n"


class _Reader:
    """The lines of a file, by their first word."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.lines: dict[bytes, list[tuple[int, bytes]]] = {kind: [] for kind in LINES}
        for number, line in enumerate(data.split(b"\n"), start=1):
            kind, _, rest = line.lstrip().partition(b" ")
            kind = kind.rstrip()
            if kind in self.lines:
                self.lines[kind].append((number, rest))
            elif kind and kind not in IGNORED and not kind.startswith(b"c"):
                self.fail(number, f"found {_shown(line)}; expected a line p, a, e, i0, i1, n0, n1 or c")

    def fail(self, line: int, message: str) -> NoReturn:
        """Raise a FormatError about a line."""
        raise FormatError(f"{self.path}, line {line}: {message}")

    def numbers(self, kind: bytes, n: int) -> Floats:
        """Return the numbers of all lines of one kind, `n` in each."""
        lines = self.lines[kind]
        found = parse_numbers(b" ".join(rest for _, rest in lines))
        if found is None or len(found) != n * len(lines) or any(len(rest.split()) != n for _, rest in lines):
            for number, rest in lines:
                own = parse_numbers(rest)
                if own is None or len(own) != n or len(rest.split()) != n:
                    line = f"{kind.decode()} {rest.decode('utf-8', 'replace').strip()}"
                    self.fail(number, f"found {line[:60]!r}; expected {kind.decode()} {LINES[kind.strip()]}")
        assert found is not None
        return found.reshape(-1, n)

    def whole(self, kind: bytes, n: int, columns: slice) -> Ints:
        """Return some columns of the lines of one kind, which must be integers >= 0."""
        given = self.numbers(kind, n)[:, columns]
        bad = np.flatnonzero(~((given >= 0) & (given < 2**53) & (given == np.floor(given))).all(axis=1))
        if len(bad):
            number, rest = self.lines[kind][int(bad[0])]
            self.fail(number, f"found {_shown(kind + b' ' + rest)}; expected integers >= 0 as {LINES[kind]}")
        return given.astype(np.int64)

    def places(self, kind: bytes, ids: Ints, n: int, what: str) -> Ints:
        """Return ids, which must be 0 .. n - 1, each once."""
        bad = np.flatnonzero(ids >= n)
        if len(bad):
            number, _ = self.lines[kind][int(bad[0])]
            self.fail(number, f"the {what} is {ids[bad[0]]}; expected 0 to {n - 1}")
        order = np.argsort(ids, kind="stable")
        again = np.flatnonzero(np.diff(ids[order]) == 0)
        if len(again):
            number, _ = self.lines[kind][int(order[again[0] + 1])]
            self.fail(number, f"the {what} {ids[order[again[0]]]} occurs again; expected each once")
        return ids

    def points(self, kind: bytes, n: int) -> Floats | None:
        """Return coordinates, or None where there are none."""
        if not self.lines[kind]:
            return None
        size = len(self.lines[kind][0][1].split())
        given = self.numbers(kind, min(max(size, 3), 4))
        if len(given) != n:
            raise FormatError(f"{self.path}: {len(given)} lines {kind.decode()!r}; expected {n} or none")
        place = self.places(kind, self.whole(kind, given.shape[1], slice(0, 1))[:, 0], n, "point")
        points = np.empty((n, given.shape[1] - 1))
        points[place] = given[:, 1:]
        return points


def _shown(text: bytes) -> str:
    words = text.strip().decode("utf-8", "replace")
    return repr(words if len(words) <= 40 else words[:40] + "...")


DD = Format(
    name="dd",
    title="graph matching",
    suffixes=(".dd",),
    recognises=lambda data: HEADER.match(data) is not None,
    read=read_dd,
    write_matching=write_dd,
)
