"""The section of tables of a UAI file: where each is among the numbers, and whether all fit their scopes."""

from __future__ import annotations

import numpy as np

from ..models.arrays import Floats, Ints, offsets_of
from ..models.factors import by_arity
from .number_text import NumberText


class Tables:
    """Where the tables are among the numbers."""

    def __init__(
        self, numbers: NumberText, begin: int, n_labels: Ints, scopes: Ints, scope_offsets: Ints
    ) -> None:
        """Work out where each table is, given that the first one begins at number `begin`."""
        self.numbers, self.begin = numbers, begin
        self.n_labels, self.scopes, self.scope_offsets = n_labels, scopes, scope_offsets
        expected = np.ones(len(scope_offsets) - 1)
        for group in by_arity(scope_offsets):
            expected[group.factors] = n_labels[scopes[group.positions]].prod(axis=1, dtype=np.float64)
        self.expected = expected  # as floats: a product of hundreds of label counts exceeds any integer type
        self.sizes = np.minimum(expected, len(numbers.numbers) + 1).astype(np.int64)
        self.offsets = offsets_of(self.sizes)
        self.starts = begin + offsets_of(self.sizes + 1)

    def check(self) -> None:
        """Refuse tables that are not of the sizes that the scopes say, and anything after the last one."""
        there = self.starts[:-1] < len(self.numbers.numbers)
        wrong = np.flatnonzero(self.numbers.numbers[self.starts[:-1][there]] != self.expected[there])
        if len(wrong):
            f = int(wrong[0])
            index = int(self.starts[f])
            self.numbers.fail(
                index,
                f"the table of {self.describe(f)} begins with {self.numbers.token(index)}; "
                f"expected its number of entries, {self._product(f)}",
            )
        end = int(self.starts[-1])
        if end > len(self.numbers.numbers):
            index = len(self.numbers.numbers)
            f = int(np.searchsorted(self.starts[:-1], index, side="right")) - 1
            entry = index - int(self.starts[f]) - 1
            what = f"entry {entry} of {self._product(f)}" if entry >= 0 else "the number of entries"
            self.numbers.expect(index, f"{what} of the table of {self.describe(f)}")
        self.numbers.expect_end(end, f"the last table (there are {len(self.sizes)} factors)")

    def values(self) -> Floats:
        """Return the entries of all tables, without the sizes between them."""
        section = self.numbers.numbers[self.begin : self.starts[-1]]
        is_entry = np.ones(len(section), dtype=bool)
        is_entry[self.starts[:-1] - self.begin] = False
        return section[is_entry]

    def locate(self, value: int) -> tuple[int, str]:
        """Return the index among all numbers of an entry, and the words that name it."""
        f = int(np.searchsorted(self.offsets, value, side="right")) - 1
        entry = value - int(self.offsets[f])
        return int(self.starts[f]) + 1 + entry, f"entry {entry} of the table of {self.describe(f)}"

    def describe(self, f: int) -> str:
        """Return the words that name a factor."""
        scope = self.scopes[self.scope_offsets[f] : self.scope_offsets[f + 1]].tolist()
        return f"factor {f} over the variables {tuple(scope)}" if scope else f"factor {f}, a constant"

    def _product(self, f: int) -> str:
        sizes = self.n_labels[self.scopes[self.scope_offsets[f] : self.scope_offsets[f + 1]]].tolist()
        if len(sizes) < 2:
            return f"{int(self.expected[f])}"
        return f"{' x '.join(map(str, sizes))} = {np.prod(np.array(sizes, dtype=object))}"


def unnormalised_rows(values: Floats, n_labels: Ints, scopes: Ints, scope_offsets: Ints) -> int:
    """Return how many rows (over the last variable, the child) of a Bayesian network do not sum to one."""
    arities = np.diff(scope_offsets)
    has_child = arities > 0
    children = n_labels[scopes[scope_offsets[1:][has_child] - 1]]
    rows = np.ones(len(arities), dtype=np.int64)
    for group in by_arity(scope_offsets):
        rows[group.factors] = n_labels[scopes[group.positions[:, :-1]]].prod(axis=1)
    lengths = np.ones(len(arities), dtype=np.int64)
    lengths[has_child] = children
    starts = offsets_of(np.repeat(lengths, rows))[:-1]
    sums = np.add.reduceat(values, starts) if len(starts) else np.zeros(0)
    return int(np.count_nonzero(~(np.abs(sums - 1) < 1e-6)))
