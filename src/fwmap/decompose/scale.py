"""The size of a model's costs: where the proximal weight starts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import MRF
from ..models.costs import PRODUCT
from .field import FieldDecomposition
from .own import OwnDecomposition

#: How many tables, and entries of a table, are looked at: enough for a median.
MOST_TABLES, MOST_ENTRIES = 2000, 2000
#: How many oracles of one's own are probed, and up to which power of two from their cost.
MOST_PROBED, FARTHEST = 4, 127


def scale_of(decomposition: FieldDecomposition | OwnDecomposition) -> float:
    """Size of the costs behind a decomposition."""
    if isinstance(decomposition, FieldDecomposition):
        return cost_scale(decomposition.field)
    return own_scale(decomposition.core)


def cost_scale(model: MRF) -> float:
    """Median over the model's tables of how far their costs typically lie apart; 0 where all are constant.

    Only differences of finite costs enter, and medians: constants, forbidden entries and outliers do not
    matter. Costs times s give s times the scale.
    """
    spreads = [spread for table in sampled_tables(model) if (spread := typical_spread(table)) > 0]
    return float(np.median(spreads)) if spreads else 0.0


def typical_spread(costs: NDArray[np.float64]) -> float:
    """Median distance from the median, among the finite costs that differ from it.

    >>> typical_spread(np.array([0.0, 0.0, 0.0, 2.0, np.inf]))
    2.0
    """
    finite = costs[np.isfinite(costs)]
    if not len(finite):
        return 0.0
    middle = np.partition(finite, len(finite) // 2)[len(finite) // 2]
    distances = np.abs(finite - middle)
    distances = distances[distances > 0]
    return float(np.median(distances)) if len(distances) else 0.0


def sampled_tables(model: MRF) -> Iterator[NDArray[np.float64]]:
    """Unaries, pairwise tables, structured costs and factors, evenly sampled where there are many."""
    for v in evenly(model.n_nodes):
        yield model.unary(v)[:MOST_ENTRIES]
    for e in evenly(model.n_edges):
        t = model.edge_table[e]
        if t >= 0:
            table = thinned(model.table_values[model.table_offsets[t] : model.table_offsets[t + 1]])
            if model.edge_kind[e] == PRODUCT:  # of a table and its transpose, which look alike
                weight = abs(model.edge_weight[e]) + abs(model.edge_truncation[e])
                table = weight * table[np.isfinite(table)]
            yield table
        else:
            yield np.array([0.0, model.edge_weight[e]])
    for f in evenly(model.n_factors):
        t = model.factor_table[f]
        yield thinned(model.factor_values[model.factor_table_offsets[t] : model.factor_table_offsets[t + 1]])


def thinned(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """At most MOST_ENTRIES of the entries, evenly spaced."""
    return costs[:: max(1, -(-len(costs) // MOST_ENTRIES))]


def evenly(n: int) -> Iterable[int]:
    """At most MOST_TABLES of the integers below n, evenly spaced."""
    return range(0, n, max(1, -(-n // MOST_TABLES)))


def own_scale(core: _core.Decomposition) -> float:
    """The same for oracles of which nothing is known: what a weight must be to change their choice.

    The variables of a term's choice are made dearer until it chooses otherwise, by the smallest power of two
    that does it, so that costs times a power of two give exactly as many times the size. The size is the cost
    that the other choice has more, per variable that it gives up; the median over at most `MOST_PROBED`
    terms, 0 where no choice ever changes.
    """
    terms = range(0, core.n_terms, max(1, -(-core.n_terms // MOST_PROBED)))
    sizes = [size for t in terms if (size := cost_of_another_choice(core, t)) > 0]
    return float(np.median(sizes)) if sizes else 0.0


def cost_of_another_choice(core: _core.Decomposition, term: int) -> float:
    """What a term's next choice costs more, per variable given up; 0 where no weight makes it choose so."""
    weights = np.zeros(core.n_coordinates(term))
    chosen, cost, *_ = core.minimize(term, weights)
    if not len(chosen):
        return 0.0

    def size_at(exponent: int) -> float:
        weights[chosen] = 2.0**exponent
        other, other_cost, *_ = core.minimize(term, weights)
        given_up = len(np.setdiff1d(chosen, other))
        return float(other_cost - cost) / given_up if given_up and other_cost > cost else 0.0

    # The own cost of the choice only rises with the weight: strides that double enclose the exponent from
    # which on it is another, halving finds it.
    guess = math.frexp(cost)[1]
    size = found = size_at(guess)
    direction = -1 if found > 0 else 1
    near, far, stride = guess, guess, 1
    while (size > 0) == (found > 0):
        near, found, far, stride = far, size, far + direction * stride, 2 * stride
        if abs(far - guess) > FARTHEST:
            return found
        size = size_at(far)
    low, high, found = (near, far, size) if size > 0 else (far, near, found)
    while high - low > 1:
        middle = (low + high) // 2
        size = size_at(middle)
        if size > 0:
            high, found = middle, size
        else:
            low = middle
    return found
