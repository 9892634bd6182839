"""Multipliers and planes of one decomposition, for another one of the same model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..decompose import FieldDecomposition
from ..planes import Planes
from ..solvers import Counts, Method, Start, is_opening

Ints = NDArray[np.int64]


def carried(old: FieldDecomposition, solver: Method, new: FieldDecomposition) -> Start:
    """Where a solver of `new` begins: at the best multipliers of `solver`, with its planes and its weight.

    Terms are known by their keys, variables by their lasting numbers. What is new has multiplier 0: terms
    that join leave the bound as it is. Of a plane the coordinates that are left are kept; its oracle adds
    those that follow from them, or refuses it.
    """
    core = solver.core
    place = {key: t for t, key in enumerate(old.term_keys)}
    came_from = [place.get(key, -1) for key in new.term_keys]
    per_term = np.split(core.best_lambda, slot_ends(old)[:-1])
    centers = [np.zeros(0)]
    for t, before in enumerate(came_from):
        names = new.lasting[new.core.shared_variables(t)]
        if before < 0:
            centers.append(np.zeros(len(names)))
            continue
        known = old.lasting[old.core.shared_variables(before)]
        centers.append(looked_up(names, known, per_term[before]))
    planes = carried_planes(old, solver.planes(), new, came_from)
    weight, opening = solver.weight_to_go_on_with, is_opening(solver)
    return Start(np.concatenate(centers), planes, weight, counted(solver), opening)


def counted(solver: Method) -> Counts:
    """What a solver has counted so far."""
    core = solver.core
    return Counts(core.iteration, core.oracle_calls, core.work)


def slot_ends(decomposition: FieldDecomposition) -> Ints:
    """Where the shared slots of each term end."""
    core = decomposition.core
    return np.cumsum([len(core.shared_variables(t)) for t in range(core.n_terms)], dtype=np.int64)


def looked_up(names: Ints, known: Ints, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of each name, 0 where it is not among those known.

    >>> looked_up(np.array([7, 1]), np.array([9, 7]), np.array([0.5, 0.25])).tolist()
    [0.25, 0.0]
    """
    where, there = positions(names, known)
    result = np.zeros(len(names))
    result[there] = values[where[there]]
    return result


def positions(names: Ints, known: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Where each name stands among the known ones, and whether it does."""
    order = np.argsort(known, kind="stable")
    where = np.searchsorted(known, names, sorter=order)
    inside = where < len(known)
    where = order[np.where(inside, where, 0)] if len(known) else np.zeros(len(names), np.int64)
    there = inside.copy()
    there[inside] = known[where[inside]] == names[inside]
    return where, there


def carried_planes(
    old: FieldDecomposition, planes: Planes, new: FieldDecomposition, came_from: list[int]
) -> Planes:
    """The planes of the terms that stay, in the coordinates they have now."""
    first_plane = np.concatenate([[0], np.cumsum(planes.counts)])
    first_entry = np.concatenate([[0], np.cumsum(planes.sizes)])
    counts = np.zeros(len(came_from), np.int64)
    sizes, supports, weights = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0)]
    for t, before in enumerate(came_from):
        if before < 0:
            continue
        own = slice(first_plane[before], first_plane[before + 1])
        entries = slice(first_entry[own.start], first_entry[own.stop])
        where, there = positions(old.lasting[old.core.variables(before)], new.lasting[new.core.variables(t)])
        support = planes.supports[entries]
        plane = np.repeat(np.arange(own.stop - own.start), planes.sizes[own])
        kept = there[support]
        moved = where[support[kept]]
        order = np.lexsort((moved, plane[kept]))
        counts[t] = own.stop - own.start
        sizes.append(np.bincount(plane[kept], minlength=int(counts[t])).astype(np.int64))
        supports.append(moved[order].astype(np.int32))
        weights.append(planes.weights[own])
    return Planes(counts, np.concatenate(sizes), np.concatenate(supports), np.concatenate(weights))
