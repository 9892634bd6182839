"""Cycles raise the bound to the optimum of the relaxation that they make, and never above the model's."""

import itertools
import math

import numpy as np
import pytest
from zoo import INF, frustrated_triangle, local_polytope, odd_cycle_without_labeling, optimum, random_model

import fwmap
from fwmap import _core, datasets
from fwmap.decompose import cycle_terms, decompose, with_terms
from fwmap.progress import Progress

KINDS = ("table", "potts", "linear", "quadratic")


def dense_model(seed, n=7, **options):
    """Labels hardly matter, pairs do."""
    rng = np.random.default_rng(seed)
    recipe = {"kinds": KINDS if seed % 2 else ("table",), "forbidden": 0.1 * (seed % 3 == 2), **options}
    model = random_model(
        rng, ("complete", "parallel")[seed % 2], n, 2 + seed % 3 // 2, same_labels=True, **recipe
    )
    unaries = [0.1 * model.unary(v) for v in range(n)]
    tables = [model.pairwise_table(e) for e in range(model.n_edges)]
    factors = [(model.factor_scope(f), model.factor_table_of(f)) for f in range(model.n_factors)]
    return fwmap.MRF(unaries, model.edges, tables, factors)


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_reaches_the_optimum_of_the_relaxation_with_these_cycles(seed):
    model = dense_model(seed)
    result = fwmap.solve(model, iterations=2000, gap=0.0, primal=False)
    if result.status == "infeasible":
        assert optimum(model) == INF
        return
    expected = local_polytope(model, result.cycles)
    size = max(1.0, abs(expected))
    assert result.bound <= expected + 1e-7 * size
    assert result.bound >= expected - 1e-5 * size, f"{result.status} after {result.iterations} iterations"
    assert result.bound <= optimum(model) + 1e-9 * size


@pytest.mark.parametrize("seed", range(12))
def test_tightening_never_lowers_the_bound_and_its_certificate_holds(seed):
    model = dense_model(seed, factors=seed % 3)
    result = fwmap.solve(model, iterations=300)
    if result.status == "infeasible":
        assert optimum(model) == INF
        return
    rows = result.trace
    assert all(a.lower_bound <= b.lower_bound for a, b in itertools.pairwise(rows))
    assert all(a.cycles <= b.cycles for a, b in itertools.pairwise(rows))
    loose = fwmap.solve(model, iterations=300, tighten=False, primal=False)
    assert result.bound >= loose.bound - 1e-6 * max(1.0, abs(loose.bound))
    verdict = result.check(model)
    assert verdict.holds, verdict
    assert verdict.proved == (result.status == "optimal")


def test_most_of_these_are_loose_without_cycles_and_tight_with_them():
    """Otherwise the tests above would say little."""
    models = [dense_model(seed, forbidden=0.0) for seed in range(12)]
    results = [fwmap.solve(model, iterations=1000, primal=False) for model in models]
    gaps = [(optimum(model) - local_polytope(model)) / 4 for model in models]
    loose = [k for k, gap in enumerate(gaps) if gap > 1e-3]
    assert len(loose) >= 6
    assert all(results[k].cycles for k in loose)
    assert all(results[k].bound > local_polytope(models[k]) + gaps[k] for k in loose)


def test_a_cycle_without_any_labeling_proves_that_there_is_none():
    result = fwmap.solve(odd_cycle_without_labeling(), primal=False)
    assert (result.status, result.proof) == ("infeasible", "term")


@pytest.mark.parametrize("seed", range(8))
def test_a_triangle_raises_the_relaxation_s_optimum_by_its_gain_at_least(seed):
    model = dense_model(seed, n=6, forbidden=0.0)
    decomposition = decompose(model)
    multipliers = fwmap.solve(model, iterations=30, primal=False, tighten=False, gap=0.0).multipliers
    dual = _core.Reparametrization(
        decomposition.core, decomposition.n_forests, np.concatenate([np.zeros(0), *multipliers])
    )
    dual.spread()
    before = dual.bound()
    for edges, flipped, gain in dual.triangles(3, 1e-6, 1e9):
        ends = decomposition.edges.ends[decomposition.edges_of_forests[edges]]
        cycle = np.where(flipped, ends[:, 1], ends[:, 0])
        assert local_polytope(model, [cycle]) >= before + gain - 1e-7


