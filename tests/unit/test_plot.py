"""Pictures: written for every kind of run, without touching Matplotlib's global state."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from fwmap import datasets
from fwmap.errors import InvalidModel, InvalidSetting
from fwmap.models import MRF, GraphMatching, Potts
from fwmap.plot import (
    check_can_plot,
    plot_before_and_after,
    plot_labeling,
    plot_matching,
    plot_run,
    plot_trace,
)
from fwmap.plot.canvas import new_figure
from fwmap.plot.matching import agreement, draw_matching
from fwmap.plot.trace import interesting_range
from fwmap.result import Result, TraceRow
from fwmap.settings import Settings

matplotlib = pytest.importorskip("matplotlib")

PNG = b"\x89PNG\r\n\x1a\n"


def rows(n: int, *, with_energy: bool = True) -> list[TraceRow]:
    return [
        TraceRow(
            seconds=0.01 * 1.2**i,
            cpu_seconds=0.01 * 1.2**i,
            work=float(i),
            iteration=5 * i,
            oracle_calls=10 * i,
            lower_bound=10.0 - 5.0 * 0.7**i,
            energy=10.0 + 3.0 * 0.5**i if with_energy and i > 1 else None,
            A=0.5**i,
            B=0.0,
            proximal_weight=1.0,
            planes=i,
        )
        for i in range(n)
    ]


def result_for(model: MRF, trace: list[TraceRow], *, labeled: bool = True) -> Result:
    labeling = np.zeros(model.n_nodes, dtype=np.int64) if labeled else None
    return Result(
        labeling=labeling,
        energy=None if labeling is None else model.energy(labeling),
        bound=-1.0,
        status="time_limit",
        proof=None,
        trace=trace,
        multipliers=[],
        marginals=[np.full(n, 1 / n) for n in model.n_labels],
        seconds=1.0,
        cpu_seconds=1.0,
        work=1.0,
        iterations=1,
        oracle_calls=1,
        peak_memory_bytes=1,
        relaxation_gap={"A": None, "B": None, "upper": None},
        settings=Settings(),
        version="0.1.0",
        instance="a name with $_$ and {braces}",
    )


@pytest.mark.parametrize("n", [0, 1, 2, 30])
def test_a_trace_of_any_length_is_drawn(tmp_path, n):
    plot_trace(rows(n), tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)


def test_a_trace_without_any_energy_is_drawn(tmp_path):
    plot_trace(rows(10, with_energy=False), tmp_path / "a.png")


@pytest.mark.parametrize("labeled", [True, False])
def test_a_run_on_an_image_shows_labeling_and_trace(tmp_path, labeled):
    model = datasets.denoising(6, 8, labels=4).model
    plot_run(result_for(model, rows(5), labeled=labeled), model, tmp_path / "a.png")
    plot_labeling(result_for(model, rows(5), labeled=labeled), model, tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)
    assert (tmp_path / "b.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize("shape", [(1, 1), (1, 50), (50, 1)])
def test_an_image_of_any_shape_is_drawn(tmp_path, shape):
    model = datasets.denoising(*shape, labels=3).model
    plot_labeling(result_for(model, []), model, tmp_path / "a.png")


def test_a_run_on_a_graph_shows_the_trace(tmp_path):
    model = MRF([[0, 1], [1, 0]], [(0, 1)], Potts(1))
    plot_run(result_for(model, rows(3)), model, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)


def test_the_labeling_of_a_graph_is_no_picture(tmp_path):
    model = MRF([[0, 1], [1, 0]], [(0, 1)], Potts(1))
    with pytest.raises(InvalidModel, match="no image"):
        plot_labeling(result_for(model, []), model, tmp_path / "a.png")


@pytest.mark.parametrize("data", [datasets.denoising(6, 8, labels=4), datasets.stereo(6, 8, disparities=3)])
def test_before_and_after_are_drawn(tmp_path, data):
    plot_before_and_after(data, result_for(data.model, []), tmp_path / "a.png", "a title")
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)


def test_global_settings_of_matplotlib_are_left_alone(tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams)
    plot_trace(rows(5), tmp_path / "a.png")
    assert dict(matplotlib.rcParams) == before


def test_matplotlib_is_not_imported_before_a_picture_is_asked_for():
    code = "import sys, fwmap.plot, fwmap.demo; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_kind_of_file_that_cannot_be_drawn_is_refused(tmp_path):
    with pytest.raises(InvalidSetting, match="cannot draw this kind of file"):
        check_can_plot(tmp_path / "a.docx")


def test_the_first_steep_steps_do_not_flatten_the_rest():
    bound = np.concatenate([[-1e6, -1e5], np.linspace(-2, -1, 40)])
    low, high = interesting_range(bound, np.zeros(42))
    assert low > -10
    assert high < 1


def matched(labeling, marginals):
    model = GraphMatching(
        [(0, 0), (0, 1), (1, 0), (1, 2)],
        [0.0] * 4,
        left_points=[(0, 0), (1, 0)],
        right_points=[(0, 0), (1, 1), (2, 5)],
    )
    result = replace(
        result_for(model.field, rows(6)),
        labeling=None if labeling is None else np.array(labeling),
        marginals=marginals,
    )
    return result, model


def test_y_of_a_match_is_that_of_its_label():
    result, model = matched([1, -1], [np.array([0.1, 0.7, 0.2]), np.array([0.3, 0.2, 0.5])])
    assert agreement(result, model, result.labeling).tolist() == [0.7, 0.5]
    assert agreement(replace(result, marginals=[]), model, result.labeling).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("labeling", [None, [1, -1], [0, 2], [-1, -1]])
def test_a_matching_is_drawn_with_a_line_for_each_match(labeling):
    result, model = matched(labeling, [np.full(3, 1 / 3)] * 2)
    axes = new_figure(2, 2).subplots()
    draw_matching(axes, result, model, truth=[1, 2])
    right, wrong = axes.collections[:2]
    made = [(i, a) for i, a in enumerate(labeling or []) if a >= 0]
    assert len(right.get_segments()) == sum(a == i + 1 for i, a in made)
    assert len(wrong.get_segments()) == sum(a != i + 1 for i, a in made)


def test_a_matching_is_drawn_between_images_and_above_its_trace(tmp_path):
    result, model = matched([1, -1], [np.full(3, 1 / 3)] * 2)
    image = np.zeros((6, 4))
    plot_matching(result, model, tmp_path / "images.png", left_image=image, right_image=image)
    plot_run(result, model, tmp_path / "run.png")
    for name in ("images", "run"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(PNG)


def test_a_matching_without_coordinates_is_drawn_as_a_trace_alone(tmp_path):
    model = GraphMatching([(0, 0)], [1.0])
    result = replace(result_for(model.field, rows(6)), labeling=np.zeros(1, np.int64))
    plot_run(result, model, tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes().startswith(PNG)
    with pytest.raises(InvalidModel, match="the model has no coordinates; expected left_points"):
        plot_matching(result, model, tmp_path / "no.png")
