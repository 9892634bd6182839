"""Matching models: what they accept, what they refuse, and what a matching costs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matchings import labelings, random_matching

from fwmap.errors import InvalidModel
from fwmap.models import GraphMatching

INF = math.inf
SQUARE = [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize("seed", range(6))
def test_the_energy_is_the_sum_of_what_is_paid(seed):
    rng = np.random.default_rng(seed)
    model = random_matching(rng, 3, 2 + seed % 2, share=0.8, matching=("partial", "perfect")[seed % 2])
    cost = {tuple(own): c for own, c in zip(model.assignments.tolist(), model.costs, strict=True)}
    numbers = {tuple(own): k for k, own in enumerate(model.assignments.tolist())}
    for labeling in labelings(model):
        made = [(i, a) for i, a in enumerate(labeling) if a >= 0]
        allowed = len({a for _, a in made}) == len(made) and all(own in cost for own in made)
        expected = INF
        if allowed:
            active = {numbers[own] for own in made}
            expected = 0.5 + sum(cost[own] for own in made)
            expected += sum(model.unassigned_costs[i] for i, a in enumerate(labeling) if a < 0)
            pairs = zip(model.pairs.tolist(), model.pair_costs, strict=True)
            expected += sum(c for (p, q), c in pairs if p in active and q in active)
        assert model.energy(labeling) == pytest.approx(expected, abs=1e-12)


def test_pairs_add_up_in_either_order_and_those_that_share_a_point_are_counted():
    pairs = [(0, 3), (3, 0), (1, 2), (0, 1), (2, 0)]
    model = GraphMatching(SQUARE, [0, 0, 0, 0], pairs, [1.0, 2.0, 4.0, 8.0, 16.0])
    assert model.pairs.tolist() == [[0, 3], [1, 2]]
    assert model.pair_costs.tolist() == [3.0, 4.0]
    assert model.n_excluded_pairs == 2
    assert "2 pairs that share a point" in model.summary()
    assert GraphMatching.from_parts(model.parts()).n_excluded_pairs == 2


def test_the_order_of_assignments_does_not_matter():
    rng = np.random.default_rng(3)
    model = random_matching(rng, 3, 3)
    order = rng.permutation(model.n_assignments)
    place = np.argsort(order)
    other = GraphMatching(
        model.assignments[order],
        model.costs[order],
        place[model.pairs],
        model.pair_costs,
        unassigned=model.unassigned_costs,
        constant=0.5,
    )
    for labeling in labelings(model):
        assert other.energy(labeling) == model.energy(labeling)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_the_field_has_the_energy_of_every_matching_and_forbids_right_points_of_pairs_twice(share):
    model = random_matching(np.random.default_rng(1), 3, 3, share)
    linked = {tuple(edge) for edge in model.field.edges.tolist()}
    for labeling in labelings(model):
        if (model.made(np.array(labeling)) == -2).any():
            continue
        labels = model.labels_of(labeling)
        assert model.labeling_of(labels).tolist() == list(labeling)
        used = [(i, j) for i, j in linked if labeling[i] == labeling[j] >= 0]
        if used:
            assert model.field.energy(labels) == INF
        elif model.energy(labeling) < INF:
            assert model.field.energy(labels) == pytest.approx(model.energy(labeling), abs=1e-12)


def test_perfect_matchings_assign_every_left_point():
    model = GraphMatching(SQUARE, [1, 2, 3, 4], unassigned=[0.0, 5.0])
    assert (model.matching, model.energy([0, -1])) == ("partial", 6.0)
    perfect = model.with_matching("perfect")
    assert (perfect.matching, perfect.energy([0, -1]), perfect.energy([0, 1])) == ("perfect", INF, 5.0)
    assert GraphMatching(SQUARE, [0] * 4, unassigned=INF).matching == "perfect"
    with pytest.raises(InvalidModel, match="matching is 'partial', and the model forbids"):
        perfect.with_matching("partial")


def test_assignments_that_are_not_allowed_cost_infinity():
    model = GraphMatching([(0, 0), (1, 1)], [1, INF], n_right=3)
    assert model.energy([0, -1]) == 1
    assert model.energy([1, -1]) == model.energy([0, 1]) == model.energy([0, 2]) == INF


@pytest.mark.parametrize("seed", range(40))
def test_a_contradiction_is_found_exactly_where_no_matching_is_allowed(seed):
    rng = np.random.default_rng(seed)
    every = [(i, a) for i in range(4) for a in range(4) if rng.random() < 0.4]
    unassigned = np.where(rng.random(4) < 0.3, 0.0, INF)
    costs = np.where(rng.random(len(every)) < 0.1, INF, 1.0)
    model = GraphMatching(np.array(every).reshape(-1, 2), costs, n_left=4, n_right=4, unassigned=unassigned)
    found = any(model.energy(labeling) < INF for labeling in labelings(model))
    assert (model.contradiction() is None) == found


def test_a_contradiction_names_points_that_are_too_many():
    assignments = [(0, 2), (1, 0), (1, 1), (2, 2), (3, 2), (3, 1)]
    model = GraphMatching(assignments, [0] * 6, matching="perfect")
    assert model.contradiction() == (
        "the 2 left points 0, 2 must all be assigned, and have only the 1 right points 2"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"assignments": [(0, 0), (0, 0)]}, r"assignments 0 and 1 are both \(0, 0\); expected each once"),
        (
            {"assignments": [(0, 0), (0, 5)], "n_right": 2},
            "assignment 1 has the right point 5; expected 0 to 1",
        ),
        ({"assignments": [(0, 0), (-1, 1)]}, "assignment 1 has the left point -1"),
        ({"assignments": [0, 1]}, r"assignments have shape \(2,\)"),
        ({"costs": [1.0]}, r"costs have shape \(1,\); expected one per assignment: \(2,\)"),
        ({"costs": [1.0, math.nan]}, "the cost of assignment 1 is nan"),
        ({"costs": [1.0, -INF]}, "the cost of assignment 1 is -inf"),
        ({"pairs": [(0, 2)]}, r"pair 0 is \(0, 2\); expected assignments from 0 to 1"),
        ({"pairs": [(1, 1)]}, "pair 0 is assignment 1 twice"),
        ({"pair_costs": []}, r"pair_costs have shape \(0,\); expected one per pair: \(1,\)"),
        ({"pair_costs": [math.nan]}, "the cost of pair 0 is nan"),
        ({"unassigned": [0.0, 1.0, 2.0]}, r"unassigned has shape \(3,\)"),
        ({"unassigned": math.nan}, "the cost of left point 0 without assignment is nan"),
        ({"matching": "full"}, "matching is 'full'; expected 'partial' or 'perfect'"),
        ({"left_points": [(0.0, 0.0)]}, "assignment 1 has the left point 1; expected 0 to 0"),
        ({"left_points": [(0.0, INF), (1, 1)]}, "left_points hold numbers that are not finite"),
        ({"costs": [1e308, 1e308], "forbidden_above": INF}, "overflow when added"),
    ],
)
def test_wrong_input_is_refused_in_words(change, message):
    given = {"assignments": [(0, 0), (1, 1)], "costs": [1, 2], "pairs": [(0, 1)], "pair_costs": [3]} | change
    with pytest.raises(InvalidModel, match=message):
        GraphMatching(**given)


def test_wrong_labelings_are_refused_in_words():
    model = GraphMatching(SQUARE, [0] * 4)
    with pytest.raises(InvalidModel, match=r"the labeling has shape \(1,\)"):
        model.energy([0])
    with pytest.raises(
        InvalidModel, match="assigns left point 1 to 2; expected a right point from 0 to 1, or -1"
    ):
        model.energy([0, 2])
    with pytest.raises(AttributeError, match="a model does not change after construction"):
        model.costs = 1


def test_large_finite_costs_are_read_as_forbidden_and_counted():
    model = GraphMatching(SQUARE, [1e20, 0, 0, 0], [(1, 2)], [2e30])
    assert model.n_forbidden_read == 2
    assert model.energy([1, 0]) == model.energy([0, 1]) == INF
    assert model.field.n_forbidden_read == 2


def test_evidence_fixes_left_points():
    model = GraphMatching(SQUARE, [1, 2, 3, 4]).condition({0: -1, 1: 1})
    finite = [labeling for labeling in labelings(model) if model.energy(labeling) < INF]
    assert finite == [(-1, 1)]


def test_sparse_matrices_give_stored_entries_as_assignments():
    sparse = pytest.importorskip("scipy.sparse")
    costs = sparse.coo_array(([1.0, 0.0, 3.0], ([1, 0, 0], [0, 1, 0])), shape=(2, 3))
    pairs = sparse.coo_array(([2.0, 4.0, 8.0], ([1, 2, 0], [2, 1, 0])), shape=(3, 3))
    model = GraphMatching.from_sparse(costs, pairs, unassigned=7.0)
    assert (model.n_left, model.n_right) == (2, 3)
    assert model.assignments.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert model.costs.tolist() == [11.0, 0.0, 1.0]
    assert (model.pairs.tolist(), model.pair_costs.tolist()) == ([[1, 2]], [6.0])
    assert model.energy([1, 0]) == 7.0
    with pytest.raises(InvalidModel, match=r"pair_costs have shape \(2, 2\); expected \(3, 3\)"):
        GraphMatching.from_sparse(costs, sparse.eye_array(2))
    with pytest.raises(InvalidModel, match="costs is a list"):
        GraphMatching.from_sparse([[1.0]])


@pytest.mark.parametrize("directed", [False, True])
def test_graphs_pay_for_edges_that_fall_on_edges(directed):
    networkx = pytest.importorskip("networkx")
    kind = networkx.DiGraph if directed else networkx.Graph
    left, right = kind(), kind()
    left.add_nodes_from([("x", {"value": 1, "pos": (0, 0)}), ("y", {"value": 2, "pos": (1, 0)})])
    right.add_nodes_from([(7, {"value": 1}), (8, {"value": 3}), (9, {"value": 2})])
    left.add_edge("x", "y", length=1.0)
    right.add_edge(7, 9, length=1.5)
    right.add_edge(9, 8, length=3.0)
    model = GraphMatching.from_networkx(
        left,
        right,
        lambda a, b: None if (a["value"], b["value"]) == (1, 2) else abs(a["value"] - b["value"]),
        lambda e, f: abs(e["length"] - f["length"]),
        unassigned=10.0,
    )
    assert model.left_points.tolist() == [[0, 0], [1, 0]]
    assert model.right_points is None
    assert model.energy([0, 2]) == 0.5  # along the edge
    assert model.energy([1, 2]) == 2 + (0.0 if directed else 2.0)  # against it
    assert model.energy([0, 1]) == 1.0  # no edge there
    assert model.energy([2, 0]) == INF
    with pytest.raises(InvalidModel, match="one graph is directed"):
        GraphMatching.from_networkx(left, right.to_undirected() if directed else right.to_directed(), max)


def test_costs_scale():
    model = random_matching(np.random.default_rng(5), 2, 2)
    for labeling in labelings(model):
        assert model.scaled(0.25).energy(labeling) == model.energy(labeling) * 0.25
    with pytest.raises(InvalidModel, match="factor is 0"):
        model.scaled(0)
