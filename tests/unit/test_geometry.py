"""Projection geometry: rays partition the image, and sums are those of the image."""

from __future__ import annotations

import itertools
import lzma
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_instances import FOLDER, entries, needed

from fwmap import geometry
from fwmap.errors import InvalidModel
from fwmap.geometry.directions import checked_direction
from fwmap.models import Tomography

shapes = st.tuples(st.integers(1, 6), st.integers(1, 6))
pairs = st.tuples(st.integers(-4, 4), st.integers(-4, 4)).filter(any)


def lists(rays):
    return [ray.tolist() for ray in rays]


def test_the_first_directions_are_rows_columns_diagonals_and_two_slopes():
    shape = (2, 3)
    found = [lists(geometry.rays(shape, direction)) for direction in geometry.directions(6)]
    assert found == [
        [[0, 1, 2], [3, 4, 5]],
        [[0, 3], [1, 4], [2, 5]],
        [[0], [1, 3], [2, 4], [5]],
        [[3], [0, 4], [1, 5], [2]],
        [[0], [1], [2, 3], [4], [5]],
        [[0], [3], [1], [4], [2], [5]],
    ]


def test_any_number_of_directions_is_different_and_begins_the_same():
    many = geometry.directions(60)
    assert len({checked_direction(direction) for direction in many}) == 60
    for n in range(20):
        assert geometry.directions(n) == many[:n]


@given(shapes, pairs)
def test_every_pixel_is_in_exactly_one_ray_of_a_direction(shape, direction):
    rays = geometry.rays(shape, direction)
    assert sorted(np.concatenate(rays).tolist()) == list(range(shape[0] * shape[1]))
    assert all(len(ray) > 0 and (np.diff(ray) > 0).all() for ray in rays)


@given(shapes, pairs)
def test_pixels_share_a_ray_exactly_if_p_x_plus_q_y_is_equal(shape, direction):
    number = np.empty(shape[0] * shape[1], dtype=int)
    for r, ray in enumerate(geometry.rays(shape, direction)):
        number[ray] = r
    (p, q), (_, width) = direction, shape
    for a, b in itertools.combinations(range(len(number)), 2):
        on_one_line = p * (a % width - b % width) + q * (a // width - b // width) == 0
        assert (number[a] == number[b]) == on_one_line


@given(shapes, pairs, st.integers(1, 5))
def test_common_factors_of_a_direction_change_nothing(shape, direction, factor):
    scaled = (factor * direction[0], factor * direction[1])
    assert lists(geometry.rays(shape, direction)) == lists(geometry.rays(shape, scaled))


@given(shapes, st.integers(0, 12), st.integers(1, 4), st.integers(0, 2**32))
def test_an_image_satisfies_its_own_projections(shape, n_directions, k, seed):
    image = np.random.default_rng(seed).integers(0, k, shape)
    model = Tomography(shape, geometry.project(image, n_directions), k)
    assert not model.violations(image).any()
    assert math.isfinite(model.energy(image))
    assert model.contradiction() is None
    sums = np.concatenate([np.zeros(0), *geometry.sinogram(image, n_directions)])
    assert model.required_sums.tolist() == model.ray_sums(image).tolist() == sums.tolist()


def test_measured_sums_need_no_image():
    image = np.array([[0, 1, 2], [2, 2, 0]])
    from_image = geometry.project(image, [(0, 1), (1, -3)])
    from_sums = geometry.from_sums((2, 3), geometry.sinogram(image, [(0, 1), (1, -3)]), [(0, 1), (1, -3)])
    assert [p.sum for p in from_image] == [p.sum for p in from_sums] == [3, 4, 2, 2, 0, 0, 1, 2]


def test_a_black_and_white_image_may_be_of_bools():
    assert [p.sum for p in geometry.project(np.eye(2, dtype=bool), 2)] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: geometry.directions(-1), "the number of directions is -1; expected an integer >= 0"),
        (lambda: geometry.rays((2, 0), (0, 1)), r"shape is \(2, 0\); expected \(height, width\)"),
        (lambda: geometry.rays((2, 2), (0, 0)), r"a direction is \(0, 0\)"),
        (lambda: geometry.rays((2, 2), (1, 0.5)), r"a direction is \(1, 0.5\); expected two integers"),
        (
            lambda: geometry.project(np.zeros((2, 2), int), [(1, 1), (-2, -2)]),
            r"the directions 0 and 1, \(1, 1\) and \(-2, -2\), have the same rays",
        ),
        (lambda: geometry.project([[0.5, 1]], 2), "the image has entries of type float64; expected integers"),
        (lambda: geometry.project([[0, -1]], 2), "the image has the value -1 at row 0, column 1"),
        (lambda: geometry.project([0, 1], 2), r"the image has shape \(2,\); expected \(height, width\)"),
        (lambda: geometry.from_sums((1, 2), [[1]], 2), "there are sums of 1 directions; expected 2"),
        (lambda: geometry.from_sums((1, 2), [[1], [1]], 2), r"the sums of direction 1 have shape \(1,\)"),
    ],
)
def test_wrong_geometry_is_refused_in_words(call, words):
    with pytest.raises(InvalidModel, match=words):
        call()


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "coo_array", "lil_matrix", "dense", "bool"])
def test_a_matrix_of_zeros_and_ones_gives_its_rows(kind):
    dense = np.array([[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 1, 1]])
    matrix = dense.astype(bool if kind == "bool" else float)
    if kind not in ("dense", "bool"):
        matrix = getattr(pytest.importorskip("scipy.sparse"), kind)(matrix)
    found = geometry.from_matrix(matrix, [1.0, 0.0, 2.0])
    assert [(p.pixels.tolist(), p.sum) for p in found] == [([0, 1], 1), ([1, 2, 3], 2)]


