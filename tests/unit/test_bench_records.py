"""Recorded runs: files that may be cut anywhere, and the tables and figures made of them."""

import json
import math

import numpy as np
import pytest

import fwmap
from fwmap.bench.instances import Instance
from fwmap.bench.jobs import Job
from fwmap.bench.methods import Method
from fwmap.bench.records import RunFile, read_runs
from fwmap.bench.suites import SUITES
from fwmap.bench.tables import average_table, instance_table, leader_table, leaders, marked, tables
from fwmap.bench.traces import average, common_times, known_at, thinned
from fwmap.bench.worker import sizes_of, speed

SETTINGS = {"primal": False}


def run(instance, dataset, method, points, status="interrupted", repetition=0, nodes=4):
    """A run as it is recorded, from points (CPU seconds, bound)."""
    times, bounds = [time for time, _ in points], [bound for _, bound in points]
    return {
        "instance": instance,
        "dataset": dataset,
        "kind": "mrf",
        "method": method,
        "repetition": repetition,
        "cpu_limit": 10.0,
        "calibration": None,
        "speed": 1.0,
        "given": SETTINGS,
        "version": "1",
        "sizes": {"n_nodes": nodes, "n_edges": 7},
        "status": status,
        "reason": "no labels",
        "bound": bounds[-1] if bounds else None,
        "cpu_seconds": times[-1] if times else None,
        "trace": {
            "cpu_seconds": times,
            "lower_bound": bounds,
            "A": [1.0] * len(times),
            "B": [2.0] * len(times),
        },
        "machine": {"processor": "a processor", "cores": 2, "calibration_seconds": [0.01, 0.02]},
    }


RUNS = [
    run("a", "first", "fwmap", [(0.2, -3.0), (2.0, -1.0)]),
    run("a", "first", "subgradient", [(0.1, -2.0), (2.0, -1.5)]),
    run("a", "first", "message-passing", [(0.1, -2.5), (0.2, -1.0 - 1e-9)]),
    run("b", "first", "fwmap", [(0.2, -3.0), (9.0, -3.0)], nodes=6),
    run("b", "first", "subgradient", [(0.1, -4.0), (9.0, -3.5)], nodes=6),
    run("b", "first", "message-passing", [(0.1, -8.0), (0.2, -7.0)], nodes=6),
    run("c", "second", "fwmap", [(1.0, 5.0)]),
    run("c", "second", "subgradient", [(1.0, 4.0)]),
    run("c", "second", "message-passing", [], status="not_applicable"),
]
METHODS = ["fwmap", "subgradient", "message-passing"]


def job(instance="a", method="fwmap", repetition=0, limit=10.0):
    return Job(Instance(instance, "first", "mrf"), Method.parse(method), limit, repetition, SETTINGS)


def test_a_run_is_known_by_instance_method_limit_repetition_and_settings(tmp_path):
    file = RunFile(tmp_path / "runs.jsonl")
    assert not file.has(job())
    file.append(RUNS[0])
    assert file.has(job())
    assert RunFile(file.path).has(job())
    assert not any(file.has(other) for other in (job("b"), job(repetition=1), job(limit=11.0)))
    assert not file.has(job(method="fwmap:proximal_weight=3"))


@pytest.mark.parametrize("cut", [1, 40, 10_000])
def test_a_line_that_was_cut_is_dropped_and_the_file_goes_on(cut, tmp_path):
    file = RunFile(tmp_path / "runs.jsonl")
    for each in RUNS[:3]:
        file.append(each)
    content = file.path.read_bytes()
    last = content[:-1].rfind(b"\n") + 1
    file.path.write_bytes(content[: min(len(content) - 1, last + cut)])
    again = RunFile(file.path)
    assert again.runs == RUNS[:2]
    again.append(RUNS[2])
    assert file.path.read_bytes() == content


def test_a_line_that_is_no_run_is_refused_by_its_number(tmp_path):
    (tmp_path / "runs.jsonl").write_text(json.dumps(RUNS[0]) + "\n{}\n")
    with pytest.raises(fwmap.FormatError, match="line 2: expected a run"):
        RunFile(tmp_path / "runs.jsonl")


