"""The finish: where the bound crawls, the relaxation as a linear programme, if HiGHS can solve it in time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .decompose import FieldDecomposition, OwnDecomposition
from .decompose.field import concatenated_ranges
from .errors import InvalidSetting
from .linear_program import LinearProgram, linear_program
from .linear_program.by_highs import interior_point, is_installed
from .models import MRF, GraphMatching, Model, Tomography
from .rounding.fractional import WHOLE, Hints, completed_cost, matching_cost, no_hints
from .settings import Decomposed, Settings
from .solvers import is_opening
from .stages import Following, Moment
from .tightening.pace import Pace

#: Operations of the solver's unit for an entry of the matrix in an iteration of the interior point method.
PRICE = 400.0
#: Iterations that it needs as a rule, and that it may take.
USUAL, MOST = 30, 150
#: Programmes with more entries are left alone: an entry costs the more the more there are.
MOST_ENTRIES = 500_000
#: The weight that the solver goes on with, times the typical cost: the bound is as good as optimal.
WEIGHT = 0.01
#: Operations for a feasible point, per label and edge.
COMPLETING = 20000.0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Solved:
    """A point of a decomposition's relaxation: its cost, and by how much its copies differ in all.

    `upper`: the relaxation's optimum is proved to be at most this.
    """

    decomposition: FieldDecomposition
    cost: float
    disagreement: float
    upper: float


class Finish:
    """Solves the relaxation that is left by an interior point method, once; see `Improvement`.

    It does so where the bound crawls, and when as much work is done as that will take: a run that does well
    without never gets there. The prices of the rows are multipliers: where they prove more than the best
    known, the solver goes on from there. The columns are a y that tells whether the relaxation is solved,
    and, where the model is a field, their marginals give a feasible point.
    """

    def __init__(self, model: Model, name: Decomposed) -> None:
        self.model, self.name = model, name
        self.pace = Pace()
        self.done = False
        self.work = 0.0
        self.solved: Solved | None = None

    @staticmethod
    def of(model: Model, settings: Settings) -> Finish | None:
        """Whoever finishes the relaxation of a model; None where nobody may or can.

        Raises
        ------
        InvalidSetting
            Where it was asked for and HiGHS is not there.
        """
        if settings.finish is True and not is_installed():
            raise InvalidSetting(
                "finish is True and needs HiGHS, which is not installed: pip install 'fwmap[highs]'"
            )
        if settings.finish is False or settings.solver != "fwmap" or settings.proximal_weight != "auto":
            return None
        if isinstance(model, GraphMatching) and settings.decomposition != "forests":
            return None
        known = isinstance(model, (MRF, Tomography, GraphMatching))
        return Finish(model, settings.decomposition) if known and is_installed() else None

    def take_work(self) -> float:
        """Operations spent since it was last asked."""
        work, self.work = self.work, 0.0
        return work

    def next_decomposition(self, moment: Moment) -> Following | None:
        """The same decomposition, from the multipliers of the solved programme."""
        decomposition = moment.stage.decomposition
        if self.done or not isinstance(decomposition, FieldDecomposition) or is_opening(moment.stage.solver):
            return None
        if not self.pace.stands_still(moment) or moment.converged:
            return None
        model = self.left(decomposition)
        if model is None:
            return None
        entries = expected_entries(decomposition, self.model)
        if entries > MOST_ENTRIES or moment.stage.solver.core.work < PRICE * USUAL * entries:
            return None
        self.done = True
        program = linear_program(model, self.name)
        moment.clock.check()
        point = interior_point(program, MOST, moment.clock.seconds_left())
        moment.clock.check()
        if point is None:
            return None
        self.work += PRICE * len(program.values) * point.iterations
        upper = completed(decomposition, model, program, point.columns)
        self.solved = Solved(decomposition, *primal(program, point.columns), upper)
        return self.following(moment, decomposition, multipliers(decomposition, program, point.prices))

    def solution(self, decomposition: FieldDecomposition | OwnDecomposition) -> Solved | None:
        """What is known of a decomposition's relaxation."""
        return self.solved if self.solved is not None and self.solved.decomposition is decomposition else None

    def left(self, decomposition: FieldDecomposition) -> Model | None:
        """The model whose relaxation the decomposition solves, as far as there is a programme for it."""
        if not decomposition.further and not decomposition.cover.chains:
            return decomposition.field
        known = all(term.kind in ("ray", "assignment") for term in decomposition.further)
        return self.model if known and decomposition.cover.restriction is None else None

    def following(
        self, moment: Moment, decomposition: FieldDecomposition, multipliers: Floats
    ) -> Following | None:
        """Go on from some multipliers, if they prove more."""
        complete, infeasible, bound, _, work = decomposition.core.reduced_costs(
            multipliers, moment.clock.seconds_left()
        )
        self.work += work
        if not complete or infeasible or moment.stage.bound_of(bound) <= moment.bound:
            return None
        return Following(decomposition, multipliers, WEIGHT * moment.stage.scale)


