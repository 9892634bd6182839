"""Matching: bounds against brute force and the relaxation's optimum, energies, and what does not matter."""

import itertools
import math

import numpy as np
import pytest
from matchings import labelings, optimum, random_matching, relaxation

import fwmap
from fwmap.certificate.certificate import LOCAL_MATCHING
from fwmap.models import GraphMatching
from fwmap.models.matching_right import chosen_decomposition

INF = math.inf


def some_model(seed, **options):
    rng = np.random.default_rng(seed)
    n_left, n_right = [(4, 4), (3, 5), (5, 3), (4, 2)][seed % 4]
    matching = "perfect" if n_left <= n_right and seed % 3 == 0 else "partial"
    return random_matching(rng, n_left, n_right, (1.0, 0.7)[seed % 2], matching, **options)


@pytest.mark.parametrize("seed", range(40))
def test_bound_is_at_most_and_energy_at_least_the_optimum(seed):
    model = some_model(seed, forbidden=0.1 * (seed % 3), integer=seed % 5 == 0)
    best = optimum(model)
    result = fwmap.solve(model, iterations=60)
    if result.status == "infeasible":
        assert best == INF
        return
    assert result.bound <= best
    if result.labeling is not None:
        assert result.energy == model.energy(result.labeling) >= best
        assert result.status != "optimal" or result.energy == pytest.approx(best, abs=1e-5)
    verdict = result.check(model)
    assert verdict.holds, verdict.failures
    assert verdict.bound <= best


@pytest.mark.parametrize("seed", range(24))
def test_tiny_matchings_are_found(seed):
    model = some_model(seed)
    best = optimum(model)
    result = fwmap.solve(model, iterations=150)  # some 30 of them with the left side alone
    assert (result.energy is None) == (best == INF)
    assert best == INF or result.energy == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("decomposition", ["forests", "two-sided"])
@pytest.mark.parametrize("seed", range(12))
def test_the_bound_reaches_the_optimum_of_the_relaxation(seed, decomposition):
    model = some_model(seed, integer=seed % 4 == 3, forbidden=0.1 * (seed % 2))
    expected = relaxation(model, two_sided=decomposition == "two-sided")
    result = fwmap.solve(
        model, iterations=3000, gap=0.0, primal=False, tighten=False, decomposition=decomposition
    )
    assert result.status == "infeasible" or result.settings.decomposition == decomposition
    if expected == INF:
        return
    assert expected <= optimum(model) + 1e-7
    assert expected - 1e-5 * max(1.0, abs(expected)) <= result.bound <= expected + 1e-7
    verdict = result.check(model)
    assert verdict.holds, verdict.failures
    assert verdict.bound == pytest.approx(result.bound, rel=1e-9, abs=1e-9)


def test_both_sides_prove_more_than_one():
    gained = []
    for seed in range(6):
        model = random_matching(np.random.default_rng(seed), 5, 5)
        one, two = (
            fwmap.solve(
                model, iterations=1500, gap=0.0, primal=False, tighten=False, decomposition=name
            ).bound
            for name in ("forests", "two-sided")
        )
        assert two >= one - 1e-5 * abs(one)
        gained.append(two - one)
    assert max(gained) > 0.1


@pytest.mark.parametrize("seed", range(8))
def test_a_few_points_with_their_uniqueness_join_where_the_bound_stands_still(seed):
    model = random_matching(np.random.default_rng(seed), 5, 5, forbidden=0.05 * (seed % 2))
    best = optimum(model)
    settings = {"gap": 0.0, "decomposition": "forests", "primal": seed % 2 == 0}
    plain = fwmap.solve(model, iterations=400, tighten=False, **settings)
    result = fwmap.solve(model, iterations=1500, **settings)
    bounds = [row.lower_bound for row in result.trace]
    assert all(before <= after for before, after in itertools.pairwise(bounds))
    assert plain.bound - 1e-6 * abs(plain.bound) <= result.bound <= best
    assert result.bound >= best - 0.5 * (best - plain.bound) - 1e-6 * abs(best)
    verdict = result.check(model)
    assert verdict.holds, verdict.failures
    assert verdict.bound == pytest.approx(result.bound, rel=1e-9, abs=1e-9)
    if not settings["primal"]:  # else the bound may rest on labels that were removed, too
        again = fwmap.solve(model, iterations=1, start=result, **settings)
        assert again.bound >= result.bound - 1e-9 * abs(result.bound)
    if plain.bound < best - 1e-3:
        assert (result.certificate.term_kind == LOCAL_MATCHING).any()


