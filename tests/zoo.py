"""Tiny problems with known answers, and the slow and obvious ways to find those answers."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import fwmap
from fwmap import _core
from fwmap.decompose import decompose

INF = math.inf
GRAPHS = ("chain", "tree", "cycle", "grid", "complete", "parallel", "sparse", "none")
TREES = ("chain", "tree", "none")


# --- random models ------------------------------------------------------------------------------------------


def graph_edges(graph, n, rng):
    """Edges of a graph of a named kind, in random order and direction."""
    pairs = list(itertools.combinations(range(n), 2))
    if graph == "chain":
        edges = [(v, v + 1) for v in range(n - 1)]
    elif graph == "tree":
        edges = [(int(rng.integers(v)), v) for v in range(1, n)]
    elif graph == "cycle":
        edges = [(v, (v + 1) % n) for v in range(n)] if n > 2 else pairs
    elif graph == "grid":
        width = max(1, math.isqrt(n))
        edges = [(v, v + 1) for v in range(n - 1) if (v + 1) % width] + [
            (v, v + width) for v in range(n - width)
        ]
    elif graph == "complete":
        edges = pairs
    elif graph == "parallel":
        chosen = [pair for pair in pairs if rng.random() < 0.6]
        edges = chosen + [pair for pair in chosen if rng.random() < 0.5] * 2
    elif graph == "sparse":  # leaves nodes alone
        edges = [pair for pair in pairs if rng.random() < 0.3]
    else:
        edges = []
    edges = [edge if rng.random() < 0.5 else edge[::-1] for edge in edges]
    rng.shuffle(edges)
    return np.array(edges, dtype=np.int64).reshape(-1, 2)


def random_costs(rng, shape, *, forbidden=0.0, integer=False, orders=0):
    """Costs of both signs; `orders`: magnitudes spread over so many powers of ten."""
    costs = rng.integers(-4, 5, shape).astype(float) if integer else rng.normal(size=shape)
    if orders:
        costs = costs * 10.0 ** rng.uniform(-orders / 2, orders / 2, shape)
    return np.where(rng.random(shape) < forbidden, INF, costs)


def random_pairwise(rng, rows, columns, kinds, **options):
    """A table or a structured cost, of one of the `kinds`."""
    kind = kinds[int(rng.integers(len(kinds)))]
    weight = float(random_costs(rng, (), **(options | {"forbidden": 0.0})))
    truncation = (0.0, 0.5, 1.0, 2.0, 2.5, INF)[int(rng.integers(6))]
    if kind == "potts":
        return fwmap.Potts(weight)
    if kind == "linear":
        return fwmap.TruncatedLinear(weight, truncation)
    if kind == "quadratic":
        return fwmap.TruncatedQuadratic(weight, truncation)
    return random_costs(rng, (rows, columns), **options)


def random_model(
    rng,
    graph="grid",
    n=5,
    labels=3,
    *,
    same_labels=False,
    kinds=("table",),
    factors=0,
    constant=0.0,
    **options,
):
    """A random field; `options` are those of `random_costs`."""
    sizes = np.full(n, labels) if same_labels else rng.integers(1, labels + 1, n)
    edges = graph_edges(graph, n, rng)
    pairwise = [random_pairwise(rng, sizes[u], sizes[v], kinds, **options) for u, v in edges]
    scopes = [
        rng.permutation(n)[: int(rng.integers(3, min(n, 4) + 1))] for _ in range(factors if n > 2 else 0)
    ]
    tables = [(scope, random_costs(rng, tuple(sizes[scope]), **options)) for scope in scopes]
    unaries = [random_costs(rng, k, **options) for k in sizes]
    return fwmap.MRF(unaries, edges, pairwise, tables, constant)


# --- all labelings ------------------------------------------------------------------------------------------


def all_energies(model):
    """The energy of every labeling, one axis per node."""
    shape = tuple(model.n_labels.tolist())
    total = np.full(shape, model.constant)

    def add(scope, table):
        order = np.argsort(scope)
        axes = [1] * len(shape)
        for v in scope:
            axes[v] = shape[v]
        return total + np.transpose(table, order).reshape(axes)

    for v in range(model.n_nodes):
        total = add([v], model.unary(v))
    for e, (u, v) in enumerate(model.edges):
        total = add([u, v], model.pairwise_table(e))
    for f in range(model.n_factors):
        total = add(model.factor_scope(f), model.factor_table_of(f))
    return total


def optimum(model):
    """The lowest energy, inf where every labeling is forbidden; up to the rounding of sums."""
    return float(all_energies(model).min())


def exact_optimum(model):
    """The lowest energy in rational arithmetic; structured costs are products of rationals."""
    edges = [(u, v, exact_pairwise(model, e)) for e, (u, v) in enumerate(model.edges.tolist())]
    unaries = [exact_table(model.unary(v)) for v in range(model.n_nodes)]
    factors = [
        (model.factor_scope(f).tolist(), exact_table(model.factor_table_of(f)))
        for f in range(model.n_factors)
    ]
    best = None
    for labeling in itertools.product(*(range(k) for k in model.n_labels)):
        costs = [unaries[v][label,] for v, label in enumerate(labeling)]
        costs += [table[labeling[u], labeling[v]] for u, v, table in edges]
        costs += [table[tuple(labeling[v] for v in scope)] for scope, table in factors]
        if None in costs:
            continue
        energy = sum(costs, Fraction(model.constant))
        best = energy if best is None else min(best, energy)
    return INF if best is None else best


def exact_table(table):
    """Rationals in place of doubles, None in place of inf."""
    return {index: None if cost == INF else Fraction(cost) for index, cost in np.ndenumerate(table)}


def exact_pairwise(model, e):
    """The cost of an edge, in rationals."""
    kind, weight, truncation = model.edge_kind[e], model.edge_weight[e], model.edge_truncation[e]
    table = model.pairwise_table(e)
    if kind == 0:
        return exact_table(table)

    def cost(a, b):
        distance = {1: int(a != b), 2: abs(a - b), 3: (a - b) ** 2}[int(kind)]
        reached = (
            distance if kind == 1 or truncation == INF else min(Fraction(distance), Fraction(truncation))
        )
        return Fraction(weight) * reached

    return {(a, b): cost(a, b) for a, b in np.ndindex(*table.shape)}


# --- the relaxation -----------------------------------------------------------------------------------------


def local_polytope(model, cycles=()):
    """Optimum of the relaxation by linear programming; inf where it is infeasible.

    One variable per label, per entry of an edge's (parallel edges are one) and of a factor's table; the
    marginals of every table agree with the labels. And one variable per joint labeling of each cycle, a list
    of nodes, the marginals of which agree with the entries of the edges along it.
    """
    import highspy

    tables = {}
    for e, (u, v) in enumerate(model.edges.tolist()):
        scope, table = ((u, v), model.pairwise_table(e)) if u < v else ((v, u), model.pairwise_table(e).T)
        tables[scope] = tables.get(scope, 0) + table
    blocks = [(scope, np.asarray(table)) for scope, table in tables.items()]
    blocks += [
        (tuple(model.factor_scope(f).tolist()), model.factor_table_of(f)) for f in range(model.n_factors)
    ]

    costs, uppers = [model.unaries], [np.isfinite(model.unaries).astype(float)]
    starts, columns, values, sides = [0], [], [], []

    def row(positive, negative, side):
        columns.extend([*positive, *negative])
        values.extend([1.0] * len(positive) + [-1.0] * len(negative))
        starts.append(len(columns))
        sides.append(side)

    for v in range(model.n_nodes):
        row(range(model.label_offsets[v], model.label_offsets[v + 1]), [], 1.0)
    first, places = int(model.label_offsets[-1]), {}
    for scope, table in blocks:
        index = first + np.arange(table.size).reshape(table.shape)
        for axis, v in enumerate(scope):
            for label in range(table.shape[axis]):
                row(np.take(index, label, axis).ravel(), [model.label_offsets[v] + label], 0.0)
        costs.append(table.ravel())
        uppers.append(np.isfinite(table.ravel()).astype(float))
        places.setdefault(scope, index)
        first += table.size
    for cycle in cycles:
        shape = tuple(model.n_labels[cycle].tolist())
        index = first + np.arange(math.prod(shape)).reshape(shape)
        for k, pair in enumerate(zip(cycle, np.roll(cycle, -1), strict=True)):
            joint = np.moveaxis(index, (k, (k + 1) % len(cycle)), (0, 1))
            pairs = places[pair] if pair in places else places[pair[::-1]].T
            for entry in np.ndindex(*pairs.shape):
                row(joint[entry].ravel(), [pairs[entry]], 0.0)
        costs.append(np.zeros(index.size))
        uppers.append(np.ones(index.size))
        first += index.size

    all_costs = np.concatenate(costs)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = first, len(sides)
    lp.col_cost_ = np.where(np.isfinite(all_costs), all_costs, 0.0)
    lp.col_lower_, lp.col_upper_ = np.zeros(first), np.concatenate(uppers)
    lp.row_lower_ = lp.row_upper_ = np.array(sides)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = np.array(starts), np.array(columns)
    lp.a_matrix_.value_ = np.array(values)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("primal_feasibility_tolerance", 1e-10)
    highs.setOptionValue("dual_feasibility_tolerance", 1e-10)
    highs.passModel(lp)
    highs.run()
    if highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return INF
    assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return highs.getInfo().objective_function_value + model.constant


# --- the solver from inside ---------------------------------------------------------------------------------


@dataclass
class Inside:
    """The core's solver on a model, with what the definitions of the paper need."""

    core: _core.Decomposition
    solver: _core.FrankWolfe
    shared: list  # per term: the variable of each shared slot
    starts: list  # per term: its first slot in arrays over all terms

    def split(self, values):
        """An array over all slots, per term."""
        return np.split(np.asarray(values), self.starts[1:])

    def copies(self):
        """|T_i| per variable, 0 where it is not shared."""
        return np.bincount(np.concatenate(self.shared), minlength=self.core.n_variables)

    def mean(self, values):
        """Per variable the mean over the copies of an array over all slots."""
        copies = self.copies()
        total = np.bincount(np.concatenate(self.shared), np.asarray(values), minlength=self.core.n_variables)
        return total / np.maximum(copies, 1)


