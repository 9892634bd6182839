"""Exported linear programmes, solved by HiGHS: their optima are the relaxation's and the model's."""

import itertools
import math

import numpy as np
import pytest
from matchings import optimum as least_energy_of_matching
from matchings import random_matching
from zoo import frustrated_triangle, optimum, random_model

import fwmap
from fwmap import formats
from fwmap.cli import main
from fwmap.errors import InvalidModel, InvalidSetting
from fwmap.linear_program import linear_program
from fwmap.linear_program.by_highs import solve_by_highs

highspy = pytest.importorskip("highspy")


def optimum_by_highs(path):
    """What HiGHS reads from a file, and finds; inf where nothing is feasible."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.run()
    if highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return math.inf
    assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return highs.getInfo().objective_function_value


def tomography(seed, soft=False):
    """A small image of three grey values with its rows and columns, and a label that is forbidden."""
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 3, (2, 3))
    pixels = np.arange(6).reshape(2, 3)
    rays = [(pixels[row], image[row].sum()) for row in range(2)]
    rays += [(pixels[:, column], image[:, column].sum()) for column in range(3)]
    if soft:
        rays = [(own, 0.7 * np.abs(np.arange(2 * len(own)) - total)) for own, total in rays]
    unaries = rng.normal(size=(2, 3, 3))
    unaries[0, 0, (image[0, 0] + 1) % 3] = math.inf
    return fwmap.Tomography((2, 3), rays, labels=3, smoothness=0.8, unaries=unaries, constant=-2.5)


def models():
    """One of each kind: loose, with forbidden entries, parallel edges, factors and constants."""
    rng = np.random.default_rng
    yield "triangle", frustrated_triangle()
    yield "forbidden", random_model(rng(4), "grid", 9, 3, forbidden=0.1, constant=3.25)
    yield "parallel", random_model(rng(3), "parallel", 5, 3, forbidden=0.05)
    yield "factors", random_model(rng(3), "sparse", 6, 2, factors=5)
    yield "structured", random_model(rng(4), "complete", 6, 3, kinds=("potts", "linear", "quadratic"))
    yield "hard rays", tomography(5)
    yield "soft rays", tomography(6, soft=True)
    yield "partial matching", random_matching(rng(7), 4, 3)
    yield "perfect matching", random_matching(rng(8), 4, 4, share=0.9, matching="perfect")


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
@pytest.mark.parametrize(("name", "model"), [pytest.param(*each, id=each[0]) for each in models()])
def test_the_optimum_of_the_relaxation_is_the_bound(name, model, suffix, tmp_path):
    path = tmp_path / f"relaxation{suffix}"
    formats.write(model, path)
    result = fwmap.solve(model, iterations=4000, gap=0.0, primal=False, tighten=False)
    expected = optimum_by_highs(path)
    assert math.isfinite(expected)
    assert result.bound == pytest.approx(expected, abs=1e-5 * max(1.0, abs(expected)))
    assert result.bound <= expected + 1e-7 * max(1.0, abs(expected))


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
@pytest.mark.parametrize(("name", "model"), [pytest.param(*each, id=each[0]) for each in models()])
def test_the_optimum_of_the_integer_programme_is_the_model_s(name, model, suffix, tmp_path):
    path = tmp_path / f"integer{suffix}"
    assert formats.write(model, path, integer=True)["integer"]
    expected = least_energy(model)
    assert math.isfinite(expected)
    assert optimum_by_highs(path) == pytest.approx(expected, abs=1e-6)


def least_energy(model):
    if isinstance(model, fwmap.GraphMatching):
        return least_energy_of_matching(model)
    if isinstance(model, fwmap.Tomography):
        return min(model.energy(labels) for labels in itertools.product(range(3), repeat=6))
    return optimum(model)


def test_what_allows_nothing_is_infeasible_for_others_too(tmp_path):
    model = fwmap.MRF([[math.inf, math.inf], [0.0, 1.0]], [(0, 1)], np.zeros((2, 2)))
    formats.write(model, tmp_path / "a.lp")
    assert optimum_by_highs(tmp_path / "a.lp") == math.inf
    with pytest.raises(InvalidModel, match="constant of the model is forbidden"):
        linear_program(fwmap.MRF([[0.0]], constant=math.inf))


def test_a_ray_is_exact_where_its_sum_alone_would_not_be():
    """Two pixels that sum to 1 cannot be (half 0, half 2) and 0: the flow through the sums forbids it."""
    unaries = np.array([[[0.0, 5.0, -9.0], [0.0, 5.0, 9.0]]])
    model = fwmap.Tomography((1, 2), [([0, 1], 1)], labels=3, smoothness=0.0, unaries=unaries)
    assert solve_by_highs(linear_program(model), cpu_limit=60).objective == pytest.approx(5.0)


def test_fwmap_convert_writes_both_programmes_and_says_how_large(tmp_path, capsys):
    model = fwmap.MRF(np.zeros((3, 2)), [(0, 1), (1, 2)], fwmap.Potts(1.0))
    source = tmp_path / "a.npz"
    formats.write(model, source)
    for options in ([], ["--integer"]):
        assert main(["convert", str(source), str(tmp_path / "a.lp.gz"), *options]) == 0
    assert "integer programme of 14 columns and 11 rows" in capsys.readouterr().err
    with pytest.raises(InvalidSetting, match="integer programmes"):
        formats.write(model, tmp_path / "b.uai", write_as="costs", integer=True)


def test_linear_programmes_are_not_read(tmp_path):
    formats.write(frustrated_triangle(), tmp_path / "a.mps")
    with pytest.raises(fwmap.FormatError, match="only written"):
        formats.read(tmp_path / "a.mps")
