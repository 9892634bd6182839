"""Local subproblems join a running solve of a matching where its points do not agree."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..certificate import Certificate
from ..certificate.certificate import LOCAL_MATCHING
from ..decompose import FieldDecomposition, with_terms
from ..decompose.local_matching import local_matching_term, n_neighbourhoods, neighbourhoods
from ..models import GraphMatching
from ..models.costs import TABLE
from .stage import Moment, Stage

#: The bound stands still where half of a stage's work has raised it by less than this share of the gap, or,
#: where no labeling is known, of the typical cost; a stage is watched for so many evaluations at least.
LITTLE, LEAST_POINTS = 0.02, 20
#: A point agrees with itself where y gives one of its labels all but this.
AGREED = 1e-2
#: What joins takes no more operations than so many times what is there, and no more coordinates in all.
GROWTH, MOST_COORDINATES = 1.0, 1 << 22
#: More neighbourhoods than this are not listed.
MOST_LISTED = 200_000

Ints = NDArray[np.int64]


class LocalMatchings:
    """Adds terms of three or four neighbouring left points, the least agreed ones first; see `Improvement`.

    They have no costs and begin with multipliers 0: the bound is what it was, and rises from there.
    """

    def __init__(self, model: GraphMatching) -> None:
        self.model = model
        self.stage: Stage | None = None
        self.points: list[tuple[float, float]] = []  # work and bound at the points of this stage
        self.known: set[tuple[int, ...]] = set()
        self.coordinates = 0
        self.unseen = 0.0  # operations not told yet

    def take_work(self) -> float:
        """Operations spent since it was last asked."""
        work, self.unseen = self.unseen, 0.0
        return work

    def next_decomposition(self, moment: Moment) -> FieldDecomposition | None:
        """The same terms and some more; None where the bound still rises, or all points agree."""
        decomposition = moment.stage.decomposition
        if not isinstance(decomposition, FieldDecomposition) or not self.stands_still(moment):
            return None
        if (decomposition.edges.kind != TABLE).any():
            return None
        chosen = self.chosen(decomposition, moment.stage.solver.core.marginals())
        if not chosen:
            return None
        self.known.update(chosen)
        cover = decomposition.cover
        terms = [local_matching_term(cover, self.model, np.array(nodes)) for nodes in chosen]
        self.coordinates += int(sum(cover.n_entries[term.edges].sum() for term in terms))
        return with_terms(decomposition, terms)

    def stands_still(self, moment: Moment) -> bool:
        """Tell whether the stage has brought what it can, or nearly so; must be asked at every point."""
        if moment.stage is not self.stage:
            self.stage, self.points = moment.stage, []
        self.points.append((moment.stage.solver.core.work, moment.bound))
        if moment.converged:
            return True
        if len(self.points) < LEAST_POINTS:
            return False
        half = 0.5 * (self.points[0][0] + self.points[-1][0])
        before = next(bound for work, bound in self.points if work >= half)
        energy = moment.incumbent.energy
        size = moment.stage.scale if energy is None else energy - moment.bound
        return moment.bound - before <= LITTLE * size

    def chosen(
        self, decomposition: FieldDecomposition, marginals: NDArray[np.float64]
    ) -> list[tuple[int, ...]]:
        """The points of the terms to add, the least agreed first."""
        offsets, cover = decomposition.label_offsets, decomposition.cover
        if not cover.field.n_nodes:
            return []
        undecided = 1.0 - np.maximum.reduceat(marginals[: offsets[-1]], offsets[:-1])
        ends = cover.edges.ends[(undecided[cover.edges.ends] > AGREED).all(axis=1)]
        self.unseen += float(offsets[-1] + len(ends))
        most_points = next((k for k in (4, 3) if n_neighbourhoods(ends, k) <= MOST_LISTED), 0)
        found = [nodes for nodes in neighbourhoods(ends, most_points) if nodes not in self.known]
        self.unseen += 10.0 * len(found)
        found.sort(key=lambda nodes: (-undecided[list(nodes)].sum(), nodes))
        core = decomposition.core
        room = GROWTH * math.fsum(core.operations(t) for t in range(core.n_terms))
        left = MOST_COORDINATES - self.coordinates
        sizes = cover.field.n_labels
        chosen: list[tuple[int, ...]] = []
        for nodes in found:
            own = sizes[list(nodes)]
            room -= 2.0 * float(own[0] * own[1] * own[2:].sum())
            left -= int(own.sum()) ** 2 // 2
            if chosen and (room < 0 or left < 0):
                break
            chosen.append(nodes)
        return chosen if left >= 0 else []


def with_local_matchings(
    decomposition: FieldDecomposition, model: GraphMatching, earlier: Certificate | None
) -> FieldDecomposition:
    """The same terms, and those that joined in the run of an earlier certificate of such a model."""
    cover = decomposition.cover
    if earlier is None or not np.array_equal(earlier.n_labels, cover.field.n_labels):
        return decomposition
    edges = np.split(earlier.term_edges, earlier.term_edge_offsets[1:-1])
    terms = [
        local_matching_term(cover, model, np.unique(cover.field.edges[own]))
        for kind, own in zip(earlier.term_kind, edges, strict=True)
        if kind == LOCAL_MATCHING and (own < len(cover.edges.ends)).all()
    ]
    return with_terms(decomposition, terms) if terms else decomposition
