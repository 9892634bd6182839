"""The assignment oracle against brute force and SciPy: sparse, dense, rectangular, degenerate, forbidden."""

import itertools
import math

import numpy as np
import pytest

from fwmap import _core

KINDS = ("dense", "sparse", "few right points", "few left points", "equal costs", "forbidden")


def problem(rng, kind, n_left, n_right, must=0.0):
    """Labels of each left point as partners, -1 last where it may stay alone."""
    if kind == "few right points":
        n_right = max(1, n_left // 3)
    if kind == "few left points":
        n_left = max(1, n_right // 3)
    share = 0.3 if kind == "sparse" else 1.0
    partners = []
    for _ in range(n_left):
        own = np.flatnonzero(rng.random(n_right) < share)
        alone = [-1] if rng.random() >= must or not len(own) else []
        partners.append([*own.tolist(), *alone])
    return partners, n_right


def costs_of(rng, kind, n):
    """Costs of n labels."""
    if kind == "equal costs":
        return rng.integers(-1, 2, n).astype(float)
    drawn = rng.normal(size=n)
    return np.where(rng.random(n) < 0.3, math.inf, drawn) if kind == "forbidden" else drawn


def oracle(partners, n_right, unaries):
    n_labels = np.array(list(map(len, partners)), np.int32)
    core = _core.Decomposition(int(n_labels.sum()), np.zeros(0, np.int64), 0.0)
    flat = np.concatenate([np.array(own, np.int32) for own in partners])
    core.add_assignment(np.arange(len(flat)), n_labels, unaries, flat, n_right, "assignment")
    return core


def matrix_of(partners, n_right, costs):
    """Left points by right points, and a column of its own for each left point that stays alone."""
    matrix = np.full((len(partners), n_right + len(partners)), math.inf)
    labels = iter(costs)
    for i, own in enumerate(partners):
        for partner in own:
            matrix[i, partner if partner >= 0 else n_right + i] = next(labels)
    return matrix


def least_by_brute_force(partners, costs):
    starts = np.cumsum([0, *map(len, partners)])
    best = math.inf
    for labels in itertools.product(*(range(len(own)) for own in partners)):
        taken = [own[k] for own, k in zip(partners, labels, strict=True) if own[k] >= 0]
        if len(set(taken)) == len(taken):
            best = min(best, sum(costs[starts[i] + k] for i, k in enumerate(labels)))
    return best


def check_answer(core, partners, unaries, weights, expected):
    """The minimiser is a matching of that value, and `value - rounding` is a bound."""
    support, cost, value, rounding = core.minimize(0, weights)
    if expected == math.inf:
        assert value == math.inf
        return
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert value - rounding <= expected <= value + 1e-12 * max(1.0, abs(value))
    assert rounding <= 1e-12 * (1.0 + np.abs((unaries + weights)[support]).sum())
    starts = np.cumsum([0, *map(len, partners)])
    assert ((support >= starts[:-1]) & (support < starts[1:])).all()
    flat = np.concatenate([np.array(own) for own in partners])
    taken = flat[support][flat[support] >= 0]
    assert len(np.unique(taken)) == len(taken)
    assert cost == pytest.approx(unaries[support].sum(), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_small_problems_equal_brute_force(kind):
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(25):
        partners, n_right = problem(rng, kind, int(rng.integers(1, 5)), int(rng.integers(1, 5)), must=0.5)
        unaries = costs_of(rng, kind, sum(map(len, partners)))
        core = oracle(partners, n_right, unaries)
        for _ in range(3):  # prices are kept from call to call
            weights = costs_of(rng, kind, len(unaries))
            total = unaries + weights
            check_answer(core, partners, unaries, weights, least_by_brute_force(partners, total))


@pytest.mark.parametrize("kind", KINDS)
def test_large_problems_equal_scipy_cold_and_warm(kind):
    linear_sum_assignment = pytest.importorskip("scipy.optimize").linear_sum_assignment
    rng = np.random.default_rng(10 + KINDS.index(kind))
    partners, n_right = problem(rng, kind, 60, 60)
    unaries = costs_of(rng, kind, sum(map(len, partners)))
    if kind == "forbidden":
        unaries[np.cumsum(list(map(len, partners))) - 1] = 5.0  # to stay alone is always allowed
    core = oracle(partners, n_right, unaries)
    weights = np.zeros(len(unaries))
    for call in range(25):
        matrix = matrix_of(partners, n_right, unaries + weights)
        rows, columns = linear_sum_assignment(matrix)
        check_answer(core, partners, unaries, weights, float(matrix[rows, columns].sum()))
        change = rng.normal(size=len(weights)) * rng.choice([0.01, 0.3, 10.0])
        weights = weights + np.where(rng.random(len(weights)) < 0.2, change, 0.0) if call % 5 else 0 * weights


def test_no_matching_is_an_answer_and_the_next_call_is_right():
    core = oracle([[0, 1], [0, 1], [0, 1]], 2, np.zeros(6))
    assert core.minimize(0, np.zeros(6))[2] == math.inf
    core = oracle([[0, 1], [0, 1]], 2, np.zeros(4))
    assert core.minimize(0, np.array([0.0, math.inf, 0.0, math.inf]))[2] == math.inf
    assert core.minimize(0, np.array([1.0, 5.0, 2.0, 3.0]))[2] == 4.0
