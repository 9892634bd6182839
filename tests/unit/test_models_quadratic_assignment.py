"""Quadratic assignment: every way to write it down costs what its definition says."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from matchings import labelings

from fwmap.errors import InvalidModel, TooLarge
from fwmap.linear_program import linear_program
from fwmap.models import GraphMatching

INF = math.inf


def is_matching(labeling):
    used = [a for a in labeling if a >= 0]
    return len(set(used)) == len(used)


def koopmans_beckmann(left, right, linear, labeling):
    """The definition, for assigned points."""
    made = [(i, k) for i, k in enumerate(labeling) if k >= 0]
    pairs = sum(left[i, j] * right[k, m] for i, k in made for j, m in made)
    return pairs + sum(linear[i, k] for i, k in made)


@pytest.mark.parametrize("seed", range(12))
def test_koopmans_beckmann_matrices_cost_what_the_definition_says(seed):
    rng = np.random.default_rng(seed)
    n, m = [(3, 3), (2, 4), (4, 4)][seed % 3]
    left, right = rng.integers(-4, 5, (n, n)).astype(float), rng.integers(-4, 5, (m, m)).astype(float)
    if seed % 2:
        left, right = left + rng.random((n, n)), right + rng.random((m, m))
    if seed % 4 == 2:
        right = right + right.T
    linear = np.where(rng.random((n, m)) < 0.15, INF, rng.integers(-4, 5, (n, m)))
    partial = seed % 3 == 1
    model = GraphMatching.from_koopmans_beckmann(
        left, right, linear, matching="partial" if partial else "perfect", unassigned=2.0
    )
    pairs = model.with_pairs()
    assert pairs.product is None
    assert (model.matching, pairs.matching) == (("partial" if partial else "perfect"),) * 2
    seen = 0
    for labeling in labelings(model):
        allowed = is_matching(labeling) and (partial or -1 not in labeling)
        cost = koopmans_beckmann(left, right, linear, labeling) + 2.0 * labeling.count(-1)
        expected = cost if allowed else INF
        assert model.energy(labeling) == pytest.approx(expected, abs=1e-12)
        assert pairs.energy(labeling) == pytest.approx(expected, abs=1e-12)
        if is_matching(labeling):
            assert model.field.energy(model.labels_of(labeling)) == pytest.approx(expected, abs=1e-12)
            seen += 1
    assert seen > 5
    assert GraphMatching.from_parts(model.parts()).energy([0, 1, 2, 3][:n]) == model.energy([0, 1, 2, 3][:n])
    assert model.scaled(0.5).energy([1, 0, 2, 3][:n]) == 0.5 * model.energy([1, 0, 2, 3][:n])


def test_the_field_forbids_one_right_point_twice_and_agrees_with_its_tables():
    rng = np.random.default_rng(7)
    model = GraphMatching.from_koopmans_beckmann(rng.random((3, 3)), rng.random((3, 3)), matching="partial")
    for e, (i, j) in enumerate(model.field.edges.tolist()):
        table = model.field.pairwise_table(e)
        for k, m in itertools.product(range(4), repeat=2):
            labeling = [-1, -1, -1]
            labeling[i], labeling[j] = (k, m)
            if k == m < 3:
                assert table[k, m] == INF
            elif k == 3 or m == 3:
                assert table[k, m] == 0
            else:
                left, right = (part[0].copy() for part in ([model.product.left], [model.product.right]))
                expected = left[i, j] * right[k, m] + left[j, i] * right[m, k]
                assert table[k, m] == pytest.approx(expected, abs=1e-15)


def test_an_energy_of_products_is_rounded_once():
    big = 2.0**53 - 1
    left, right = np.array([[0, big], [-1.0, 0]]), np.array([[0, 3.0], [2.0, 0]])
    model = GraphMatching.from_koopmans_beckmann(left, right)
    assert model.energy([0, 1]) == float(3 * (2**53 - 1) - 2)
    left = np.array([[0, 0.1], [-0.1, 0]])
    assert GraphMatching.from_koopmans_beckmann(left, np.array([[0, 0.3], [0.3, 0]])).energy([0, 1]) == 0.0


def lawler_cost(matrix, labeling, n, m, fastest):
    x = np.zeros(n * m)
    for i, k in enumerate(labeling):
        if k >= 0:
            x[i * m + k if fastest == "right" else k * n + i] = 1
    return float(x @ matrix @ x)


@pytest.mark.parametrize("fastest", ["left", "right"])
@pytest.mark.parametrize("seed", range(4))
def test_lawlers_matrix_costs_what_the_definition_says(seed, fastest):
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(seed)
    n, m = [(2, 3), (3, 3)][seed % 2]
    matrix = np.where(rng.random((n * m, n * m)) < 0.6, rng.normal(size=(n * m, n * m)), 0.0)
    for given in (matrix, sparse.csr_array(matrix), sparse.coo_matrix(matrix)):
        model = GraphMatching.from_lawler(given, n, m, fastest=fastest)
        best = GraphMatching.from_lawler(given, n, m, fastest=fastest, maximise=True, matching="partial")
        for labeling in labelings(model):
            cost = lawler_cost(matrix, labeling, n, m, fastest)
            allowed = is_matching(labeling)
            expected = cost if allowed and -1 not in labeling else INF
            assert model.energy(labeling) == pytest.approx(expected, abs=1e-12)
            assert best.energy(labeling) == pytest.approx(-cost if allowed else INF, abs=1e-12)


def test_affinities_of_pygmtools_are_maximised_and_read_column_by_column():
    rng = np.random.default_rng(0)
    affinity = rng.random((6, 6))
    for given in (affinity, affinity[None]):
        model = GraphMatching.from_pygmtools(given, 2, 3)
        for labeling in itertools.permutations(range(3), 2):
            x = np.zeros((2, 3))
            x[np.arange(2), labeling] = 1
            vector = x.T.reshape(-1)  # pygmtools: vec(X), column by column
            assert model.energy(labeling) == pytest.approx(-float(vector @ affinity @ vector))
    with pytest.raises(InvalidModel, match="a batch of 2 matrices; expected one"):
        GraphMatching.from_pygmtools(np.stack([affinity, affinity]), 2, 3)


def test_a_koopmans_beckmann_problem_is_lawlers_of_the_kronecker_product():
    rng = np.random.default_rng(5)
    left, right = rng.random((3, 3)), rng.random((4, 4))
    one = GraphMatching.from_koopmans_beckmann(left, right)
    other = GraphMatching.from_lawler(np.kron(left, right), 3, 4)
    for labeling in labelings(one):
        assert one.energy(labeling) == pytest.approx(other.energy(labeling), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_random_sparse_matrices_cost_what_the_definition_says(seed):
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(seed)
    stored = rng.random((3, 3)) < 0.7
    costs = sparse.coo_array((rng.normal(size=stored.sum()), np.nonzero(stored)), shape=(3, 3))
    n = int(stored.sum())
    pairs = np.where(rng.random((n, n)) < 0.5, rng.normal(size=(n, n)), 0.0)
    model = GraphMatching.from_sparse(costs, sparse.csr_array(pairs), unassigned=0.25)
    number = {tuple(place): k for k, place in enumerate(np.argwhere(stored).tolist())}
    for labeling in labelings(model):
        made = [(i, a) for i, a in enumerate(labeling) if a >= 0]
        expected = INF
        if is_matching(labeling) and all(own in number for own in made):
            x = np.zeros(n)
            x[[number[own] for own in made]] = 1
            expected = x @ pairs @ x + sum(costs.todense()[own] for own in made) + 0.25 * labeling.count(-1)
        assert model.energy(labeling) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_random_graphs_cost_what_the_definition_says(seed, directed):
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(seed)

    def graph(n):
        made = networkx.gnp_random_graph(n, 0.7, seed=int(rng.integers(1 << 30)), directed=directed)
        networkx.set_node_attributes(made, {v: float(rng.random()) for v in made}, "value")
        networkx.set_edge_attributes(made, {e: float(rng.random()) for e in made.edges}, "length")
        return made

    left, right = graph(3), graph(3)
    model = GraphMatching.from_networkx(
        left, right, lambda a, b: a["value"] - b["value"], lambda e, f: e["length"] * f["length"]
    )
    for labeling in labelings(model):
        if not is_matching(labeling):
            continue
        cost = sum(left.nodes[i]["value"] - right.nodes[a]["value"] for i, a in enumerate(labeling) if a >= 0)
        for i, j in left.edges:
            if right.has_edge(labeling[i], labeling[j]):
                cost += left.edges[i, j]["length"] * right.edges[labeling[i], labeling[j]]["length"]
        assert model.energy(labeling) == pytest.approx(cost, abs=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([[0, 1]], [[0]]), r"the left matrix has shape \(1, 2\); expected a square one"),
        (([[0]], [0]), r"the right matrix has shape \(1,\)"),
        (([[0]], [[0]], [1, 2]), r"linear has shape \(2,\); expected \(1, 1\)"),
        (([[INF, 0], [0, 0]], [[0, 1], [1, 0]]), r"entry \(0, 0\) of the left matrix is inf; expected a fin"),
        (([[0, INF], [0, 0]], [[0, 1], [1, 0]]), r"entry \(0, 1\) of the left matrix is inf; expected a fin"),
        (([[0, 1e19], [0, 0]], [[0, 100], [1, 0]]), "products as large as 1e.21 would be read as forbidden"),
        (([[0, 1e200], [0, 0]], [[0, 1e200], [1, 0]]), "overflow when added"),
    ],
)
def test_wrong_matrices_are_refused_in_words(given, message):
    with pytest.raises(InvalidModel, match=message):
        GraphMatching.from_koopmans_beckmann(*given)


def test_wrong_lawler_matrices_are_refused_in_words():
    with pytest.raises(InvalidModel, match=r"costs have shape \(2, 2\); expected \(4, 4\): 2 \* 2 assignm"):
        GraphMatching.from_lawler(np.zeros((2, 2)), 2, 2)
    with pytest.raises(InvalidModel, match="fastest is 'up'"):
        GraphMatching.from_lawler(np.zeros((4, 4)), 2, 2, fastest="up")
    for n in (2.0, "2", -2, True):
        with pytest.raises(InvalidModel, match=r"n_left is .*; expected an integer >= 0"):
            GraphMatching.from_lawler(np.zeros((4, 4)), n, 2)
    with pytest.raises(InvalidModel, match=r"entry \(1, 0\) of costs is nan"):
        GraphMatching.from_lawler([[0, 0], [math.nan, 0]], 1, 2)


def test_matrices_may_be_sparse():
    sparse = pytest.importorskip("scipy.sparse")
    left, right, linear = np.diag([1.0, 2.0], 1), np.arange(9.0).reshape(3, 3), np.eye(3)
    dense = GraphMatching.from_koopmans_beckmann(left, right, linear)
    other = GraphMatching.from_koopmans_beckmann(*map(sparse.csr_array, (left, right, linear)))
    assert all(dense.energy(labeling) == other.energy(labeling) for labeling in labelings(dense))


def test_what_is_no_graph_or_no_number_is_refused_in_words():
    networkx = pytest.importorskip("networkx")
    path = networkx.path_graph(2)
    with pytest.raises(InvalidModel, match="right is a list; expected a NetworkX graph"):
        GraphMatching.from_networkx(path, [1], lambda a, b: 0.0)
    with pytest.raises(InvalidModel, match="node_cost of 0 and 0 is 'z'; expected a number"):
        GraphMatching.from_networkx(path, path, lambda a, b: "z")
    with pytest.raises(InvalidModel, match=r"edge_cost of \(0, 1\) and \(0, 1\) is None; expected a number"):
        GraphMatching.from_networkx(path, path, lambda a, b: 0.0, lambda e, f: None)


def test_more_left_points_than_right_ones_cannot_all_be_assigned():
    model = GraphMatching.from_koopmans_beckmann(np.zeros((3, 3)), np.zeros((2, 2)))
    assert "the 3 left points 0, 1, 2 must all be assigned" in model.contradiction()


def test_pairs_beyond_memory_are_refused_before_they_are_made():
    matrix = np.ones((400, 400))
    model = GraphMatching.from_koopmans_beckmann(matrix, matrix)
    with pytest.raises(TooLarge, match=r"12736080000 pairs of assignments, one by one, would take 1.53e"):
        model.with_pairs()


def test_the_linear_programme_of_products_is_that_of_their_pairs():
    rng = np.random.default_rng(2)
    model = GraphMatching.from_koopmans_beckmann(rng.random((3, 3)), rng.random((3, 3)))
    one, other = linear_program(model), linear_program(model.with_pairs())
    assert (one.n_columns, one.n_rows) == (other.n_columns, other.n_rows)
    assert np.array_equal(one.costs, other.costs)