def completed(
    decomposition: FieldDecomposition, model: Model, program: LinearProgram, columns: Floats
) -> float:
    """The cost of a feasible point made of the marginals: labels come first among the columns.

    There is none for rays: nobody knows how to make a point meet all their sums exactly.
    """
    field = decomposition.field
    marginals = np.maximum(columns[: len(field.unaries)], 0.0)
    most = COMPLETING * float(field.n_labels.sum() + field.n_edges + len(field.factor_scopes))
    cost = None
    if isinstance(model, MRF):
        cost = completed_cost(decomposition, marginals, joint_labels(field, program, columns), most)
    elif isinstance(model, GraphMatching):
        cost = matching_cost(decomposition, marginals, model.left.partner, most)
    return math.inf if cost is None else cost


def joint_labels(field: MRF, program: LinearProgram, columns: Floats) -> Hints:
    """The mass of joint labels of each factor, from the columns, which come factor by factor."""
    begins = np.cumsum([0, *(len(numbers) for _, numbers in program.blocks)])
    own = [k for k, (word, _) in enumerate(program.blocks) if word.startswith("factor_")]
    factors, entries, masses = [], [], []
    for f, k in enumerate(own):
        sizes = tuple(field.n_labels[field.factor_scope(f)].tolist())
        numbers = program.blocks[k][1]
        factors.append(np.full(len(numbers), f, np.int32))
        entries.append(np.ravel_multi_index(tuple(numbers.T), sizes))
        masses.append((np.clip(columns[begins[k] : begins[k + 1]], 0.0, 1.0) * WHOLE).astype(np.int64))
    if not own:
        return no_hints()
    return np.concatenate(factors), np.concatenate(entries).astype(np.int64), np.concatenate(masses)


def primal(program: LinearProgram, columns: Floats) -> tuple[float, float]:
    """The objective at a point, and by how much it misses the constraints in all."""
    row = np.repeat(np.arange(program.n_rows), np.diff(program.starts))
    excess = np.bincount(row, program.values * columns[program.columns], program.n_rows) - program.right
    missed = np.where(program.is_equality, np.abs(excess), np.maximum(excess, 0.0))
    objective = program.constant + float(program.costs @ columns)
    return objective, float(missed.sum() + np.maximum(-columns, 0.0).sum())


def expected_entries(decomposition: FieldDecomposition, model: Model) -> float:
    """How many entries the matrix of the programme has, were nothing forbidden but sums of rays."""
    field = decomposition.field
    sizes = np.diff(field.factor_table_offsets)[field.factor_table]
    arity = np.diff(field.factor_scope_offsets)
    entries = float(3 * decomposition.cover.n_entries.sum() + ((arity + 1) * sizes).sum())
    if isinstance(model, Tomography):
        chains = {chain.ray for chain in decomposition.cover.chains.values()}
        entries += sum(flows(model, r, r in chains) for r in range(model.n_rays))
    return entries


def flows(model: Tomography, ray: int, is_chain: bool) -> float:
    """About how many entries the columns of a ray have: steps from one useful partial sum to the next.

    Those of a chain lead from label to label as well.
    """
    allowed = np.flatnonzero(np.isfinite(model.ray_cost(ray)))
    if not len(allowed):
        return 0.0
    choices = model.field.n_labels[model.ray(ray)]
    reached = np.cumsum(choices - 1)
    least = np.maximum(0, allowed[0] - (reached[-1] - reached))
    sums = np.maximum(np.minimum(reached, allowed[-1]) - least + 1, 0)
    return 4.0 * float((choices**2 * sums).sum()) if is_chain else 3.0 * float((choices * sums).sum())


