"""The experiments page says what the recorded runs say, which hold nothing that is not ours."""

import sys
from pathlib import Path

import pytest

from fwmap.bench.records import read_runs

FOLDER = Path(__file__).parents[2] / "benchmarks" / "experiments"


@pytest.fixture(scope="module")
def page():
    """The page's maker, which imports its neighbours by their plain names."""
    sys.path.insert(0, str(FOLDER))
    try:
        import page
    finally:
        sys.path.remove(str(FOLDER))
    return page


@pytest.fixture(scope="module")
def runs(page):
    return read_runs([page.PACKED])


def test_the_tables_of_the_page_are_those_of_the_recorded_runs(page, runs):
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.made(text, runs) == text, "run python benchmarks/experiments/page.py"


def test_every_table_is_on_the_page_and_every_picture_exists(page):
    text = page.PAGE.read_text(encoding="utf-8")
    assert {found[2] for found in page.BLOCK.finditer(text)} == set(page.TABLES)
    for name in ("bounds", "weights", "gap"):
        assert f"images/experiments_{name}.png" in text
        assert (page.IMAGES / f"experiments_{name}.png").read_bytes().startswith(b"\x89PNG")


def test_a_number_that_changes_is_noticed(page, runs):
    text = page.PAGE.read_text(encoding="utf-8")
    other = [dict(run, trace={**run["trace"], "lower_bound": [-1e9]}, bound=-1e9) for run in runs]
    other = [run | {"trace": {"cpu_seconds": [0.01], "lower_bound": [-1e9]}} for run in other]
    assert page.made(text, other) != text


def test_records_hold_times_and_bounds_and_no_costs_or_labelings(page, runs):
    import pack

    assert runs
    for run in runs:
        assert set(run) <= {*pack.KEPT, "trace"}
        assert set(run["trace"]) <= set(pack.COLUMNS)
        assert all(len(values) <= pack.ROWS + 1 for values in run["trace"].values())
    assert page.PACKED.stat().st_size < 3e6


def test_bounds_of_all_methods_bound_one_optimum(page, runs):
    """No method's bound is above what HiGHS says is the relaxation's optimum."""
    solved = {run["instance"]: run["bound"] for run in runs if run["method"] == "highs" and run["bound"]}
    for run in page.compared(runs):
        if run["instance"] in solved and run["bound"] is not None:
            optimum = solved[run["instance"]]
            assert run["bound"] <= optimum + 1e-6 * max(1.0, abs(optimum))
