"""Same input, same settings, same seed: the same bits."""

import dataclasses
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from zoo import local_polytope, random_model

import fwmap
from fwmap.settings import SOLVERS


@pytest.fixture(scope="module", params=["complete", "grid", "factors"])
def model(request):
    rng = np.random.default_rng(3)
    if request.param == "factors":
        return random_model(rng, "sparse", 10, 3, factors=8)
    return random_model(rng, request.param, 12, 5, same_labels=True, forbidden=0.03)


each_solver = pytest.mark.parametrize("solver", SOLVERS)


def trace(model, **settings):
    """The rows without their times; no gap is small enough to end the run early."""
    result = fwmap.solve(model, **({"iterations": 80, "gap": 0.0} | settings))
    return [without_times(row) for row in result.trace]


def without_times(row):
    return dataclasses.replace(row, seconds=0.0, cpu_seconds=0.0)


@contextmanager
def busy_processes(n):
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.parametrize("weight", ["auto", "paper", 0.5])
def test_two_runs_have_the_same_bits(model, weight):
    assert trace(model, proximal_weight=weight) == trace(model, proximal_weight=weight)


@each_solver
def test_the_whole_result_is_the_same(model, solver):
    one, two = (fwmap.solve(model, solver=solver, iterations=40) for _ in range(2))
    assert [without_times(row) for row in one.trace] == [without_times(row) for row in two.trace]
    assert (one.bound, one.energy, one.status, one.work) == (two.bound, two.energy, two.status, two.work)
    assert np.array_equal(one.labeling, two.labeling)
    for a, b in zip(one.multipliers, two.multipliers, strict=True):
        assert np.array_equal(a, b)
    for a, b in zip(one.marginals, two.marginals, strict=True):
        assert np.array_equal(a, b)


def test_a_busy_machine_changes_nothing(model):
    alone = trace(model)
    with busy_processes(3):
        assert trace(model) == alone


def test_another_seed_takes_another_way_to_the_same_bound(model):
    assert trace(model, seed=0, proximal_weight=0.5) != trace(model, seed=1, proximal_weight=0.5)
    traces = [trace(model, seed=seed, iterations=3000, tolerance=0.0, tighten=False) for seed in (0, 1)]
    expected = local_polytope(model)
    for rows in traces:
        assert rows[-1].lower_bound == pytest.approx(expected, rel=1e-5)


@each_solver
def test_a_shorter_run_is_the_beginning_of_a_longer_one(model, solver):
    short, long = (trace(model, solver=solver, iterations=n, tolerance=0.0) for n in (37, 120))
    before_the_end = [row for row in short if row.iteration < 37]
    assert len(before_the_end) > 3
    assert before_the_end == long[: len(before_the_end)]


@each_solver
def test_a_time_limit_cuts_the_run_and_does_not_change_it(model, solver):
    cut, whole = (
        trace(model, solver=solver, iterations=None, time_limit=0.02),
        trace(model, solver=solver, iterations=20_000, time_limit=0.5),
    )
    common = max(1, min(len(cut), len(whole))) - 1  # the last row may be one of a limit
    assert cut[:common] == whole[:common]


@each_solver
def test_looking_for_labelings_does_not_change_the_bounds_until_labels_are_removed(model, solver):
    """Of one relaxation: with labelings the gap says when to tighten it."""
    with_labelings, without = (
        trace(model, solver=solver, primal=primal, tighten=False) for primal in (True, False)
    )
    same = [row.lower_bound for row in with_labelings if not row.labels_removed]
    assert len(same) > 1
    assert same == [row.lower_bound for row in without][: len(same)]


def test_a_callback_sees_the_rows_of_the_trace(model):
    seen = []
    result = fwmap.solve(model, iterations=20, gap=0.0, callback=seen.append)
    assert seen == result.trace
