"""A certificate made from what a run ended with."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .certificate import Certificate
from .certificate.certificate import ASSIGNMENT, FACTOR, FOREST, ORACLE, RAY, known_or_nan
from .decompose import FieldDecomposition, OwnDecomposition
from .decompose.field import concatenated_ranges
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


def certify(
    model_name: str,
    decomposition: FieldDecomposition | OwnDecomposition,
    multipliers: list[Floats],
    claims: Claims,
    removed_at: Ints | None = None,
    cutoffs: list[float] | None = None,
) -> Certificate:
    """The certificate of a decomposition's bound.

    Parameters
    ----------
    model_name
        Name of the model's class.
    decomposition
        Of the model as given.
    multipliers
        Rows over the coordinates of all terms (see `coordinates`): one per reduction, then the last.
    claims
        What the run found.
    removed_at, cutoffs
        The reduction that removed each label (-1: none), and the reductions' cut-offs; none when absent.
    """
    if isinstance(decomposition, OwnDecomposition):
        terms = own_terms(decomposition)
    else:
        terms = field_terms(decomposition, ASSIGNMENT if model_name == "GraphMatching" else RAY)
    nodes = terms.nodes
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
        edge_term=terms.edge_term,
        shares=terms.shares,
        multipliers=np.stack(multipliers),
        removed_at=np.full(int(terms.n_labels.sum()), -1) if removed_at is None else removed_at,
        cutoffs=np.array(cutoffs or [], np.float64),
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
    edge_term: Ints
    shares: Floats


def field_terms(decomposition: FieldDecomposition, further: int) -> Terms:
    """Forests, then factors, then rays or the assignment."""
    field, n_forests = decomposition.field, decomposition.n_forests
    n_further = len(decomposition.nodes) - n_forests - field.n_factors
    return Terms(
        field.n_labels,
        [FOREST] * n_forests + [FACTOR] * field.n_factors + [further] * n_further,
        [0] * n_forests + list(range(field.n_factors)) + list(range(n_further)),
        decomposition.nodes,
        decomposition.forest_of_edge,
        np.concatenate([np.zeros(0), *decomposition.shares]),
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
        np.zeros(0, np.int64),
        np.zeros(sum(map(len, nodes))),
    )


def coordinates(decomposition: FieldDecomposition | OwnDecomposition) -> Ints:
    """The variable of each coordinate of all terms, one term after the other."""
    if isinstance(decomposition, OwnDecomposition):
        return np.concatenate([np.zeros(0, np.int64), *(m.variables for m in decomposition.model.members)])
    offsets = decomposition.label_offsets
    sizes = np.diff(offsets)
    parts = [concatenated_ranges(offsets[nodes], sizes[nodes]) for nodes in decomposition.nodes]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def over_coordinates(decomposition: FieldDecomposition | OwnDecomposition, multipliers: Floats) -> Floats:
    """Multipliers over shared slots, with zeros where a coordinate is not shared."""
    variables = coordinates(decomposition)
    copies = np.bincount(variables, minlength=1)
    out = np.zeros(len(variables))
    out[copies[variables] > 1] = multipliers
    return out


def least_number(bound: float | None) -> float:
    """A bound, -inf where none is known."""
    return -math.inf if bound is None else bound
