"""The relaxation's optimum lies between the bound and what a fractional point costs; both meet in the end."""

import numpy as np
import pytest
from matchings import random_matching, relaxation
from zoo import GRAPHS, INF, frustrated_triangle, local_polytope, random_model

import fwmap

KINDS = ("table", "potts", "linear", "quadratic")


def solved(model, iterations):
    result = fwmap.solve(model, iterations=iterations, gap=0.0, tighten=False)
    return result, result.relaxation_gap["upper"]


@pytest.mark.parametrize("iterations", [0, 3, 60])
@pytest.mark.parametrize("seed", range(16))
def test_it_is_never_below_the_optimum_of_the_relaxation(seed, iterations):
    rng = np.random.default_rng(seed)
    recipe = {"kinds": KINDS, "factors": seed % 3, "constant": 2.5, "integer": seed % 4 == 0}
    model = random_model(rng, GRAPHS[seed % len(GRAPHS)], 7, 4, forbidden=0.1 * (seed % 2), **recipe)
    expected = local_polytope(model)
    result, upper = solved(model, iterations)
    if expected == INF:
        assert upper is None
        return
    if upper is not None:
        slack = 1e-9 * max(1.0, abs(expected))  # of the linear programme
        assert upper >= expected - slack
        assert result.removed or result.bound <= expected + slack
        assert result.energy is None or upper <= result.energy


@pytest.mark.parametrize("seed", range(12))
def test_they_meet_where_the_method_has_converged(seed):
    rng = np.random.default_rng(100 + seed)
    graph = ("complete", "cycle", "grid", "parallel")[seed % 4]
    model = random_model(rng, graph, 9, 4, same_labels=True, kinds=("table", "potts"), factors=3 * (seed % 2))
    result, upper = solved(model, 5000)
    expected = local_polytope(model)
    if result.status == "converged":
        assert result.removed or upper == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert result.bound <= upper


def test_most_of_these_have_a_gap_of_their_own():
    """Otherwise the labeling alone would do."""
    loose = 0
    for seed in range(12):
        rng = np.random.default_rng(100 + seed)
        graph = ("complete", "cycle", "grid", "parallel")[seed % 4]
        result, upper = solved(
            random_model(rng, graph, 9, 4, same_labels=True, kinds=("table", "potts")), 500
        )
        loose += upper < result.energy - 1e-3
    assert loose >= 3


def test_of_frustrated_spins_it_is_the_relaxation_s_and_not_the_labelings():
    result, upper = solved(frustrated_triangle(), 300)
    assert (result.energy, result.status) == (1.0, "converged")
    assert upper == pytest.approx(0.0, abs=1e-6)


def test_costs_times_a_power_of_two_give_as_many_times_the_same():
    model = random_model(np.random.default_rng(5), "complete", 7, 4, kinds=KINDS, factors=2)
    _, upper = solved(model, 40)
    for factor in (2.0**-20, 2.0**20):
        assert solved(model.scaled(factor), 40)[1] == pytest.approx(factor * upper, rel=1e-12)


def test_entries_that_forbid_much_leave_a_point_with_less_mass_or_none():
    """Labels that must be equal along a cycle: mass moves to what all neighbours allow."""
    equal = np.where(np.eye(3) > 0, 0.0, INF)
    rng = np.random.default_rng(0)
    model = fwmap.MRF(rng.normal(size=(6, 3)), [(v, (v + 1) % 6) for v in range(6)], equal)
    result, upper = solved(model, 30)
    assert result.bound <= local_polytope(model) <= upper + 1e-9
    assert upper <= result.energy


def test_who_asks_for_the_bound_only_does_not_pay_for_more():
    model = random_model(np.random.default_rng(1), "grid", 6, 3)
    assert fwmap.solve(model, iterations=5, primal=False).relaxation_gap["upper"] is None


@pytest.mark.parametrize("seed", range(12))
def test_a_one_sided_matching_has_a_point_too_and_both_meet(seed):
    rng = np.random.default_rng(seed)
    model = random_matching(rng, 4 + seed % 2, 3 + seed % 3, share=0.9)
    options = {"decomposition": "forests", "tighten": False, "exact": False, "gap": 0.0}
    expected = relaxation(model, two_sided=False)
    early = fwmap.solve(model, iterations=20, **options)
    late = fwmap.solve(model, iterations=5000, **options)
    slack = 1e-9 * max(1.0, abs(expected))
    for result in (early, late):
        upper = result.relaxation_gap["upper"]
        assert upper >= expected - slack
        assert upper <= result.energy
    if late.status == "converged" and not late.removed:
        assert late.relaxation_gap["upper"] == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_some_of_these_matchings_have_a_gap_of_their_own():
    """Otherwise the labeling alone would do."""
    loose = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        model = random_matching(rng, 4 + seed % 2, 3 + seed % 3, share=0.9)
        options = {"decomposition": "forests", "tighten": False, "exact": False, "gap": 0.0}
        result = fwmap.solve(model, iterations=500, **options)
        loose += result.relaxation_gap["upper"] < result.energy - 1e-3
    assert loose >= 2
