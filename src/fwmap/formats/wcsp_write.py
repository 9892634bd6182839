"""Writing `.wcsp` files: costs become non-negative integers, and how they did is recorded in the name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError, InvalidSetting
from ..models import MRF
from ..models.arrays import Floats, Ints
from .format import WriteOptions

LARGEST_EXACT = 2**53  # integers up to here are doubles
LARGEST_BOUND = 2**62  # toulbar2's costs are 64-bit integers

MOST_DECIMALS = 15  # of a resolution

RECORD = re.compile(r";resolution=(\d+);shift=([^;]+)\Z")


@dataclass(frozen=True)
class Scaling:
    """How integers in a file stand for costs: energy = integer sum / 10^resolution + shift.

    Examples
    --------
    >>> Scaling.from_name("grid" + Scaling(2, -1.5).suffix)
    Scaling(resolution=2, shift=-1.5)
    """

    resolution: int
    shift: float

    @property
    def suffix(self) -> str:
        """What the name of the problem ends with, so that the costs can be scaled back."""
        return f";resolution={self.resolution};shift={self.shift!r}"

    @staticmethod
    def from_name(name: str) -> Scaling | None:
        """Return the scaling recorded in the name of a problem, or None."""
        found = RECORD.search(name)
        try:
            scaling = None if found is None else Scaling(int(found.group(1)), float(found.group(2)))
        except ValueError:
            return None
        return None if scaling is None or scaling.resolution > MOST_DECIMALS else scaling


@dataclass(eq=False)
class _Function:
    """A cost function with integer costs; what is forbidden has the cost 0 here."""

    scope: list[int]
    shape: tuple[int, ...]
    costs: Ints
    forbidden: NDArray[np.bool_]

    def lowest(self) -> int:
        return int(np.min(self.costs, where=~self.forbidden, initial=0))

    def highest(self) -> int:
        return int(np.max(self.costs, where=~self.forbidden, initial=0))

    def text(self, upper_bound: int) -> str:
        """Return the function as lines: scope, the most frequent cost as default, and the other tuples."""
        if not self.scope:
            return f"0 {upper_bound if self.forbidden[0] else self.costs[0]} 0\n"
        costs = np.where(self.forbidden, upper_bound, self.costs)
        distinct, counts = np.unique(costs, return_counts=True)
        default = distinct[counts.argmax()]
        others = np.flatnonzero(costs != default)
        tuples = np.column_stack([*np.unravel_index(others, self.shape), costs[others]]).tolist()
        head = [len(self.scope), *self.scope, int(default), len(tuples)]
        return "".join(" ".join(map(str, line)) + "\n" for line in [head, *tuples])


def write_wcsp(model: MRF, path: Path, stream: IO[bytes], options: WriteOptions) -> dict[str, Any]:
    """Write a model with costs times 10^resolution as integers.

    Without a resolution the costs must be integers already. A function with negative costs is shifted to a
    minimum of zero; the shifts are added up in a constant, or recorded in the name where that is negative.

    Raises
    ------
    FormatError
        If costs are not integers and no resolution is given, or if they are too large.
    """
    resolution = _checked_resolution(options.resolution)
    functions = list(_functions(model, _Rounding(path, resolution, exact=options.resolution is None)))
    constant = 0
    for function in functions:
        lowest = function.lowest() if function.scope else int(function.costs[0])
        constant += lowest
        function.costs = function.costs - lowest
    if constant > 0:
        functions.append(_Function([], (), np.array([constant]), np.zeros(1, dtype=bool)))
    scaling = Scaling(resolution, min(constant, 0) / 10.0**resolution)
    upper_bound = 1 + sum(function.highest() for function in functions)
    if upper_bound > LARGEST_BOUND:
        raise FormatError(
            f"{path}: the costs add up to {upper_bound}, beyond 64-bit integers; "
            "expected a smaller resolution"
        )
    written = [function for function in functions if function.costs.any() or function.forbidden.any()]
    name = re.sub(r"[\s;]+", "_", model.name or "fwmap")
    if scaling != Scaling(0, 0.0):
        name += scaling.suffix
    sizes = model.n_labels.tolist()
    head = [name, len(sizes), max(sizes, default=0), len(written), upper_bound]
    stream.write((" ".join(map(str, head)) + "\n" + " ".join(map(str, sizes)) + "\n").encode())
    for function in written:
        stream.write(function.text(upper_bound).encode())
    return {"resolution": resolution, "shift": scaling.shift, "upper_bound": upper_bound}


def _checked_resolution(resolution: int | None) -> int:
    if resolution is None:
        return 0
    whole = isinstance(resolution, int) and not isinstance(resolution, bool)
    if not whole or not 0 <= resolution <= MOST_DECIMALS:
        expected = f"a number of decimals from 0 to {MOST_DECIMALS}"
        raise InvalidSetting(f"resolution is {resolution!r}; expected {expected}")
    return resolution


@dataclass(frozen=True)
class _Rounding:
    """From costs to integers."""

    path: Path
    resolution: int
    exact: bool  # refuse what is not an integer already

    def integers(self, costs: Floats, what: str) -> Ints:
        """Return the integers, 0 where forbidden; `what` names the costs in errors."""
        scaled = np.where(np.isinf(costs), 0.0, costs) * 10.0**self.resolution
        rounded = np.rint(scaled)
        if self.exact and (rounded != scaled).any():
            cost = float(costs[np.flatnonzero(rounded != scaled)[0]])
            raise FormatError(
                f"{self.path}: {what} has the cost {cost!r}; expected integers, or the "
                "decimals to keep: --resolution, resolution="
            )
        if (np.abs(rounded) > LARGEST_EXACT).any():
            cost = float(costs[np.flatnonzero(np.abs(rounded) > LARGEST_EXACT)[0]])
            raise FormatError(
                f"{self.path}: {what} has the cost {cost!r}, times 10^{self.resolution} beyond 2^53; "
                "expected smaller costs or a smaller resolution"
            )
        return rounded.astype(np.int64)


def _functions(model: MRF, rounding: _Rounding) -> Iterator[_Function]:
    def function(scope: list[int], costs: Floats, what: str) -> _Function:
        flat = costs.reshape(-1)
        return _Function(scope, costs.shape, rounding.integers(flat, what), np.isinf(flat))

    for v in range(model.n_nodes):
        yield function([v], model.unary(v), f"variable {v}")
    for e, scope in enumerate(model.edges.tolist()):
        yield function(scope, model.pairwise_table(e), f"edge {e}")
    for f in range(model.n_factors):
        yield function(model.factor_scope(f).tolist(), model.factor_table_of(f), f"factor {f}")
    yield function([], np.array(model.constant), "the constant")
