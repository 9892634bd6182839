"""A few neighbouring left points with their uniqueness inside, as a term."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import GraphMatching
from .cycles import forbidden_entries
from .field import Cover, NodeTerm, concatenated_ranges

Ints = NDArray[np.int64]


def local_matching_term(cover: Cover, model: GraphMatching, nodes: Ints) -> NodeTerm:
    """The term of three or four left points and all their edges, of which each point must have one.

    It has no costs of its own, so that it may join a running solve. The same points are the same term in any
    cover of the field.
    """
    edges = edges_among(cover, nodes)
    ends = np.searchsorted(nodes, cover.edges.ends[edges]).astype(np.int32)
    partners = (
        model.left.partner if cover.restriction is None else model.left.partner[cover.restriction.labels]
    )
    offsets = cover.field.label_offsets
    add = partial(
        add_local_matching,
        n_labels=cover.field.n_labels[nodes].astype(np.int32),
        partners=partners[concatenated_ranges(offsets[nodes], cover.field.n_labels[nodes])].astype(np.int32),
        first=np.ascontiguousarray(ends[:, 0]),
        second=np.ascontiguousarray(ends[:, 1]),
        forbidden=np.concatenate([forbidden_entries(cover, int(e)) for e in edges]),
        name="points " + "-".join(map(str, nodes.tolist())),
    )
    restrict = partial(local_matching_term, model=model, nodes=nodes)
    key = ("local matching", *nodes.tolist())
    nothing = np.zeros(0, np.int64)
    return NodeTerm(nothing, add, edges, shares=False, kind="local matching", restrict=restrict, key=key)


def edges_among(cover: Cover, nodes: Ints) -> Ints:
    """The edges between some nodes."""
    inside = np.isin(cover.edges.ends, nodes).all(axis=1)
    return np.flatnonzero(inside)


def neighbourhoods(ends: Ints, most_points: int) -> list[tuple[int, ...]]:
    """Quadruples in which at most one pair has no edge, and such triples that are in none of them.

    `most_points`: 4, 3 for triples only, or 0 for none at all.

    >>> neighbourhoods(np.array([[0, 1], [1, 2], [0, 2], [1, 3], [2, 3], [3, 4]]), 4)
    [(0, 1, 2, 3), (1, 3, 4), (2, 3, 4)]
    """
    joined = neighbours(ends)
    fours: set[tuple[int, ...]] = set()
    threes: set[tuple[int, ...]] = set()
    for u, v in ends.tolist() if most_points else ():
        both = sorted(joined[u] & joined[v])
        if most_points == 4:
            fours |= {tuple(sorted((u, v, a, b))) for a, b in itertools.combinations(both, 2)}
        threes |= {tuple(sorted((u, v, w))) for w in (joined[u] | joined[v]) - {u, v}}
    covered = {three for four in fours for three in itertools.combinations(four, 3)}
    return sorted(fours | (threes - covered))


def n_neighbourhoods(ends: Ints, most_points: int) -> int:
    """No fewer than there are."""
    joined, n = neighbours(ends), 0
    for u, v in ends.tolist():
        both = len(joined[u] & joined[v])
        n += len(joined[u] | joined[v]) + (both * (both - 1) // 2 if most_points == 4 else 0)
    return n


def neighbours(ends: Ints) -> dict[int, set[int]]:
    """The other ends of the edges of each node that has any."""
    joined: dict[int, set[int]] = {}
    for u, v in ends.tolist():
        joined.setdefault(u, set()).add(v)
        joined.setdefault(v, set()).add(u)
    return joined


def add_local_matching(
    core: _core.Decomposition,
    variables: Ints,
    _: NDArray[np.int32],
    __: NDArray[np.float64],
    *,
    n_labels: NDArray[np.int32],
    partners: NDArray[np.int32],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    forbidden: NDArray[np.uint8],
    name: str,
) -> None:
    """Add the term of some points."""
    core.add_local_matching(variables, n_labels, partners, first, second, forbidden, name)
