"""toulbar2's weighted constraint networks (`.wcsp`): costs are non-negative integers below an upper bound.

`name variables largest-domain functions upper-bound`, the domain sizes, then per function `arity variables
default tuples` and, for each tuple, its labels and cost. A negative arity marks a table that later functions
use by a negative number of tuples: -1 is the first table so marked. Costs >= upper bound are forbidden.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError
from ..models.arrays import Floats, Ints, offsets_of
from .factor_list import LARGEST_TABLE, FactorList
from .format import Format, Loaded, ReadOptions
from .number_text import NumberText
from .wcsp_write import LARGEST_EXACT, Scaling, write_wcsp

LARGEST_COST = 2**64  # what other programs may write for infinity
HEADER = re.compile(rb"\s*(\S+)((?:\s+\d+){4})\s")


def read_wcsp(path: Path, data: bytes, options: ReadOptions) -> Loaded:
    """Read a `.wcsp` file; cost functions that are not tables are refused by name.

    A file written by this package has its scaling in the problem's name, and its costs are scaled back.
    """
    name, start = _name(path, data)
    reader = _Reader(NumberText(path, data, start))
    factors = reader.read()
    scaling = Scaling.from_name(name)
    facts: dict[str, Any] = {
        "problem": name,
        "upper_bound": reader.upper_bound,
        "forbidden_by_upper_bound": reader.n_forbidden,
        "shared_tables": len(reader.marked),
        "repeated_scopes": factors.repeated_scopes(),
    }
    reading = f"numbers are costs, those >= the upper bound {reader.upper_bound} are forbidden"
    if scaling is not None:
        factors = _scaled_back(factors, scaling)
        facts |= {"resolution": scaling.resolution, "shift": scaling.shift}
        reading += f"; scaled back: divided by 10^{scaling.resolution} and shifted by {scaling.shift!r}"
    model = factors.model(options.forbidden_above, name=path.name)
    return Loaded(model, "wcsp", reading, "costs", facts, path=path)


def _name(path: Path, data: bytes) -> tuple[str, int]:
    found = re.compile(rb"\s*(\S+)").match(data)
    if found is None:
        raise FormatError(f"{path}: the file is empty; expected the name of a problem and four integers")
    return found.group(1).decode("utf-8", "replace"), found.end()


def _scaled_back(factors: FactorList, scaling: Scaling) -> FactorList:
    """Return the factors with the costs they had before they were written as integers."""
    values = np.concatenate([factors.values / 10.0**scaling.resolution, [scaling.shift]])
    return FactorList(
        factors.n_labels,
        factors.scopes,
        np.concatenate([factors.scope_offsets, factors.scope_offsets[-1:]]),
        np.concatenate([factors.table, [len(factors.table_offsets) - 1]]),
        values,
        np.concatenate([factors.table_offsets, [len(values)]]),
    )


@dataclass(eq=False)
class _Reader:
    """The cost functions read so far."""

    numbers: NumberText
    upper_bound: int = 0
    n_labels: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    scopes: list[list[int]] = field(default_factory=list)
    table_of: list[int] = field(default_factory=list)
    tables: list[Floats] = field(default_factory=list)
    marked: list[tuple[int, tuple[int, ...], float]] = field(default_factory=list)  # table, shape, default
    n_forbidden: int = 0

    def read(self) -> FactorList:
        """Read header, domains and all cost functions."""
        numbers = self.numbers
        n_variables = numbers.expect_integer(0, "the number of variables")
        numbers.expect_integer(1, "the largest domain size")
        n_functions = numbers.expect_integer(2, "the number of cost functions")
        self.upper_bound = numbers.expect_integer(3, "the upper bound, an integer >= 0", highest=LARGEST_COST)
        self.n_labels = np.array([self._domain(4 + v, v) for v in range(n_variables)], dtype=np.int64)
        position = 4 + n_variables
        for f in range(n_functions):
            position = self._function(f, position)
        numbers.expect_end(position, f"the last of {n_functions} cost functions")
        return FactorList(
            self.n_labels,
            np.array([v for scope in self.scopes for v in scope], dtype=np.int64),
            offsets_of(np.array([len(scope) for scope in self.scopes], dtype=np.int64)),
            np.array(self.table_of, dtype=np.int64),
            np.concatenate([np.zeros(0), *self.tables]),
            offsets_of(np.array([len(table) for table in self.tables], dtype=np.int64)),
        )

    def _domain(self, position: int, v: int) -> int:
        size = self.numbers.expect(position, f"the domain size of variable {v}")
        if size < 0:
            message = "an interval; expected an enumerated domain (a positive size)"
            self.numbers.fail(
                position, f"the domain of variable {v} is {self.numbers.token(position)}, {message}"
            )
        return self.numbers.expect_integer(
            position, f"the domain size of variable {v}, an integer >= 1", 1, LARGEST_TABLE
        )

    def _function(self, f: int, position: int) -> int:
        """Read one cost function and return the index of the number after it."""
        numbers = self.numbers
        given = numbers.expect(position, f"the arity of cost function {f}")
        if not given.is_integer() or abs(given) > len(self.n_labels):
            numbers.fail(
                position,
                f"the arity of cost function {f} is {numbers.token(position)}; expected at "
                f"most {len(self.n_labels)}, the number of variables",
            )
        arity = abs(int(given))
        scope = [self._variable(f, position + 1 + i) for i in range(arity)]
        if len(set(scope)) < arity:
            numbers.fail(
                position, f"the scope of cost function {f} is {tuple(scope)}; expected different variables"
            )
        position += 1 + arity
        default = self._default(f, position)
        shape = tuple(self.n_labels[scope].tolist())
        n_tuples = numbers.expect(position + 1, f"the number of tuples of cost function {f}")
        if n_tuples < 0:
            self.table_of.append(self._marked(f, position + 1, shape, default))
        else:
            n_tuples = numbers.expect_integer(position + 1, f"the number of tuples of cost function {f}")
            self.table_of.append(len(self.tables))
            self.tables.append(self._table(f, position + 2, shape, default, n_tuples))
            if given < 0:
                self.marked.append((self.table_of[-1], shape, default))
            position += n_tuples * (arity + 1)
        self.scopes.append(scope)
        return position + 2

    def _variable(self, f: int, position: int) -> int:
        n = len(self.n_labels)
        v = self.numbers.expect_integer(position, f"a variable of cost function {f}, from 0 to {n - 1}")
        if v >= n:
            self.numbers.fail(
                position, f"the scope of cost function {f} has the variable {v}; expected 0 to {n - 1}"
            )
        return v

    def _default(self, f: int, position: int) -> float:
        numbers = self.numbers
        default = numbers.expect(position, f"the default cost of cost function {f}")
        if default == -1:
            kind = numbers.word(position + 1)
            numbers.fail(
                position, f"cost function {f} is {kind!r}, a function that is not a table; expected tables"
            )
        what = (
            f"the default cost of cost function {f}, an integer >= 0, below 2^53 or at least the upper bound"
        )
        highest = LARGEST_COST if default >= self.upper_bound else LARGEST_EXACT - 1
        return float(numbers.expect_integer(position, what, highest=highest))

    def _marked(self, f: int, position: int, shape: tuple[int, ...], default: float) -> int:
        given = self.numbers.expect(position, "the number of a shared table")
        if not given.is_integer() or -given > len(self.marked):
            self.numbers.fail(
                position,
                f"cost function {f} uses the shared table {self.numbers.token(position)}; expected an "
                f"integer down to -{len(self.marked)}, the number of tables marked so far",
            )
        number = int(given)
        table, expected, expected_default = self.marked[-number - 1]
        if (shape, default) != (expected, expected_default):
            self.numbers.fail(
                position,
                f"cost function {f} has the domain sizes {shape} and the default cost {default:g}, but the "
                f"shared table it uses has {expected} and {expected_default:g}; expected the same",
            )
        return table

    def _table(self, f: int, begin: int, shape: tuple[int, ...], default: float, n_tuples: int) -> Floats:
        numbers, arity = self.numbers, len(shape)
        if float(np.prod(np.array(shape, dtype=np.float64))) > LARGEST_TABLE:
            numbers.fail(
                begin - 1, f"cost function {f} has domain sizes {shape}, too many entries for a table"
            )
        end = begin + n_tuples * (arity + 1)
        if end > len(numbers.numbers):
            numbers.expect(len(numbers.numbers), f"the {n_tuples} tuples of cost function {f}")
        tuples = numbers.numbers[begin:end].reshape(n_tuples, arity + 1)
        labels, costs = tuples[:, :-1], tuples[:, -1]
        wrong = ~((labels >= 0) & (labels < np.array(shape)) & (labels == np.floor(labels)))
        if wrong.any():
            row, column = (int(i) for i in np.argwhere(wrong)[0])
            index = begin + row * (arity + 1) + column
            numbers.fail(
                index,
                f"tuple {row} of cost function {f} has the label {numbers.token(index)}; "
                f"expected 0 to {shape[column] - 1}",
            )
        exact = (costs >= self.upper_bound) | (costs < LARGEST_EXACT)
        bad = np.flatnonzero(~((costs >= 0) & (costs == np.floor(costs)) & np.isfinite(costs) & exact))
        if len(bad):
            index = begin + int(bad[0]) * (arity + 1) + arity
            numbers.fail(
                index,
                f"the cost of tuple {bad[0]} of cost function {f} is {numbers.token(index)}; "
                "expected an integer >= 0, below 2^53 or at least the upper bound",
            )
        strides = np.append(np.cumprod(np.array(shape[:0:-1], dtype=np.int64))[::-1], 1)[:arity]
        entries = labels.astype(np.int64) @ strides
        table = np.full(int(np.prod(shape, dtype=np.int64)), default)
        table[entries] = costs
        conflict = np.flatnonzero(table[entries] != costs)
        if len(conflict):
            row = int(np.flatnonzero(entries == entries[conflict[0]])[-1])
            numbers.fail(
                begin + row * (arity + 1),
                f"tuple {row} of cost function {f} is given again with another cost; expected each once",
            )
        forbidden = table >= self.upper_bound
        self.n_forbidden += int(np.count_nonzero(forbidden))
        table[forbidden] = np.inf
        return table


WCSP = Format(
    name="wcsp",
    title="toulbar2 weighted constraint network",
    suffixes=(".wcsp",),
    recognises=lambda head: HEADER.match(head) is not None,
    read=read_wcsp,
    write=write_wcsp,
)
