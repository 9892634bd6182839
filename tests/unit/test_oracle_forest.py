"""The forest oracle against all labelings, and its rounding allowance against rational arithmetic."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from zoo import random_costs

from fwmap import _core
from fwmap.models.costs import structured_table

INF = math.inf
KINDS = {"table": 0, "potts": 1, "linear": 2, "quadratic": 3}


@dataclass
class Forest:
    """A forest as the core takes it, and as tables."""

    n_labels: np.ndarray
    unaries: list
    edges: list  # (first, second)
    tables: list  # of each edge, whatever its kind
    exact_tables: list  # the same, structured costs as products of rationals
    shares: list
    core: _core.Decomposition

    @property
    def n_coordinates(self):
        return self.core.n_coordinates(0)

    def supports(self):
        """Every labeling with its support."""
        starts = np.cumsum([0, *self.n_labels])
        for labels in itertools.product(*map(range, self.n_labels)):
            support = [int(starts[v]) + a for v, a in enumerate(labels)]
            entry = int(starts[-1])
            for (u, v), table, shares in zip(self.edges, self.tables, self.shares, strict=True):
                if shares:
                    support.append(entry + labels[u] * table.shape[1] + labels[v])
                    entry += table.size
            yield labels, support

    def cost(self, labels):
        unary = [self.unaries[v][a] for v, a in enumerate(labels)]
        return sum(unary) + sum(
            t[labels[u], labels[v]] for (u, v), t in zip(self.edges, self.tables, strict=True)
        )

    def exact_minimum(self, weights):
        best = INF
        for labels, support in self.supports():
            parts = [self.unaries[v][a] for v, a in enumerate(labels)]
            parts += [
                t[labels[u]][labels[v]] for (u, v), t in zip(self.edges, self.exact_tables, strict=True)
            ]
            parts += [weights[i] for i in support if i < len(weights)]
            if INF not in parts:
                best = min(best, sum(map(Fraction, parts)))
        return best


def exact_structured(kind, weight, truncation, rows, columns):
    def cost(a, b):
        distance = {1: int(a != b), 2: abs(a - b), 3: (a - b) ** 2}[kind]
        return Fraction(weight) * (
            distance if kind == 1 or truncation == INF else min(distance, Fraction(truncation))
        )

    return [[cost(a, b) for b in range(columns)] for a in range(rows)]


def random_forest(rng, kinds, n=None, most_labels=5, share=0.0, **options):
    n = n or int(rng.integers(1, 6))
    n_labels = rng.integers(1, most_labels + 1, n)
    edges = [(int(rng.integers(v)), v) for v in range(1, n) if rng.random() < 0.85]
    edges = [edge if rng.random() < 0.5 else edge[::-1] for edge in edges]
    rng.shuffle(edges)
    edges = [(int(u), int(v)) for u, v in edges]
    pool, offsets, tables, exact, columns = [], [0], [], [], []
    for u, v in edges:
        kind = KINDS[kinds[int(rng.integers(len(kinds)))]]
        shape = (int(n_labels[u]), int(n_labels[v]))
        if kind == 0:
            tables.append(random_costs(rng, shape, **options))
            exact.append(tables[-1].tolist())
            columns.append((kind, len(offsets) - 1, 0.0, 0.0))
            pool.append(tables[-1].ravel())
            offsets.append(offsets[-1] + tables[-1].size)
        else:
            weight = float(random_costs(rng, (), **(options | {"forbidden": 0.0})))
            truncation = 0.0 if kind == 1 else (0.0, 0.5, 1.0, 2.0, 3.7, 5.0, INF)[int(rng.integers(7))]
            tables.append(structured_table(kind, weight, truncation, *shape))
            exact.append(exact_structured(kind, weight, truncation, *shape))
            columns.append((kind, -1, weight, truncation))
    shares = [bool(rng.random() < share) for _ in edges]
    unaries = [random_costs(rng, k, **options) for k in n_labels]
    n_coordinates = int(n_labels.sum()) + sum(t.size for t, s in zip(tables, shares, strict=True) if s)
    core = _core.Decomposition(n_coordinates, np.zeros(0, np.int64), 0.0)
    kind, table, weight, truncation = (
        (list(c) for c in zip(*columns, strict=True)) if columns else ([], [], [], [])
    )
    core.add_forest(
        np.arange(n_coordinates),
        n_labels.astype(np.int32),
        np.concatenate(unaries),
        np.array([u for u, _ in edges], np.int32),
        np.array([v for _, v in edges], np.int32),
        np.array(kind, np.uint8),
        np.array(table, np.int64),
        np.array(weight, np.float64),
        np.array(truncation, np.float64),
        np.array(shares, np.uint8),
        _core.TablePool(np.concatenate([np.zeros(0), *pool]), np.array(offsets, np.int64)),
        "forest",
    )
    core.connect()
    return Forest(n_labels, unaries, edges, tables, exact, shares, core)


def check_minimum(forest, weights):
    support, cost, value, rounding = forest.core.minimize(0, weights)
    full = np.concatenate([weights, np.zeros(forest.n_coordinates - len(weights))])
    values = {tuple(s): forest.cost(labels) + full[s].sum() for labels, s in forest.supports()}
    best = min(values.values())
    if best == INF:
        assert value == INF
        assert len(support) == 0
        return
    assert value == pytest.approx(best, rel=1e-12, abs=1e-12)
    assert values[tuple(support.tolist())] == pytest.approx(best, rel=1e-12, abs=1e-12)
    costs = {tuple(s): forest.cost(labels) for labels, s in forest.supports()}
    assert cost == pytest.approx(costs[tuple(support.tolist())], rel=1e-12, abs=1e-12)
    assert forest.core.cost(0, support) == pytest.approx(cost, rel=1e-13, abs=1e-13)
    assert 0 <= rounding < 1e-10 * (1 + abs(value) + np.abs(full[np.isfinite(full)]).sum())


CASES = [*([kind] for kind in KINDS), list(KINDS)]


@pytest.mark.parametrize("kinds", CASES, ids="-".join)
@pytest.mark.parametrize("forbidden", [0.0, 0.3])
@pytest.mark.parametrize("share", [0.0, 0.7])
def test_the_minimiser_is_the_best_of_all_labelings(kinds, forbidden, share):
    rng = np.random.default_rng(1)
    for trial in range(40):
        forest = random_forest(rng, kinds, share=share, forbidden=forbidden, integer=bool(trial % 2))
        weights = random_costs(rng, forest.n_coordinates, forbidden=forbidden / 2)
        check_minimum(forest, weights)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_coordinates_beyond_the_weights_weigh_nothing(share):
    rng = np.random.default_rng(2)
    for _ in range(60):
        forest = random_forest(rng, list(KINDS), share=share)
        check_minimum(forest, rng.normal(size=int(rng.integers(forest.n_coordinates + 1))))


@pytest.mark.parametrize("kinds", CASES[1:], ids="-".join)
def test_structured_messages_are_those_of_the_table_for_many_labels(kinds):
    rng = np.random.default_rng(3)
    for _ in range(40):
        forest = random_forest(rng, kinds, n=2, most_labels=40, forbidden=0.2)
        check_minimum(forest, rng.normal(size=forest.n_coordinates))


@pytest.mark.parametrize("kinds", CASES, ids="-".join)
@pytest.mark.parametrize("forbidden", [0.0, 0.3])
@pytest.mark.parametrize("share", [0.0, 0.7])
def test_min_marginals_are_minima_over_the_labelings_with_that_coordinate(kinds, forbidden, share):
    rng = np.random.default_rng(4)
    for _ in range(40):
        forest = random_forest(rng, kinds, share=share, forbidden=forbidden)
        weights = random_costs(rng, forest.n_coordinates, forbidden=forbidden / 2)
        expected = np.full(forest.n_coordinates, INF)
        for labels, support in forest.supports():
            expected[support] = np.minimum(expected[support], forest.cost(labels) + weights[support].sum())
        found = forest.core.min_marginals(0, weights)
        # nothing feasible at all: any answer of +inf or NaN would do, the solver never asks
        if np.isfinite(expected).any():
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
        else:
            assert not np.isfinite(found).any()


@pytest.mark.parametrize("kinds", CASES, ids="-".join)
def test_value_minus_rounding_is_below_the_exact_minimum(kinds):
    rng = np.random.default_rng(5)
    for trial in range(40):
        forest = random_forest(rng, kinds, most_labels=4, share=0.3, orders=12 if trial % 2 else 3)
        weights = random_costs(rng, forest.n_coordinates, orders=12)
        _, _, value, rounding = forest.core.minimize(0, weights)
        exact = forest.exact_minimum(weights)
        assert Fraction(value) - Fraction(rounding) <= exact
        # and above it by no more than a few roundings of the largest number around
        largest = max(np.abs(weights).max(), *(np.abs(u).max() for u in forest.unaries), 1e-300)
        largest = max([largest, *(np.abs(t).max() for t in forest.tables)])
        assert rounding < 1e-13 * largest * (10 + 10 * len(forest.n_labels))


def test_a_support_that_is_no_labeling_costs_inf():
    forest = random_forest(np.random.default_rng(6), ["table"], n=4, most_labels=3)
    assert forest.core.cost(0, np.zeros(0, np.int32)) == INF
    assert forest.core.cost(0, np.full(4, forest.n_coordinates - 1, np.int32)) == INF


def test_a_cycle_is_refused():
    core = _core.Decomposition(6, np.zeros(0, np.int64), 0.0)
    ends = np.array([0, 1, 2], np.int32), np.array([1, 2, 0], np.int32)
    zeros, three = np.zeros(3), np.full(3, 1, np.uint8)
    pool = _core.TablePool(np.zeros(0), np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="cycle"):
        core.add_forest(
            np.arange(6),
            np.full(3, 2, np.int32),
            np.zeros(6),
            *ends,
            three,
            np.full(3, -1),
            zeros,
            zeros,
            np.zeros(3, np.uint8),
            pool,
            "ring",
        )
