"""A certificate made from what a run ended with."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .certificate import Certificate
from .certificate.certificate import (
    ASSIGNMENT,
    CHAIN,
    CYCLE,
    FACTOR,
    FOREST,
    LOCAL_MATCHING,
    ORACLE,
    RAY,
    RIGHT_FOREST,
    STAR,
    known_or_nan,
)
from .decompose import FieldDecomposition, OwnDecomposition
from .stages import Proved
from .version import __version__

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Claims:
    """What a run says it has found."""

    labeling: Ints | None
    energy: float | None
    bound: float
    status: str
    proof: str | None
    exact_bound: float | None = None
    exact_solver: str = ""


def certify(model_name: str, proved: Proved, claims: Claims) -> Certificate:
    """The certificate of a bound.

    Parameters
    ----------
    model_name
        Name of the model's class.
    proved
        The multipliers of the bound, for the model as given, and the reductions before.
    claims
        What the run found.
    """
    decomposition = proved.decomposition
    if isinstance(decomposition, OwnDecomposition):
        terms = own_terms(decomposition)
    else:
        terms = field_terms(decomposition)
    nodes, rows = terms.nodes, [over_coordinates(decomposition, row) for row in proved.rows()]
    removed_at = np.full(int(terms.n_labels.sum()), -1)
    for k, reduction in enumerate(proved.history):
        removed_at[reduction.removed] = k
    return Certificate(
        model=model_name,
        n_labels=terms.n_labels,
        labeling=np.zeros(0, np.int64) if claims.labeling is None else claims.labeling.astype(np.int64),
        energy=known_or_nan(claims.energy),
        lower_bound=claims.bound,
        term_kind=np.array(terms.kind, np.uint8),
        term_number=np.array(terms.number, np.int64),
        term_nodes=np.concatenate([np.zeros(0, np.int64), *nodes]),
        term_node_offsets=np.cumsum([0, *map(len, nodes)]).astype(np.int64),
        term_edges=np.concatenate([np.zeros(0, np.int64), *terms.edges]),
        term_edge_offsets=np.cumsum([0, *map(len, terms.edges)]).astype(np.int64),
        edge_term=terms.edge_term,
        shares=terms.shares,
        multipliers=rows[0][np.newaxis] if len(rows) == 1 else np.stack(rows),
        removed_at=removed_at,
        cutoffs=np.array([reduction.cutoff for reduction in proved.history], np.float64),
        exact_bound=known_or_nan(claims.exact_bound),
        exact_solver=claims.exact_solver,
        status=claims.status,
        proof=claims.proof or "",
        version=__version__,
    )


@dataclass(frozen=True)
class Terms:
    """The terms of a decomposition as a certificate lists them."""

    n_labels: Ints
    kind: list[int]
    number: list[int]
    nodes: list[Ints]
    edges: list[Ints]  # whose entries are coordinates
    edge_term: Ints
    shares: Floats


#: Kinds of terms that are told by their edges.
UNNUMBERED = (FOREST, RIGHT_FOREST, CYCLE, LOCAL_MATCHING)
#: `Certificate.term_kind` of further terms.
KINDS = {
    "ray": RAY,
    "assignment": ASSIGNMENT,
    "right forest": RIGHT_FOREST,
    "star": STAR,
    "cycle": CYCLE,
    "local matching": LOCAL_MATCHING,
}


def field_terms(decomposition: FieldDecomposition) -> Terms:
    """Forests, then factors, then further terms, numbered within their kind."""
    field, n_forests = decomposition.field, decomposition.n_forests
    kinds = [FOREST] * n_forests + [FACTOR] * field.n_factors
    for part in decomposition.cover.chains:
        kinds[part] = CHAIN
    kinds += [KINDS[term.kind] for term in decomposition.further]
    counters = {kind: itertools.repeat(0) if kind in UNNUMBERED else itertools.count() for kind in set(kinds)}
    numbers = [next(counters[kind]) for kind in kinds]
    for part, chain in decomposition.cover.chains.items():
        numbers[part] = chain.ray
    in_model = np.unique(decomposition.edges.of_model, return_index=True)[1]  # the first of parallel edges
    nodes, edges = list(decomposition.nodes), [in_model[own] for own in decomposition.entry_edges]
    for t, term in enumerate(decomposition.further, n_forests + field.n_factors):
        if term.number is not None:
            numbers[t] = term.number
        if term.listed is not None:
            nodes[t], edges[t] = term.listed
    sizes = [decomposition.core.n_coordinates(t) for t in range(len(kinds))]
    shares, begin = np.zeros(sum(sizes)), 0
    for own, n in zip(decomposition.shares, sizes, strict=True):
        shares[begin : begin + len(own)] = own
        begin += n
    return Terms(
        field.n_labels,
        kinds,
        numbers,
        nodes,
        edges,
        decomposition.forest_of_edge,
        shares,
    )


def own_terms(decomposition: OwnDecomposition) -> Terms:
    """Oracles; a variable is a node with one coordinate, and has no cost of its own."""
    members = decomposition.model.members
    nodes = [member.variables for member in members]
    return Terms(
        np.ones(decomposition.model.n_variables, np.int64),
        [ORACLE] * len(members),
        list(range(len(members))),
        nodes,
        [np.zeros(0, np.int64)] * len(nodes),
        np.zeros(0, np.int64),
        np.zeros(sum(map(len, nodes))),
    )


def coordinates(decomposition: FieldDecomposition | OwnDecomposition) -> NDArray[np.int32]:
    """The variable of each coordinate of all terms, one term after the other."""
    core = decomposition.core
    ends = np.cumsum([0, *(core.n_coordinates(t) for t in range(core.n_terms))])
    result = np.empty(ends[-1], np.int32)
    for t in range(core.n_terms):
        result[ends[t] : ends[t + 1]] = core.variables(t)
    return result


def over_coordinates(decomposition: FieldDecomposition | OwnDecomposition, multipliers: Floats) -> Floats:
    """Multipliers over shared slots, with zeros where a coordinate is not shared."""
    variables = coordinates(decomposition)
    copies = np.bincount(variables, minlength=1)
    out = np.zeros(len(variables))
    out[(copies > 1)[variables]] = multipliers
    return out