def test_both_sides_are_the_default_where_the_right_one_is_no_burden():
    model = random_matching(np.random.default_rng(0), 4, 4)
    assert fwmap.solve(model, iterations=1).settings.decomposition == "two-sided"
    assert fwmap.solve(GraphMatching([(0, 0)], [1.0])).settings.decomposition == "forests"  # there is no pair
    # Few right points that all of many left points may take: tables of millions of entries.
    every = np.stack(np.divmod(np.arange(3 * 1200), 3), axis=1)
    pairs = [(3 * i + a, 3 * i + 3 + (a + 1) % 3) for i in range(1199) for a in range(3)]
    crowd = GraphMatching(every, np.zeros(3600), pairs, np.ones(len(pairs)))
    assert chosen_decomposition(crowd, "auto") == "forests"
    assert chosen_decomposition(crowd, "two-sided") == "two-sided"
    with pytest.raises(fwmap.InvalidSetting, match="is not decomposed so"):
        fwmap.solve(fwmap.MRF([[0.0, 1.0]]), decomposition="two-sided")


@pytest.mark.parametrize("seed", range(6))
def test_a_solve_on_both_sides_begins_with_the_left_one_and_keeps_the_better_bound(seed):
    model = random_matching(np.random.default_rng(seed), 6, 6)
    settings = {"gap": 0.0, "primal": False, "tighten": False}
    left = fwmap.solve(model, decomposition="forests", iterations=20, **settings)
    short = fwmap.solve(model, iterations=20, **settings)
    assert [row.lower_bound for row in short.trace] == [row.lower_bound for row in left.trace]
    assert [len(own) for own in short.multipliers] == [len(own) for own in left.multipliers]
    long = fwmap.solve(model, iterations=1500, **settings)
    bounds = [row.lower_bound for row in long.trace]
    assert all(before <= after for before, after in itertools.pairwise(bounds))
    assert [row.work for row in long.trace] == sorted(row.work for row in long.trace)
    iterations = [row.iteration for row in long.trace]
    assert iterations == sorted(iterations)
    assert long.bound == pytest.approx(relaxation(model), abs=1e-5)
    for result in (short, long):
        verdict = result.check(model)
        assert verdict.holds, verdict.failures
        again = fwmap.solve(model, start=result, iterations=1, **settings)
        assert again.bound >= result.bound - 1e-9 * abs(result.bound)
    # With a weight of one's own the method is the paper's from the first iteration on.
    both = fwmap.solve(model, iterations=1, proximal_weight=1.0, **settings)
    assert len(both.multipliers) > len(short.multipliers)


def test_a_bound_of_the_left_side_is_certified_until_both_have_overtaken_it():
    model = random_matching(np.random.default_rng(1), 8, 8)
    n_terms = []
    for iterations in range(50, 900, 50):
        result = fwmap.solve(model, iterations=iterations, primal=False, tighten=False)
        verdict = result.check(model)
        assert verdict.holds, verdict.failures
        assert verdict.bound == pytest.approx(result.bound, rel=1e-9)
        n_terms.append(len(result.multipliers))
    assert n_terms == sorted(n_terms)
    assert n_terms[0] < n_terms[-1]


def test_without_any_allowed_matching_nothing_runs():
    crowded = GraphMatching([(0, 0), (1, 0), (1, 1), (2, 0)], [0.0] * 4, matching="perfect")
    result = fwmap.solve(crowded)
    assert (result.status, result.proof) == ("infeasible", "contradiction")
    assert (result.iterations, result.trace) == (0, [])
    assert result.notes == ["the 2 left points 0, 2 must all be assigned, and have only the 1 right points 0"]
    few = random_matching(np.random.default_rng(0), 3, 2)
    assert fwmap.solve(few, iterations=1).status != "infeasible"
    assert fwmap.solve(few, matching="perfect").status == "infeasible"


