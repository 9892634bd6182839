"""The finish: prices of a linear programme prove its optimum as multipliers, and its point is feasible."""

from __future__ import annotations

import numpy as np
import pytest
from matchings import random_matching
from zoo import random_model

import fwmap
from fwmap import finish
from fwmap.decompose import decompose
from fwmap.errors import InvalidSetting
from fwmap.linear_program import linear_program
from fwmap.linear_program.by_highs import interior_point, solve_by_highs

pytest.importorskip("highspy")

#: Limits of a run that does nothing but what is asked about: the relaxation's bound.
BOUND_ONLY = {"primal": False, "tighten": False, "gap": 0.0}


def tomography(seed):
    """A small image of three grey values, with hard and soft rays and a label that is forbidden."""
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 3, (3, 4))
    pixels = np.arange(12).reshape(3, 4)
    rays = [(pixels[row], int(image[row].sum())) for row in range(3)]
    for column in range(4):
        sums = np.abs(np.arange(7) - image[:, column].sum()) * rng.random()
        rays.append((pixels[:, column], sums))
    unaries = rng.normal(size=(3, 4, 3))
    unaries[0, 0, (image[0, 0] + 1) % 3] = np.inf
    return fwmap.Tomography((3, 4), rays, labels=3, smoothness=0.8, unaries=unaries, constant=-2.5)


def models(seed):
    """Models and their decompositions: one of each kind, and of each trap, such as forbidden entries."""
    rng = np.random.default_rng
    yield random_model(rng(seed), "complete", 6, 3), "forests"
    yield random_model(rng(seed), "grid", 9, 3, forbidden=0.1, constant=3.25), "forests"
    yield random_model(rng(seed), "parallel", 5, 3, forbidden=0.05), "forests"
    yield random_model(rng(seed), "sparse", 6, 2, factors=5), "forests"
    yield random_model(rng(seed), "complete", 6, 3, kinds=("potts", "linear", "quadratic")), "forests"
    yield tomography(seed), "forests"
    yield tomography(seed), "chains"
    yield random_matching(rng(seed), 4, 3), "forests"
    yield random_matching(rng(seed), 4, 4, share=0.9, matching="perfect"), "forests"


KINDS = range(len(list(models(0))))


def optimum(model, name):
    """The relaxation's, by the simplex method."""
    """The relaxation's, by the simplex method."""
    return solve_by_highs(linear_program(model, name), cpu_limit=60).objective


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_the_prices_of_the_rows_prove_the_optimum(kind, seed):
    model, name = list(models(seed))[kind]
    best = optimum(model, name)
    if best is None:
        pytest.skip("nothing is feasible")
    decomposition = decompose(model, name)
    program = linear_program(model, name)
    point = interior_point(program, 100, np.inf)
    lambdas = finish.multipliers(decomposition, program, point.prices)
    core = decomposition.core
    shared = np.concatenate([core.shared_variables(t) for t in range(core.n_terms)])
    allowed = np.isfinite(decomposition.field.unaries)[shared]
    sums = np.bincount(shared[allowed], lambdas[allowed], minlength=1)
    assert np.abs(sums).max() <= 1e-12 * (1 + np.abs(lambdas[allowed]).max(initial=0.0))
    bound = core.reduced_costs(lambdas, np.inf)[2]
    assert best - 1e-6 * (1 + abs(best)) <= bound <= best + 1e-9 * (1 + abs(best))


@pytest.fixture
def at_once(monkeypatch):
    """The finish comes after the second point."""
    monkeypatch.setattr(finish, "PRICE", 1.0)
    monkeypatch.setattr(finish.Pace, "stands_still", lambda self, moment: moment.stage.solver.n_planes > 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("at_once")
def test_a_run_goes_on_from_there_and_what_it_knows_of_the_optimum_is_true(kind):
    for seed in range(4):
        model, name = list(models(seed))[kind]
        best = optimum(model, name)
        if best is None:
            continue
        options = {**BOUND_ONLY, "decomposition": name, "tolerance": 1e-9, "iterations": 30}
        result = fwmap.solve(model, **options)
        size = 1 + abs(best)
        assert best - 1e-6 * size <= result.bound <= best + 1e-9 * size
        assert result.check(model).holds
        upper = result.relaxation_gap["upper"]
        if upper is not None:
            assert best - 1e-9 * size <= upper <= best + 1e-6 * size
        again = fwmap.solve(model, **options)
        assert (again.bound, again.work, again.iterations) == (result.bound, result.work, result.iterations)


@pytest.mark.usefixtures("at_once")
def test_its_work_is_counted_and_ends_the_run_as_converged():
    model = random_model(np.random.default_rng(1), "complete", 8, 4)
    result = fwmap.solve(model, iterations=100_000, **BOUND_ONLY)
    entries = len(linear_program(model).values)
    assert result.work >= 5 * finish.PRICE * entries
    assert result.status == "converged"
    assert result.relaxation_gap["upper"] - result.bound <= 1e-6 * (1 + abs(result.bound))


@pytest.mark.usefixtures("at_once")
def test_without_highs_all_is_as_if_it_were_not_asked_for(monkeypatch):
    model = random_model(np.random.default_rng(2), "complete", 8, 4)
    options = {**BOUND_ONLY, "iterations": 50}
    without = fwmap.solve(model, finish=False, **options)
    monkeypatch.setattr(finish, "is_installed", lambda: False)
    absent = fwmap.solve(model, **options)
    assert (absent.bound, absent.work) == (without.bound, without.work)
    assert [row.lower_bound for row in absent.trace] == [row.lower_bound for row in without.trace]
    with pytest.raises(InvalidSetting, match="needs HiGHS, which is not installed"):
        fwmap.solve(model, finish=True, **options)


def test_a_run_that_does_well_never_asks(monkeypatch):
    def refuse(*arguments):
        raise AssertionError("HiGHS was asked")

    monkeypatch.setattr(finish, "interior_point", refuse)
    model = fwmap.MRF.grid(np.random.default_rng(3).normal(size=(12, 12, 3)), fwmap.Potts(0.4))
    assert fwmap.solve(model, **BOUND_ONLY).status == "converged"


@pytest.mark.parametrize("name", ["forests", "chains"])
def test_the_upper_end_of_a_tomography_is_not_below_the_optimum(name):
    for seed in range(6):
        model = tomography(seed)
        result = fwmap.solve(model, decomposition=name, iterations=20, tighten=False, exact=False, gap=0.0)
        upper, best = result.relaxation_gap["upper"], optimum(model, name)
        if upper is not None and not result.removed:
            assert upper >= best - 1e-9 * (1 + abs(best))
