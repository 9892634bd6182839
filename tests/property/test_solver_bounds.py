"""bound <= optimum <= energy on random fields of every shape, against brute force."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from zoo import GRAPHS, TREES, exact_optimum, optimum, random_model

import fwmap
from fwmap.settings import SOLVERS

INF = math.inf
KINDS = ("table", "potts", "linear", "quadratic")
seeds = st.integers(0, 2**32 - 1)


@st.composite
def models(draw, graphs=GRAPHS, factors=2, most_nodes=6):
    rng = np.random.default_rng(draw(seeds))
    n, labels = draw(st.integers(1, most_nodes)), draw(st.integers(1, 5))
    if n == most_nodes:
        labels = min(labels, 4)
    kinds = draw(st.sets(st.sampled_from(KINDS), min_size=1))
    return random_model(
        rng,
        draw(st.sampled_from(graphs)),
        n,
        labels,
        kinds=sorted(kinds),
        factors=draw(st.integers(0, factors)),
        constant=draw(st.sampled_from([0.0, -3.5, 100.0])),
        forbidden=draw(st.sampled_from([0.0, 0.0, 0.1, 0.4])),
        integer=draw(st.booleans()),
    )


RIVALS = [name for name in SOLVERS if name != "fwmap"]


def check(model, result):
    """What holds of every result, whatever its status; returns the optimum."""
    best = optimum(model)
    slack = 1e-9 * max(1.0, abs(best)) if best < INF else 0.0
    if result.status == "infeasible":
        assert best == INF
        assert result.proof in ("term", "bound")
        assert result.bound is None
        assert result.labeling is None
        assert result.energy is None
        return best
    if result.bound is not None:
        assert result.bound <= best + slack
    if result.energy is None:
        assert result.labeling is None
    else:
        assert result.energy == model.energy(result.labeling)
        assert best - slack <= result.energy < INF
    if result.status == "optimal":
        if result.proof == "gap":
            assert result.energy - result.bound <= 1e-6 * max(abs(result.energy), abs(result.bound))
        else:
            assert result.energy <= best + slack
    if result.certificate is not None:
        assert result.check(model).proved == (result.status == "optimal")
    return best


@settings(max_examples=400)
@given(model=models(), seed=st.integers(0, 5), weight=st.sampled_from(["auto", "auto", "paper", 0.1]))
def test_the_optimum_lies_between_bound_and_energy(model, seed, weight):
    check(model, fwmap.solve(model, iterations=60, seed=seed, proximal_weight=weight))


@pytest.mark.parametrize("solver", RIVALS)
@settings(max_examples=120)
@given(model=models(), iterations=st.sampled_from([0, 1, 5, 40]))
def test_it_does_so_with_every_other_solver(solver, model, iterations):
    check(model, fwmap.solve(model, solver=solver, iterations=iterations))


@settings(max_examples=150)
@given(model=models(), iterations=st.sampled_from([0, 1, 2, 5]))
def test_it_does_so_however_early_the_run_is_stopped(model, iterations):
    result = fwmap.solve(model, iterations=iterations)
    assert result.iterations <= iterations
    check(model, result)


@settings(max_examples=200)
@given(model=models(graphs=TREES, factors=0, most_nodes=6))
def test_trees_are_solved(model):
    result = fwmap.solve(model)
    best = check(model, result)
    if best == INF:
        assert result.status == "infeasible"
        return
    assert result.status == "optimal"
    assert result.bound == pytest.approx(best, rel=1e-6, abs=1e-12 if result.proof == "gap" else 1)
    assert result.energy == pytest.approx(best, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=60)
@given(model=models(most_nodes=4), iterations=st.integers(0, 12))
def test_rows_of_the_trace_bound_the_optimum_more_and_more_tightly(solver, model, iterations):
    result = fwmap.solve(model, solver=solver, iterations=iterations)
    best, slack = optimum(model), 1e-9 * max(1.0, abs(optimum(model)))
    for row, after in itertools.pairwise(result.trace):
        assert row.lower_bound <= after.lower_bound
        assert row.energy is None or after.energy <= row.energy
        assert row.work < after.work
        assert row.oracle_calls < after.oracle_calls
    for row in result.trace:
        assert row.lower_bound <= best + slack
        assert row.A >= -slack
        assert row.B >= -1e-9


@st.composite
def wild_models(draw):
    """Small fields with costs over twelve orders of magnitude."""
    rng = np.random.default_rng(draw(seeds))
    graph = draw(st.sampled_from([*GRAPHS, "complete", "cycle", "parallel"]))
    return random_model(
        rng,
        graph,
        draw(st.integers(2, 4)),
        3,
        kinds=draw(st.sampled_from([KINDS, KINDS[:1], KINDS[1:]])),
        factors=draw(st.integers(0, 2)),
        constant=float(rng.normal() * 10.0 ** rng.uniform(-6, 6)),
        orders=draw(st.sampled_from([12, 12, 4])),
        forbidden=draw(st.sampled_from([0.0, 0.1])),
    )


@settings(max_examples=200)
@given(
    model=wild_models(),
    weight=st.sampled_from(["auto", "auto", 1e-3, 1e3]),
    limit=st.sampled_from([2, 5, 50]),
)
def test_every_bound_holds_against_rational_arithmetic(model, weight, limit):
    check_exactly(model, iterations=limit, proximal_weight=weight)


@pytest.mark.parametrize("solver", RIVALS)
@settings(max_examples=80)
@given(model=wild_models(), limit=st.sampled_from([2, 5, 50]))
def test_so_does_every_bound_of_another_solver(solver, model, limit):
    check_exactly(model, iterations=limit, solver=solver)


def check_exactly(model, **keywords):
    exact = exact_optimum(model)
    # no gap is small enough to stop, and no labelings: the bound alone, pushed against its limit
    result = fwmap.solve(model, gap=0.0, tolerance=0.0, primal=False, **keywords)
    if result.status == "infeasible":
        assert exact == INF
        return
    if exact < INF:
        for row in result.trace:
            assert Fraction(row.lower_bound) <= exact


@settings(max_examples=80)
@given(model=wild_models())
def test_the_allowance_for_rounding_costs_next_to_nothing_on_trees(model):
    """A bound that holds because it is far too low would pass all tests above."""
    pairs = [tuple(edge) for edge in np.sort(model.edges, axis=1).tolist()]
    first = [pairs.index(pair) for pair in sorted(set(pairs)) if pair[1] == pair[0] + 1]
    chain = fwmap.MRF(
        [model.unary(v) for v in range(model.n_nodes)],
        model.edges[first],
        [model.pairwise_table(e) for e in first],
    )
    exact = exact_optimum(chain)
    if exact == INF:
        return
    result = fwmap.solve(chain, iterations=0)
    finite = [
        np.abs(values[np.isfinite(values)]).max(initial=0) for values in (chain.unaries, chain.table_values)
    ]
    assert exact - Fraction(result.bound) <= Fraction(1e-13) * Fraction(max(finite)) * 10
