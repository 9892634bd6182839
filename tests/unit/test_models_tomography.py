"""Tomography models: what they accept, what they refuse, and what an image costs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwmap.errors import InvalidModel
from fwmap.models import MRF, Potts, Projection, Tomography, TruncatedLinear

INF = math.inf


def square(*projections, **settings):
    """A 2 x 2 image with labels 0, 1, 2."""
    return Tomography((2, 2), list(projections), 3, **settings)


def test_a_hard_ray_stores_costs_up_to_its_sum():
    model = square(Projection([0, 1], 3), ([2, 3], 0))
    assert model.ray_pixels.tolist() == [0, 1, 2, 3]
    assert model.ray_offsets.tolist() == [0, 2, 4]
    assert model.ray_costs.tolist() == [INF, INF, INF, 0, 0]
    assert model.ray_cost_offsets.tolist() == [0, 4, 5]
    assert model.required_sums.tolist() == [3, 0]
    assert model.ray_pixels.dtype == model.ray_offsets.dtype == model.ray_cost_offsets.dtype == np.int64


def test_forbidden_sums_at_the_end_of_a_list_are_not_stored():
    model = square(([0, 1], [0.5, 0.0, INF, INF, INF]), ([2, 3], [INF, 0.0, INF] + 9 * [INF]))
    assert model.ray_cost(0).tolist() == [0.5, 0.0]
    assert model.ray_cost(1).tolist() == [INF, 0.0]
    assert model.required_sums.tolist() == [-1, 1]
    assert model.largest_ray_costs.tolist() == [0.5, 0.0]


def test_costs_may_be_named_or_given_in_place_of_the_sum():
    named, placed = (square(p).ray_costs for p in (Projection([0], costs=[1, 2]), Projection([0], [1, 2])))
    assert named.tolist() == placed.tolist() == [1, 2]


def test_sums_beyond_the_list_are_forbidden():
    model = square(([0, 1], [0.0, 1.0]))
    assert model.energy([0, 1, 0, 1]) == 1 + 2
    assert model.energy([1, 1, 1, 1]) == INF


def test_the_energy_is_that_of_the_field_plus_the_costs_of_the_sums():
    unaries = np.arange(12.0).reshape(2, 2, 3)
    model = square(([0, 1, 2], [9, 9, 9, 0.25]), unaries=unaries, smoothness=0.5, constant=100)
    field = MRF.grid(unaries, TruncatedLinear(0.5, 2), constant=100)
    for labeling in itertools.product(range(3), repeat=4):
        costs = {3: 0.25} | dict.fromkeys(range(3), 9.0)
        assert model.energy(labeling) == field.energy(labeling) + costs.get(sum(labeling[:3]), INF)


def test_a_number_as_smoothness_is_truncated_linear():
    model = Tomography((1, 2), [], 5, 3.0)
    assert [model.energy([0, label]) for label in range(5)] == [0, 3, 6, 6, 6]
    assert Tomography((1, 2), [], 5, 3.0, truncation=3).energy([0, 4]) == 9


@pytest.mark.parametrize("smoothness", [Potts(2), [[0, 2, 2], [2, 0, 2], [2, 2, 0]], np.full((3, 3), 2.0)])
def test_every_pairwise_cost_of_a_grid_is_possible(smoothness):
    assert square(smoothness=smoothness).energy([0, 1, 2, 0]) == 8


def test_any_graph_can_be_the_field():
    triangle = MRF(np.zeros((3, 2)), [(0, 1), (1, 2), (2, 0)], Potts(1))
    model = Tomography.from_field(triangle, [([0, 1, 2], 1)])
    assert model.energy([0, 1, 0]) == 2
    assert model.image_shape is None
    assert model.n_nodes == 3
    with pytest.raises(InvalidModel, match="the field is a list; expected an MRF"):
        Tomography.from_field([[0, 1]], [])


def test_pixels_may_have_different_numbers_of_labels():
    field = MRF([[0, 0], [0, 0, 0, 0]])
    assert Tomography.from_field(field, [([0, 1], 4)]).energy([1, 3]) == 0
    with pytest.raises(InvalidModel, match="the sum of ray 0 is 5; expected 0 to 4"):
        Tomography.from_field(field, [([0, 1], 5)])


def test_a_labeling_may_have_the_shape_of_the_image():
    model = square(([0, 1], 1))
    assert model.ray_sums([[1, 0], [2, 2]]).tolist() == model.ray_sums([1, 0, 2, 2]).tolist() == [1]
    assert model.image_shape == (2, 2)


def test_violations_are_measured_minus_required():
    model = square(([0, 1], 2), ([2, 3], 2), ([0, 2], [INF, 0, INF, INF, 0]))
    assert model.violations([0, 0, 2, 2]).tolist() == [-2, 2, 1]
    assert model.violations([1, 1, 1, 1]).tolist() == [0, 0, 1]
    assert model.violations([1, 1, 2, 0]).tolist() == [0, 0, -1]


@pytest.mark.parametrize(
    ("projection", "words"),
    [
        (([0, 1, 0], 1), "ray 0 has the pixel 0 twice; expected different pixels"),
        (([0, 4], 1), "ray 0 has the pixel 4; expected an integer from 0 to 3"),
        (([-1, 0], 1), "ray 0 has the pixel -1; expected an integer from 0 to 3"),
        (([], 0), "ray 0 has no pixels; expected at least one"),
        (([0.0, 1.0], 0), "the pixels of ray 0 has entries of type float64; expected integers"),
        (([[0, 1]], 0), r"the pixels of ray 0 have shape \(1, 2\)"),
        (([0, 1], -1), "the sum of ray 0 is -1; expected 0 to 4"),
        (([0, 1], 5), "the sum of ray 0 is 5; expected 0 to 4, the largest that its pixels have"),
        (([0, 1], 2.5), "the sum of ray 0 is 2.5; expected an integer"),
        (([0, 1], True), "the sum of ray 0 is True; expected an integer"),
        (([0, 1], [0, math.nan]), "the cost of the sum 1 of ray 0 is nan; expected a finite cost"),
        (([0, 1], [-INF]), "the cost of the sum 0 of ray 0 is -inf; expected a finite cost"),
        (([0, 1], [0, 0, 0, 0, 0, 1]), "ray 0 has a finite cost for the sum 5; expected sums from 0 to 4"),
        (([0, 1], [[0, 1]]), r"the costs of ray 0 have shape \(1, 2\)"),
        (([0, 1], ["a"]), "the costs of ray 0 has entries of type"),
        ([0, 1], "ray 0 is a list; expected a Projection, or a pair"),
    ],
)
def test_a_wrong_projection_is_refused_in_words(projection, words):
    with pytest.raises(InvalidModel, match=words):
        square(projection)


def test_the_ray_that_is_wrong_is_named():
    with pytest.raises(InvalidModel, match="ray 2 has the pixel 3 twice"):
        square(([0], 0), ([1], 0), ([3, 2, 3], 0))
    with pytest.raises(InvalidModel, match="the cost of the sum 1 of ray 1 is nan"):
        square(([0], 0), ([1], [0, math.nan]))


def test_projections_that_are_no_list_are_refused():
    with pytest.raises(InvalidModel, match="projections is a NoneType; expected a sequence of pairs"):
        Tomography((2, 2), None, labels=2, smoothness=1.0)


def test_weights_other_than_one_are_refused():
    assert square(Projection([0, 1], 1, weights=[1, 1])).n_rays == 1
    with pytest.raises(InvalidModel, match=r"a projection has the weight 0.5; expected 1"):
        Projection([0, 1], 1, weights=[1, 0.5])


def test_a_projection_has_either_a_sum_or_costs():
    with pytest.raises(InvalidModel, match="neither a sum nor costs; expected one of them"):
        Projection([0, 1])
    with pytest.raises(InvalidModel, match="both a sum and costs; expected one of them"):
        Projection([0, 1], 1, costs=[0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (((2,), [], 2), r"shape is \(2,\); expected \(height, width\)"),
        (((0, 2), [], 2), "the height is 0; expected an integer >= 1"),
        (((2, 2.0), [], 2), "the width is 2.0; expected an integer >= 1"),
        (((2, 2), [], 0), "labels is 0; expected an integer >= 1"),
        (((2, 2), [], 3, 1.0, np.zeros((2, 2, 2))), r"unaries have shape \(2, 2, 2\); expected \(2, 2, 3\)"),
    ],
)
def test_a_wrong_image_is_refused_in_words(arguments, words):
    with pytest.raises(InvalidModel, match=words):
        Tomography(*arguments)


def test_huge_finite_costs_are_forbidden_and_counted():
    model = square(([0, 1], [0, 1e30, 1]))
    assert model.ray_cost(0).tolist() == [0, INF, 1]
    assert model.n_forbidden_read == model.facts()["ray_costs_read_as_forbidden"] == 1


def test_a_model_does_not_change():
    pixels, costs = np.array([0, 1]), np.array([0.0, 1.0])
    model = square((pixels, costs))
    pixels[0], costs[0] = 3, 7
    assert model.energy([0, 0, 0, 0]) == 0
    with pytest.raises(ValueError, match="read-only"):
        model.ray_costs[0] = 1
    with pytest.raises(AttributeError, match="a model does not change"):
        model.n_rays = 3


def test_facts_and_summary_tell_the_projections():
    model = square(([0, 1, 2], 3), ([0], [0, 0.5]))
    facts = model.facts()
    assert (facts["rays"], facts["hard_rays"], facts["soft_rays"]) == (2, 1, 1)
    assert facts["ray_lengths"] == [1, 3]
    assert facts["pixels_in_no_ray"] == 1
    assert facts["variables"] == 4
    assert "projections     1 hard, 1 soft; 1 to 3 pixels each" in model.summary()
    assert "costs of sums   0 to 0.5" in model.summary()
    assert repr(model) == "Tomography(4 variables, 4 edges, 2 rays)"


def test_conditioning_and_scaling_keep_the_projections():
    model = square(([0, 1], [1, 2, INF, 0]), smoothness=0.5)
    assert model.scaled(2).energy([0, 1, 0, 0]) == 2 * model.energy([0, 1, 0, 0])
    assert model.condition({0: 2}).energy([0, 1, 0, 0]) == INF
    assert model.condition({0: 2}).energy([2, 1, 0, 0]) == model.energy([2, 1, 0, 0])


def test_without_rays_it_is_the_field():
    model = square()
    assert model.n_rays == 0
    assert model.energy([0, 1, 2, 0]) == model.field.energy([0, 1, 2, 0])
    assert model.contradiction() is None
    assert model.ray_sums([0] * 4).tolist() == model.violations([0] * 4).tolist() == []
    assert "projections     none" in model.summary()


def test_directions_with_different_totals_contradict_each_other():
    model = square(([0, 1], 1), ([2, 3], 2), ([0, 2], 2), ([1, 3], 2))
    assert model.contradiction() == (
        "rays 0 to 1 give all pixels together a total of 3, rays 2 to 3 a total of 4; no image has both"
    )


def test_soft_rays_contradict_each_other_only_if_no_allowed_sums_agree():
    rows = [([0, 1], [0, 1]), ([2, 3], [0, 1])]
    assert square(*rows, ([0, 2], 1), ([1, 3], [INF, 1, 1])).contradiction() is None
    words = square(*rows, ([0, 2], 1), ([1, 3], [INF, INF, 1])).contradiction()
    assert words == (
        "rays 0 to 1 give all pixels together a total from 0 to 2, rays 2 to 3 a total of 3; "
        "no image has both"
    )


def test_pixels_outside_a_direction_may_have_any_allowed_label():
    assert square(([0, 1], 0), ([0, 2], 2), ([1, 3], 2)).contradiction() is None
    assert square(([0, 1], 4), ([2], 1), ([0, 2], 1), ([1, 3], 1)).contradiction() is not None


def test_equal_pixels_with_different_sums_contradict_each_other():
    words = "rays 0, 2 give all pixels together a total of 1, rays 1, 3 a total of 2"
    assert words in square(([0, 1], 1), ([1, 0], 2), ([2, 3], 0), ([3, 2], 0)).contradiction()


def test_a_ray_that_allows_no_sum_is_a_contradiction():
    assert square(([0], 0), ([1], [INF, INF])).contradiction() == "ray 1 allows no sum at all"


def test_a_sum_that_the_allowed_labels_cannot_have_is_a_contradiction():
    unaries = np.zeros((2, 2, 3))
    unaries[0, :, 2] = INF
    model = square(([0, 1], 3), unaries=unaries)
    assert model.contradiction() == (
        "ray 0 requires a sum of 3, but the allowed labels of its pixels sum to at least 0 and at most 2"
    )


def test_a_variable_without_allowed_label_is_a_contradiction():
    unaries = np.zeros((2, 2, 3))
    unaries[1, 0] = INF
    assert square(unaries=unaries).contradiction() == "every label of variable 2 is forbidden"


@given(st.data())
def test_a_model_with_a_solution_has_no_contradiction(data):
    height, width, k = (data.draw(st.integers(1, 4)) for _ in range(3))
    n = height * width
    image = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    subsets = data.draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1).map(sorted), max_size=8))
    model = Tomography((height, width), [(pixels, int(image[pixels].sum())) for pixels in subsets], k)
    assert model.contradiction() is None
    assert model.violations(image).tolist() == [0] * len(subsets)
    assert model.energy(image) == model.field.energy(image)
