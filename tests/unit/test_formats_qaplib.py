"""QAPLIB's files: free form in, exact numbers out, and errors that name the place."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fwmap import formats
from fwmap.errors import FormatError
from fwmap.formats.qaplib import energies_of
from fwmap.models import GraphMatching

LEFT, RIGHT = [[0, 1, 2], [3, 0, 4], [5, 6, 0]], [[7, 8, 9], [10, 11, 12], [13, 14, 15]]


def written(tmp_path, text, name="three.dat"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "3\n0 1 2\n3 0 4\n5 6 0\n\n7 8 9\n10 11 12\n13 14 15\n",
        "3 0 1 2 3 0 4 5 6 0 7 8 9 10 11 12 13 14 15",
        "\n 3\n0 1\n2 3 0 4 5\n6 0 7\n8 9 10 11\t12 13\r\n14\n15",
        "3 77\n0 1 2\n3 0 4\n5 6 0\n7 8 9\n10 11 12\n13 14 15\n",
    ],
)
def test_rows_wrap_as_they_like(tmp_path, text):
    loaded = formats.read(written(tmp_path, text))
    model = loaded.model
    assert loaded.format == "qaplib"
    assert loaded.facts.get("best_known") == (77 if "77" in text else None)
    assert (model.product.left.tolist(), model.product.right.tolist()) == (LEFT, RIGHT)
    p = [2, 0, 1]
    assert model.energy(p) == sum(LEFT[i][j] * RIGHT[p[i]][p[j]] for i in range(3) for j in range(3))
    assert model.matching == "perfect"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file ends; expected the number of points"),
        ("2.5 1", "found '2.5'; expected the number of points"),
        (
            "2\n0 1 1 0\n0 1 1",
            r"line 3: the file ends; expected entry \(1, 1\) of the matrix B: two of 2 by 2",
        ),
        ("2\n0 1 1 x", r"line 2: found 'x'; expected entry \(1, 1\) of the matrix A"),
        ("2\n0 1 1 0\n0 1 1 0 9", r"found '9' \(1 more numbers\) after two matrices of 2 by 2 numbers"),
        ("2\n0 nan 1 0\n0 1 1 0", "line 2: expected a finite number"),
        ("1000000\n1 2", "1000000 points on each side would take 1e.05 GB"),
    ],
)
def test_damaged_files_are_refused_with_the_place(tmp_path, text, message):
    from fwmap.errors import FwmapError

    with pytest.raises(FwmapError, match=message):
        formats.read(written(tmp_path, text))


def test_a_file_without_suffix_is_recognised(tmp_path):
    assert formats.read(written(tmp_path, "2\n0 1 1 0\n0 1 1 0", "instance")).format == "qaplib"


def test_what_is_written_reads_back_exactly(tmp_path):
    rng = np.random.default_rng(0)
    model = GraphMatching.from_koopmans_beckmann(rng.normal(size=(4, 4)), rng.integers(0, 1 << 40, (4, 4)))
    for name in ("four.dat.gz", "four.npz"):
        formats.write(model, tmp_path / name)
        back = formats.read(tmp_path / name).model
        assert formats.compare(model, back) == 0
        assert np.array_equal(back.product.left, model.product.left)
    formats.write(model, tmp_path / "four.dd")
    pairs = formats.read(tmp_path / "four.dd").model.with_matching("perfect")
    assert formats.compare(model, pairs) == 0


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (GraphMatching([(0, 0)], [0.0]), "no product of two matrices"),
        (GraphMatching.from_koopmans_beckmann([[0]], [[0, 1], [1, 0]]), "1 left and 2 right points, perfect"),
        (GraphMatching.from_koopmans_beckmann([[0]], [[0]], matching="partial"), "partial matching"),
        (GraphMatching.from_koopmans_beckmann([[1]], [[1]], [[2]]), "linear costs or a constant"),
    ],
)
def test_what_a_dat_file_cannot_hold_is_refused(tmp_path, model, message):
    with pytest.raises(FormatError, match=message):
        formats.write(model, tmp_path / "x.dat")


def test_solutions_are_read_with_commas_and_counted_from_one(tmp_path):
    model = formats.read(written(tmp_path, "3\n0 1 2\n3 0 4\n5 6 0\n7 8 9\n10 11 12\n13 14 15\n")).model
    solution = formats.read_solution(written(tmp_path, "3 5,\n 2, 3, 1\n", "three.sln"))
    assert (solution.value, solution.permutation.tolist()) == (5, [1, 2, 0])
    assert energies_of(model, solution) == (model.energy([1, 2, 0]), model.energy([2, 0, 1]))
    assert formats.read_solution(written(tmp_path, "2 5 1 0", "a.sln")).permutation.tolist() == [1, 0]
    with pytest.raises(FormatError, match="the 2 numbers are no permutation of 1 to 2, nor of 0 to 1"):
        formats.read_solution(written(tmp_path, "2 5 1 1", "b.sln"))
    with pytest.raises(FormatError, match="the solution has 2 points; expected 3"):
        energies_of(model, formats.read_solution(tmp_path / "a.sln"))


def test_matchings_are_kept_exactly_in_npz_files(tmp_path):
    points = np.random.default_rng(0).random((2, 2))
    model = GraphMatching(
        [(0, 1), (1, 0), (0, 0)],
        [0.1, np.inf, 0.3],
        [(0, 1)],
        [1 / 3],
        n_right=4,
        unassigned=[1.0, np.inf],
        left_points=points,
        constant=7.0,
        name="a name",
    )
    path = tmp_path / "kept.npz"
    formats.write(model, path)
    back = formats.read(path).model
    assert formats.compare(model, back) == 0
    assert (back.n_right, back.name, back.constant, back.right_points) == (4, "a name", 7.0, None)
    assert np.array_equal(back.left_points, points)
    assert np.array_equal(back.assignments, model.assignments)
    with np.load(path) as archive:
        arrays = dict(archive)
    arrays["costs"] = arrays["costs"][:2]
    np.savez(path, **arrays)
    with pytest.raises(FormatError, match="the arrays do not make a model: costs have shape"):
        formats.read(path)
    del arrays["pairs"]
    np.savez(path, **arrays)
    with pytest.raises(FormatError, match="the array pairs is missing"):
        formats.read(path)


def test_facts_of_products_are_plain_data_and_words():
    model = GraphMatching.from_koopmans_beckmann(LEFT, RIGHT)
    assert json.loads(json.dumps(model.facts()))["product"]["linked_left_points"] == 3
    assert "asymmetric, 7 values" in model.summary()
