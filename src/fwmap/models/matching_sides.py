"""A matching model seen from one side: each point of that side chooses an assignment, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .arrays import Floats, Ints, offsets_of
from .edge_costs import EdgeCosts
from .factors import FactorCosts
from .mrf import MRF
from .parts import Parts

if TYPE_CHECKING:
    from .matching import GraphMatching


@dataclass(frozen=True, eq=False)
class Side:
    """The points of one side as nodes of a field: labels are a point's assignments, and last to have none.

    Assignments of a point are ordered by the point on the other side.

    Attributes
    ----------
    label_offsets
        int64 (points + 1): where the labels of each point begin.
    assignment
        Per label the number of its assignment, -1 for none.
    place
        Per assignment its label among all labels of the side.
    partner
        Per label the point on the other side, -1 for none.
    """

    label_offsets: Ints
    assignment: Ints
    place: Ints
    partner: Ints

    @staticmethod
    def of(model: GraphMatching, column: int) -> Side:
        """Return the left side (column 0 of the assignments) or the right one (column 1)."""
        own, other = model.assignments[:, column], model.assignments[:, 1 - column]
        n = (model.n_left, model.n_right)[column]
        counts = np.bincount(own, minlength=n)
        offsets = offsets_of(counts + 1)
        order = np.lexsort((other, own))
        rank = np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts)
        assignment = np.full(int(offsets[-1]), -1)
        assignment[offsets[:-1][own[order]] + rank] = order
        place = np.empty(len(own), np.int64)
        place[order] = offsets[:-1][own[order]] + rank
        partner = np.full(len(assignment), -1)
        partner[place] = other
        return Side(offsets, assignment, place, partner)

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.label_offsets) - 1

    @property
    def n_labels(self) -> Ints:
        """Number of labels of each point."""
        return np.diff(self.label_offsets)

    def unaries(self, costs: Floats, unassigned: Floats) -> Floats:
        """Return the costs of all labels."""
        values = np.empty(len(self.assignment))
        values[self.place] = costs
        values[self.label_offsets[1:] - 1] = unassigned
        return values


@dataclass(frozen=True, eq=False)
class SideEdges:
    """Edges between the points of a side, with a table each.

    `entry` is for each pair of the model the entry of `values` that holds its cost.
    """

    ends: Ints
    values: Floats
    offsets: Ints
    shapes: Ints
    entry: Ints

    @staticmethod
    def of(model: GraphMatching, side: Side, column: int, costs: Floats, exclude: bool = True) -> SideEdges:
        """Return the edges between points that some pair is about.

        Parameters
        ----------
        costs
            Of the model's pairs.
        exclude
            Forbid in the tables that two points choose the same point of the other side.
        """
        points = model.assignments[:, column][model.pairs]
        first, second = model.pairs[:, 0].copy(), model.pairs[:, 1].copy()
        turned = points[:, 0] > points[:, 1]
        first[turned], second[turned] = model.pairs[turned, 1], model.pairs[turned, 0]
        keys = points.min(axis=1) * max(side.n_points, 1) + points.max(axis=1)
        unique, edge = np.unique(keys, return_inverse=True)
        edge = edge.reshape(-1)
        ends = np.stack(np.divmod(unique, max(side.n_points, 1)), axis=1)
        shapes = side.n_labels[ends]
        offsets = offsets_of(shapes[:, 0] * shapes[:, 1])
        row, column_ = (
            side.place[which] - side.label_offsets[ends[edge, end]]
            for end, which in enumerate((first, second))
        )
        entry = offsets[edge] + row * shapes[edge, 1] + column_
        values = np.zeros(int(offsets[-1]))
        values[entry] = costs
        if exclude:
            forbid_equal_partners(side, ends, values, offsets)
        return SideEdges(ends, values, offsets, shapes, entry)


def forbid_equal_partners(side: Side, ends: Ints, values: Floats, offsets: Ints) -> None:
    """Forbid, in the tables of all edges, entries in which both points choose the same partner."""
    begin, end = side.label_offsets[ends], side.label_offsets[ends + 1] - 1
    for e in range(len(ends)):
        rows = side.partner[begin[e, 0] : end[e, 0]]
        columns = side.partner[begin[e, 1] : end[e, 1]]
        _, a, b = np.intersect1d(rows, columns, assume_unique=True, return_indices=True)
        values[offsets[e] + a * (len(columns) + 1) + b] = np.inf


def field_of_left(model: GraphMatching, exclude: bool = True) -> MRF:
    """Return the field of the left points: without `exclude`, pairs with one right point are not forbidden.

    Labelings of the model are labelings of the field in which no right point is chosen twice; see
    `Side` for the order of labels.
    """
    side = Side.of(model, 0)
    if model.product is not None:
        unaries = side.unaries(model.costs, model.unassigned_costs)
        return field_with(model, side.n_labels, unaries, *model.product.edge_costs(exclude))
    edges = SideEdges.of(model, side, 0, model.pair_costs, exclude)
    return field_of(model, side.n_labels, side.unaries(model.costs, model.unassigned_costs), [edges])


def field_of(model: GraphMatching, n_labels: Ints, unaries: Floats, sides: list[SideEdges]) -> MRF:
    """Return a field with edges, already numbered by its nodes."""
    shapes = np.concatenate([edges.shapes for edges in sides])
    values = np.concatenate([edges.values for edges in sides])
    ends = np.concatenate([edges.ends for edges in sides])
    return field_with(
        model, n_labels, unaries, ends, EdgeCosts.of_tables(values, shapes, np.arange(len(shapes)))
    )


def field_with(model: GraphMatching, n_labels: Ints, unaries: Floats, ends: Ints, costs: EdgeCosts) -> MRF:
    """Return a field with these costs, and all else as in the model."""
    return MRF.from_parts(
        Parts(
            n_labels,
            unaries,
            ends,
            costs,
            FactorCosts.none(),
            model.constant,
            model.forbidden_above,
            model.n_forbidden_read,
            name=model.name,
        )
    )
