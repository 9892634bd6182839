"""Generated problems: documented, of the size asked for, and the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

import fwmap
from fwmap import datasets
from fwmap.errors import InvalidSetting
from fwmap.models import MRF

SMALL = {
    "denoising": lambda seed=0: datasets.denoising(9, 12, labels=5, seed=seed),
    "stereo": lambda seed=0: datasets.stereo(10, 14, disparities=4, seed=seed),
    "ising": lambda seed=0: datasets.ising(4, 5, seed=seed),
    "side_chains": lambda seed=0: datasets.side_chains(6, 4, clashes=0.5, seed=seed),
    "tree": lambda seed=0: datasets.tree(9, 3, seed=seed),
    "noisy_or": lambda seed=0: datasets.noisy_or(7, 9, seed=seed),
    "keypoints": lambda seed=0: datasets.keypoints(6, 2, seed=seed),
}


def arrays_of(model: MRF) -> dict[str, np.ndarray]:
    return {name: value for name, value in vars(model).items() if isinstance(value, np.ndarray)}


@pytest.mark.parametrize("name", SMALL)
def test_the_same_seed_gives_the_same_model(name):
    first, second = SMALL[name](seed=3), SMALL[name](seed=3)
    for attribute, values in arrays_of(first.model).items():
        assert np.array_equal(values, arrays_of(second.model)[attribute]), attribute
    assert first.description == second.description


@pytest.mark.parametrize("name", SMALL)
def test_another_seed_gives_another_model(name):
    first, second = arrays_of(SMALL[name](seed=3).model), arrays_of(SMALL[name](seed=4).model)
    assert any(not np.array_equal(first[attribute], second[attribute]) for attribute in first)


@pytest.mark.parametrize("name", SMALL)
def test_the_truth_is_a_labeling_of_finite_energy(name):
    data = SMALL[name]()
    if data.truth is not None:
        assert np.isfinite(data.model.energy(data.truth))


def test_every_generator_is_tested():
    phantoms = {"random_objects", "shepp_logan"}  # in test_datasets_phantoms.py
    assert set(SMALL) == set(datasets.__all__) - {"AnyDataset", "Dataset"} - phantoms


def test_side_chains_have_forbidden_entries_and_a_feasible_labeling():
    data = datasets.side_chains(5, 3, clashes=0.9, seed=1)
    assert data.model.facts()["forbidden_table_entries"] > 0
    labelings = np.stack(np.meshgrid(*[range(3)] * 5, indexing="ij"), axis=-1).reshape(-1, 5)
    assert any(np.isfinite(data.model.energy(labeling)) for labeling in labelings)


def test_a_tree_is_connected_and_has_no_cycle():
    model = datasets.tree(40, 2, seed=5).model
    parent = list(range(40))

    def root(node):
        while parent[node] != node:
            node = parent[node]
        return node

    for first, second in model.edges.tolist():
        assert root(first) != root(second)
        parent[root(first)] = root(second)
    assert model.n_edges == 39


def test_the_energy_of_an_ising_grid_is_that_of_its_spins():
    data = datasets.ising(2, 3, field=0, couplings="signs", seed=2)
    aligned = data.model.energy([0] * 6)
    assert aligned == data.model.energy([1] * 6)  # without a field nothing tells up from down
    assert abs(aligned) <= data.model.n_edges
    assert aligned % 2 == data.model.n_edges % 2


def test_the_right_view_shows_what_the_left_one_does_at_the_true_disparity():
    data = datasets.stereo(30, 40, disparities=6, noise=0.0001)
    depth = data.truth.reshape(30, 40)
    left, right = (data.pictures[name].astype(int) for name in ("left view", "right view"))
    rows, columns = np.nonzero(np.arange(40)[None, :] >= depth)
    agree = np.abs(left[rows, columns] - right[rows, columns - depth[rows, columns]]) <= 1
    assert agree.mean() > 0.85  # the rest is hidden behind something nearer


@pytest.mark.parametrize("smoothness", ["potts", "linear", "quadratic"])
def test_denoising_takes_every_smoothness(smoothness):
    assert datasets.denoising(4, 5, labels=3, smoothness=smoothness).model.image_shape == (4, 5)


def test_a_large_picture_keeps_its_costs_structured():
    model = datasets.denoising(64, 64, labels=16, smoothness="potts").model
    assert len(model.table_values) == 0


@pytest.mark.parametrize(
    ("make", "subject"),
    [
        (lambda: datasets.denoising(0, 5), "height is 0"),
        (lambda: datasets.denoising(5, 5, labels=300), "labels is 300"),
        (lambda: datasets.denoising(5, 5, noise=0), "noise is 0"),
        (lambda: datasets.denoising(5, 5, smoothness="cubic"), "smoothness is 'cubic'"),
        (lambda: datasets.side_chains(clashes=1), "clashes is 1"),
        (lambda: datasets.ising(couplings="none"), "couplings is 'none'"),
        (lambda: datasets.noisy_or(diseases=2), "diseases is 2"),
        (lambda: datasets.noisy_or(prior=0), "prior is 0"),
        (lambda: datasets.tree(nodes=1.5), "nodes is 1.5"),
    ],
)
def test_a_size_that_makes_no_sense_is_refused_by_name(make, subject):
    with pytest.raises(InvalidSetting, match=subject):
        make()


def test_points_without_noise_worth_speaking_of_are_matched_as_they_were_made():
    data = datasets.keypoints(10, 3, noise=0.003, seed=2)
    result = fwmap.solve(data.model)
    assert result.status == "optimal"
    assert result.labeling.tolist() == data.truth.tolist()
