"""Quadratic assignment: bounds against brute force and the relaxation, searches, and what does not matter."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from matchings import optimum, relaxation

import fwmap
from fwmap import _core
from fwmap.models import GraphMatching
from fwmap.models.matching_right import chosen_decomposition

INF = math.inf


def some_problem(seed):
    rng = np.random.default_rng(seed)
    n, m = [(4, 4), (3, 4), (3, 3), (2, 4)][seed % 4]
    left, right = rng.integers(-3, 6, (n, n)).astype(float), rng.integers(-3, 6, (m, m)).astype(float)
    if seed % 3 == 0:
        left = left + left.T
    if seed % 3 != 2:
        right = right + right.T
    if seed % 2:
        left, right = left + rng.random((n, n)), right * rng.random()
    linear = np.where(rng.random((n, m)) < 0.1 * (seed % 3), INF, rng.normal(size=(n, m)))
    matching = ("perfect", "partial")[(seed // 2) % 2]
    return GraphMatching.from_koopmans_beckmann(left, right, linear, matching=matching, unassigned=0.5)


@pytest.mark.parametrize("decomposition", ["stars", "forests"])
@pytest.mark.parametrize("seed", range(16))
def test_bound_is_at_most_and_energy_is_the_optimum(seed, decomposition):
    model = some_problem(seed)
    best = optimum(model)
    result = fwmap.solve(model, iterations=80, decomposition=decomposition)
    if best == INF:
        assert result.energy is None
        return
    assert result.bound <= best
    assert result.energy == model.energy(result.labeling) == pytest.approx(best, abs=1e-12)
    verdict = result.check(model)
    assert verdict.holds, verdict.failures
    assert verdict.bound <= best


@pytest.mark.parametrize("seed", range(8))
def test_the_bound_is_that_of_the_same_pairs_one_by_one(seed):
    model = some_problem(seed)
    if optimum(model) == INF:
        return
    expected = relaxation(model.with_pairs(), two_sided=False)
    settings = {"gap": 0.0, "primal": False, "tighten": False, "decomposition": "forests"}
    result = fwmap.solve(model, iterations=3000, **settings)
    assert expected - 1e-5 * max(1.0, abs(expected)) <= result.bound <= expected + 1e-7


def test_the_same_bits_again_and_with_every_kernel(kernels):
    rng = np.random.default_rng(3)
    model = GraphMatching.from_koopmans_beckmann(rng.random((9, 9)), rng.random((9, 9)))
    one, two = (fwmap.solve(model, iterations=15, seed=4) for _ in range(2))
    assert [row.lower_bound for row in one.trace] == [row.lower_bound for row in two.trace]
    assert one.labeling.tolist() == two.labeling.tolist()
    assert (one.bound, one.energy) == REMEMBERED.setdefault("result", (one.bound, one.energy))


REMEMBERED = {}


def random_permutation(rng, n):
    return rng.permutation(n).astype(np.int32)


@pytest.mark.parametrize("symmetric", [False, True])
def test_exchanges_change_the_energy_by_what_the_search_says(symmetric):
    rng = np.random.default_rng(0)
    n, real = 12, 10
    left, right, linear = (rng.normal(size=(n, n)) for _ in range(3))
    if symmetric:
        left, right = left + left.T, right + right.T
    for matrix in (left, linear):
        matrix[real:] = 0
    left[:, real:] = 0
    np.fill_diagonal(left, 0)
    np.fill_diagonal(right, 0)
    search = _core.ExchangeSearch(real, left.ravel(), right.ravel(), linear.ravel(), 1)

    def cost(p):
        return (left * right[np.ix_(p, p)]).sum() + linear[np.arange(n), p].sum()

    for budget in (0, 100, 5000, 1e5):
        start = random_permutation(rng, n)
        assert search.energy(start) == pytest.approx(cost(start))
        for method in (search.descend, search.wander):
            found, change, operations = method(start, budget)
            assert sorted(found.tolist()) == list(range(n))
            assert cost(found) == pytest.approx(cost(start) + change, abs=1e-9)
            assert change <= 0
            assert operations >= 0
    descended, *_ = search.descend(random_permutation(rng, n), 1e9)
    for i in range(real):
        for j in range(n):
            other = descended.copy()
            other[[i, j]] = other[[j, i]]
            assert cost(other) >= cost(descended) - 1e-9


def test_a_search_goes_on_where_it_was():
    rng = np.random.default_rng(2)
    matrices = [rng.random((15, 15)).ravel() for _ in range(3)]
    start = random_permutation(rng, 15)
    whole, _, spent = _core.ExchangeSearch(15, *matrices, 7).wander(start, 2e6)
    pieces = _core.ExchangeSearch(15, *matrices, 7)
    found, total = start, 0.0
    while total < spent:
        found, _, operations = pieces.wander(found, 1e4)
        total += operations
    assert pieces.energy(found) == pytest.approx(pieces.energy(whole), rel=0.02)
    assert pieces.energy(found) < pieces.energy(start)


@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 2), (1, 1), (1, 3)])
def test_problems_without_any_exchange_end(n, m):
    model = GraphMatching.from_koopmans_beckmann(np.full((n, n), 3.0), np.full((m, m), 4.0))
    result = fwmap.solve(model, iterations=20)
    assert result.energy == 12.0 * n
    assert result.labeling.shape == (n,)


def test_a_labeling_given_is_never_made_worse():
    rng = np.random.default_rng(6)
    model = GraphMatching.from_koopmans_beckmann(rng.random((8, 8)), rng.random((8, 8)), matching="partial")
    start = rng.permutation(8)
    result = fwmap.solve(model, labeling=start, iterations=2)
    assert result.energy <= model.energy(start)
    assert result.settings.matching == "partial"
    assert fwmap.solve(model.with_matching("perfect"), iterations=2).settings.matching == "perfect"


@pytest.mark.parametrize("seed", range(6))
def test_both_sides_are_decomposed_on_request_and_checked(seed):
    model = some_problem(seed)
    best = optimum(model)
    if best == INF:
        return
    result = fwmap.solve(model, iterations=2000, gap=0.0, decomposition="two-sided")
    expected = relaxation(model.with_pairs(), two_sided=True)
    assert expected - 1e-4 * max(1.0, abs(expected)) <= result.bound <= best
    assert result.energy == pytest.approx(best, abs=1e-12)
    verdict = result.check(model)
    assert verdict.holds, verdict.failures


def gilmore_lawler(left, right):
    """The bound by its definition: an assignment problem whose costs are those of assignment problems."""
    from scipy.optimize import linear_sum_assignment

    n = len(left)
    costs = np.empty((n, n))
    for i in range(n):
        for k in range(n):
            rows, columns = np.delete(left[i], i), np.delete(right[k], k)
            own = np.outer(rows, columns)
            costs[i, k] = left[i, i] * right[k, k] + own[linear_sum_assignment(own)].sum()
    return costs[linear_sum_assignment(costs)].sum()


@pytest.mark.parametrize("seed", range(4))
def test_stars_prove_what_gilmore_and_lawler_do_and_more(seed):
    pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, 9, (7, 7)).astype(float), rng.integers(0, 9, (7, 7)).astype(float)
    if seed % 2:
        left, right = left + left.T, right + right.T
    model = GraphMatching.from_koopmans_beckmann(left, right)
    result = fwmap.solve(model, iterations=1500, gap=0.0, decomposition="stars")
    assert result.bound >= gilmore_lawler(left, right) - 1e-3
    assert result.bound <= result.energy
    assert result.check(model).holds


@pytest.mark.parametrize("seed", range(4))
def test_small_problems_begin_with_stars_and_go_over_to_both_sides(seed):
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, 9, (5, 5)).astype(float), rng.integers(0, 9, (5, 5)).astype(float)
    model = GraphMatching.from_koopmans_beckmann(left, right)
    settings = {"gap": 0.0, "primal": False, "tighten": False}
    stars = fwmap.solve(model, iterations=40, decomposition="stars", **settings)
    short = fwmap.solve(model, iterations=40, **settings)
    assert short.settings.decomposition == "two-sided"
    assert [row.lower_bound for row in short.trace] == [row.lower_bound for row in stars.trace]
    long = fwmap.solve(model, iterations=6000, **settings)
    bounds = [row.lower_bound for row in long.trace]
    assert all(before <= after for before, after in itertools.pairwise(bounds))
    stars = fwmap.solve(model, iterations=2000, decomposition="stars", **settings)
    expected = max(stars.bound, relaxation(model.with_pairs()))
    assert expected - 1e-4 * abs(expected) <= long.bound <= optimum(model)
    for result in (short, long):
        verdict = result.check(model)
        assert verdict.holds, verdict.failures
        again = fwmap.solve(model, start=result, iterations=1, **settings)
        assert again.bound >= result.bound - 1e-9 * abs(result.bound)
    found = fwmap.solve(model, iterations=3000)
    assert found.energy == optimum(model)
    assert found.check(model).holds


def test_the_two_sides_of_a_product_are_the_default_where_they_are_small():
    for n, expected in ((20, "two-sided"), (22, "stars"), (230, "forests")):
        matrix = np.ones((n, n))
        model = GraphMatching.from_koopmans_beckmann(matrix, matrix)
        assert chosen_decomposition(model, "auto") == expected


def test_a_certificate_of_stars_must_have_them_all():
    rng = np.random.default_rng(0)
    model = GraphMatching.from_koopmans_beckmann(rng.random((5, 5)), rng.random((5, 5)))
    certificate = fwmap.solve(model, iterations=5, decomposition="stars").certificate
    kinds = certificate.term_kind.copy()
    assert sorted(kinds.tolist()) == [4, 6, 6, 6, 6, 6]
    for change in (
        {"term_number": np.zeros_like(certificate.term_number)},
        {"term_kind": np.where(np.arange(6) == 1, 4, kinds).astype(np.uint8)},
        {"multipliers": 1.5 * certificate.multipliers},
        {"lower_bound": certificate.lower_bound + 0.01},
    ):
        assert not replace(certificate, **change).check(model).holds
    pairs = fwmap.solve(model, iterations=5, decomposition="forests").certificate
    assert pairs.check(model).holds
    plain = GraphMatching([(0, 0)], [1.0])
    with pytest.raises(fwmap.InvalidSetting, match="only products of two matrices are split into stars"):
        fwmap.solve(plain, decomposition="stars")
    with pytest.raises(fwmap.InvalidSetting, match="'stars'; a MRF is not decomposed so"):
        fwmap.solve(fwmap.MRF([[0.0]]), decomposition="stars")


@pytest.mark.parametrize("solver", ["subgradient", "message-passing"])
def test_other_methods_run_on_stars(solver):
    model = some_problem(0)
    result = fwmap.solve(model, solver=solver, iterations=50)
    assert result.bound <= optimum(model) <= result.energy
    assert result.check(model).holds


@pytest.mark.parametrize("decomposition", ["stars", "forests", "two-sided"])
@pytest.mark.parametrize("seed", range(3))
def test_an_exact_solver_knows_all_costs_whoever_holds_them(seed, decomposition):
    pytest.importorskip("pytoulbar2")
    model = some_problem(seed)
    best = optimum(model)
    if best == INF:
        return
    result = fwmap.solve(model, exact=True, gap=0.0, iterations=2000, decomposition=decomposition)
    assert result.energy == pytest.approx(best, abs=1e-12)
    assert result.bound <= best + 1e-12
    verdict = result.check(model)
    assert verdict.holds, verdict.failures
