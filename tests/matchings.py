"""Tiny matching problems, and the slow and obvious ways to solve them and their relaxations."""

from __future__ import annotations

import itertools
import math

import numpy as np

from fwmap.models import GraphMatching


def random_matching(rng, n_left, n_right, share=1.0, matching="partial", forbidden=0.0, integer=False):
    """A model with random costs, pairs between many assignments, and some allowed assignments left out."""

    def costs(n):
        drawn = rng.integers(-5, 6, n).astype(float) if integer else rng.normal(size=n)
        return np.where(rng.random(n) < forbidden, math.inf, drawn)

    every = [(i, a) for i in range(n_left) for a in range(n_right) if rng.random() < share]
    pairs = [(p, q) for p in range(len(every)) for q in range(len(every)) if p != q and rng.random() < 0.4]
    return GraphMatching(
        np.array(every, np.int64).reshape(-1, 2),
        costs(len(every)),
        pairs,
        costs(len(pairs)),
        n_left=n_left,
        n_right=n_right,
        unassigned=rng.integers(-2, 3, n_left) if integer else rng.normal(size=n_left),
        matching=matching,
        constant=0.5,
    )


def labelings(model):
    """Every labeling, matching or not."""
    return itertools.product(range(-1, model.n_right), repeat=model.n_left)


def optimum(model):
    return min(map(model.energy, labelings(model)))


def relaxation(model, two_sided=True):
    """Optimum of the relaxation by linear programming; inf where it is infeasible.

    Every left point has one label, every right point at most one; every table of two left points that some
    pair is about agrees with the labels, without entries that choose a right point twice. `two_sided`: so
    does every table of two right points, and the two tables that hold the same two assignments agree on them.
    """
    import highspy

    lp = _Rows()
    x = {}  # of assignments
    none = [{}, {}]  # of points without one, by side
    for k, cost in enumerate(model.costs.tolist()):
        x[k] = lp.variable(cost)
    for i in range(model.n_left):
        none[0][i] = lp.variable(float(model.unassigned_costs[i]))
    must = model.matching == "perfect" and model.n_left == model.n_right
    for a in range(model.n_right):
        none[1][a] = lp.variable(math.inf if must else 0.0)
    cost_of = {
        tuple(pair): c for pair, c in zip(model.pairs.tolist(), model.pair_costs.tolist(), strict=True)
    }
    shared = {}
    for side in (0, 1):
        points = model.assignments[:, side].tolist()
        n = (model.n_left, model.n_right)[side]
        labels = [[k for k in range(len(points)) if points[k] == i] for i in range(n)]
        for i in range(n):
            lp.row([(x[k], 1.0) for k in labels[i]] + [(none[side][i], 1.0)], 1.0)
        if side == 1 and not two_sided:
            break
        for i, j in sorted({tuple(sorted((points[p], points[q]))) for p, q in model.pairs.tolist()}):
            entries = {}
            for p in [*labels[i], None]:
                for q in [*labels[j], None]:
                    if (
                        None not in (p, q)
                        and model.assignments[p, 1 - side] == model.assignments[q, 1 - side]
                    ):
                        continue
                    key = None if None in (p, q) else (min(p, q), max(p, q))
                    if side == 1 and key in shared:
                        entries[p, q] = shared[key]
                        continue
                    entries[p, q] = lp.variable(cost_of.get(key, 0.0))
                    if key is not None and side == 0:
                        shared[key] = entries[p, q]
            for which, point in ((0, i), (1, j)):
                for label in [*labels[point], None]:
                    own = [(y, 1.0) for key, y in entries.items() if key[which] == label]
                    lp.row([*own, (none[side][point] if label is None else x[label], -1.0)], 0.0)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.passModel(lp.problem())
    highs.run()
    if highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return math.inf
    assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return highs.getInfo().objective_function_value + model.constant


class _Rows:
    """A linear programme over variables in [0, 1], row by row."""

    def __init__(self):
        self.costs, self.starts, self.columns, self.values, self.sides = [], [0], [], [], []

    def variable(self, cost):
        self.costs.append(cost)
        return len(self.costs) - 1

    def row(self, entries, side):
        for column, value in entries:
            self.columns.append(column)
            self.values.append(value)
        self.starts.append(len(self.columns))
        self.sides.append(side)

    def problem(self):
        import highspy

        costs = np.array(self.costs)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(costs), len(self.sides)
        lp.col_cost_ = np.where(np.isfinite(costs), costs, 0.0)
        lp.col_lower_, lp.col_upper_ = np.zeros(len(costs)), np.isfinite(costs).astype(float)
        lp.row_lower_ = lp.row_upper_ = np.array(self.sides)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = np.array(self.starts), np.array(self.columns)
        lp.a_matrix_.value_ = np.array(self.values)
        return lp
