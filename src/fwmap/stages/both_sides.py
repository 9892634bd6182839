"""A matching that is decomposed on both sides begins with what is quicker: the left side alone, or stars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from ..certificate.certificate import RIGHT_FOREST
from ..decompose import FieldDecomposition, with_terms
from ..decompose.matching import right_terms
from ..decompose.product import decompose_product
from ..models import GraphMatching, Model
from ..models.matching_right import n_product_pairs
from ..result import Result
from ..settings import Decomposed, Settings
from .stage import Following, Improvement, Moment

#: What comes first is given the operations of about so many passes over both sides, the left side alone and
#: stars. Both sides, which begin anew, have overtaken the left one after some 150, stars after some 1500.
PASSES = {"forests": 200.0, "stars": 1000.0}
#: Operations of a pass over both sides: for each entry of the left tables, and for each pair with a cost.
PER_ENTRY, PER_PAIR = 2.0, 16.0
#: Operations of building the right side, for each entry of the left tables.
BUILDING = 20.0


class BothSides:
    """Goes over to both sides after the first moments, or when what came first is solved; see `Improvement`.

    They begin at 0: from the multipliers of the left side alone, or from a share of them, it takes longer to
    the end. The bound stays the best of all. `later` is asked once both sides have overtaken the rest.
    """

    def __init__(self, model: GraphMatching, later: Sequence[Improvement] = ()) -> None:
        self.model, self.later = model, later
        self.entries, n_pairs = sizes_of(model)
        size = PER_ENTRY * self.entries + PER_PAIR * n_pairs
        self.work = PASSES[quicker(model)] * size  # that what comes first may take
        self.unseen = 0.0  # operations not told yet
        self.joined = self.overtaken = False

    def take_work(self) -> float:
        """Operations spent since it was last asked."""
        work, self.unseen = self.unseen, 0.0
        return work + math.fsum(each.take_work() for each in self.later)

    def next_decomposition(self, moment: Moment) -> FieldDecomposition | Following | None:
        """Both sides, when what came first has had its time; from then on what `later` says."""
        if not self.joined:
            ready = moment.converged or moment.stage.solver.core.work >= self.work
            return self.both(moment) if ready else None
        self.overtaken = self.overtaken or moment.converged or moment.point.bound >= moment.bound
        proposed = (each.next_decomposition(moment) for each in self.later if self.overtaken)
        return next((one for one in proposed if one is not None), None)

    def both(self, moment: Moment) -> Following:
        """Forests of the left points, the assignment term, and forests of the right points."""
        before = moment.stage.decomposition
        assert isinstance(before, FieldDecomposition)
        self.joined = True
        self.unseen += BUILDING * self.entries
        if self.model.product is not None:
            return Following(decompose_product(self.model, "two-sided"), afresh=True)
        terms = right_terms(self.model, before.origin.cover)
        if before.cover.restriction is not None:
            terms = [tree.restrict(before.cover) for tree in terms if tree.restrict is not None]
        return Following(with_terms(before, terms), afresh=True)


def first_sides(model: Model, settings: Settings, start: Result | None) -> Decomposed:
    """The decomposition that a solve begins with: where it is to be on both sides, what is quicker."""
    asked = settings.decomposition
    if not isinstance(model, GraphMatching) or asked != "two-sided" or settings.iterations == 0:
        return asked
    if settings.solver != "fwmap" or settings.proximal_weight != "auto":
        return asked
    if start is not None and start.certificate is not None and RIGHT_FOREST in start.certificate.term_kind:
        return asked
    return quicker(model)


def quicker(model: GraphMatching) -> Literal["forests", "stars"]:
    """What a solve on both sides begins with."""
    return "forests" if model.product is None else "stars"


def sizes_of(model: GraphMatching) -> tuple[int, int]:
    """Entries of the tables of left points, and pairs that cost something."""
    if model.product is None:
        return len(model.field.table_values), model.n_pairs
    return len(model.product.edges()) * (model.n_right + 1) ** 2, n_product_pairs(model)
