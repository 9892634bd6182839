"""Tomography: bound and images against brute force, linear programmes and the definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import fwmap
from fwmap import Projection, Tomography
from fwmap.datasets import random_objects
from fwmap.decompose import decompose
from fwmap.geometry import project, rays
from fwmap.linear_program import linear_program
from fwmap.linear_program.by_highs import solve_by_highs
from fwmap.rounding import Incumbent, TomographyRounding

INF = math.inf


def random_tomography(rng, *, feasible=True, soft=0.3):
    """A small image of random smoothness, with some rays of some directions, hard and soft."""
    shape = int(rng.integers(1, 4)), int(rng.integers(2, 4))
    labels = int(rng.integers(2, 4))
    image = rng.integers(0, labels, shape)
    projections = []
    for direction in [(0, 1), (1, 0), (1, 1), (1, -1)][: int(rng.integers(1, 5))]:
        for pixels in rays(shape, direction):
            if rng.random() < 0.15:
                continue
            total = int(image.reshape(-1)[pixels].sum())
            if not feasible and rng.random() < 0.2:
                total = int(rng.integers(0, len(pixels) * (labels - 1) + 1))
            if rng.random() < soft:
                costs = rng.integers(0, 5, len(pixels) * (labels - 1) + 1).astype(float)
                costs[rng.random(len(costs)) < 0.3] = INF
                costs[total] = 1.0
                projections.append(Projection(pixels, costs=costs))
            else:
                projections.append(Projection(pixels, total))
    unaries = rng.normal(size=(*shape, labels)) if rng.random() < 0.5 else None
    smoothness = [1.0, 0.5, fwmap.Potts(0.7), rng.normal(size=(labels, labels))][int(rng.integers(4))]
    return Tomography(shape, projections, labels, smoothness, unaries)


def optimum(model):
    """By trying all images, those first thrown away whose sums are forbidden."""
    every = np.array(list(itertools.product(range(int(model.n_labels[0])), repeat=model.n_nodes)))
    for r in range(model.n_rays):
        allowed = np.append(np.flatnonzero(np.isfinite(model.ray_cost(r))), -1)
        every = every[np.isin(every[:, model.ray(r)].sum(axis=1), allowed)]
    field, total = model.field, np.full(len(every), model.field.constant)
    for v in range(model.n_nodes):
        total += field.unary(v)[every[:, v]]
    for e, (u, v) in enumerate(field.edges):
        total += field.pairwise_table(e)[every[:, u], every[:, v]]
    for r in range(model.n_rays):
        total += model.ray_cost(r)[every[:, model.ray(r)].sum(axis=1)]
    assert not len(every) or total[0] == pytest.approx(model.energy(every[0]), abs=1e-12)
    return total.min(initial=INF)


def test_the_optimum_lies_between_bound_and_energy_and_small_images_are_found():
    n_found = 0
    for seed in range(60):
        model = random_tomography(np.random.default_rng(seed))
        best = optimum(model)
        assert best < INF
        result = fwmap.solve(model, iterations=100, decomposition=["auto", "forests"][seed % 2])
        assert result.bound <= best + 1e-9 * max(1, abs(best))
        assert result.energy == model.energy(result.labeling)
        assert result.energy >= best - 1e-9
        assert result.least_violating is None
        n_found += result.energy <= best + 1e-9
    assert n_found >= 55


def test_infeasible_is_said_only_with_a_proof_and_contradictions_only_where_there_are_some():
    seen = {None: 0, "contradiction": 0, "bound": 0, "term": 0}
    for seed in range(150):
        model = random_tomography(np.random.default_rng(seed), feasible=False)
        result = fwmap.solve(model, iterations=300)
        best = optimum(model)
        assert (model.contradiction() is not None) == (result.proof == "contradiction")
        if result.status == "infeasible":
            assert best == INF
            assert result.bound is None
            assert result.labeling is None
            seen[result.proof] += 1
        elif best == INF:
            assert result.energy is None
            assert result.least_violating is not None
            seen[None] += 1
    assert seen["contradiction"] > 20
    assert seen["bound"] > 5
    assert seen[None] <= 5


def test_totals_that_disagree_are_told_before_anything_runs():
    image = np.ones((4, 4), int)
    projections = project(image, 2)
    projections[5] = Projection(projections[5].pixels, 5)
    result = fwmap.solve(Tomography((4, 4), projections, 3))
    assert (result.status, result.proof, result.iterations) == ("infeasible", "contradiction", 0)
    assert "rays 0 to 3 give all pixels together a total of 16" in result.notes[0]
    assert "rays 4 to 7 a total of 17" in result.notes[0]


@pytest.mark.parametrize("decomposition", ["chains", "forests"])
@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_the_optimum_of_the_relaxation_with_exact_projections(seed, decomposition):
    rng = np.random.default_rng(seed)
    size, directions = (8, 2 + 2 * seed) if seed < 3 else (6, 3)
    image = random_objects(size, 0.4, 3, seed=seed).truth.reshape(size, size)
    unaries = 0.3 * rng.normal(size=(size, size, 3)) if seed % 2 else None
    model = Tomography((size, size), project(image, directions), 3, 1.0, unaries)
    answer = solve_by_highs(linear_program(model, decomposition), 60)
    result = fwmap.solve(model, iterations=6000, gap=1e-7, decomposition=decomposition)
    assert result.bound == pytest.approx(answer.objective, rel=1e-5, abs=1e-5) or result.status == "optimal"
    assert result.bound <= answer.objective + 1e-6
    assert result.energy >= answer.objective - 1e-6


def test_chains_bound_no_less_than_rays_and_edges_apart():
    higher = 0
    for seed in range(20):
        model = random_tomography(np.random.default_rng(seed))
        apart, chains = (
            solve_by_highs(linear_program(model, name), 60).objective for name in ("forests", "chains")
        )
        assert apart - 1e-7 <= chains <= optimum(model) + 1e-7
        higher += chains > apart + 1e-6
    assert higher >= 3


@pytest.mark.parametrize("seed", range(6))
def test_exchanges_satisfy_any_two_directions_at_once(seed):
    rng = np.random.default_rng(seed)
    shape, labels = (int(rng.integers(5, 30)), int(rng.integers(5, 30))), int(rng.integers(2, 6))
    image = rng.integers(0, labels, shape)
    directions = [[(0, 1), (1, 0)], [(1, 1), (1, -1)], [(1, 2), (1, 0)]][seed % 3]
    model = Tomography(shape, project(image, directions), labels)
    search = TomographyRounding(model).search
    assert search.has_exchanges
    start = rng.integers(0, labels, model.n_nodes).astype(np.int32)
    found, operations = search.exchange(start, 1e12)
    assert not model.violations(found).any()
    assert operations > 0
    assert fwmap.solve(model, iterations=2).energy is not None


def test_three_directions_have_no_exchanges():
    model = Tomography((4, 4), project(np.ones((4, 4), int), 3), 3)
    assert not TomographyRounding(model).search.has_exchanges


@pytest.mark.parametrize("seed", range(30))
def test_exchanges_end_only_where_no_image_satisfies_all(seed):
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(2, 4)), 3
    sums = [int(s) for s in rng.integers(0, 2 * 3 + 1, sum(shape))]
    pixels = rays(shape, (0, 1)) + rays(shape, (1, 0))
    projections = []
    for ray, total in zip(pixels, sums, strict=True):
        costs = np.full(2 * len(ray) + 1, INF)
        costs[min(total, 2 * len(ray)) :][: int(rng.integers(1, 3))] = 0  # one sum, or two
        projections.append(Projection(ray, costs=costs))
    model = Tomography(shape, projections, 3, 0.0)
    search = TomographyRounding(model).search
    found, _ = search.exchange(rng.integers(0, 3, model.n_nodes).astype(np.int32), 1e12)
    assert model.violations(found).any() == (optimum(model) == INF)


def test_an_annealing_does_not_depend_on_the_pieces_it_is_cut_into():
    model = random_objects(16, 0.5, 3, 4, seed=1).model
    whole, cut = TomographyRounding(model).search, TomographyRounding(model).search
    for search in (whole, cut):
        search.begin(np.zeros(256, np.int32), 3.0, 0.5, 3.0, 300_000)
    whole.anneal(1e9)
    rng = np.random.default_rng(0)
    while not cut.is_over:
        cut.anneal(float(rng.integers(1, 20_000)))
    assert whole.is_over
    assert np.array_equal(whole.best, cut.best)
    assert whole.best_violation == cut.best_violation == np.abs(model.violations(whole.best)).sum()


def test_images_of_four_and_six_directions_are_found():
    for seed, directions in itertools.product(range(3), (4, 6)):
        data = random_objects(16, 0.3, 3, directions, seed=seed)
        result = fwmap.solve(data.model, iterations=400)
        assert result.energy is not None
        assert result.energy <= 1.3 * data.model.energy(data.truth)


def test_the_share_of_work_for_images_is_kept():
    model = random_objects(24, 0.5, 3, 4, seed=2).model
    decomposition = decompose(model)
    core = fwmap._core.FrankWolfe(decomposition.core, 0, 10, 8)
    core.initialize(INF)
    rounding = TomographyRounding(model)
    for _ in range(20):
        core.exact_pass(INF)
        core.evaluate(INF)
        rounding.after_evaluation(core, Incumbent())
    assert 0.1 * core.work < rounding.spent < 0.21 * core.work


def test_an_image_that_violates_projections_is_never_a_solution(capsys):
    """Rows and columns fit, the diagonals do not fit to them: nothing is found, and that is said."""
    image = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    other = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    diagonals = project(other, 4)[6:]
    model = Tomography((3, 3), project(image, 2) + diagonals, 2)
    assert model.contradiction() is None
    best = optimum(model)
    result = fwmap.solve(model, iterations=4)
    if best == INF:
        assert result.energy is None
        assert result.as_dict()["labeling"] is None
        assert model.energy(result.least_violating) == INF
        assert "no solution" in result.notes[-1]
    else:
        assert result.energy is None or result.energy < INF