def multipliers(decomposition: FieldDecomposition, program: LinearProgram, prices: Floats) -> Floats:
    """The prices of a programme's rows as multipliers, over the shared slots of all terms.

    A part of the model (an edge, a factor, a ray) is part of a term. The prices of its agreements, taken from
    its costs, leave nothing below 0; so the term that gets minus these prices as costs of its labels has a
    minimum of 0, or that of a constant. What is left of a label's own cost and all prices, the reduced cost
    of the label's column, goes to the assignment term, where there is one, and else to all terms alike.
    """
    core, field, n_labels = decomposition.core, decomposition.field, int(decomposition.label_offsets[-1])
    place = places_of_parts(decomposition)
    labels = [np.zeros(0, np.int64)]
    terms, costs, rows = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0, np.int64)]
    for agreement in program.agreements:
        first = decomposition.label_offsets[agreement.node]
        labels.append(first + np.arange(len(agreement.rows)))
        terms.append(np.full(len(agreement.rows), place[agreement.part]))
        costs.append(-prices[agreement.rows])
        rows.append(agreement.rows)
    told, cost = np.concatenate(labels), np.concatenate(costs)
    rest = np.where(np.isfinite(field.unaries), field.unaries, 0.0) - np.bincount(told, cost, n_labels)
    shared = [core.shared_variables(t) for t in range(core.n_terms)]
    of_slot = np.concatenate([np.zeros(0, np.int64), *shared])
    term_of_slot = np.repeat(np.arange(core.n_terms), [len(own) for own in shared])
    result = Slots(term_of_slot * n_labels + of_slot)
    result.add(np.concatenate(terms) * n_labels + told, cost)
    for t, nodes in enumerate(decomposition.nodes):
        own = concatenated_ranges(decomposition.label_offsets[nodes], field.n_labels[nodes])
        share = decomposition.shares[t][: len(own)]
        result.add(t * n_labels + own, -np.where(np.isfinite(share), share, 0.0))
    behind = decomposition.n_forests + field.n_factors
    takes = [t for t, term in enumerate(decomposition.further, behind) if term.kind == "assignment"]
    receives = np.isin(term_of_slot, takes) if takes else np.ones(len(of_slot), bool)
    copies = np.bincount(of_slot[receives], minlength=n_labels)
    result.values[receives] += (rest / np.maximum(copies, 1))[of_slot[receives]]
    violation = float(np.maximum(0.0, -reduced_costs(program, prices)).sum())
    if violation > 0:
        single = np.diff(program.starts)[np.concatenate(rows)] == 1
        impossible = np.zeros(len(of_slot), bool)
        impossible[result.places((np.concatenate(terms) * n_labels + told)[single])] = True
        shun(result.values, of_slot, impossible, violation)
    return result.values


def reduced_costs(program: LinearProgram, prices: Floats) -> Floats:
    """What columns that are not fixed cost more than the rows' prices pay; 0 for the others."""
    paid = program.values * np.repeat(prices, np.diff(program.starts))
    costs: Floats = program.costs - np.bincount(program.columns, paid, program.n_columns)
    return np.where(program.upper > 0, costs, 0.0)


def shun(values: Floats, variables: Ints, impossible: NDArray[np.bool_], violation: float) -> None:
    """Let labels that are impossible in some terms cost more in the others.

    They are 0 in every point of the programme, and a solver that leaves them out may price them wrongly: by
    no more than `violation` in all. What the terms that know better get in return does not matter to them.
    """
    size = int(variables.max(initial=-1)) + 1
    knowing = np.bincount(variables[impossible], minlength=size)
    others = np.bincount(variables[~impossible], minlength=size)
    shunned = knowing[variables] > 0
    values[shunned & ~impossible] += violation
    back = violation * others / np.maximum(knowing, 1)
    values[impossible] -= back[variables[impossible]]


class Slots:
    """Values over slots that are known by keys."""

    def __init__(self, keys: Ints) -> None:
        self.order = np.argsort(keys, kind="stable")
        self.keys, self.values = keys[self.order], np.zeros(len(keys))

    def add(self, keys: Ints, values: Floats) -> None:
        """Add values to slots, where there are such."""
        where, there = self.found(keys)
        np.add.at(self.values, self.order[where[there]], values[there])

    def places(self, keys: Ints) -> Ints:
        """The slots of those keys that have one."""
        where, there = self.found(keys)
        return self.order[where[there]]

    def found(self, keys: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """Where keys stand among those known, and whether they do."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64), np.zeros(len(keys), bool)
        where = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return where, self.keys[where] == keys


def places_of_parts(decomposition: FieldDecomposition) -> dict[tuple[str | int, ...], int]:
    """The term that each part of the model belongs to, by the part's name in a linear programme."""
    edges, parts = decomposition.edges.ends, decomposition.cover.parts.part_of_edge
    places: dict[tuple[str | int, ...], int] = {
        ("pair", min(u, v), max(u, v)): t for (u, v), t in zip(edges.tolist(), parts.tolist(), strict=True)
    }
    places.update({("ray", chain.ray): t for t, chain in decomposition.cover.chains.items()})
    first = decomposition.n_forests
    places.update({("factor", f): first + f for f in range(decomposition.field.n_factors)})
    first += decomposition.field.n_factors
    for t, term in enumerate(decomposition.further, first):
        if term.number is not None:
            places["ray", term.number] = t
    return places
