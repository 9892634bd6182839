"""What is left of a problem, with integer costs that are no more than the true ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..decompose import FieldDecomposition
from ..decompose.restriction import entries_of
from ..models import GraphMatching, Model, Tomography

#: Costs and their sums stay below this: exact in double precision, too.
LARGEST = 2**50
#: Multiples of this power of two need no scaling.
FINEST = 20

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Stands for a forbidden entry.
FORBIDDEN = -1


@dataclass(frozen=True, eq=False)
class Remainder:
    """Variables and tables of integers, one per variable, edge and factor; all are >= 0 but `FORBIDDEN`.

    For each labeling, (sum of the integers) / scale + constant is at most its energy, and less by no more
    than `rounding`. Scale is a power of two, so that only rounding down to integers loses anything.
    """

    n_labels: Ints
    scopes: list[Ints]
    tables: list[Ints]  # flat, last variable fastest
    sums: list[tuple[Ints, int]]  # variables whose labels must add up to a number
    constant: Fraction
    scale: int

    @property
    def rounding(self) -> Fraction:
        """No energy is further above what the integers say."""
        return Fraction(len(self.tables), self.scale)

    @property
    def size(self) -> int:
        """Entries of all tables."""
        return sum(map(len, self.tables))

    def integer_below(self, energy: Fraction) -> int:
        """Labelings of no more than this energy have integers of no more than this."""
        return math.floor((energy - self.constant) * self.scale)

    def energy_of(self, integer: int) -> float:
        """A labeling with no less than this in integers has no less than this energy; rounded down."""
        exact = self.constant + Fraction(integer, self.scale)
        near = float(exact)
        return near if Fraction(near) <= exact else math.nextafter(near, -math.inf)

    def largest(self) -> int:
        """More than any allowed labeling has in integers."""
        return sum(int(table.max(initial=0)) for table in self.tables) + 1


def remainder_of(model: Model, decomposition: FieldDecomposition, precision: float) -> Remainder | None:
    """The remainder of a decomposition's problem; None where it cannot be told in tables.

    The scale is such that rounding takes no more than `precision` in all, if integers are large enough.
    """
    field = decomposition.field
    edges, offsets = decomposition.cost_edges, field.label_offsets
    own_label = np.arange(len(field.unaries)) - np.repeat(offsets[:-1], field.n_labels)
    every = np.arange(len(edges.ends))
    flat = entries_of(edges, every, offsets, own_label, field.n_labels)
    sizes = field.n_labels[edges.ends].prod(axis=1)
    scopes = [np.array([v]) for v in range(field.n_nodes)] + list(edges.ends)
    costs = np.split(field.unaries, offsets[1:-1]) if field.n_nodes else []
    costs += np.split(flat, np.cumsum(sizes)[:-1]) if len(sizes) else []
    for f in range(field.n_factors):
        scopes.append(field.factor_scope(f))
        costs.append(field.factor_table_of(f).ravel())
    sums: list[tuple[Ints, int]] = []
    if isinstance(model, Tomography):
        if (model.required_sums < 0).any():
            return None
        sums = required_sums(model, decomposition)
    scale = scale_for(costs, precision)
    if scale is None or not np.isfinite(field.constant):
        return None
    constant, tables = Fraction(field.constant), []
    for cost in costs:
        table, lowest = integers(cost, scale)
        tables.append(table)
        constant += Fraction(lowest, scale)
    remainder = Remainder(field.n_labels, scopes, tables, sums, constant, scale)
    if isinstance(model, GraphMatching):
        add_exclusions(remainder, model, decomposition)
    return remainder


def scale_for(costs: list[Floats], precision: float) -> int | None:
    """The power of two that rounding needs, or that makes costs integers; None where they are too large."""
    values = np.concatenate([np.zeros(0), *costs])
    values = values[np.isfinite(values)]
    spread = math.fsum(float(np.ptp(own)) for cost in costs if len(own := cost[np.isfinite(cost)]))
    size = max(spread, float(np.abs(values).max(initial=0.0)), 2.0**-900)
    most = math.floor(math.log2(LARGEST / size)) - 1
    for exponent in range(FINEST + 1):
        scaled = values * 2.0**exponent
        if (scaled == np.rint(scaled)).all():
            return 2**exponent if exponent <= most else None
    wanted = math.ceil(math.log2(max(1.0, len(costs) / precision))) if precision > 0 else most
    return 2 ** max(0, min(wanted, most)) if most >= 0 else None


def integers(costs: Floats, scale: int) -> tuple[Ints, int]:
    """Costs times the scale, rounded down, less the lowest one; and that."""
    finite = np.isfinite(costs)
    scaled = np.floor(costs[finite] * float(scale)).astype(np.int64)
    lowest = int(scaled.min(initial=np.iinfo(np.int64).max)) if len(scaled) else 0
    table = np.full(len(costs), FORBIDDEN, np.int64)
    table[finite] = scaled - lowest
    return table, lowest


def add_exclusions(remainder: Remainder, model: GraphMatching, decomposition: FieldDecomposition) -> None:
    """Forbid that two left points choose the same right one, where no edge does."""
    offsets, partner = decomposition.label_offsets, model.left.partner
    restriction = decomposition.cover.restriction
    if restriction is not None:
        partner = partner[restriction.labels]
    joined = {(int(u), int(v)) for u, v in np.sort(decomposition.cost_edges.ends, axis=1)}
    own = [partner[offsets[v] : offsets[v + 1]] for v in range(model.n_left)]
    for u in range(model.n_left):
        for v in range(u + 1, model.n_left):
            if (u, v) in joined:
                continue
            same = (own[u][:, None] == own[v]) & (own[u] >= 0)[:, None]
            if same.any():
                remainder.scopes.append(np.array([u, v]))
                remainder.tables.append(np.where(same, FORBIDDEN, 0).ravel())


def required_sums(model: Tomography, decomposition: FieldDecomposition) -> list[tuple[Ints, int]]:
    """The pixels of each ray, and what their labels must add up to as they are numbered now."""
    restriction, now = decomposition.cover.restriction, decomposition.label_offsets
    sums = []
    for ray in range(model.n_rays):
        pixels, required = model.ray(ray), int(model.required_sums[ray])
        if restriction is not None:
            fixed = pixels[restriction.fixed[pixels]]
            before = decomposition.origin.label_offsets
            required -= int((restriction.labels[now[fixed]] - before[fixed]).sum())
        sums.append((pixels, required))
    return sums
