"""Messages: against their definition written in NumPy, against brute force, and where they end."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matchings import optimum as matching_optimum
from matchings import random_matching
from reference_instances import entries, load, needed
from zoo import TREES, optimum, random_model

import fwmap
from fwmap.decompose import decompose
from fwmap.decompose.scale import scale_of
from fwmap.solvers.message_passing import HIGHEST_MESSAGE, messages_of

INF = math.inf
KINDS = ("table", "potts", "linear", "quadratic")
seeds = st.integers(0, 2**32 - 1)


def messages(model):
    decomposition = decompose(model)
    return decomposition, messages_of(
        decomposition.core, fwmap.Settings(), scale_of(decomposition), HIGHEST_MESSAGE
    )


def per_variable(decomposition, multipliers):
    """Sums of multipliers over the copies of each variable."""
    core = decomposition.core
    variables = [core.shared_variables(t) for t in range(core.n_terms)]
    return np.bincount(np.concatenate([np.zeros(0, np.int64), *variables]), multipliers, core.n_variables)


def iterate_by_definition(model, iterations):
    """TRW-S as the paper has it, on tables: both messages of every edge are kept; returns the bounds.

    The bound is that of the reparametrised edges with the shares of their upper ends, and of what nodes keep.
    """
    tables = {(u, v): model.pairwise_table(e) for e, (u, v) in enumerate(model.edges.tolist())}
    tables |= {(v, u): table.T for (u, v), table in tables.items()}
    to = {(u, v): np.zeros(model.n_labels[v]) for u, v in tables}  # message from u to v
    bounds = []
    neighbours = [[u for u in range(model.n_nodes) if (u, v) in tables] for v in range(model.n_nodes)]
    for _ in range(iterations):
        for order in (range(model.n_nodes), range(model.n_nodes - 1, -1, -1)):
            bound = model.constant
            place = {v: k for k, v in enumerate(order)}
            for v in order:
                belief = model.unary(v) + sum(to[u, v] for u in neighbours[v])
                ahead = [w for w in neighbours[v] if place[w] > place[v]]
                share = 1 / max(len(ahead), len(neighbours[v]) - len(ahead), 1)
                bound += (1 - len(ahead) * share) * belief.min()
                for w in ahead:
                    message = (share * belief - to[w, v])[:, None] + tables[v, w]
                    to[v, w] = message.min(axis=0)
                    bound += to[v, w].min()
                    to[v, w] -= to[v, w].min()
        bounds.append(bound)
    return bounds


@pytest.mark.parametrize("graph", ["grid", "complete", "sparse", "tree"])
def test_sweeps_are_those_of_the_definition(graph):
    model = random_model(np.random.default_rng(7), graph, 9, 4, kinds=KINDS, constant=2.0)
    _, core = messages(model)
    bounds = [core.iterate(INF).bound for _ in range(12)]
    assert bounds == pytest.approx(iterate_by_definition(model, 12), abs=1e-9)


@settings(max_examples=150)
@given(
    seed=seeds,
    graph=st.sampled_from(["grid", "complete", "tree"]),
    factors=st.integers(0, 3),
    integer=st.booleans(),
)
def test_no_iteration_lowers_the_bound_and_multipliers_prove_it(seed, graph, factors, integer):
    rng = np.random.default_rng(seed)
    model = random_model(rng, graph, 6, 4, kinds=KINDS, factors=factors, forbidden=0.1, integer=integer)
    decomposition, core = messages(model)
    best, before = optimum(model), -INF
    for _ in range(8):
        sweep = core.iterate(INF)
        if sweep.infeasible:
            assert best == INF
            return
        point = core.evaluate(INF)
        assert before - 1e-9 <= sweep.bound <= point.value + 1e-7
        assert point.bound <= best + 1e-9
        assert point.bound == pytest.approx(point.value, abs=1e-7)
        before = sweep.bound
        sums = per_variable(decomposition, core.multipliers())
        assert np.abs(sums).max(initial=0.0) <= 1e-9 * max(1.0, np.abs(core.multipliers()).max(initial=0.0))


@settings(max_examples=60)
@given(seed=seeds, graph=st.sampled_from(TREES))
def test_trees_are_solved(seed, graph):
    model = random_model(np.random.default_rng(seed), graph, 6, 4, kinds=KINDS)
    result = fwmap.solve(model, solver="message-passing")
    assert result.status == "optimal"
    assert result.bound == pytest.approx(optimum(model), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_trees_of_factors_are_solved(seed):
    """Factors that share one node each with the next: a tree, if edges of three ends are allowed."""
    rng = np.random.default_rng(seed)
    factors = [((2 * k, 2 * k + 1, 2 * k + 2), rng.normal(size=(2, 3, 2))) for k in range(3)]
    unaries = [rng.normal(size=2 + k % 2) for k in range(7)]
    model = fwmap.MRF(unaries, factors=factors)
    result = fwmap.solve(model, solver="message-passing", iterations=50, gap=0.0, primal=False)
    assert result.bound == pytest.approx(optimum(model), abs=1e-9)


def agreeing_labels(decomposition, multipliers, slack):
    """Labels left when those that no minimiser of some term has are removed, again and again."""
    core = decomposition.core
    offsets = decomposition.label_offsets
    allowed = np.ones(core.n_variables, bool)
    ends = np.cumsum([len(core.shared_variables(t)) for t in range(core.n_terms)])
    own = np.split(multipliers, ends[:-1])
    minima = []
    for t in range(core.n_terms):
        weights = np.zeros(core.n_coordinates(t))
        weights[: len(own[t])] = own[t]
        minima.append((core.variables(t), weights, core.min_marginals(t, weights).min()))
    while True:
        before = allowed.sum()
        for t, (variables, weights, least) in enumerate(minima):
            left = np.where(allowed[variables], weights, INF)
            allowed[variables] &= core.min_marginals(t, left) <= least + slack
        if allowed.sum() == before:
            return [allowed[a:b] for a, b in itertools.pairwise(offsets)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("graph", ["cycle", "grid", "complete"])
def test_it_ends_where_the_terms_agree_weakly(seed, graph):
    """Kolmogorov's weak tree agreement: each term has minimisers whose labels are in others' minimisers."""
    model = random_model(np.random.default_rng(seed), graph, 9, 4, kinds=KINDS)
    decomposition, core = messages(model)
    for _ in range(2000):
        core.iterate(INF)
    left = agreeing_labels(decomposition, core.multipliers(), 1e-6)
    assert all(labels.any() for labels in left)
    if graph == "complete":  # elsewhere chance may have it so
        start = agreeing_labels(decomposition, np.zeros_like(core.multipliers()), 1e-6)
        assert not all(labels.any() for labels in start)


def test_it_can_end_below_the_relaxation_s_optimum():
    rng = np.random.default_rng(0)
    worse, within = 0, {"gap": 0.0, "primal": False, "tighten": False}
    for _ in range(20):
        model = random_model(rng, "complete", 8, 4)
        result = fwmap.solve(model, solver="message-passing", **within)
        other = fwmap.solve(model, iterations=600, **within)
        assert result.bound <= other.bound + 1e-5 * abs(other.bound)
        assert result.status in ("stalled", "converged")
        worse += result.bound < other.bound - 1e-3 * abs(other.bound)
    assert worse > 0


@pytest.mark.parametrize("factors", [0, 4])
def test_from_any_multipliers_the_bound_only_rises(factors):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        model = random_model(rng, "complete", 6, 3, kinds=KINDS, factors=factors, forbidden=0.05)
        _, core = messages(model)
        earlier = fwmap.solve(model, iterations=15, gap=0.0, primal=False)
        if earlier.bound is None:
            continue
        core.start_from(np.concatenate(earlier.multipliers))
        assert core.evaluate(INF).bound == pytest.approx(earlier.bound, abs=1e-9)
        assert core.iterate(INF).bound >= earlier.bound - 1e-9
        assert core.evaluate(INF).bound >= earlier.bound - 1e-7


def test_terms_passed_over_keep_their_multipliers():
    """Right points of a matching share entries of tables with the left ones, which count as costs."""
    risen = 0
    for seed in range(8):
        model = random_matching(np.random.default_rng(seed), 5, 5)
        decomposition = decompose(model, "two-sided")
        core = messages_of(decomposition.core, fwmap.Settings(), scale_of(decomposition), HIGHEST_MESSAGE)
        settings = {"gap": 0.0, "primal": False, "tighten": False, "decomposition": "two-sided"}
        earlier = fwmap.solve(model, iterations=8, proximal_weight=0.5, **settings)
        core.start_from(np.concatenate(earlier.multipliers))
        assert core.evaluate(INF).bound == pytest.approx(earlier.bound, abs=1e-9)
        core.iterate(INF)
        point = core.evaluate(INF)
        assert earlier.bound - 1e-7 <= point.bound <= matching_optimum(model) + 1e-9
        risen += point.bound > earlier.bound + 1e-3
        ends = np.cumsum([len(values) for values in earlier.multipliers])
        now = np.split(core.multipliers(), ends[:-1])
        kinds = [None] * decomposition.n_forests + [term.kind for term in decomposition.further]
        for kind, before, after in zip(kinds, earlier.multipliers, now, strict=True):
            assert kind != "right forest" or np.array_equal(before, after)
    assert risen > 4


def test_costs_that_forbid_by_their_size_leave_the_bound_its_digits():
    model = random_model(np.random.default_rng(3), "complete", 8, 4)
    unaries = [model.unary(v) + np.where(np.arange(model.n_labels[v]) == 1, 3e13, 0) for v in range(8)]
    tables = [model.pairwise_table(e) for e in range(model.n_edges)]
    tables = [np.where(table > 1.5, 1e14, table) for table in tables]
    large, forbidden = (
        fwmap.MRF(unaries, model.edges, tables, forbidden_above=threshold) for threshold in (1e20, 1e12)
    )
    bounds = [fwmap.solve(m, solver="message-passing", gap=0.0).bound for m in (large, forbidden)]
    assert bounds[0] == pytest.approx(bounds[1], abs=1e-6)


@settings(max_examples=40)
@given(seed=seeds, matching=st.sampled_from(["partial", "perfect"]))
def test_bounds_of_matchings_are_bounds(seed, matching):
    rng = np.random.default_rng(seed)
    model = random_matching(rng, 4, 4, share=0.8, matching=matching)
    best = matching_optimum(model)
    result = fwmap.solve(model, solver="message-passing", iterations=30)
    if result.bound is not None:
        assert result.bound <= best + 1e-9
        assert all(
            a.lower_bound <= b.lower_bound for a, b in zip(result.trace, result.trace[1:], strict=False)
        )
    else:
        assert best == INF


def test_where_it_does_not_apply_it_says_why():
    rays = [([0, 1], 1), ([2, 3], 2)]
    with pytest.raises(
        fwmap.InvalidSetting, match=r"does not apply to fwmap\.Tomography: as long as many labelings"
    ):
        fwmap.solve(fwmap.Tomography((2, 2), rays, labels=3), solver="message-passing")
    with pytest.raises(
        fwmap.InvalidSetting, match=r"does not apply to fwmap\.Decomposition: an oracle of one's own"
    ):
        fwmap.solve(fwmap.Decomposition(2), solver="message-passing")


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_watch_that_stops_leaves_the_best_bound(cut):
    model = random_model(np.random.default_rng(0), "complete", 10, 4)
    result = fwmap.solve(model, solver="message-passing", callback=lambda row: row.iteration >= cut)
    assert result.status in ("interrupted", "optimal")
    assert result.check(model).holds


@needed
@pytest.mark.parametrize("entry", entries("mrf", lambda entry: "trws" in entry["curves"]))
def test_the_recorded_values_of_trws_are_reached(entry):
    model = load(entry).model
    result = fwmap.solve(model, solver="message-passing", iterations=1000, gap=0.0, primal=False)
    expected = max(entry["curves"]["trws"].values())
    assert result.bound >= expected - 1e-6 * max(1.0, abs(expected))