def test_a_solve_goes_on_from_one_that_was_tightened():
    model = dense_model(2, n=8)
    first = fwmap.solve(model, iterations=300, gap=0.0, primal=False)
    assert first.cycles
    again = fwmap.solve(model, start=first, iterations=0, gap=0.0, primal=False, tighten=False)
    assert again.bound == pytest.approx(first.bound, rel=1e-12)
    assert [cycle.tolist() for cycle in again.cycles] == [cycle.tolist() for cycle in first.cycles]
    chain = fwmap.MRF(np.zeros((8, 3)), [(v, v + 1) for v in range(7)], fwmap.Potts(1.0))
    with pytest.raises(fwmap.InvalidModel, match="have no edge"):
        fwmap.solve(chain, start=first)


def test_cycles_are_shown(capsys):
    with Progress(live=False) as progress:
        result = fwmap.solve(frustrated_triangle(), progress=progress)
    assert result.status == "optimal"
    assert [sorted(cycle.tolist()) for cycle in result.cycles] == [[0, 1, 2]]
    assert result.trace[-1].cycles == 1
    assert "by 1 cycle" in capsys.readouterr().err


def test_whoever_wants_no_cycles_gets_none():
    result = fwmap.solve(frustrated_triangle(), tighten=False)
    assert (result.status, result.cycles) == ("converged", [])
    with pytest.raises(fwmap.InvalidSetting, match="tighten is 1; expected True or False"):
        fwmap.Settings(tighten=1)


def test_a_gap_that_is_the_labeling_s_calls_for_a_better_one_and_for_no_cycles():
    model = datasets.denoising(60, 80, labels=16).model
    result = fwmap.solve(model, gap=1e-4, exact=False, threads=1)
    assert result.status == "optimal"
    assert not result.cycles


def test_longer_cycles_are_terms_like_any_other():
    rng = np.random.default_rng(3)
    model = random_model(rng, "cycle", 5, 3, same_labels=True)
    decomposition = decompose(model)
    terms = cycle_terms(decomposition.cover, [np.arange(5)])
    tighter = with_terms(decomposition, terms)
    solver = _core.FrankWolfe(tighter.core, 0, 10, 8)
    solver.proximal_weight = 0.1
    best = solver.initialize(math.inf).bound
    for _ in range(400):
        solver.exact_pass(math.inf)
        best = max(best, solver.evaluate(math.inf).bound)
        solver.move_center(to_best=True)
    assert best == pytest.approx(optimum(model), rel=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_a_ring_without_triangles_is_solved_by_the_ring_itself(seed):
    rng = np.random.default_rng(seed)
    n, labels = 4 + seed % 4, 2 + seed % 2
    unaries = 0.2 * rng.normal(size=(n, labels))
    edges = [(v, (v + 1) % n) if rng.random() < 0.5 else ((v + 1) % n, v) for v in range(n)]
    model = fwmap.MRF(unaries, edges, rng.normal(size=(n, labels, labels)))
    result = fwmap.solve(model, iterations=2000, gap=0.0, primal=False)
    if optimum(model) > local_polytope(model) + 1e-6:
        assert [len(cycle) for cycle in result.cycles] == [n]
    assert result.bound == pytest.approx(optimum(model), abs=1e-5)


def test_frustrated_grids_are_tightened_by_longer_cycles():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        model = fwmap.MRF.grid(0.3 * rng.normal(size=(4, 4, 2)), fwmap.Potts(rng.normal(size=24)))
        result = fwmap.solve(model, iterations=1500, gap=0.0, primal=False)
        expected, loose, best = local_polytope(model, result.cycles), local_polytope(model), optimum(model)
        assert expected - 1e-5 <= result.bound <= expected + 1e-7
        assert result.bound >= loose + 0.9 * (best - loose) - 1e-6
        assert result.check(model).holds
