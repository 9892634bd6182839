import time

import numpy as np
import pytest

from fwmap.errors import InvalidModel
from fwmap.models import MRF, Potts, TruncatedLinear


def test_a_pixel_has_the_index_row_times_width_plus_column():
    unaries = np.zeros((2, 3, 2))
    unaries[1, 2, 1] = 7
    model = MRF.grid(unaries, Potts(0))
    assert model.unary(1 * 3 + 2).tolist() == [0, 7]
    assert model.image_shape == (2, 3)


def test_a_labeling_may_have_the_shape_of_the_image():
    model = MRF.grid(np.zeros((2, 3, 2)), Potts(1))
    image = np.array([[0, 1, 1], [0, 0, 1]])
    assert model.energy(image) == model.energy(image.reshape(-1)) == 3
    with pytest.raises(InvalidModel, match="labeling has shape"):
        model.energy(image.T)


def test_edges_come_horizontal_vertical_diagonal_antidiagonal():
    edges = MRF.grid(np.zeros((2, 2, 2)), Potts(1), connectivity=8).edges
    assert edges.tolist() == [[0, 1], [2, 3], [0, 2], [1, 3], [0, 3], [1, 2]]


@pytest.mark.parametrize("connectivity", [4, 8])
def test_edges_join_exactly_the_neighbours(connectivity):
    height, width = 4, 3
    model = MRF.grid(np.zeros((height, width, 1)), Potts(1), connectivity=connectivity)
    found = {frozenset(edge) for edge in model.edges.tolist()}
    expected = set()
    for p in range(height * width):
        for q in range(p):
            rows, columns = abs(p // width - q // width), abs(p % width - q % width)
            if rows + columns == 1 or (connectivity == 8 and rows == columns == 1):
                expected.add(frozenset((p, q)))
    assert found == expected
    assert model.n_edges == len(expected)


def test_each_direction_has_its_weights():
    weights = {
        "horizontal_weights": np.array([[1.0, 2], [3, 4]]),
        "vertical_weights": np.array([[5.0, 6, 7]]),
        "diagonal_weights": np.array([[8.0, 9]]),
        "antidiagonal_weights": np.array([[10.0, 11]]),
    }
    for pairwise in (Potts(2), TruncatedLinear(2, 1), [[0, 2], [2, 0]]):
        model = MRF.grid(np.zeros((2, 3, 2)), pairwise, connectivity=8, **weights)
        weight_of = {tuple(e): model.pairwise_table(i)[0, 1] for i, e in enumerate(model.edges.tolist())}
        assert weight_of[(0, 1)] == 2 * 1
        assert weight_of[(1, 2)] == 2 * 2
        assert weight_of[(4, 5)] == 2 * 4
        assert weight_of[(1, 4)] == 2 * 6
        assert weight_of[(1, 5)] == 2 * 9
        assert weight_of[(1, 3)] == 2 * 10
        assert weight_of[(2, 4)] == 2 * 11


def test_a_weighted_table_is_stored_once_per_weight_and_keeps_forbidden_entries():
    table = np.array([[0, 1e38], [np.inf, 1]])
    model = MRF.grid(np.zeros((2, 2, 2)), table, horizontal_weights=[[0.0], [2.0]])
    assert len(model.table_shapes) == 3
    assert model.pairwise_table(0).tolist() == [[0, np.inf], [np.inf, 0]]
    assert model.pairwise_table(1).tolist() == [[0, np.inf], [np.inf, 2]]
    assert model.pairwise_table(2).tolist() == [[0, np.inf], [np.inf, 1]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"connectivity": 6}, "connectivity is 6; expected 4 or 8"),
        (
            {"horizontal_weights": np.ones((2, 3))},
            r"weights have shape \(2, 3\); expected \(2, 2\)",
        ),
        ({"vertical_weights": np.full((1, 3), np.inf)}, "vertical_weights have an entry that is not finite"),
        (
            {"diagonal_weights": np.ones((1, 2))},
            "are given; expected none with connectivity 4",
        ),
    ],
)
def test_wrong_weights_are_refused(arguments, words):
    with pytest.raises(InvalidModel, match=words):
        MRF.grid(np.zeros((2, 3, 2)), Potts(1), **arguments)


def test_weights_per_edge_given_twice_are_refused():
    with pytest.raises(InvalidModel, match="expected one of them"):
        MRF.grid(np.zeros((1, 3, 2)), Potts([1, 2]), horizontal_weights=[[1, 2]])
    with pytest.raises(InvalidModel, match="unaries of a grid have shape"):
        MRF.grid(np.zeros((3, 2)), Potts(1))


def test_a_large_grid_is_made_in_whole_arrays():
    unaries = np.zeros((512, 512, 16))
    start = time.process_time()
    model = MRF.grid(unaries, Potts(1), horizontal_weights=np.ones((512, 511)))
    assert time.process_time() - start < 2
    assert model.n_edges == 2 * 512 * 511
    assert model.energy(np.arange(512 * 512) % 2) == 512 * 511
