"""The right side of a matching model as a field, and which of its labels and entries the left one knows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from ..errors import InvalidSetting
from .arrays import Ints
from .costs import TABLE
from .matching_sides import Side, SideEdges, field_of
from .mrf import MRF

if TYPE_CHECKING:
    from .matching import GraphMatching

#: Both sides are taken by default where the tables of the right one are no larger than this many entries, or
#: than so many times the left one's.
SMALL, LARGER = 1 << 20, 2.0
#: Products of matrices are, where they have so many pairs of assignments: less than 50 MB, until terms of a
#: few points join, which may take three times as much.
MOST_PAIRS = 80_000
#: Larger ones are split into stars where these have at most so many coordinates.
MOST_SLOTS = 1 << 23

Sides = Literal["forests", "two-sided", "stars"]
SIDES: tuple[Sides, ...] = get_args(Sides)


@dataclass(frozen=True, eq=False)
class RightSide:
    """The right points as nodes that choose a left point or none; costs stay with `GraphMatching.field`.

    Attributes
    ----------
    field
        Without costs: in the tables of right points that some pair is about, two of them may not choose the
        same left point. A right point must choose where every point of both sides must.
    labels
        Per label of `field` the same assignment's place among the labels of the left field, -1 for none.
    entries
        Per entry of all tables of `field` the entry among all tables of the left field that stands for the
        same two assignments, -1 where there is none: two choices of none, or left points without an edge.
    """

    field: MRF
    labels: Ints
    entries: Ints

    @staticmethod
    def of(model: GraphMatching) -> RightSide:
        """Return the right side of a model.

        Examples
        --------
        >>> from fwmap.models import GraphMatching
        >>> model = GraphMatching([(0, 0), (0, 1), (1, 1)], [1.0, 2.0, 3.0], [(0, 2)], [4.0])
        >>> right = RightSide.of(model)
        >>> right.labels.tolist(), right.entries.tolist()
        ([0, -1, 1, 3, -1], [-1, 0, -1, -1, -1, -1])
        """
        side, nothing = Side.of(model, 1), np.zeros(model.n_pairs)
        left = SideEdges.of(model, model.left, 0, nothing, exclude=False)
        right = SideEdges.of(model, side, 1, nothing)
        every_point_must = model.matching == "perfect" and model.n_left == model.n_right
        unaries = side.unaries(
            np.where(np.isinf(model.costs), math.inf, 0.0),
            np.full(side.n_points, math.inf if every_point_must else 0.0),
        )
        labels = np.full(len(side.assignment), -1)
        assigned = side.assignment >= 0
        labels[assigned] = model.left.place[side.assignment[assigned]]
        entries = same_entries(model, side, right, left)
        return RightSide(field_of(model, side.n_labels, unaries, [right]), labels, entries)


def same_entries(model: GraphMatching, side: Side, right: SideEdges, left: SideEdges) -> Ints:
    """Return `RightSide.entries`."""
    n_left, own = max(model.n_left, 1), model.left
    keys = left.ends[:, 0] * n_left + left.ends[:, 1]
    entries = np.full(len(right.values), -1)
    for e, ends in enumerate(right.ends):
        rows, columns = (side.assignment[side.label_offsets[v] : side.label_offsets[v + 1] - 1] for v in ends)
        chosen = np.stack(np.broadcast_arrays(rows[:, None], columns), axis=-1)  # two assignments each
        points = model.assignments[chosen, 0]
        turned = points[..., 0] > points[..., 1]
        chosen[turned], points[turned] = chosen[turned][:, ::-1], points[turned][:, ::-1]
        wanted = points[..., 0] * n_left + points[..., 1]
        edge = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        first, second = np.moveaxis(own.place[chosen] - own.label_offsets[points], -1, 0)
        same = np.where(keys[edge] == wanted, left.offsets[edge] + first * left.shapes[edge, 1] + second, -1)
        table = entries[right.offsets[e] : right.offsets[e + 1]].reshape(right.shapes[e])
        table[:-1, :-1] = same
    return entries


def chosen_decomposition(model: GraphMatching, asked: str) -> Sides:
    """Return how a model is decomposed: as asked, or ("auto") as strongly as is no burden.

    Examples
    --------
    >>> from fwmap.models import GraphMatching
    >>> chosen_decomposition(GraphMatching([(0, 0), (1, 1)], [0.0, 0.0], [(0, 1)], [1.0]), "auto")
    'two-sided'
    >>> chosen_decomposition(GraphMatching([(0, 0), (1, 1)], [0.0, 0.0]), "auto")
    'forests'
    >>> matrices = [np.ones((n, n)) for n in (20, 30)]
    >>> [chosen_decomposition(GraphMatching.from_koopmans_beckmann(a, a), "auto") for a in matrices]
    ['two-sided', 'stars']
    """
    if asked == "stars" and model.product is None:
        raise InvalidSetting("decomposition is 'stars'; only products of two matrices are split into stars")
    for name in SIDES:
        if asked == name:
            return name
    if model.product is not None:
        if 0 < n_product_pairs(model) <= MOST_PAIRS:
            return "two-sided"
        return "stars" if star_slots(model) <= MOST_SLOTS else "forests"
    if not model.n_pairs or (model.field.edge_kind != TABLE).any():
        return "forests"
    n_labels = np.bincount(model.assignments[:, 1], minlength=model.n_right) + 1
    points = np.sort(model.assignments[:, 1][model.pairs], axis=1)
    ends = np.stack(np.divmod(np.unique(points[:, 0] * model.n_right + points[:, 1]), model.n_right), axis=1)
    n_entries = int(n_labels[ends].prod(axis=1).sum())
    return "two-sided" if n_entries <= max(SMALL, LARGER * len(model.field.table_values)) else "forests"


def n_product_pairs(model: GraphMatching) -> int:
    """Return how many pairs of assignments have a cost, or may have one."""
    assert model.product is not None
    return len(model.product.edges()) * model.n_right * (model.n_right - 1)


def star_slots(model: GraphMatching) -> float:
    """Return how many coordinates stars and the assignment term have together."""
    assert model.product is not None
    points = sum(1 + len(others) for _, others in model.product.stars())
    return float((points + model.n_left) * (model.n_right + 1))


def forest_slots(model: GraphMatching) -> float:
    """Return how many coordinates forests and the assignment term have together, at least."""
    assert model.product is not None
    forests = len(model.product.edges()) / max(1, model.n_left - 1)
    return (forests + 1) * model.n_left * (model.n_right + 1)
