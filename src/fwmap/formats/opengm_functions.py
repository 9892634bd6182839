"""Function types of OpenGM files, by their numbers, as tables or structured costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import FormatError
from ..models.arrays import Floats, Ints
from ..models.costs import Potts, Structured, TruncatedLinear, TruncatedQuadratic

FIRST_TYPE = 16000

EXPLICIT, SPARSE, ABSOLUTE, TRUNCATED_ABSOLUTE, SQUARED = range(5)
TRUNCATED_SQUARED, POTTS, POTTS_N, CONSTANT = range(5, 9)

#: Names of types by number minus `FIRST_TYPE`; those that `READERS` lacks are refused by these names.
TYPE_NAMES = {
    EXPLICIT: "explicit",
    SPARSE: "sparse",
    ABSOLUTE: "absolute difference",
    TRUNCATED_ABSOLUTE: "truncated absolute difference",
    SQUARED: "squared difference",
    TRUNCATED_SQUARED: "truncated squared difference",
    POTTS: "Potts",
    POTTS_N: "PottsN",
    CONSTANT: "constant",
    11: "PottsG",
    65: "learnable Potts",
} | dict.fromkeys(range(-4, 0), "constraint")


@dataclass(eq=False)
class Function:
    """A function: its shape, how to make its table, and `structured` where the model has that cost."""

    shape: tuple[int, ...]
    make: Callable[[], Floats]
    structured: Structured | None = None

    @cached_property
    def _table(self) -> Floats:
        return np.array(self.make(), dtype=np.float64, order="C")

    def table(self) -> Floats:
        """Return the table, the same object each time, so that a model stores it once."""
        return self._table


class Cursor:
    """Indices and values of one type, taken from the front, function by function."""

    def __init__(self, indices: Ints, values: Floats) -> None:
        """Begin at the front of both."""
        self.indices, self.values = indices, values
        self.index = self.value = 0

    def take_indices(self, n: int) -> list[int]:
        """Return the next `n` indices."""
        if n < 0 or self.index + n > len(self.indices):
            raise FormatError(f"indices end at {len(self.indices)}; expected {n} more at {self.index}")
        self.index += n
        return [int(i) for i in self.indices[self.index - n : self.index]]

    def take_values(self, n: int) -> Floats:
        """Return the next `n` values."""
        if n < 0 or self.value + n > len(self.values):
            raise FormatError(f"values end at {len(self.values)}; expected {n} more at {self.value}")
        self.value += n
        return self.values[self.value - n : self.value]

    def take_shape(self) -> tuple[int, ...]:
        """Return the next shape, given by its length and its entries."""
        return tuple(self.take_indices(self.take_indices(1)[0]))


def functions_of_type(type_id: int, count: int, indices: Ints, values: Floats) -> list[Function]:
    """Return the `count` functions of a type; types that have no reader are refused by name."""
    number = type_id - FIRST_TYPE
    if number not in READERS:
        name = TYPE_NAMES.get(number, f"number {type_id}")
        readable = ", ".join(TYPE_NAMES[known] for known in READERS)
        raise FormatError(f"functions of type {name} cannot be read; expected {readable}")
    cursor = Cursor(indices, values)
    functions = list(READERS[number](cursor, count))
    if cursor.index != len(indices) or cursor.value != len(values):
        raise FormatError(
            f"there are {len(indices)} indices and {len(values)} values; expected {cursor.index} and "
            f"{cursor.value} for {count} functions"
        )
    return functions


def _explicit(cursor: Cursor, count: int) -> Iterator[Function]:
    for _ in range(count):
        shape = cursor.take_shape()
        values = cursor.take_values(math.prod(shape))
        yield Function(shape, lambda values=values, shape=shape: values.reshape(shape, order="F"))  # type: ignore[misc]


def _sparse(cursor: Cursor, count: int) -> Iterator[Function]:
    for _ in range(count):
        shape = cursor.take_shape()
        keys = cursor.take_indices(cursor.take_indices(1)[0])
        values = cursor.take_values(1 + len(keys))
        if any(not 0 <= key < math.prod(shape) for key in keys):
            raise FormatError(
                f"a sparse function of shape {shape} has the keys {keys}; expected smaller ones"
            )
        yield Function(shape, lambda k=keys, v=values, s=shape: _filled(k, v, s))  # type: ignore[misc]


def _filled(keys: list[int], values: Floats, shape: tuple[int, ...]) -> Floats:
    table = np.full(math.prod(shape), values[0])
    table[keys] = values[1:]
    return table.reshape(shape, order="F")


def _difference(
    kind: type[TruncatedLinear | TruncatedQuadratic], truncated: bool
) -> Callable[..., Iterator[Function]]:
    def read(cursor: Cursor, count: int) -> Iterator[Function]:
        has_weight = truncated or len(cursor.values) == count
        for _ in range(count):
            shape = tuple(cursor.take_indices(2))
            truncation = float(cursor.take_values(1)[0]) if truncated else math.inf
            weight = float(cursor.take_values(1)[0]) if has_weight else 1.0
            cost = kind(weight, truncation)
            yield Function(shape, lambda c=cost, s=shape: _no_table(c, s), cost)  # type: ignore[misc]

    return read


def _no_table(cost: Structured, shape: tuple[int, ...]) -> Floats:
    raise FormatError(f"a function of shape {shape} is used by a factor that has not two variables: {cost}")


def _potts(cursor: Cursor, count: int) -> Iterator[Function]:
    for _ in range(count):
        shape = tuple(cursor.take_indices(2))
        equal, different = cursor.take_values(2).tolist()
        yield _potts_function(shape, equal, different)


def _potts_n(cursor: Cursor, count: int) -> Iterator[Function]:
    for _ in range(count):
        shape = cursor.take_shape()
        equal, different = cursor.take_values(2).tolist()
        yield _potts_function(shape, equal, different)


def _potts_function(shape: tuple[int, ...], equal: float, different: float) -> Function:
    """Return a Potts cost where it is one without rounding, and else a table."""
    structured = Potts(different) if equal == 0 and math.isfinite(different) and len(shape) == 2 else None
    return Function(shape, lambda: _all_equal_table(shape, equal, different), structured)


def _all_equal_table(shape: tuple[int, ...], equal: float, different: float) -> Floats:
    table = np.full(shape, different)
    k = min(shape, default=1)
    table[(np.arange(k),) * len(shape)] = equal
    return table


def _constant(cursor: Cursor, count: int) -> Iterator[Function]:
    for _ in range(count):
        shape = cursor.take_shape()
        value = float(cursor.take_values(1)[0])
        yield Function(shape, lambda s=shape, v=value: np.full(s, v))  # type: ignore[misc]


READERS: dict[int, Callable[[Cursor, int], Iterator[Function]]] = {
    EXPLICIT: _explicit,
    SPARSE: _sparse,
    ABSOLUTE: _difference(TruncatedLinear, truncated=False),
    TRUNCATED_ABSOLUTE: _difference(TruncatedLinear, truncated=True),
    SQUARED: _difference(TruncatedQuadratic, truncated=False),
    TRUNCATED_SQUARED: _difference(TruncatedQuadratic, truncated=True),
    POTTS: _potts,
    POTTS_N: _potts_n,
    CONSTANT: _constant,
}
