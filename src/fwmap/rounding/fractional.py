"""A fractional point of a field's relaxation, made from y: its cost is above the relaxation's optimum."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..decompose import FieldDecomposition, OwnDecomposition
from ..decompose.merge import merged_edges
from .field import argmax_per_node
from .graph import graph_of
from .proposals import Proposals

#: Marginals are whole multiples of one over this, so that a point meets its constraints exactly.
WHOLE = 1 << 40
#: Marginals below this, relative to the largest of the node, are left out.
NEGLIGIBLE = 1e-9
#: How many labels of a node are kept at most; fewer at each attempt that does not fit the budget.
MOST_LABELS = (64, 16, 4)
#: How often mass that forbidden entries leave unpaired is taken away.
MOST_ROUNDS = 30

#: Nodes that are looked at together.
TOGETHER = 1 << 14
#: The operations it may take: a share of those counted so far, and so many per label and edge at least.
SHARE, LEAST = 0.05, 200.0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Hints = tuple[NDArray[np.int32], Ints, Ints]


def relaxation_upper(
    decomposition: FieldDecomposition | OwnDecomposition,
    core: Proposals,
    energy: float | None,
    partners: Ints | None = None,
) -> float | None:
    """No more than this is the optimum of the relaxation; None where no feasible point of it is known.

    The best labeling is a point of any relaxation. Where all terms are forests and factors, y gives another;
    so it does for forests and the assignment term of a matching whose labels choose these `partners`.
    """
    costs = [] if energy is None else [energy]
    if isinstance(decomposition, FieldDecomposition):
        field, chains = decomposition.field, decomposition.cover.chains
        if not chains and len(decomposition.nodes) == decomposition.n_forests + field.n_factors:
            size = float(field.n_labels.sum() + field.n_edges + len(field.factor_scopes))
            cost = fractional_cost(decomposition, core, max(SHARE * core.work, LEAST * size))
            costs += [] if cost is None else [cost]
        elif partners is not None and is_one_sided(decomposition):
            marginals, size = core.marginals(), float(field.n_labels.sum() + field.n_edges)
            cost = matching_cost(decomposition, marginals, partners, max(SHARE * core.work, LEAST * size))
            costs += [] if cost is None else [cost]
    return min(costs, default=None)


def fractional_cost(
    decomposition: FieldDecomposition, core: Proposals, max_operations: float
) -> float | None:
    """Cost of a feasible point of the relaxation over nodes, edges and factors, rounded up.

    The marginals of a node are the mean of y over its terms; edges and factors are paired as cheaply as can
    be found. Where forbidden entries leave mass unpaired, it is taken away and the rest scaled up. None where
    nothing is left, or where the operations do not suffice.
    """
    marginals = core.marginals()[: int(decomposition.label_offsets[-1])]
    return completed_cost(decomposition, marginals, factor_hints(decomposition, core), max_operations)


def completed_cost(
    decomposition: FieldDecomposition, marginals: Floats, hints: Hints, max_operations: float
) -> float | None:
    """The same from given marginals of the nodes, and joint labels of factors; see `factor_hints`."""
    field, offsets = decomposition.field, decomposition.label_offsets
    if not field.n_nodes:
        return field.constant
    graph = graph_of(field, math.inf)
    for most in MOST_LABELS:
        masses, left = whole_masses(marginals, offsets, most), max_operations / len(MOST_LABELS)
        for _ in range(MOST_ROUNDS):
            enough, paired, costs, rounding, spent = _core.complete_marginals(graph, masses, *hints, left)
            left -= spent
            if not enough:
                break
            if np.array_equal(paired, masses):
                return total_cost(decomposition, masses, costs, rounding)
            masses = paired
            if not np.add.reduceat(masses, offsets[:-1]).all():
                return None
    return None


def is_one_sided(decomposition: FieldDecomposition) -> bool:
    """Whether it is the forests of a matching's left points and the assignment term, with all labels."""
    whole = decomposition.cover.restriction is None
    return whole and [term.kind for term in decomposition.further] == ["assignment"]


