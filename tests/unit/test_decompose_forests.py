"""The split of a field into terms: nothing is lost, nothing is counted twice."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from zoo import GRAPHS, exact_optimum, exact_table, optimum, random_model

import fwmap
from fwmap import _core
from fwmap.decompose import decompose
from fwmap.decompose.limit import largest_energy
from fwmap.decompose.merge import merged_edges
from fwmap.decompose.scale import cost_scale, typical_spreads
from fwmap.decompose.split import equal_shares
from fwmap.models.grid import grid_edges

INF = math.inf


def random_models(n, **options):
    for seed in range(n):
        rng = np.random.default_rng(seed)
        graph = GRAPHS[seed % len(GRAPHS)]
        kinds = ("table", "potts", "linear", "quadratic")
        yield random_model(
            rng, graph, 5, 3, kinds=kinds, factors=seed % 3, constant=float(rng.normal()), **options
        )


@pytest.mark.parametrize(("forbidden"), [0.0, 0.2])
def test_the_terms_of_a_labeling_add_up_to_its_energy(forbidden):
    for model in random_models(24, forbidden=forbidden):
        split = decompose(model)
        for labeling in itertools.islice(itertools.product(*map(range, model.n_labels)), 0, None, 7):
            total = model.constant
            for t in range(split.core.n_terms):
                nodes = split.nodes[t]
                sizes = model.n_labels[nodes]
                support = (np.cumsum(sizes) - sizes + np.array(labeling)[nodes]).astype(np.int32)
                assert split.term_labels(t, support).tolist() == [labeling[v] for v in nodes]
                total += split.core.cost(t, support)
            assert total == pytest.approx(model.energy(labeling), rel=1e-12, abs=1e-12)


def test_every_node_is_in_a_term_and_shared_variables_are_those_of_two_terms():
    for model in random_models(24):
        split = decompose(model)
        copies = np.bincount(np.concatenate(split.nodes), minlength=model.n_nodes)
        assert (copies >= 1).all()
        counted = np.zeros(split.core.n_variables, int)
        for t in range(split.core.n_terms):
            counted[split.core.shared_variables(t)] += 1
        per_label = np.repeat(copies, model.n_labels)
        np.testing.assert_array_equal(counted, np.where(per_label > 1, per_label, 0))
        assert split.core.n_shared == np.count_nonzero(counted)
        assert split.core.n_slots == counted.sum()


@pytest.mark.parametrize(
    ("name", "edges", "expected"),
    [
        ("a large grid", grid_edges(1024, 1024, 4), 2),
        ("a grid of eight neighbours", grid_edges(20, 20, 8), 4),
        ("a complete graph", np.array(list(itertools.combinations(range(60), 2))), 30),
        ("an odd complete graph", np.array(list(itertools.combinations(range(9), 2))), 5),
        ("a cycle", np.array([(v, (v + 1) % 9) for v in range(9)]), 2),
        ("a star", np.array([(0, v) for v in range(1, 9)]), 1),
    ],
)
def test_the_forests_are_as_few_as_can_be(name, edges, expected):
    n = int(edges.max()) + 1
    count, forest = _core.minimum_forest_cover(
        n, np.ascontiguousarray(edges[:, 0], np.int32), np.ascontiguousarray(edges[:, 1], np.int32)
    )
    assert count == expected
    assert sorted(set(forest.tolist())) == list(range(expected))


def test_a_model_becomes_its_forests_and_then_its_factors():
    unaries = [[0.0, 1.0]] * 60
    complete = fwmap.MRF(unaries, list(itertools.combinations(range(60), 2)), fwmap.Potts(1.0))
    split = decompose(complete)
    assert (split.n_forests, split.core.n_terms) == (30, 30)
    factors = [((0, 1, 2), np.zeros((2, 2, 2))), ((5, 4, 3), np.ones((2, 2, 2)))]
    split = decompose(fwmap.MRF(unaries[:7], [(0, 1)], fwmap.Potts(1.0), factors))
    assert (split.n_forests, split.core.n_terms) == (1, 3)
    assert [split.core.term_name(t) for t in range(3)] == ["forest 0", "factor 0", "factor 1"]
    assert sorted(split.nodes[0].tolist()) == [0, 1, 6]  # the lone node is a root of the first forest


def test_parallel_edges_become_one_with_the_sum_of_their_costs():
    tables = [
        np.array([[1.0, 2, 3], [4, 5, INF]]),
        np.array([[10.0, 20], [30, 40], [50, 60]]),
        np.ones((2, 3)),
    ]
    model = fwmap.MRF([[0, 0], [0, 0, 0]], [(0, 1), (1, 0), (0, 1)], tables)
    edges = merged_edges(model)
    assert edges.ends.tolist() == [[0, 1]]
    begin, end = edges.table_offsets[edges.table[0]], edges.table_offsets[edges.table[0] + 1]
    assert edges.table_values[begin:end].tolist() == [12, 33, 54, 25, 46, INF]
    assert decompose(model).n_forests == 1


def test_sums_of_parallel_edges_are_never_rounded_up():
    rng = np.random.default_rng(0)
    for _ in range(100):
        tables = [rng.normal(size=(2, 2)) * 10.0 ** rng.uniform(-12, 12, (2, 2)) for _ in range(3)]
        model = fwmap.MRF([[0, 0]] * 2, [(0, 1)] * 3, tables)
        edges = merged_edges(model)
        begin = edges.table_offsets[edges.table[0]]
        for k, sums in enumerate(zip(*(t.ravel() for t in tables), strict=True)):
            found, exact = Fraction(edges.table_values[begin + k]), sum(map(Fraction, sums))
            assert found <= exact
            assert exact - found <= Fraction(1e-15) * sum(abs(Fraction(s)) for s in sums)


def test_shares_of_a_unary_add_up_to_it_exactly():
    rng = np.random.default_rng(0)
    costs = rng.normal(size=500) * 10.0 ** rng.uniform(-15, 15, 500)
    copies = rng.integers(1, 4000, 500)
    share, last = equal_shares(costs, copies)
    for cost, n, s, rest in zip(costs, copies.tolist(), share, last, strict=True):
        assert (n - 1) * Fraction(s) + Fraction(rest) == Fraction(cost)
        assert abs(s - cost / n) <= 1e-9 * abs(cost / n)
    share, last = equal_shares(np.array([INF, 3.0]), np.array([3, 1]))
    assert share[0] == last[0] == INF
    assert last[1] == 3.0


@pytest.mark.parametrize("forbidden", [0.0, 0.3])
def test_no_feasible_labeling_costs_more_than_the_limit(forbidden):
    seen = 0
    for model in random_models(40, forbidden=forbidden):
        limit = largest_energy(model)
        energies = [model.energy(x) for x in itertools.product(*map(range, model.n_labels))]
        finite = [energy for energy in energies if energy < INF]
        seen += bool(finite)
        assert not finite or max(finite) <= limit
    assert seen > 5


def test_the_scale_is_a_cost_and_knows_no_constants_nor_forbidden_entries():
    for model in random_models(16):
        scale = cost_scale(model)
        assert cost_scale(model.scaled(1024.0)) == 1024 * scale
        assert cost_scale(model.scaled(0.37)) == pytest.approx(0.37 * scale)
    table = np.array([[0.0, 3.0], [5.0, 1.0]])
    plain = fwmap.MRF([[0, 1, INF], [0, 2]], [(0, 1)], [np.vstack([table, [INF, INF]])])
    shifted = fwmap.MRF([[7, 8, INF], [0, 2]], [(0, 1)], [np.vstack([table + 100, [INF, INF]])], constant=9.0)
    assert cost_scale(plain) == cost_scale(shifted)
    assert cost_scale(fwmap.MRF([[3.0, 3.0]])) == 0


def test_brute_force_in_rationals_agrees_with_brute_force_in_doubles():
    """The tests' own yardsticks, measured against each other."""
    for model in random_models(16, forbidden=0.2):
        exact = exact_optimum(model)
        assert float(exact) == pytest.approx(optimum(model), rel=1e-12, abs=1e-12)
    assert exact_table(np.array([0.5, INF])) == {(0,): Fraction(1, 2), (1,): None}


def test_the_typical_spread_of_a_table_is_the_one_of_its_definition():
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 30, 200)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    values = np.where(rng.random(offsets[-1]) < 0.2, INF, rng.integers(-3, 4, offsets[-1]).astype(float))
    spreads = typical_spreads(values, offsets, np.arange(200))
    for t, spread in enumerate(spreads):
        costs = values[offsets[t] : offsets[t + 1]]
        finite = np.sort(costs[np.isfinite(costs)])
        distances = np.sort(np.abs(finite - finite[len(finite) // 2])) if len(finite) else finite
        distances = distances[distances > 0]
        assert spread == (distances[len(distances) // 2] if len(distances) else 0.0)
    for n in (3000, 3003, 15000):  # of which not all are looked at
        many = np.resize([0.0, 5.0, 1.0], n)
        assert typical_spreads(many, np.array([0, n]), np.array([0])).tolist()[0] in (1.0, 4.0)
