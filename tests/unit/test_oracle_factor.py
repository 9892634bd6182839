"""The oracle of a higher-order factor against all entries of its table."""

import math
from fractions import Fraction

import numpy as np
import pytest
from zoo import random_costs

from fwmap import _core

INF = math.inf


def random_factor(rng, blocks=(), **options):
    """A decomposition with one factor, its table with the unaries added, and its coordinates per entry."""
    shape = tuple(rng.integers(1, 4, int(rng.integers(1, 5))).tolist())
    blocks = [block for block in blocks if max(block) < len(shape)]
    unaries = [random_costs(rng, k, **options) for k in shape]
    table = random_costs(rng, shape, **options)
    groups = [[k] for k in range(len(shape))] + blocks
    sizes = [math.prod(shape[k] for k in group) for group in groups]
    starts = np.cumsum([0, *sizes])
    core = _core.Decomposition(int(starts[-1]), np.zeros(0, np.int64), 0.0)
    core.add_factor(
        np.arange(starts[-1]),
        np.array(shape, np.int32),
        np.concatenate(unaries),
        table.ravel(),
        blocks,
        "factor",
    )
    core.connect()
    support_of = {
        labels: [
            int(starts[g]) + int(np.ravel_multi_index([labels[k] for k in group], [shape[k] for k in group]))
            for g, group in enumerate(groups)
        ]
        for labels in np.ndindex(*shape)
    }
    return core, unaries, table, support_of


@pytest.mark.parametrize("blocks", [[], [[0, 1]], [[0, 2], [1, 2]]], ids=str)
@pytest.mark.parametrize("forbidden", [0.0, 0.4])
def test_minimiser_and_min_marginals_are_those_of_all_entries(blocks, forbidden):
    rng = np.random.default_rng(1)
    for _ in range(100):
        core, unaries, table, support_of = random_factor(rng, blocks, forbidden=forbidden)
        weights = random_costs(rng, core.n_coordinates(0), forbidden=forbidden / 3)
        costs = {s: table[s] + sum(unaries[k][a] for k, a in enumerate(s)) for s in support_of}
        values = {labels: costs[labels] + weights[support].sum() for labels, support in support_of.items()}
        best = min(values.values())
        marginals = np.full(len(weights), INF)
        for labels, support in support_of.items():
            marginals[support] = np.minimum(marginals[support], values[labels])
        np.testing.assert_allclose(core.min_marginals(0, weights), marginals, rtol=1e-12, atol=1e-12)
        support, cost, value, _ = core.minimize(0, weights)
        if best == INF:
            assert value == INF
            assert len(support) == 0
            continue
        labels = next(labels for labels, s in support_of.items() if s == support.tolist())
        assert value == pytest.approx(best, rel=1e-12, abs=1e-12)
        assert values[labels] == pytest.approx(best, rel=1e-12, abs=1e-12)
        assert cost == pytest.approx(costs[labels], rel=1e-12, abs=1e-12)
        assert core.cost(0, support) == pytest.approx(cost, rel=1e-13, abs=1e-13)


def test_value_minus_rounding_is_below_the_exact_minimum():
    rng = np.random.default_rng(2)
    for _ in range(200):
        core, unaries, table, support_of = random_factor(rng, [[0, 1]], orders=12)
        weights = random_costs(rng, core.n_coordinates(0), orders=12)
        _, _, value, rounding = core.minimize(0, weights)
        exact = min(
            sum(map(Fraction, [table[s], *(unaries[k][a] for k, a in enumerate(s)), *weights[support]]))
            for s, support in support_of.items()
        )
        assert Fraction(value) - Fraction(rounding) <= exact
        largest = max(np.abs(table).max(), np.abs(weights).max(), *(np.abs(u).max() for u in unaries))
        assert rounding < 1e-13 * largest * 20


def test_a_table_of_the_wrong_size_is_refused():
    core = _core.Decomposition(4, np.zeros(0, np.int64), 0.0)
    with pytest.raises(ValueError, match="3 entries; expected 4"):
        core.add_factor(np.arange(4), np.array([2, 2], np.int32), np.zeros(4), np.zeros(3), [], "factor")