def matching_cost(
    decomposition: FieldDecomposition, marginals: Floats, partners: Ints, max_operations: float
) -> float | None:
    """Cost of a feasible point of the relaxation over left points and the assignment term, rounded up.

    `partners` has the right point of each label, -1 for the one that chooses none. That one takes what a
    right point is chosen too often by, and what forbidden pairs leave unpaired: it goes with everything. None
    where a point must choose, or where the operations do not suffice.
    """
    field, offsets = decomposition.field, decomposition.label_offsets
    free = np.flatnonzero((partners < 0) & np.isfinite(field.unaries))
    node = np.repeat(np.arange(field.n_nodes), field.n_labels)
    if not field.n_nodes or not np.array_equal(node[free], np.arange(field.n_nodes)):
        return None
    masses = whole_masses(marginals[: len(partners)], offsets, MOST_LABELS[0])
    chosen = np.flatnonzero((partners >= 0) & (masses > 0))
    order = chosen[np.lexsort((-masses[chosen], partners[chosen]))]  # by right points, the largest first
    total = np.cumsum(masses[order])
    begins = np.flatnonzero(np.diff(partners[order], prepend=-1))
    sizes = np.diff(begins, append=len(order))
    before = total - masses[order] - np.repeat((total - masses[order])[begins], sizes)
    masses[order] = np.clip(WHOLE - before, 0, masses[order])
    graph = graph_of(field, math.inf)
    for _ in range(MOST_ROUNDS):
        masses[free] += WHOLE - np.add.reduceat(masses, offsets[:-1])
        enough, paired, costs, rounding, spent = _core.complete_marginals(
            graph, masses, *no_hints(), max_operations
        )
        max_operations -= spent
        if not enough:
            return None
        if np.array_equal(paired, masses):
            return total_cost(decomposition, masses, costs, rounding)
        masses = paired
    return None


def whole_masses(marginals: Floats, offsets: Ints, most: int) -> Ints:
    """Marginals as multiples of 1 / WHOLE that add up to 1 for each node, on at most so many labels.

    >>> masses = whole_masses(np.array([0.5, 0.25, 0.0, 0.0]), np.array([0, 2, 4]), 2)
    >>> [int(mass) * 12 // WHOLE for mass in masses]
    [8, 3, 12, 0]
    """
    masses = np.empty(len(marginals), np.int64)
    for first in range(0, len(offsets) - 1, TOGETHER):
        own = offsets[first : first + TOGETHER + 1]
        part = slice(own[0], own[-1])
        masses[part] = masses_of_some(marginals[part], own - own[0], most)
    return masses


def masses_of_some(marginals: Floats, offsets: Ints, most: int) -> Ints:
    """The same at once: it takes several numbers for each label."""
    sizes = np.diff(offsets)
    node = np.repeat(np.arange(len(sizes)), sizes)
    values = np.maximum(marginals, 0.0)
    order = np.lexsort((-values, node))
    rank = np.empty(len(values), np.int64)
    rank[order] = np.arange(len(values)) - np.repeat(offsets[:-1], sizes)
    largest = np.maximum.reduceat(values, offsets[:-1])[node]
    values[(rank >= most) | (values < NEGLIGIBLE * largest)] = 0.0
    total = np.add.reduceat(values, offsets[:-1])
    masses = np.floor(values * (WHOLE / np.where(total > 0, total, 1.0))[node]).astype(np.int64)
    likeliest = offsets[:-1] + argmax_per_node(values, offsets)
    masses[likeliest] += WHOLE - np.add.reduceat(masses, offsets[:-1])
    return masses


def total_cost(decomposition: FieldDecomposition, masses: Ints, costs: Floats, rounding: float) -> float:
    """Costs of nodes, edges and factors, each divided by the mass it is spread over; rounded up."""
    field = decomposition.field
    mass = np.add.reduceat(masses, decomposition.label_offsets[:-1])
    first_nodes = field.factor_scopes[field.factor_scope_offsets[:-1]]
    spread = np.concatenate([mass, mass[merged_edges(field).ends[:, 0]], mass[first_nodes]])
    items = [field.constant, *(costs / spread).tolist()]
    allowance = 2.0**-50 * math.fsum(map(abs, items)) + 2 * rounding / int(mass.min())
    return math.nextafter(math.fsum([*items, allowance]), math.inf)


def no_hints() -> Hints:
    """Nothing is known of joint labels of factors."""
    return np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int64)


def factor_hints(decomposition: FieldDecomposition, core: Proposals) -> Hints:
    """The joint labels of each factor that y uses: its number, the entry of its table, and the mass."""
    field = decomposition.field
    copies = np.bincount(
        np.concatenate([np.zeros(0, np.int64), *decomposition.nodes]), minlength=field.n_nodes
    )
    factors, entries, masses = [], [], []
    for f in range(field.n_factors):
        scope = field.factor_scope(f)
        sizes = field.n_labels[scope]
        shared_first = np.argsort(copies[scope] == 1, kind="stable")
        starts = np.cumsum(sizes[shared_first]) - sizes[shared_first]
        for support, _, weight in core.planes(decomposition.n_forests + f):
            if weight <= 0 or len(support) != len(scope):
                continue
            labels = np.empty(len(scope), np.int64)
            labels[shared_first] = support - starts
            factors.append(f)
            entries.append(int(np.ravel_multi_index(tuple(labels), tuple(sizes))))
            masses.append(int(weight * WHOLE))
    return np.array(factors, np.int32), np.array(entries, np.int64), np.array(masses, np.int64)