def test_runs_of_several_files_are_one_list_and_equal_runs_one_run(tmp_path):
    RunFile(tmp_path / "a.jsonl").append(RUNS[0])
    newer = RunFile(tmp_path / "b.jsonl")
    for each in (dict(RUNS[0], bound=0.5), RUNS[1]):
        newer.append(each)
    runs = read_runs([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert [each["bound"] for each in runs] == [0.5, -1.5]


def test_what_is_known_at_a_time_is_the_last_row_before_it():
    times = np.array([0.1, 0.2, 5.0])
    assert known_at(RUNS[0], "lower_bound", times).tolist()[1:] == [-3.0, -1.0]
    assert math.isnan(known_at(RUNS[0], "lower_bound", times)[0])
    mean = average([RUNS[0], RUNS[3]], "lower_bound", times)
    assert math.isnan(mean[0])
    assert mean[1:].tolist() == [-3.0, -2.0]
    assert common_times(RUNS)[[0, -1]] == pytest.approx([0.1, 9.0])


def test_the_average_table_has_the_best_in_bold_and_a_dagger_where_a_method_does_not_apply():
    lines = list(average_table(RUNS, METHODS))
    assert lines[2] == "| first | 2 | 4-6 | 7 | **-2.00000** | -2.50000 | -4.00000 |"
    assert lines[3] == "| second | 1 | 4 | 7 | **5.00000** | 4.00000 | † |"


def test_bounds_that_are_equal_up_to_a_millionth_are_all_bold():
    lines = list(instance_table(RUNS, METHODS))
    assert lines[3] == "| a | **-1.00000** | -1.50000 | **-1.00000** |"
    assert marked([None, 2.0, "†"]) == ["–", "**2.00000**", "†"]


def test_repetitions_are_averaged():
    runs = [run("a", "d", "fwmap", [(1.0, value)], repetition=i) for i, value in enumerate((1.0, 2.0))]
    assert "| a | **1.50000** |" in list(instance_table(runs, ["fwmap"]))


def test_who_leads_is_told_for_each_moment_even_where_it_is_not_us():
    first = [each for each in RUNS if each["dataset"] == "first"]
    assert leaders(first, METHODS, [0.05, 0.15, 0.25, 9.5]) == [
        [],
        ["subgradient"],
        ["fwmap", "subgradient"],
        ["fwmap"],
    ]


def test_nobody_leads_after_the_limit_of_a_dataset():
    shorter = [dict(each, cpu_limit=1.0) for each in RUNS[-3:]]
    lines = list(leader_table([*RUNS[:-3], *shorter], METHODS))
    assert lines[0] == "| dataset | 0.1 s | 0.3 s | 1 s | 3 s | 10 s |"
    assert lines[2].endswith("| `fwmap` |")
    assert lines[3] == "| second | – | – | `fwmap` | – | – |"


def test_all_tables_name_the_machine_and_every_dataset():
    text = tables(RUNS)
    assert "a processor" in text
    assert text.count("first") == 3


def test_figures_are_drawn_from_recorded_runs(tmp_path):
    figures = pytest.importorskip("fwmap.bench.figures")
    pytest.importorskip("matplotlib")
    weights = [run("a", "first", f"fwmap:proximal_weight={c}", [(0.2, -9.0), (2.0, -c)]) for c in (1, 10)]
    drawn = figures.draw_all([*RUNS, *weights], tmp_path)
    assert [path.name for path in drawn] == ["bounds.png", "weights.png", "gap.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)


def test_a_thinned_trace_keeps_its_ends_and_true_rows():
    long = run("a", "d", "fwmap", [(0.001 * 1.01**k, float(k)) for k in range(1000)])
    thin = thinned(long, 50, ("cpu_seconds", "lower_bound"))
    assert list(thin) == ["cpu_seconds", "lower_bound"]
    assert thin["lower_bound"][0] == 0.0
    assert thin["lower_bound"][-1] == 999.0
    assert 40 <= len(thin["cpu_seconds"]) <= 50
    rows = dict(zip(thin["cpu_seconds"], thin["lower_bound"], strict=True))
    assert all(abs(0.001 * 1.01**bound - time) < 1e-9 * time + 1e-12 for time, bound in rows.items())


def test_methods_that_no_solve_would_take_are_refused_in_words():
    for text, words in [
        ("nothing", "there is no solver 'nothing'"),
        ("fwmap:colour=1", "'colour'"),
        ("fwmap:proximal_weight=-1", "proximal_weight is -1"),
        ("fwmap:seed", "expected setting=value"),
        ("highs:seed=1", "there is no solver|expected"),
    ]:
        with pytest.raises(fwmap.InvalidSetting, match=words):
            Method.parse(text)


def test_instances_of_all_suites_have_names_of_their_own_and_can_be_made():
    for suite in SUITES.values():
        names = [instance.name for instance in suite.instances(None)]
        assert len(set(names)) == len(names)
    for instance in SUITES["quick"].instances(None):
        assert sizes_of(instance.load())["n_nodes"] > 0
    with pytest.raises(fwmap.InvalidSetting, match="no instance 'x'"):
        SUITES["quick"].instances(None, ["x"])


def test_the_speed_of_a_machine_is_the_mean_calibration_before_and_after_over_the_reference():

    assert speed({"calibration": 0.01}, [0.01, 0.03]) == pytest.approx(2.0)
    assert speed({"calibration": None}, [0.01, 0.03]) == 1.0
