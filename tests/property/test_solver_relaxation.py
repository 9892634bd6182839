"""The bound reaches the optimum of the local-polytope relaxation, and is never above it."""

import math

import numpy as np
import pytest
from matchings import random_matching
from zoo import frustrated_triangle, local_polytope, odd_cycle_without_labeling, random_model

import fwmap
from fwmap.linear_program import linear_program
from fwmap.linear_program.by_highs import solve_by_highs
from fwmap.models.grid import grid_edges

INF = math.inf
ITERATIONS = 3000


def check(model, iterations=ITERATIONS):
    expected = local_polytope(model)
    result = fwmap.solve(model, iterations=iterations, gap=0.0, primal=False, tighten=False)
    if expected == INF:
        return
    size = max(1.0, abs(expected))
    assert result.bound <= expected + 1e-7 * size
    assert result.bound >= expected - 1e-5 * size, f"{result.status} after {result.iterations} iterations"


@pytest.mark.parametrize("labels", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_reached_on_grids(labels, seed):
    rng = np.random.default_rng(seed)
    side = int(rng.integers(3, 8))
    costs = rng.normal(size=(2 * side * (side - 1), labels, labels))
    check(fwmap.MRF.grid(rng.normal(size=(side, side, labels)), costs))


@pytest.mark.parametrize("seed", range(6))
def test_it_is_reached_on_grids_with_structured_costs_of_both_signs(seed):
    rng = np.random.default_rng(seed)
    weight = rng.normal(size=len(grid_edges(6, 5, 8)))
    kinds = [fwmap.Potts(weight), fwmap.TruncatedLinear(weight, 2.0), fwmap.TruncatedQuadratic(weight, 5.0)]
    check(fwmap.MRF.grid(rng.normal(size=(6, 5, 4)), kinds[seed % 3], connectivity=8))


@pytest.mark.parametrize("graph", ["complete", "cycle", "parallel", "sparse"])
@pytest.mark.parametrize("seed", range(5))
def test_it_is_reached_on_other_graphs(graph, seed):
    rng = np.random.default_rng(seed)
    kinds = ("table", "potts", "linear", "quadratic")
    check(random_model(rng, graph, int(rng.integers(4, 11)), 5, kinds=kinds, constant=float(rng.normal())))


@pytest.mark.parametrize("seed", range(8))
def test_it_is_reached_with_factors_of_higher_order(seed):
    rng = np.random.default_rng(seed)
    check(random_model(rng, ["grid", "sparse", "none", "cycle"][seed % 4], 9, 3, factors=5 + seed))


@pytest.mark.parametrize("forbidden", [0.05, 0.2])
@pytest.mark.parametrize("seed", range(6))
def test_it_is_reached_with_forbidden_entries(forbidden, seed):
    rng = np.random.default_rng(seed)
    check(
        random_model(
            rng, ["complete", "grid", "cycle"][seed % 3], 8, 4, factors=seed % 2, forbidden=forbidden
        )
    )


@pytest.mark.parametrize("seed", range(4))
def test_it_is_reached_with_integer_costs_where_much_ties(seed):
    rng = np.random.default_rng(seed)
    check(random_model(rng, ["complete", "grid"][seed % 2], 9, 4, same_labels=True, integer=True))


def test_it_is_reached_where_it_is_loose():
    model = frustrated_triangle()
    assert local_polytope(model) == pytest.approx(0.0, abs=1e-9)
    check(model)
    check(odd_cycle_without_labeling())


def test_it_is_reached_on_a_complete_graph_with_thousands_of_table_entries():
    rng = np.random.default_rng(0)
    check(random_model(rng, "complete", 12, 7, same_labels=True), iterations=50_000)


def test_a_fixed_weight_and_the_paper_s_steps_reach_it_as_well():
    for seed in range(4):
        model = random_model(np.random.default_rng(seed), "cycle", 6, 3)
        expected = local_polytope(model)
        result = fwmap.solve(
            model, iterations=2000, gap=0.0, proximal_weight=1.0, primal=False, tighten=False
        )
        assert (
            expected - 1e-4 * max(1, abs(expected)) <= result.bound <= expected + 1e-7 * max(1, abs(expected))
        )


def first_order_models():
    """One of each kind."""
    rng = np.random.default_rng(0)
    yield fwmap.MRF.grid(rng.normal(size=(5, 5, 3)), rng.normal(size=(40, 3, 3)))
    kinds = ("table", "potts", "linear", "quadratic")
    yield random_model(rng, "complete", 8, 4, kinds=kinds, constant=3.0)
    yield random_model(rng, "sparse", 9, 3, factors=6)
    yield random_model(rng, "complete", 8, 4, forbidden=0.05)
    yield frustrated_triangle()


FIRST_ORDER = ["bundle", "subgradient"]


def check_roughly(model, solver, expected, iterations):
    size = max(1.0, abs(expected))
    result = fwmap.solve(
        model,
        solver=solver,
        iterations=iterations,
        gap=0.0,
        primal=False,
        tighten=False,
        callback=lambda row: row.lower_bound >= expected - 0.9e-3 * size,
    )
    assert expected - 1e-3 * size <= result.bound <= expected + 1e-7 * size


@pytest.mark.parametrize("solver", FIRST_ORDER)
@pytest.mark.parametrize("model", list(first_order_models()))
def test_other_solvers_come_close(solver, model):
    check_roughly(model, solver, local_polytope(model), 1000)


@pytest.mark.parametrize(("solver", "iterations"), [("bundle", 4000), ("subgradient", 100_000)])
@pytest.mark.parametrize("seed", range(5))
def test_other_solvers_come_close_on_images_and_matchings(solver, iterations, seed):
    pytest.importorskip("highspy")
    rng = np.random.default_rng(seed)
    if seed % 2:
        model = random_matching(rng, 6, 5)
    else:
        image = rng.integers(0, 3, (5, 5))
        pixels = np.arange(25).reshape(5, 5)
        rays = [(line, image.flat[line].sum()) for grid in (pixels, pixels.T) for line in grid]
        model = fwmap.Tomography((5, 5), rays, labels=3, smoothness=0.7)
    optimum = solve_by_highs(linear_program(model), cpu_limit=60).objective
    check_roughly(model, solver, optimum, iterations)


@pytest.mark.parametrize("seed", range(4))
def test_the_bundle_method_reaches_it_and_says_so(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, ["complete", "grid", "sparse", "cycle"][seed], 9, 4, factors=seed)
    expected = local_polytope(model)
    result = fwmap.solve(model, solver="bundle", iterations=4000, gap=0.0, primal=False, tighten=False)
    assert result.status == "converged"
    assert result.bound == pytest.approx(expected, abs=1e-6 * max(1.0, abs(expected)))


def test_the_bundle_method_reaches_it_with_a_fixed_weight_as_well():
    model = random_model(np.random.default_rng(7), "cycle", 6, 3)
    expected = local_polytope(model)
    result = fwmap.solve(
        model, solver="bundle", iterations=2000, gap=0.0, proximal_weight=1.0, primal=False, tighten=False
    )
    assert {row.proximal_weight for row in result.trace} == {1.0}
    assert result.bound == pytest.approx(expected, abs=1e-5 * max(1.0, abs(expected)))