def test_whether_points_may_stay_alone_is_recorded():
    model = GraphMatching([(0, 0), (1, 1)], [1.0, 2.0])
    free, perfect = fwmap.solve(model), fwmap.solve(model, matching="perfect")
    assert (free.energy, free.labeling.tolist(), free.settings.matching) == (0.0, [-1, -1], "partial")
    assert (perfect.energy, perfect.labeling.tolist(), perfect.settings.matching) == (3.0, [0, 1], "perfect")


def test_the_same_settings_give_the_same_bits():
    model = random_matching(np.random.default_rng(2), 8, 8)
    one, two = (fwmap.solve(model, iterations=50, seed=3) for _ in range(2))
    assert one.bound == two.bound
    assert [row.energy for row in one.trace] == [row.energy for row in two.trace]
    assert [row.work for row in one.trace] == [row.work for row in two.trace]
    assert all(np.array_equal(a, b) for a, b in zip(one.multipliers, two.multipliers, strict=True))


@pytest.mark.parametrize("factor", [1024.0, 2.0**-30])
def test_costs_times_a_power_of_two_give_identical_steps(factor):
    model = random_matching(np.random.default_rng(4), 7, 6)
    plain = fwmap.solve(model, iterations=40)
    scaled = fwmap.solve(model.scaled(factor), iterations=40)
    assert scaled.bound == factor * plain.bound
    assert scaled.energy == factor * plain.energy
    assert [row.oracle_calls for row in scaled.trace] == [row.oracle_calls for row in plain.trace]


def test_a_solve_goes_on_from_an_earlier_one_and_from_a_labeling():
    model = random_matching(np.random.default_rng(6), 7, 7, matching="perfect")
    first = fwmap.solve(model, iterations=30)
    again = fwmap.solve(model, iterations=2, start=first)
    assert again.bound >= first.bound - 1e-9
    given = list(range(7))
    result = fwmap.solve(model, iterations=0, labeling=given)
    assert result.energy <= model.energy(given)
    with pytest.raises(fwmap.InvalidModel, match="assigns left point 1 to 9"):
        fwmap.solve(model, labeling=[0, 9, 2, 3, 4, 5, 6])


def test_models_without_points_pairs_or_assignments_are_solved():
    empty = np.zeros((0, 2), int)
    assert fwmap.solve(GraphMatching(empty, [], constant=2.0)).energy == 2.0
    assert fwmap.solve(GraphMatching(empty, [], n_left=2, n_right=3)).labeling.tolist() == [-1, -1]
    alone = GraphMatching([(i, a) for i in range(3) for a in range(3)], -np.eye(3).ravel())
    assert fwmap.solve(alone).labeling.tolist() == [0, 1, 2]


@pytest.mark.parametrize("decomposition", ["forests", "two-sided"])
def test_points_without_any_assignment_stay_alone(decomposition):
    model = GraphMatching(np.zeros((0, 2), int), [], n_left=2, n_right=1)
    result = fwmap.solve(model, decomposition=decomposition)
    assert (result.status, result.labeling.tolist()) == ("optimal", [-1, -1])


def test_marginals_are_those_of_the_left_points():
    model = random_matching(np.random.default_rng(8), 4, 5)
    marginals = fwmap.solve(model, iterations=40, gap=0).marginals
    assert [len(own) for own in marginals] == model.left.n_labels.tolist()
    assert all(own.sum() == pytest.approx(1.0) for own in marginals)


def test_an_altered_certificate_does_not_hold():
    model = random_matching(np.random.default_rng(9), 4, 4)
    result = fwmap.solve(model, iterations=20)
    other = random_matching(np.random.default_rng(10), 4, 4)
    assert not result.check(other).holds
    assert all(model.energy(labeling) >= result.bound for labeling in labelings(model))