@given(shapes, st.integers(1, 8), st.integers(0, 2**32))
def test_a_matrix_may_number_pixels_column_by_column(shape, n_directions, seed):
    image = np.random.default_rng(seed).integers(0, 3, shape)
    expected = geometry.project(image, n_directions)
    A = np.zeros((len(expected), image.size), dtype=int)
    for r, projection in enumerate(expected):
        one = np.zeros(image.size, dtype=int)
        one[projection.pixels] = 1
        A[r] = one.reshape(shape).reshape(-1, order="F")
    found = geometry.from_matrix(A, A @ image.reshape(-1, order="F"), shape=shape, order="F")
    assert [(p.pixels.tolist(), p.sum) for p in found] == [(p.pixels.tolist(), p.sum) for p in expected]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: geometry.from_matrix([[1, 0.5]], [1]),
            "A has the entry 0.5 in row 0, column 1; expected 0 or 1",
        ),
        (lambda: geometry.from_matrix([[1, 2]], [1]), "A has the entry 2 in row 0, column 1"),
        (lambda: geometry.from_matrix([[1, math.nan]], [1]), "A has the entry nan in row 0, column 1"),
        (lambda: geometry.from_matrix([1, 0], [1]), r"A has shape \(2,\); expected \(rays, pixels\)"),
        (lambda: geometry.from_matrix([[1, 0]], [1, 2]), "b has 2 entries; expected one per row of A: 1"),
        (lambda: geometry.from_matrix([[1, 0]], [0.5]), "entry 0 of b is 0.5; expected a whole number"),
        (lambda: geometry.from_matrix([[0, 0]], [1]), "row 0 of A has no pixels, but the sum 1; expected 0"),
        (lambda: geometry.from_matrix([[0, 1]], [1], order="F"), "order is 'F' without a shape"),
        (lambda: geometry.from_matrix([[0, 1]], [1], shape=(2, 2)), "A has 2 columns; expected .* 2 x 2 = 4"),
    ],
)
def test_a_wrong_matrix_is_refused_in_words(call, words):
    with pytest.raises(InvalidModel, match=words):
        call()


def test_entries_of_a_sparse_matrix_that_are_stored_twice_add_up():
    sparse = pytest.importorskip("scipy.sparse")
    twice = sparse.coo_matrix(([1, 1], ([0, 0], [1, 1])), shape=(1, 2))
    with pytest.raises(InvalidModel, match="A has the entry 2 in row 0, column 1"):
        geometry.from_matrix(twice, [1])


def test_noise_makes_costs_that_are_least_at_the_nearest_sum():
    rays = geometry.rays((2, 3), (0, 1))
    measured = [2.3, -1.0]
    for penalty in ("quadratic", "absolute"):
        costs = [p.costs for p in geometry.noisy(measured, 0.5, rays, 3, penalty=penalty)]
        assert [len(own) for own in costs] == [7, 7]
        assert [int(np.argmin(own)) for own in costs] == [2, 0]
    assert costs[0][4] == pytest.approx(math.sqrt(2) * 1.7 / 0.5)


def test_noise_may_differ_by_ray_and_be_weighted():
    first, second = geometry.noisy([1, 1], [1.0, 2.0], [[0], [1]], 3, weight=4)
    assert first.costs.tolist() == [2, 0, 2]
    assert second.costs.tolist() == [0.5, 0, 0.5]


def test_too_far_sums_can_be_forbidden():
    model = Tomography((1, 2), geometry.noisy([1.4], 0.5, [[0, 1]], 2, forbid_beyond=1), 2)
    assert model.required_sums.tolist() == [1]
    nothing = Tomography((1, 2), geometry.noisy([1.5], 0.1, [[0, 1]], 2, forbid_beyond=1), 2)
    assert nothing.contradiction() == "ray 0 allows no sum at all"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1.0], 0.0, [[0]], 2), "sigma of ray 0 is 0.0; expected a finite number > 0"),
        (([math.nan], 1.0, [[0]], 2), "the sum of ray 0 is nan; expected a finite number"),
        (([1.0, 2.0], 1.0, [[0]], 2), "there are 2 sums; expected one per ray: 1"),
        (([1.0], [1.0, 1.0], [[0]], 2), r"sigma has shape \(2,\); expected one number"),
        (([1.0], 1.0, [[0]], 0), "labels is 0; expected an integer >= 1"),
    ],
)
def test_wrong_noise_is_refused_in_words(arguments, words):
    with pytest.raises(InvalidModel, match=words):
        geometry.noisy(*arguments)


@needed
@pytest.mark.parametrize("entry", entries("tomography"))
def test_rays_and_sums_are_those_of_the_reference_instances(entry):
    text = lzma.decompress((FOLDER / entry["file"]).read_bytes()).decode()
    expected: Counter[tuple[frozenset[int] | int, ...]] = Counter()
    for line in text[text.index("PROJECTIONS") :].split("\n")[1:]:
        if line.strip():
            pixels, costs = line.split("=")
            finite = [s for s, cost in enumerate(costs.strip(" ()").split(",")) if cost != "Inf"]
            expected[frozenset(map(int, pixels.split("+"))), *finite] += 1
    image = np.load(FOLDER / entry["truth"])
    found = geometry.project(image, int(entry["name"].rpartition("_")[2]))
    assert Counter((frozenset(p.pixels.tolist()), p.sum) for p in found) == expected
