"""A linear programme as plain arrays, and how it grows block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..models.arrays import Floats, Ints, offsets_of


@dataclass(frozen=True, eq=False)
class Agreement:
    """Rows that say, label by label, that joint labels of a part of the model agree with those of a node."""

    part: tuple[str | int, ...]  # ("pair", 3, 5), ("factor", 0) or ("ray", 7)
    node: int
    rows: Ints


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """Minimise constant + costs · x, subject to rows, 0 <= x <= upper.

    Attributes
    ----------
    constant, costs, upper
        Of the objective and the columns; `upper` is 0 where a column is forbidden, else inf.
    is_label
        Columns that the integer programme requires to be 0 or 1.
    starts, columns, values
        Row by row: row r has `values[starts[r]:starts[r + 1]]` in those `columns`, ascending.
    right, is_equality
        Each row is = its right side, or <= it.
    blocks
        Names of consecutive columns: a word, and the numbers of each column.
    agreements
        What rows are about, where they let the labels of a node agree.
    """

    constant: float
    costs: Floats
    upper: Floats
    is_label: NDArray[np.bool_]
    starts: Ints
    columns: Ints
    values: Floats
    right: Floats
    is_equality: NDArray[np.bool_]
    blocks: list[tuple[str, Ints]]
    agreements: list[Agreement] = field(default_factory=list)

    @property
    def n_columns(self) -> int:
        """Number of variables."""
        return len(self.costs)

    @property
    def n_rows(self) -> int:
        """Number of constraints."""
        return len(self.right)

    def names(self) -> Iterator[str]:
        """Yield the columns' names, such as x_3_0 for label 0 of node 3."""
        for word, numbers in self.blocks:
            for row in numbers.tolist():
                yield "_".join([word, *map(str, row)])


@dataclass
class Builder:
    """A linear programme that grows."""

    n_columns: int = 0
    n_rows: int = 0
    constant: float = 0.0
    costs: list[Floats] = field(default_factory=list)
    upper: list[Floats] = field(default_factory=list)
    is_label: list[NDArray[np.bool_]] = field(default_factory=list)
    blocks: list[tuple[str, Ints]] = field(default_factory=list)
    rows: list[Ints] = field(default_factory=list)
    columns: list[Ints] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)
    right: list[Floats] = field(default_factory=list)
    is_equality: list[NDArray[np.bool_]] = field(default_factory=list)
    agreements: list[Agreement] = field(default_factory=list)

    def add_columns(
        self,
        word: str,
        numbers: Ints,
        costs: ArrayLike,
        *,
        is_label: bool = False,
        forbidden: NDArray[np.bool_] | None = None,
    ) -> Ints:
        """Add columns named by `word` and a row of `numbers` each; return where they are."""
        n = len(numbers)
        self.costs.append(np.array(np.broadcast_to(np.asarray(costs, np.float64), n)))
        self.upper.append(np.full(n, np.inf) if forbidden is None else np.where(forbidden, 0.0, np.inf))
        self.is_label.append(np.full(n, is_label))
        self.blocks.append((word, numbers))
        places = np.arange(self.n_columns, self.n_columns + n)
        self.n_columns += n
        return places

    def add_rows(self, right: ArrayLike, n: int, *, equal: bool = True) -> Ints:
        """Add `n` rows without entries; return where they are."""
        self.right.append(np.array(np.broadcast_to(np.asarray(right, np.float64), n)))
        self.is_equality.append(np.full(n, equal))
        places = np.arange(self.n_rows, self.n_rows + n)
        self.n_rows += n
        return places

    def add_entries(self, rows: Ints, columns: Ints, value: float) -> None:
        """Put the same value at several places."""
        self.rows.append(rows)
        self.columns.append(columns)
        self.values.append(np.full(len(rows), value))

    def program(self) -> LinearProgram:
        """The programme as it is now."""
        nothing = np.zeros(0, np.int64)
        rows, columns = (np.concatenate([nothing, *arrays]) for arrays in (self.rows, self.columns))
        order = np.lexsort((columns, rows))
        return LinearProgram(
            self.constant,
            np.concatenate([np.zeros(0), *self.costs]),
            np.concatenate([np.zeros(0), *self.upper]),
            np.concatenate([np.zeros(0, np.bool_), *self.is_label]),
            offsets_of(np.bincount(rows, minlength=self.n_rows)),
            columns[order],
            np.concatenate([np.zeros(0), *self.values])[order],
            np.concatenate([np.zeros(0), *self.right]),
            np.concatenate([np.zeros(0, np.bool_), *self.is_equality]),
            self.blocks,
            self.agreements,
        )
