"""The bound of a certificate, from terms rebuilt of the model's own costs."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..models import MRF, GraphMatching, Tomography
from ..models.matching_right import RightSide
from ..models.step import energy_step
from ..rounding_down import add_rounding_down, sum_rounding_down
from .assignment import Assignment
from .certificate import (
    ASSIGNMENT,
    CHAIN,
    CYCLE,
    FACTOR,
    FOREST,
    LOCAL_MATCHING,
    RAY,
    RIGHT_FOREST,
    STAR,
    Certificate,
)
from .chains import Chain
from .cycles import Cycle, allowed_entries
from .local_matching import LocalMatching
from .rays import Ray
from .star import Star
from .tables import Factor
from .trees import Forest
from .variables import Variables

#: Differences below this, relative to the numbers involved, are the rounding of two ways to compute a thing.
SLACK = 1e-9

#: Kinds of terms of fields.
KINDS = (FOREST, FACTOR, RAY, ASSIGNMENT, RIGHT_FOREST, STAR, CYCLE, LOCAL_MATCHING, CHAIN)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Failure(Exception):
    """What is wrong with a certificate, in words."""


class Term(Protocol):
    """A part of the energy whose minimum can be recomputed; arrays are over the labels of its nodes."""

    def minimum(self, weights: Floats) -> float:
        """No labeling of the term costs less than this."""

    def min_marginals(self, weights: Floats) -> Floats:
        """No labeling with this label costs less than this."""


class Proof:
    """The bound of a certificate for a field, alone, with rays, or with an assignment."""

    def __init__(self, certificate: Certificate, model: MRF | Tomography | GraphMatching) -> None:
        self.certificate, self.model = certificate, model
        self.field = model if isinstance(model, MRF) else model.field
        has_right = isinstance(model, GraphMatching) and (certificate.term_kind == RIGHT_FOREST).any()
        self.right = None
        if isinstance(model, GraphMatching) and has_right:
            self.model = model.with_pairs()
            self.field, self.right = self.model.field, RightSide.of(self.model)
        self.has_stars = bool((certificate.term_kind == STAR).any())  # which hold the costs of all pairs
        self.allowed = functools.cache(functools.partial(allowed_entries, self.field))
        self.check_sizes()
        self.nodes = np.split(certificate.term_nodes, certificate.term_node_offsets[1:-1])
        self.edges = np.split(certificate.term_edges, certificate.term_edge_offsets[1:-1])
        self.check_members()
        self.variables = Variables(self.field, self.right, self.shared_edges())
        self.places = [
            self.variables.of_right(nodes, edges) if kind == RIGHT_FOREST else self.variables.of(nodes, edges)
            for kind, nodes, edges in zip(certificate.term_kind.tolist(), self.nodes, self.edges, strict=True)
        ]
        self.ends = np.cumsum([len(places) for places in self.places], dtype=np.int64)
        self.check_coordinates()
        self.check_parts()
        self.terms: list[Term] = [self.term(t) for t in range(len(certificate.term_kind))]
        self.check_shares()

    def check_sizes(self) -> None:
        """Refuse a certificate of a model of another size, or one whose arrays do not fit together."""
        c, field = self.certificate, self.field
        if not np.array_equal(c.n_labels, field.n_labels):
            raise Failure("it is about a model with other variables or labels")
        n_terms = len(c.term_kind)
        for offsets, members, what in (
            (c.term_node_offsets, c.term_nodes, "node"),
            (c.term_edge_offsets, c.term_edges, "edge"),
        ):
            ends = np.array([0, len(members)])
            if (
                len(offsets) != n_terms + 1
                or (np.diff(offsets) < 0).any()
                or (offsets[[0, -1]] != ends).any()
            ):
                raise Failure(f"term_{what}_offsets are not those of its terms")
        if len(c.term_number) != n_terms:
            raise Failure("term_number does not have one entry per term")
        n_edges = 0 if self.has_stars else field.n_edges
        if len(c.edge_term) != n_edges:
            raise Failure(f"edge_term has {len(c.edge_term)} entries; the model has {n_edges} edges")
        if c.removed_at.shape != field.unaries.shape:
            raise Failure("removed_at does not have one entry per label")
        if ((c.removed_at < -1) | (c.removed_at >= len(c.cutoffs))).any():
            raise Failure("removed_at names a reduction that there is none of")

    def check_members(self) -> None:
        """Refuse terms that name variables or edges that there are none of, or one of them twice."""
        c = self.certificate
        if (c.term_kind == RIGHT_FOREST).any() and self.right is None:
            raise Failure("it has a forest of right points, which this model does not have")
        for kind, nodes, edges in zip(c.term_kind.tolist(), self.nodes, self.edges, strict=True):
            field = self.right.field if self.right is not None and kind == RIGHT_FOREST else self.field
            for members, n, what in ((nodes, field.n_nodes, "variable"), (edges, field.n_edges, "edge")):
                outside = (members < 0) | (members >= n)
                if outside.any():
                    raise Failure(f"a term names {what} {members[outside][0]}, which the model does not have")
                if len(np.unique(members)) != len(members):
                    raise Failure(f"a term names a {what} twice")
            if len(edges) and kind not in (FOREST, RIGHT_FOREST, CYCLE, LOCAL_MATCHING):
                raise Failure("a term that cannot do so shares entries of tables")

    def shared_edges(self) -> Ints:
        """Edges of the field whose entries several terms know."""
        kinds = self.certificate.term_kind
        own = [edges for kind, edges in zip(kinds, self.edges, strict=True) if kind != RIGHT_FOREST]
        return np.unique(np.concatenate([np.zeros(0, np.int64), *own]))

    def check_coordinates(self) -> None:
        """Refuse arrays that do not have an entry per coordinate."""
        c, n_coordinates = self.certificate, sum(map(len, self.places))
        if c.shares.shape != (n_coordinates,):
            raise Failure(f"shares has {len(c.shares)} entries; its terms have {n_coordinates} coordinates")
        if c.multipliers.shape != (len(c.cutoffs) + 1, n_coordinates):
            raise Failure(f"multipliers has shape {c.multipliers.shape}; that is not one row per reduction")

    def check_parts(self) -> None:
        """Every edge, factor, ray and assignment of the model is in exactly one term."""
        c = self.certificate
        if not np.isin(c.term_kind, KINDS).all():
            raise Failure("it has a term of a kind that this model does not have")
        inside = (c.edge_term >= 0) & (c.edge_term < len(c.term_kind))
        if not inside.all() or not np.isin(c.term_kind[c.edge_term[inside]], (FOREST, CHAIN)).all():
            raise Failure("an edge of the model is in no forest or chain")
        n_rays = self.model.n_rays if isinstance(self.model, Tomography) else 0
        n_assignments = int(isinstance(self.model, GraphMatching))
        product = self.model.product if isinstance(self.model, GraphMatching) else None
        if self.has_stars and product is None:
            raise Failure("it has a star, and the model has no product of two matrices")
        n_stars = len(product.stars()) if self.has_stars and product is not None else 0
        expected = (
            (FACTOR, self.field.n_factors, "factor"),
            (RAY, n_rays, "ray"),
            (ASSIGNMENT, n_assignments, "assignment"),
            (STAR, n_stars, "star"),
        )
        for kind, number, what in expected:
            kinds = (RAY, CHAIN) if kind == RAY else (kind,)
            numbers = np.sort(c.term_number[np.isin(c.term_kind, kinds)])
            if not np.array_equal(numbers, np.arange(number)):
                raise Failure(f"its terms are not every {what} of the model once")

    def term(self, t: int) -> Term:
        """The costs of a term, from the model."""
        c, number = self.certificate, int(self.certificate.term_number[t])
        if c.term_kind[t] == FOREST:
            return self.forest(t, self.field, np.flatnonzero(c.edge_term == t))
        if c.term_kind[t] == CHAIN:
            return self.chain(t, number)
        if c.term_kind[t] == RIGHT_FOREST:
            assert self.right is not None
            return self.forest(t, self.right.field, self.edges[t])
        if c.term_kind[t] == LOCAL_MATCHING:
            if not isinstance(self.model, GraphMatching) or len(self.nodes[t]):
                raise Failure(f"term {t} is no few points of a matching")
            try:
                return LocalMatching(self.model, self.edges[t])
            except ValueError as error:
                raise Failure(f"term {t}: {error}") from None
        if c.term_kind[t] == STAR:
            assert isinstance(self.model, GraphMatching)
            star = Star(self.model, number)
            if not np.array_equal(self.nodes[t], star.nodes):
                raise Failure(f"term {t} does not have the points of its star {number}")
            return star
        if c.term_kind[t] == CYCLE:
            return self.cycle(t)
        if c.term_kind[t] == FACTOR:
            own = self.field.factor_scope(number)
        else:
            own = np.arange(self.field.n_nodes) if c.term_kind[t] == ASSIGNMENT else self.ray(number)
        if not np.array_equal(self.nodes[t], own):
            raise Failure(f"term {t} does not have the variables of its factor, ray or assignment {number}")
        if c.term_kind[t] == FACTOR:
            return Factor(self.field, number)
        if isinstance(self.model, GraphMatching):
            return Assignment(self.model)
        assert isinstance(self.model, Tomography)
        return Ray(self.model, number)

    def forest(self, t: int, field: MRF, edges: Ints) -> Forest:
        """A term made of some edges of a field."""
        try:
            return Forest(field, self.nodes[t], edges, self.edges[t])
        except ValueError as error:
            raise Failure(f"term {t}: {error}") from None

    def cycle(self, t: int) -> Cycle:
        """A term made of the entries of some edges."""
        if len(self.nodes[t]):
            raise Failure(f"term {t} is a cycle and has labels of its own")
        try:
            return Cycle(self.field, self.edges[t], self.allowed)
        except ValueError as error:
            raise Failure(f"term {t}: {error}") from None

    def chain(self, t: int, number: int) -> Chain:
        """A term made of a ray and the edges that are said to be in it."""
        assert isinstance(self.model, Tomography)
        try:
            return Chain(self.model, number, self.nodes[t], np.flatnonzero(self.certificate.edge_term == t))
        except ValueError as error:
            raise Failure(f"term {t}: {error}") from None

    def ray(self, number: int) -> Ints:
        """The pixels of a ray."""
        assert isinstance(self.model, Tomography)
        return self.model.ray(number)

    def check_shares(self) -> None:
        """Shares add up to unary costs but for rounding; `weights` pays what multipliers leave of zero."""
        c, variables = self.certificate, self.variables
        places, costs = np.concatenate([np.zeros(0, np.int64), *self.places]), variables.costs
        known, allowed = places >= 0, np.isfinite(costs)
        of_right = np.repeat(c.term_kind == RIGHT_FOREST, [len(own) for own in self.places])
        if c.shares[of_right].any() or c.multipliers[:, ~known].any():
            raise Failure("a coordinate has a share or a multiplier that no other term balances")
        if np.isnan(c.shares).any() or (np.isfinite(c.shares) != allowed[places])[~of_right].any():
            raise Failure("its shares forbid other labels than the model does")
        there = known & allowed[places]
        if not np.isfinite(c.multipliers[:, there]).all():
            raise Failure("a multiplier is not a finite number")
        covered = np.bincount(places[known], minlength=len(costs)) > 0
        total, size = added(c.shares[there], places[there], len(costs))
        expected = np.where(allowed, costs, 0.0)
        if (np.abs(total - expected)[covered] > SLACK * (size + np.abs(expected))[covered]).any():
            raise Failure("the terms' shares do not add up to the model's unary costs")

    def bound(self) -> tuple[float, float]:
        """The bound proved, and the size of the numbers it is a sum of.

        It is that of the problem that is left, or of what was removed, whichever is less.
        """
        c = self.certificate
        kept = np.isfinite(self.field.unaries)
        proved = math.inf
        for k, cutoff in enumerate(c.cutoffs.tolist()):
            gone = kept & (c.removed_at == k)
            costs = self.label_bounds(k, kept)
            if not (costs[gone] > cutoff).all():
                raise Failure(
                    f"reduction {k} removes a label that is not proved to cost more than {cutoff!r}"
                )
            proved = min(proved, self.least_above(cutoff))
            kept &= ~gone
        if not len(c.cutoffs) and (c.removed_at >= 0).any():
            raise Failure("labels are removed without any reduction")
        per_term, rest = self.weights(len(c.cutoffs), kept)
        minima = [term.minimum(own) for term, own in zip(self.terms, per_term, strict=True)]
        summands = [self.field.constant, *minima, *rest]
        return min(proved, sum_rounding_down(summands)), math.fsum([*map(abs, summands), self.largest_cost()])

    def largest_cost(self) -> float:
        """The largest finite cost of the model: even where minima are 0, sums on the way were not."""
        field = self.field
        costs = (field.unaries, field.table_values, field.edge_weight, field.factor_values)
        return max(float(np.abs(part[np.isfinite(part)]).max(initial=0.0)) for part in costs)

    def least_above(self, cutoff: float) -> float:
        """What a labeling that costs more than this costs at least: energies may be steps apart."""
        energy, step = self.certificate.energy, energy_step(self.model)
        if step is None or math.isnan(energy) or not math.isfinite(cutoff):
            return cutoff
        steps = math.floor((Fraction(cutoff) - Fraction(energy)) / Fraction(step)) + 1
        return float(Fraction(energy) + steps * Fraction(step))

    def weights(self, row: int, kept: NDArray[np.bool_]) -> tuple[list[Floats], list[float]]:
        """Unary costs of each term under a row of multipliers, and what is left of each node's, at least."""
        c, variables = self.certificate, self.variables
        with np.errstate(invalid="ignore"):  # where labels are forbidden
            own = np.split(c.shares + c.multipliers[row], self.ends[:-1])
        kept = variables.with_entries(kept)
        left = np.where(kept, variables.costs, np.inf)
        per_term = []
        for kind, nodes, places, part in zip(c.term_kind, self.nodes, self.places, own, strict=True):
            if kind == RIGHT_FOREST:
                variables.forbid_right(nodes, part)
            there = (places >= 0) & kept[places]
            left[places[there]] = add_rounding_down(left[places[there]], -part[there])
            part[(places >= 0) & ~there] = np.inf
            per_term.append(part)
        return per_term, variables.least_of_each(left).tolist()

    def label_bounds(self, row: int, kept: NDArray[np.bool_]) -> Floats:
        """No labeling of kept labels with this label costs less: the total, and what it adds to each term."""
        per_term, rest = self.weights(row, kept)
        minima = [term.minimum(own) for term, own in zip(self.terms, per_term, strict=True)]
        total = sum_rounding_down([self.field.constant, *minima, *rest])
        if total == math.inf:
            return np.full(len(kept), np.inf)
        costs = np.full(len(kept), total)
        for term, own, least, places in zip(self.terms, per_term, minima, self.places, strict=True):
            added_here = add_rounding_down(term.min_marginals(own), np.array([-least]))
            labels = places[: len(added_here)]  # entries come behind
            known = labels >= 0
            costs[labels[known]] = add_rounding_down(costs[labels[known]], added_here[known])
        return costs


def added(values: Floats, places: Ints, n: int) -> tuple[Floats, Floats]:
    """Sums of the values at each place, and of their magnitudes."""
    total, size = (np.bincount(places, of, n).astype(np.float64) for of in (values, np.abs(values)))
    return total, size
