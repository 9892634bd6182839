"""Tomography on the command line: an image in, its reconstruction and pictures of it out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fwmap import formats
from fwmap.datasets.phantoms import random_objects_image

plot = pytest.importorskip("matplotlib.image")


@pytest.fixture
def image(tmp_path):
    """An image of 10 x 12 pixels that its rows, columns and diagonals determine."""
    path = tmp_path / "rings.npy"
    picture = np.zeros((10, 12), dtype=np.uint8)
    picture[2:8, 3:9], picture[4:6, 5:7] = 1, 2
    np.save(path, picture)
    return path


def test_an_image_is_measured_and_its_problem_and_pictures_are_written(fwmap_command, image, tmp_path):
    folder, instance = tmp_path / "pictures", tmp_path / "rings.uai"
    done = fwmap_command(
        "tomography",
        image,
        "--folder",
        folder,
        "--instance",
        instance,
        "--time-limit",
        60,
        "--iterations",
        300,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    truth = np.load(image).astype(np.int64)
    model = formats.read(instance).model
    assert (result["image_shape"], result["rays"]) == ([10, 12], 10 + 12 + 21 + 21)
    assert model.n_rays == result["rays"]
    assert result["energy_of_the_image"] == model.energy(truth)
    assert result["lower_bound"] <= model.energy(truth) + 1e-9
    written = {path.name for path in folder.iterdir()}
    assert {"rings_4_error.png", "rings_4_curve.png"} <= written
    assert ("rings_4_reconstruction.png" in written) == (result["labeling"] is not None)
    if result["labeling"] is not None:
        found = np.reshape(result["labeling"], (10, 12))
        assert model.energy(found) == result["energy"] < np.inf
        assert result["pixels_that_differ"] == np.count_nonzero(found != truth)
        drawn = np.round(plot.imread(folder / "rings_4_reconstruction.png")[..., 0] * 2)
        assert drawn.tolist() == found.tolist()


def test_a_png_is_read_by_its_brightness(fwmap_command, tmp_path):
    path = tmp_path / "grey.png"
    truth = random_objects_image(8, 0.4, 3, seed=2)
    plot.imsave(path, truth, cmap="gray", vmin=0, vmax=2)
    assert formats.read_image(path, 3).tolist() == truth.tolist()
    done = fwmap_command(
        "tomography",
        path,
        "--directions",
        "0,1 1,0",
        "--iterations",
        5,
        "--quiet",
        "--folder",
        tmp_path / "out",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["rays"] == 16


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["absent.png"], "absent.png: there is no such file; expected one, or shepp-logan or random-objects"),
        (["shepp-logan", "--directions", "0"], "expected a number >= 1, or pairs of integers"),
        (["shepp-logan", "--directions", "1,0 2,0"], "expected different directions"),
        (["shepp-logan", "--levels", "1"], "--levels is 1; expected an integer >= 2"),
        (["shepp-logan", "--noise", "-1"], "expected a standard deviation >= 0"),
    ],
)
def test_nonsense_is_refused_in_words(fwmap_command, options, words):
    done = fwmap_command("tomography", *options)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (np.array([[0, 1], [2, 3]]), "row 1, column 1 is 3; expected an integer from 0 to 2"),
        (np.array([[0.5, np.nan]]), "row 0, column 1 is nan; expected a brightness from 0 to 1"),
        (np.array([0, 1]), "shape (2,); expected (height, width)"),
        (np.array([["a"]]), "expected integers or floating point"),
    ],
)
def test_arrays_that_are_no_image_are_refused_in_words(tmp_path, content, words):
    np.save(tmp_path / "image.npy", content)
    with pytest.raises(formats.FormatError) as caught:
        formats.read_image(tmp_path / "image.npy", 3)
    assert words in str(caught.value)


@pytest.mark.parametrize("kind", ["png", "npy"])
def test_a_file_that_ends_early_is_refused(tmp_path, kind):
    whole = tmp_path / f"whole.{kind}"
    if kind == "png":
        plot.imsave(whole, np.eye(9), cmap="gray")
    else:
        np.save(whole, np.eye(9, dtype=int))
    half = tmp_path / f"half.{kind}"
    half.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    with pytest.raises(formats.FormatError, match=r"half\.(png|npy)"):
        formats.read_image(half, 3)