def look_inside(model, *, pairwise_steps=0, seed=0, cache=10, weight=0.3):
    """A solver of a model's decomposition at its first point."""
    core = decompose(model).core
    solver = _core.FrankWolfe(core, seed, cache, pairwise_steps)
    solver.proximal_weight = weight
    shared = [np.asarray(core.shared_variables(t)) for t in range(core.n_terms)]
    sizes = [len(variables) for variables in shared]
    inside = Inside(core, solver, shared, [0, *np.cumsum(sizes)[:-1].tolist()])
    solver.initialize(INF)
    return inside


# --- problems with a story ----------------------------------------------------------------------------------


def frustrated_triangle():
    """Two labels that want to differ along each edge of a triangle: optimum 1, relaxation 0."""
    return fwmap.MRF([[0.0, 0.0]] * 3, [(0, 1), (1, 2), (0, 2)], fwmap.Potts(-1.0), constant=3.0)


def odd_cycle_without_labeling():
    """Two labels that must differ along each edge of a triangle: feasible for the relaxation only."""
    table = [[INF, 0.0], [0.0, INF]]
    return fwmap.MRF([[0.0, 0.0]] * 3, [(0, 1), (1, 2), (0, 2)], table)


def contradiction():
    """Two nodes that no pair of labels satisfies."""
    return fwmap.MRF([[0.0, INF], [INF, 0.0]], [(0, 1)], [[0.0, INF], [INF, 0.0]])
