"""Phantoms: images with few grey values, satisfied projections, and the same for the same seed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reference_instances import FOLDER, entries, needed

from fwmap import datasets
from fwmap.datasets.phantoms import measured, quantised, random_objects_image, shepp_logan_image
from fwmap.errors import InvalidSetting

MAKE = {
    "shepp_logan": lambda **settings: datasets.shepp_logan(20, **settings),
    "random_objects": lambda **settings: datasets.random_objects(12, **settings),
}


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("directions", [2, 4, 6, [(1, 3)]])
def test_the_truth_satisfies_exact_projections(name, directions):
    data = MAKE[name](directions=directions)
    assert not data.model.violations(data.truth).any()
    assert math.isfinite(data.model.energy(data.truth))
    assert data.model.contradiction() is None
    assert data.model.facts()["soft_rays"] == 0


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_the_same_seed_gives_the_same_problem(name, noise):
    first, second = (MAKE[name](noise=noise, seed=4) for _ in range(2))
    assert np.array_equal(first.truth, second.truth)
    assert np.array_equal(first.model.ray_costs, second.model.ray_costs)
    assert (first.name, first.description) == (second.name, second.description)


@pytest.mark.parametrize("name", MAKE)
def test_another_seed_gives_other_noise(name):
    first, second = (MAKE[name](noise=0.5, seed=seed) for seed in (1, 2))
    assert not np.array_equal(first.model.ray_costs, second.model.ray_costs)
    assert first.model.facts()["hard_rays"] == 0
    assert math.isfinite(first.model.energy(first.truth))


def test_another_seed_gives_other_objects():
    images = [random_objects_image(32, 0.5, 3, seed) for seed in range(4)]
    assert all(not np.array_equal(images[i], images[j]) for i in range(4) for j in range(i))


@pytest.mark.parametrize("density", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_the_density_of_random_objects_is_met_to_a_pixel(density):
    image = random_objects_image(32, density, 3, seed=7)
    assert np.count_nonzero(image) == round(density * 32 * 32)
    assert set(np.unique(image)) <= {0, 1, 2}


@pytest.mark.parametrize("labels", [2, 3, 4, 5, 6])
def test_the_head_has_all_its_grey_values(labels):
    assert np.unique(shepp_logan_image(128, labels)).tolist() == list(range(labels))


def test_the_head_is_a_skull_around_a_brain_at_any_size():
    for size in (48, 200):
        head = shepp_logan_image(size, 3)
        middle = head[:, size // 2]
        assert middle[0] == middle[-1] == 0
        assert middle[np.flatnonzero(middle)[[0, -1]]].tolist() == [2, 2]
        assert (np.bincount(head.reshape(-1)) / size**2)[1] == pytest.approx(0.327, abs=0.02)


def test_pictures_have_the_shape_of_the_image_and_eight_bits():
    picture = datasets.shepp_logan(30, labels=3).pictures["phantom"]
    assert picture.shape == (30, 30)
    assert np.unique(picture).tolist() == [0, 128, 255]


def test_values_are_cut_where_it_is_said():
    assert quantised([0.0, 0.5, 0.6, 2.0], [0.5, 1.0]).tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: datasets.shepp_logan(0), "size is 0; expected an integer >= 1"),
        (lambda: datasets.shepp_logan(8, labels=1), "labels is 1; expected an integer >= 2"),
        (lambda: datasets.shepp_logan(8, labels=7), "labels is 7; expected at most 6"),
        (lambda: datasets.shepp_logan(8, noise=-1), "noise is -1; expected a standard deviation >= 0"),
        (lambda: datasets.random_objects(8, density=1.5), "density is 1.5; expected a share from 0 to 1"),
        (lambda: measured(np.eye(2, dtype=int), 2, 2, "", "", noise=math.nan), "noise is nan"),
    ],
)
def test_wrong_settings_are_refused_in_words(make, words):
    with pytest.raises(InvalidSetting, match=words):
        make()


@needed
@pytest.mark.parametrize("entry", entries("tomography", lambda entry: "shepp" in entry["name"]))
def test_the_head_is_that_of_the_reference_instances(entry):
    truth = np.load(FOLDER / entry["truth"])
    assert np.array_equal(shepp_logan_image(len(truth), 3), truth)
