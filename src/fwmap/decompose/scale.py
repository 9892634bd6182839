"""The size of a model's costs: where the proximal weight starts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import MRF
from ..models.costs import PRODUCT
from .field import FieldDecomposition
from .own import OwnDecomposition

#: How many tables, and entries of a table, are looked at: enough for a median.
MOST_TABLES, MOST_ENTRIES = 2000, 200
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
    matter. Costs times s give s times the scale. Unaries, pairwise tables, structured costs and factors are
    evenly sampled where there are many.
    """
    nodes, edges, factors = (evenly(n) for n in (model.n_nodes, model.n_edges, model.n_factors))
    kinds, tables = model.edge_kind[edges], model.edge_table[edges]
    product = np.abs(model.edge_weight[edges]) + np.abs(
        model.edge_truncation[edges]
    )  # its transpose is as wide
    has_table = tables >= 0
    spreads = np.concatenate(
        [
            typical_spreads(model.unaries, model.label_offsets, nodes),
            typical_spreads(model.table_values, model.table_offsets, tables[has_table])
            * np.where(kinds == PRODUCT, product, 1.0)[has_table],
            np.abs(model.edge_weight[edges][~has_table]),
            typical_spreads(model.factor_values, model.factor_table_offsets, model.factor_table[factors]),
        ]
    )
    spreads = spreads[spreads > 0]
    return float(np.median(spreads)) if len(spreads) else 0.0


def typical_spreads(
    values: NDArray[np.float64], offsets: NDArray[np.int64], tables: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Of some tables the median distance from the median, among the finite costs that differ from it.

    >>> costs = np.array([7.0, 0.0, 0.0, 0.0, 2.0, np.inf])
    >>> typical_spreads(costs, np.array([0, 1, 6]), np.array([0, 1])).tolist()
    [0.0, 2.0]
    """
    begins, sizes = offsets[tables], offsets[tables + 1] - offsets[tables]
    return _core.typical_spreads(values, begins, sizes, MOST_ENTRIES)


def evenly(n: int) -> NDArray[np.int64]:
    """At most MOST_TABLES of the integers below n, evenly spaced."""
    return np.arange(0, n, max(1, -(-n // MOST_TABLES)), dtype=np.int64)


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
