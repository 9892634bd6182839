"""Edges that cost products: messages from two shared matrices equal those of written-out tables."""

from __future__ import annotations

import numpy as np
import pytest

from fwmap import _core
from fwmap.models.costs import product_costs

INF = np.inf


def forests(n_labels, table, weights, seed):
    """The same path as products of one table, and with a table for each edge."""
    n = len(weights) + 1
    rng = np.random.default_rng(seed)
    ends = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1).astype(np.int32)
    flip = rng.random(n - 1) < 0.5
    ends[flip] = ends[flip][:, ::-1]
    first, second = np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])
    unaries = rng.normal(size=n * n_labels)
    unaries[rng.random(len(unaries)) < 0.1] = INF
    kinds = np.full(n - 1, 4, np.uint8), np.zeros(n - 1, np.uint8)
    tables = [product_costs(w, t, table, table.T) for w, t in weights]
    values = np.ascontiguousarray(np.concatenate([t.ravel() for t in tables]))
    size = n_labels * n_labels
    pools = (
        _core.TablePool(np.ascontiguousarray(table.ravel()), np.array([0, size])),
        _core.TablePool(values, np.arange(n, dtype=np.int64) * size),
    )
    numbers = np.zeros(n - 1, np.int64), np.arange(n - 1)
    made = []
    for kind, pool, number in zip(kinds, pools, numbers, strict=True):
        core = _core.Decomposition(n * n_labels, np.arange(n + 1) * n_labels, 0.0)
        core.add_forest(
            np.arange(n * n_labels),
            np.full(n, n_labels, np.int32),
            unaries,
            first,
            second,
            kind,
            number,
            np.array([w for w, _ in weights]) * (kind[0] == 4),
            np.array([t for _, t in weights]) * (kind[0] == 4),
            np.zeros(n - 1, np.uint8),
            pool,
            "forest",
        )
        core.connect()
        made.append(core)
    return made


WEIGHTS = [(2.0, 0.0), (-1.5, 0.0), (0.0, 0.0), (0.0, 3.0), (0.0, -3.0), (1.0, 2.0), (-1.0, 0.5), (0.5, -2.0)]


@pytest.mark.parametrize("n_labels", [1, 2, 3, 7, 8, 9, 16, 23])
@pytest.mark.parametrize("symmetric", [False, True])
def test_messages_equal_those_of_tables(n_labels, symmetric, kernels):
    rng = np.random.default_rng(n_labels)
    table = rng.integers(-5, 6, (n_labels, n_labels)).astype(float)
    if symmetric:
        table = table + table.T
    if n_labels > 1:
        np.fill_diagonal(table[:-1, :-1], INF)
    for seed in range(3):
        products, tables = forests(n_labels, table, WEIGHTS, seed)
        weights = rng.normal(size=products.n_variables)
        one, other = products.minimize(0, weights), tables.minimize(0, weights)
        assert one[0].tolist() == other[0].tolist()
        assert one[1:3] == other[1:3]
        assert one[3] >= 0
        assert np.array_equal(products.min_marginals(0, weights), tables.min_marginals(0, weights))
        if len(one[0]):
            assert products.cost(0, one[0]) == tables.cost(0, one[0])


def test_all_kernels_give_the_same_bits():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(37, 37))
    answers = []
    for name in _core.available_kernels():
        default = _core.kernels_in_use()
        assert _core.use_kernels(name)
        core, _ = forests(37, table, WEIGHTS, 0)
        answers.append(core.min_marginals(0, np.zeros(core.n_variables)).tobytes())
        assert _core.use_kernels(default)
    assert len(set(answers)) == 1


def test_a_rounded_product_is_allowed_for_and_a_whole_one_is_exact():
    whole, _ = forests(3, np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]]), [(1.0, 0.0)], 0)
    rounded, _ = forests(3, np.array([[0.0, 0.1, 2], [0.1, 0, 3], [2, 3, 0]]), [(0.3, 0.0)], 0)
    weights = np.zeros(6)
    assert rounded.minimize(0, weights)[3] > whole.minimize(0, weights)[3]


def test_tables_that_are_not_square_or_forbid_one_way_only_are_refused():
    table = np.array([[0.0, INF], [0.0, 0.0]])
    with pytest.raises(ValueError, match=r"forbids \(a, b\) and not \(b, a\)"):
        forests(2, table, [(1.0, 0.0)], 0)
