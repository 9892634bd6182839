"""A solve of what is left of a problem, and what it says of the whole."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..decompose import FieldDecomposition
from ..decompose.forests import decompose_covered
from ..decompose.restriction import restricted
from ..rounding.proposals import Proposals
from .carry import looked_up, positions, slot_ends

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Of each term, by its key: the lasting numbers of variables, and their multipliers.
Multipliers = dict[Hashable, tuple[Ints, Floats]]


@dataclass(frozen=True, eq=False)
class Reduction:
    """Labels that no labeling has that costs no more than the cut-off, and the multipliers that prove it.

    Labels, and variables of multipliers, are numbered as in the whole problem.
    """

    multipliers: Multipliers
    removed: Ints
    cutoff: float


def history_of(decomposition: FieldDecomposition) -> tuple[Reduction, ...]:
    """The reductions that led to a decomposition."""
    restriction = decomposition.cover.restriction
    return () if restriction is None else restriction.history


def least_removed(decomposition: FieldDecomposition) -> float:
    """No labeling with a label that was removed costs less than this."""
    restriction = decomposition.cover.restriction
    return np.inf if restriction is None else restriction.least_removed


def labels_left(decomposition: FieldDecomposition) -> NDArray[np.bool_]:
    """Which labels of the whole problem are left; those that the model forbids never were."""
    restriction = decomposition.cover.restriction
    return np.isfinite(decomposition.field.unaries) if restriction is None else restriction.left


def reduced(
    decomposition: FieldDecomposition, multipliers: Floats, removed: Ints, cutoff: float, least: float
) -> FieldDecomposition:
    """The decomposition without some labels; no labeling with one of them costs less than `least`."""
    reduction = Reduction(lifted(decomposition, multipliers), removed, cutoff)
    left = labels_left(decomposition).copy()
    left[removed] = False
    history = (*history_of(decomposition), reduction)
    least = min(least, least_removed(decomposition))
    cover = restricted(decomposition.origin, decomposition.further, left, history, least)
    further = tuple(term.restrict(cover) for term in decomposition.further if term.restrict is not None)
    return decompose_covered(cover, further)


def whole(decomposition: FieldDecomposition) -> FieldDecomposition:
    """The decomposition of the whole problem, with all terms that have joined."""
    origin = decomposition.origin
    if len(origin.further) == len(decomposition.further):
        return origin
    cover = origin.cover
    return decompose_covered(
        cover, tuple(term.restrict(cover) for term in decomposition.further if term.restrict is not None)
    )


def lifted(decomposition: FieldDecomposition, multipliers: Floats) -> Multipliers:
    """Multipliers of the whole problem's variables; those that are gone stay as they were when they went.

    But terms that have dropped a fixed node take what the others' multipliers do not sum to zero by.
    """
    core, history = decomposition.core, history_of(decomposition)
    before: Multipliers = history[-1].multipliers if history else {}
    result: Multipliers = {}
    dropped: dict[Hashable, NDArray[np.bool_]] = {}
    per_term = np.split(multipliers, slot_ends(decomposition)[:-1])
    for t, key in enumerate(decomposition.term_keys):
        names, values = decomposition.lasting[core.shared_variables(t)], per_term[t]
        if key in before:
            known, earlier = before[key]
            where, there = positions(names, known)
            merged = earlier.copy()
            merged[where[there]] = values[there]
            dropped[key] = np.ones(len(known), bool)
            dropped[key][where[there]] = False
            names = np.concatenate([known, names[~there]])
            values = np.concatenate([merged, values[~there]])
        result[key] = names, values
    if decomposition.cover.restriction is not None:
        balance(result, dropped, decomposition.cover.restriction.fixed_labels)
    return result


def balance(multipliers: Multipliers, dropped: dict[Hashable, NDArray[np.bool_]], fixed: Ints) -> None:
    """Let the terms that have dropped a fixed label share what the other ones do not sum to zero by."""
    n = int(fixed.max(initial=-1)) + 1
    is_fixed = np.zeros(n, bool)
    is_fixed[fixed] = True
    total, copies, places = np.zeros(n), np.zeros(n), {}
    for key, (names, values) in multipliers.items():
        own = np.flatnonzero((names >= 0) & (names < n))
        own = own[is_fixed[names[own]]]
        gone = np.zeros(len(names), bool)
        if key in dropped:
            gone[: len(dropped[key])] = dropped[key]
        places[key] = own[gone[own]]
        np.add.at(total, names[own[~gone[own]]], values[own[~gone[own]]])
        np.add.at(copies, names[places[key]], 1.0)
    for key, (names, values) in multipliers.items():
        there = names[places[key]]
        values[places[key]] = -total[there] / copies[there]


def over_slots(decomposition: FieldDecomposition, multipliers: Multipliers) -> Floats:
    """Multipliers over the slots of a decomposition of the whole problem; 0 where there were none yet."""
    parts = [np.zeros(0)]
    nothing = np.zeros(0, np.int64), np.zeros(0)
    for t, key in enumerate(decomposition.term_keys):
        names = decomposition.lasting[decomposition.core.shared_variables(t)]
        parts.append(looked_up(names, *multipliers.get(key, nothing)))
    return np.concatenate(parts)


class WholeProposals:
    """What a method on a reduced problem proposes, as labels of the whole one; see `Proposals`."""

    def __init__(self, core: Proposals, decomposition: FieldDecomposition) -> None:
        restriction = decomposition.cover.restriction
        assert restriction is not None
        self.core, self.decomposition, self.restriction = core, decomposition, restriction
        self.origin = restriction.origin
        self.default = np.zeros(self.origin.field.n_nodes, np.int64)  # the first label that is left
        offsets = self.origin.label_offsets
        node = np.repeat(np.arange(len(self.default)), np.diff(offsets))[restriction.labels[::-1]]
        self.default[node] = restriction.labels[::-1] - offsets[node]

    @property
    def work(self) -> float:
        """Operations so far."""
        return self.core.work

    def marginals(self) -> Floats:
        """Per label the mean of y over its terms: 0 where it was removed, 1 where it is fixed."""
        offsets, restriction = self.decomposition.label_offsets, self.restriction
        result = np.zeros(int(self.origin.label_offsets[-1]))
        result[restriction.labels] = self.core.marginals()[: int(offsets[-1])]
        result[restriction.fixed_labels] = 1.0
        return result

    def planes(self, term: int) -> list[tuple[NDArray[np.int32], float, float]]:
        """The minimiser of a term as its only plane."""
        return [(self.minimizer(term), self.minimizer_cost(term), 1.0)]

    def minimizer(self, term: int) -> NDArray[np.int32]:
        """The labels of a term's minimiser, among the labels of all its nodes."""
        support = self.core.minimizer(term)
        nodes, own = self.origin.nodes[term], self.decomposition.nodes[term]
        if len(support) < len(own):
            return support
        labels = self.default.copy()
        offsets = self.decomposition.label_offsets[own]
        chosen = self.restriction.labels[offsets + self.decomposition.term_labels(term, support)]
        labels[own] = chosen - self.origin.label_offsets[own]
        sizes = self.origin.field.n_labels[nodes]
        return (np.cumsum(sizes) - sizes + labels[nodes]).astype(np.int32)

    def minimizer_cost(self, term: int) -> float:
        """Its own cost, without what fixed nodes pay."""
        return self.core.minimizer_cost(term)


def proposals_of(core: Proposals, decomposition: object) -> Proposals:
    """What a method proposes, as labels of the whole problem."""
    if isinstance(decomposition, FieldDecomposition) and decomposition.cover.restriction is not None:
        return WholeProposals(core, decomposition)
    return core
