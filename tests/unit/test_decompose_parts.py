"""Forests in parts: whole trees, disjoint within a forest, and straight lines on grids."""

import itertools

import numpy as np
import pytest

import fwmap
from fwmap import _core
from fwmap.decompose import decompose
from fwmap.decompose.parts import MOST_PARTS, forest_parts
from fwmap.models.grid import grid_edges


def random_edges(rng, n, m):
    pairs = np.array(list(itertools.combinations(range(n), 2)))
    return pairs[rng.permutation(len(pairs))[:m]]


def is_a_forest(edges):
    seen = {}

    def top(v):
        while seen.setdefault(v, v) != v:
            v = seen[v]
        return v

    for u, v in edges.tolist():
        if top(u) == top(v):
            return False
        seen[top(u)] = top(v)
    return True


@pytest.mark.parametrize("seed", range(20))
def test_parts_are_forests_and_those_of_one_forest_have_no_node_in_common(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 15))
    edges = random_edges(rng, n, int(rng.integers(0, n * (n - 1) // 2 + 1)))
    found = forest_parts(n, edges)
    for forest in range(found.n_forests):
        parts = [edges[found.part_of_edge == p] for p in np.flatnonzero(found.forest_of_part == forest)]
        assert all(len(part) and is_a_forest(part) for part in parts)
        nodes = [set(part.ravel().tolist()) for part in parts]
        assert sum(map(len, nodes)) == len(set().union(*nodes))
    assert len(found.part_of_edge) == len(edges)
    first, second = (np.ascontiguousarray(edges[:, k], np.int32) for k in (0, 1))
    assert found.n_forests == _core.minimum_forest_cover(n, first, second)[0]


@pytest.mark.parametrize(("neighbors", "lines"), [(4, 5 + 7), (8, 5 + 7 + 2 * (5 + 7 - 3))])
def test_a_grid_falls_into_its_straight_lines(neighbors, lines):
    found = forest_parts(35, grid_edges(5, 7, neighbors))
    assert (found.n_forests, found.n_parts) == (neighbors // 2, lines)
    assert sorted(np.bincount(found.part_of_edge))[-1] == 6  # edges of a row of seven


def test_a_graph_whose_numbers_only_look_like_a_grid_is_covered_as_any_other():
    edges = np.array([(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (4, 5), (6, 7), (4, 7)])  # three differences
    assert forest_parts(8, edges).n_forests == 2


def test_many_small_trees_are_gathered_into_few_terms():
    n = 5 * MOST_PARTS
    pairs = np.arange(2 * n).reshape(n, 2)
    found = forest_parts(2 * n, pairs)
    assert (found.n_forests, found.n_parts) == (1, MOST_PARTS)
    assert np.bincount(found.part_of_edge).max() == 5


def test_endpoints_and_forests_that_do_not_exist_are_refused():
    zero, two = np.array([0], np.int32), np.array([2], np.int32)
    for arguments in [
        (2, zero, two, zero, 1),
        (3, zero, two, two, 1),
        (3, zero, two, np.zeros(2, np.int32), 1),
    ]:
        with pytest.raises(ValueError, match=r"edge"):
            _core.trees_of_forests(*arguments)


def test_a_labeling_is_proposed_by_all_parts_of_a_forest_together():
    rng = np.random.default_rng(0)
    model = fwmap.MRF.grid(rng.random((6, 5, 3)), fwmap.Potts(0.3))
    parts = decompose(model).covering_forests
    assert [len(part) for part in parts] == [6, 5]
    assert sorted(np.concatenate(parts)) == list(range(11))
    result = fwmap.solve(model)
    assert result.status == "optimal"
    assert result.check(model).proved
