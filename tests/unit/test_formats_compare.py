import math

import numpy as np
import pytest

from fwmap.errors import InvalidModel
from fwmap.formats import compare
from fwmap.models import MRF, Potts, TruncatedLinear

INF = math.inf


def test_equal_models_have_no_error_whatever_their_order_and_storage():
    rng = np.random.default_rng(0)
    a, b, cube = rng.random((2, 3)), rng.random((3, 3)), rng.random((2, 3, 3))
    unaries = [rng.random(2), rng.random(3), rng.random(3)]
    first = MRF(unaries, [(0, 1), (1, 2)], [a, b], [((0, 1, 2), cube)])
    second = MRF(unaries, [(2, 1), (1, 0)], [b.T, a.T], [((2, 0, 1), cube.transpose(2, 0, 1))])
    assert compare(first, second) == 0
    structured = MRF(unaries, [(1, 2), (1, 2)], [Potts(2), TruncatedLinear(1, 5)])
    labels = np.arange(3)[:, None] - np.arange(3)
    assert compare(structured, MRF(unaries, [(2, 1)], [2.0 * (labels != 0) + np.abs(labels)])) == 0


def test_the_largest_difference_of_any_cost_is_returned():
    cube = np.zeros((2, 2, 2))
    base = MRF([[0, 1]] * 3, [(0, 1)], np.ones((2, 2)), [((0, 1, 2), cube)], constant=1)
    changed = cube.copy()
    changed[1, 0, 1] = 0.25
    assert compare(base, MRF([[0, 1]] * 3, [(0, 1)], [[1, 1], [1, 1.5]], [((0, 1, 2), changed)], 1)) == 0.5
    assert compare(base, MRF([[0, 1]] * 3, [(0, 1)], np.ones((2, 2)), [((0, 1, 2), changed)], 1)) == 0.25
    assert compare(base, MRF([[0, 1]] * 3, [(0, 1)], np.ones((2, 2)), [((0, 1, 2), cube)], 1.125)) == 0.125


def test_a_missing_scope_costs_nothing():
    assert compare(MRF([[0, 1]] * 2, [(0, 1)], Potts(3)), MRF([[0, 1]] * 2)) == 3
    assert compare(MRF([[0, 1]] * 2, [(0, 1)], Potts(0)), MRF([[0, 1]] * 2)) == 0


def test_constants_moved_between_factors_are_no_error():
    a = MRF([[1, 2], [3, INF]], [(0, 1)], [[5, 5], [5, 6]], constant=0)
    b = MRF([[0, 1], [0, INF]], [(0, 1)], [[0, 0], [0, 1]], constant=9)
    assert compare(a, b) == 0
    assert compare(a, MRF([[0, 1], [0, INF]], [(0, 1)], [[0, 0], [0, 1]], constant=9.5)) == 0.5


def test_what_only_one_model_forbids_is_an_infinite_error():
    assert compare(MRF([[0, INF]]), MRF([[0, 1e300]], forbidden_above=INF)) == INF
    assert compare(MRF([[0, 1]]), MRF([[0, 1]], factors=[((), INF)])) == INF


def test_where_everything_is_forbidden_no_moved_constant_is_an_error():
    a = MRF([[1, 2], [INF, INF]], constant=3)
    assert compare(a, MRF([[0, 1], [INF, INF]], constant=0)) == 0
    assert compare(MRF([[1, 2]], factors=[((), INF)]), MRF([[0, 1]], factors=[((), INF)])) == 0
    assert compare(a, MRF([[1, 5], [INF, INF]], constant=3)) == 3


def test_models_of_other_variables_cannot_be_compared():
    with pytest.raises(InvalidModel, match="have different variables or labels"):
        compare(MRF([[0, 1]]), MRF([[0, 1, 2]]))


def test_many_tables_are_compared_in_blocks(monkeypatch):
    monkeypatch.setattr("fwmap.formats.comparison.BLOCK", 40)
    rng = np.random.default_rng(1)
    edges = np.array([(i, j) for i in range(12) for j in range(i)])
    tables = rng.random((len(edges), 3, 3))
    a = MRF(np.zeros((12, 3)), edges, tables)
    order = rng.permutation(len(edges))
    assert compare(a, MRF(np.zeros((12, 3)), edges[order], tables[order])) == 0
    tables[17, 2, 0] += 0.5
    assert compare(a, MRF(np.zeros((12, 3)), edges, tables)) == 0.5
