"""toulbar2's cost function networks (`.cfn`): tables of decimal costs in relaxed JSON, read only.

An object with `problem` (name, mustbe), `variables` (each with its number of labels or their names) and
`functions` (each with scope, maybe a default cost, and costs: a dense array with the last variable fastest,
tuples with their costs, or the name of another function that has the same costs).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..models.arrays import Floats, offsets_of
from .factor_list import LARGEST_TABLE, FactorList
from .format import Format, Loaded, ReadOptions
from .relaxed_json import RelaxedJson


def read_cfn(path: Path, data: bytes, options: ReadOptions) -> Loaded:
    """Read a `.cfn` file; functions that are not tables are refused by name.

    Costs of a problem to be maximised (`mustbe` with `>`) change their sign.
    """
    text = RelaxedJson(path, data)
    problem = _Problem(text)
    problem.read()
    facts: dict[str, Any] = {
        "problem": problem.name,
        "mustbe": problem.mustbe,
        "decimals": len(problem.mustbe.partition(".")[2]),  # toulbar2 rounds to them; here nothing is
    }
    forbidden = problem.forbid_by_upper_bound()
    factors = problem.factor_list()
    facts |= {
        "forbidden_by_upper_bound": forbidden,
        "shared_tables": len(problem.table_of) - len(problem.tables),
        "repeated_scopes": factors.repeated_scopes(),
    }
    reading = "numbers are costs, inf is forbidden"
    if problem.sign < 0:
        reading = "numbers are values to be maximised: cost = -number, -inf is forbidden"
    if problem.upper_bound < math.inf:
        reading += f"; the total must be {problem.mustbe}, and what alone exceeds that is forbidden"
    model = factors.model(options.forbidden_above, name=path.name)
    return Loaded(model, "cfn", reading, "costs", facts, path=path)


@dataclass(eq=False)
class _Problem:
    """What was read so far."""

    text: RelaxedJson
    name: str = ""
    mustbe: str = ""
    sign: float = 1.0
    upper_bound: float = math.inf
    variables: dict[str, int] = field(default_factory=dict)
    n_labels: list[int] = field(default_factory=list)
    label_names: list[dict[str, int]] = field(default_factory=list)
    scopes: list[list[int]] = field(default_factory=list)
    table_of: list[int] = field(default_factory=list)
    tables: list[Floats] = field(default_factory=list)
    functions: dict[str, int] = field(default_factory=dict)  # number of a function by its name

    def read(self) -> None:
        """Read the whole file."""
        text = self.text
        text.open("the problem")
        self._expect_word("problem")
        self._read_properties()
        self._expect_word("variables")
        text.open("the variables")
        while not text.at_close():
            self._read_variable()
        text.close("the variables")
        self._expect_word("functions")
        text.open("the functions")
        while not text.at_close():
            self._read_function()
        text.close("the functions")
        text.close("the problem")
        if text.peek():
            text.fail(f"found {text.peek()!r} after the problem; expected the end of the file")

    def factor_list(self) -> FactorList:
        """Return what was read as factors."""
        return FactorList(
            np.array(self.n_labels, dtype=np.int64),
            np.array([v for scope in self.scopes for v in scope], dtype=np.int64),
            offsets_of(np.array([len(scope) for scope in self.scopes], dtype=np.int64)),
            np.array(self.table_of, dtype=np.int64),
            np.concatenate([np.zeros(0), *self.tables]),
            offsets_of(np.array([len(table) for table in self.tables], dtype=np.int64)),
        )

    def forbid_by_upper_bound(self) -> int:
        """Mark costs with which the total cannot stay below the upper bound; return how many there are."""
        if self.upper_bound == math.inf:
            return 0
        uses = np.bincount(self.table_of, minlength=len(self.tables)).tolist()
        lowest = [min(0.0, float(table.min())) for table in self.tables]
        least = math.fsum(n * low for n, low in zip(uses, lowest, strict=True))
        count = 0
        for table, low in zip(self.tables, lowest, strict=True):
            reached = (table + (least - low) >= self.upper_bound) & np.isfinite(table)
            table[reached] = math.inf
            count += int(np.count_nonzero(reached))
        return count

    def _expect_word(self, word: str) -> None:
        position = self.text.position
        found = self.text.string(f"the field {word!r}")
        if found != word:
            self.text.position = position
            self.text.fail(f"found {found!r}; expected the field {word!r}")

    def _read_properties(self) -> None:
        text = self.text
        text.open("the problem's properties")
        self._expect_word("name")
        self.name = text.string("the name of the problem")
        self._expect_word("mustbe")
        self.mustbe = text.string("the bound, < or > and a number")
        if self.mustbe[:1] not in ("<", ">"):
            text.fail(f"mustbe is {self.mustbe!r}; expected < or > and a number")
        self.sign = -1.0 if self.mustbe[0] == ">" else 1.0
        if self.mustbe[1:]:
            self.upper_bound = self.sign * self._decimal(self.mustbe[1:], "the bound of mustbe")
        text.close("the problem's properties")

    def _decimal(self, word: str, what: str) -> float:
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            self.text.fail(f"{what} is {word!r}; expected a number")
        return number

    def _read_variable(self) -> None:
        text = self.text
        name = text.string("the name of a variable")
        if name in self.variables:
            text.fail(f"the variable {name!r} is given again; expected each name once")
        names: dict[str, int] = {}
        if text.at_open():
            labels = text.array(f"the labels of variable {name!r}")
            names = {label: i for i, label in enumerate(labels)}
            n_labels = len(labels)
            if n_labels == 0:
                text.fail(f"the variable {name!r} has no labels; expected at least 1")
            if len(names) < n_labels:
                text.fail(f"the labels of variable {name!r} repeat a name; expected different ones")
        else:
            size = text.string(f"the domain of variable {name!r}")
            if not size.isdecimal() or not 1 <= int(size) <= LARGEST_TABLE:
                text.fail(
                    f"the domain of variable {name!r} is {size!r}; expected a number of labels >= 1 "
                    "(a negative one is an interval, which is not supported) or their names"
                )
            n_labels = int(size)
        self.variables[name] = len(self.n_labels)
        self.n_labels.append(n_labels)
        self.label_names.append(names)

    def _read_function(self) -> None:
        text = self.text
        f = len(self.scopes)
        name = "" if text.at_open() else text.string("the name of a function")
        what = f"function {name!r}" if name else f"function {f}"
        if name and name in self.functions:
            text.fail(f"{what} is given again; expected each name once")
        text.open(what)
        self._expect_word("scope")
        scope = [self._variable(word, what) for word in text.array(f"the scope of {what}")]
        if len(set(scope)) < len(scope):
            text.fail(f"the scope of {what} is {tuple(scope)}; expected different variables")
        default = None
        if text.peek() == "defaultcost":
            text.string("the field 'defaultcost'")
            default = self._cost(text.string(f"the default cost of {what}"), f"the default cost of {what}")
        if text.peek() in ("type", "params"):
            text.string("a field")
            kind = "" if text.at_open() else text.string("the type")
            text.fail(f"{what} is {kind!r}, a function that is not a table; expected tables")
        self._expect_word("costs")
        self._read_costs(what, name, scope, default)
        text.close(what)
        self.scopes.append(scope)
        if name:
            self.functions[name] = f

    def _variable(self, word: str, what: str) -> int:
        if word in self.variables:
            return self.variables[word]
        if word.isdecimal() and int(word) < len(self.n_labels):
            return int(word)
        self.text.fail(
            f"the scope of {what} has the variable {word!r}; expected a name or a number from 0 to "
            f"{len(self.n_labels) - 1}"
        )

    def _cost(self, word: str, what: str) -> float:
        cost = self.sign * self._decimal(word, what)
        if cost == -math.inf:
            self.text.fail(
                f"{what} is {word}; expected a number, or {'-' if self.sign < 0 else ''}inf to forbid"
            )
        return cost

    def _read_costs(self, what: str, name: str, scope: list[int], default: float | None) -> None:
        text = self.text
        shape = tuple(self.n_labels[v] for v in scope)
        if not text.at_open():
            self._share(text.string(f"the costs of {what}"), what, shape)
            return
        size = math.prod(shape)
        if size > LARGEST_TABLE:
            text.fail(f"{what} has {size} entries; expected at most {LARGEST_TABLE}, for a dense table")
        self.table_of.append(len(self.tables))
        if default is None:
            self.tables.append(self._dense(what, size))
        else:
            self.tables.append(self._sparse(what, scope, shape, default))

    def _share(self, other: str, what: str, shape: tuple[int, ...]) -> None:
        if other not in self.functions:
            self.text.fail(
                f"the costs of {what} are those of {other!r}; expected the name of a function before it"
            )
        g = self.functions[other]
        expected = tuple(self.n_labels[v] for v in self.scopes[g])
        if shape != expected:
            self.text.fail(
                f"{what} has label counts {shape} but shares the costs of {other!r}, which has {expected}; "
                "expected equal ones"
            )
        self.table_of.append(self.table_of[g])

    def _dense(self, what: str, size: int) -> Floats:
        text = self.text
        position = text.position
        numbers = text.numbers(f"the costs of {what}")
        if numbers is None:
            words = text.array(f"the costs of {what}")
            numbers = np.array([self._decimal(word, f"cost {i} of {what}") for i, word in enumerate(words)])
        if len(numbers) != size:
            text.fail(f"the costs of {what} have {len(numbers)} entries; expected {size}", position)
        costs = 0.0 + self.sign * numbers
        bad = np.flatnonzero(np.isnan(costs) | (costs == -math.inf))
        if len(bad):
            text.fail(
                f"cost {bad[0]} of {what} is {numbers[bad[0]]}; expected a number, or inf to forbid", position
            )
        return costs

    def _sparse(self, what: str, scope: list[int], shape: tuple[int, ...], default: float) -> Floats:
        text = self.text
        position, width = text.position, len(scope) + 1
        words = text.array(f"the costs of {what}")
        if len(words) % width:
            text.fail(f"the costs of {what} have {len(words)} entries; expected tuples of {width}", position)
        table = np.full(shape, default)
        given: dict[tuple[int, ...], float] = {}
        for row in range(len(words) // width):
            entry = words[row * width : (row + 1) * width]
            labels = tuple(
                self._label(v, word, f"tuple {row} of {what}") for v, word in zip(scope, entry, strict=False)
            )
            cost = self._cost(entry[-1], f"the cost of tuple {row} of {what}")
            if given.setdefault(labels, cost) != cost:
                text.fail(
                    f"tuple {row} of {what} is given again with another cost; expected each tuple once",
                    position,
                )
            table[labels] = cost
        return table.reshape(-1)

    def _label(self, v: int, word: str, what: str) -> int:
        names = self.label_names[v]
        if word in names:
            return names[word]
        if word.isdecimal() and int(word) < self.n_labels[v]:
            return int(word)
        self.text.fail(
            f"{what} has the label {word!r}; expected a name or a number from 0 to {self.n_labels[v] - 1}"
        )


CFN = Format(
    name="cfn",
    title="toulbar2 cost function network",
    suffixes=(".cfn",),
    recognises=lambda head: head.lstrip()[:1] in (b"{", b"#"),
    read=read_cfn,
)
