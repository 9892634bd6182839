"""What a person sees while a solve runs and when it ends."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from fwmap.progress import Progress, live_line
from fwmap.result import STATUS_MEANING, Result, TraceRow
from fwmap.settings import Settings
from fwmap.summary import PROOF_MEANING, count, memory, number, seconds, small, summary


def row(**changes) -> TraceRow:
    values = {
        "seconds": 1.0,
        "cpu_seconds": 1.0,
        "work": 1e6,
        "iteration": 12500,
        "oracle_calls": 50000,
        "lower_bound": -1234567.891234,
        "energy": -1234567.123456,
        "A": 0.1,
        "B": 0.2,
        "proximal_weight": 1.5,
        "planes": 98765,
    }
    return TraceRow(**(values | changes))


def result(**changes) -> Result:
    values = {
        "labeling": None,
        "energy": -1.25,
        "bound": -1.5,
        "status": "time_limit",
        "proof": None,
        "trace": [],
        "multipliers": [],
        "marginals": [],
        "seconds": 12.3,
        "cpu_seconds": 12.1,
        "work": 1e9,
        "iterations": 1234,
        "oracle_calls": 56789,
        "peak_memory_bytes": 123_000_000,
        "relaxation_gap": {"A": 1e-5, "B": None, "upper": None},
        "settings": Settings(),
        "version": "0.1.0",
        "instance": "grid.uai",
    }
    return Result(**(values | changes))


def printed(renderable, width=80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, highlight=False).print(renderable)
    return stream.getvalue()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_the_live_line_fits_the_width(width):
    assert live_line(row(), 3599.0, 3600.0, width).cell_len <= width


def test_the_live_line_tells_iteration_bound_energy_gap_planes_and_time():
    line = live_line(row(), 12.34, 60, 120).plain
    for piece in ("12,500", "bound -1234568.", "energy -1234567.", "6.2e-07", "98k", "12.3/60 s"):
        assert piece in line


def test_the_live_line_of_an_ordinary_run_fits_a_terminal_of_eighty_columns_whole():
    line = live_line(row(lower_bound=-1795.3293, energy=-1336.16385), 12.34, None, 80).plain
    assert line == "iter 12,500  bound -1795.329  energy -1336.164  gap 3.4e-01  planes 98k  12.3 s"


def test_the_live_line_keeps_bound_energy_and_gap_where_space_is_short():
    line = live_line(row(), 12.34, 60, 64).plain
    assert "planes" not in line
    assert "12.3 s" in line
    assert "bound -1234568." in line
    assert "energy -1234567." in line
    assert "6.2e-07" in line


def test_the_live_line_knows_a_run_without_any_labeling():
    assert "energy -" in live_line(row(energy=None), 1.0, None, 80).plain


def test_before_the_first_point_the_live_line_says_so():
    assert live_line(None, 0.5, None, 80).plain.startswith("preparing")


@pytest.mark.parametrize("status", STATUS_MEANING)
def test_the_summary_says_what_the_status_means(status):
    text = printed(summary(result(status=status)))
    assert status.replace("_", " ") in text
    assert STATUS_MEANING[status] in " ".join(text.split())


@pytest.mark.parametrize("proof", PROOF_MEANING)
def test_the_summary_says_what_the_proof_is(proof):
    assert PROOF_MEANING[proof] in printed(summary(result(status="infeasible", proof=proof)))


@pytest.mark.parametrize("changes", [{}, {"energy": None, "bound": None}, {"notes": ["word " * 40]}])
def test_the_summary_fits_eighty_columns(changes):
    text = printed(summary(result(**changes)), width=200)
    assert max(len(line.rstrip("─").rstrip()) for line in text.splitlines()) <= 80
    assert "…" not in printed(summary(result(**changes)))


def test_the_summary_tells_every_number_once():
    text = printed(summary(result()))
    for piece in ("-1.25", "-1.5", "0.25", "12.3 s", "12.1 s", "1,234", "56,789", "123 MB", "1.00e-05"):
        assert text.count(f" {piece}") >= 1, piece


@pytest.mark.parametrize(
    ("upper", "words", "bounds_gap"),
    [(-1.5, "relaxation's own gap", "<= 0"), (-1.25, "more time may raise it", "<= 0.25"),
     (-1.4, "some of it is the bound's", "<= 0.1"), (None, None, "bound's gap     - ")],
)  # fmt: skip
def test_the_summary_tells_the_bound_s_gap_from_the_relaxation_s(upper, words, bounds_gap):
    text = " ".join(printed(summary(result(relaxation_gap={"A": 0.0, "B": 0.0, "upper": upper}))).split())
    assert " ".join(bounds_gap.split()) in text
    assert ("what is left" in text) == (words is not None)
    assert words is None or words in text


@pytest.mark.parametrize(("status", "words"), [("time_limit", "is not known"), ("converged", "own gap")])
def test_with_cycles_the_summary_does_not_guess_how_far_the_relaxation_reaches(status, words):
    """The labeling is the only point of it that is known."""
    upper = {"A": 0.0, "B": 0.0, "upper": -1.25}
    told = summary(result(status=status, relaxation_gap=upper, cycles=[np.array([0, 1, 2])]))
    text = " ".join(printed(told).split())
    assert words in text
    assert "may be far" not in text


def test_where_optimality_is_proved_nothing_is_left():
    proved = result(status="optimal", relaxation_gap={"A": 0.0, "B": 0.0, "upper": -1.25})
    assert "what is left" not in printed(summary(proved))


def test_the_summary_names_instance_and_size():
    model = SimpleNamespace(n_nodes=3, n_edges=1)
    text = printed(summary(result(), model))
    assert "grid.uai" in text
    assert "3 variables, 1 edge" in text


def test_nothing_is_drawn_while_it_runs_away_from_a_terminal():
    stream = io.StringIO()
    with Progress(report=False, file=stream) as progress:
        progress.start(None, Settings())
        progress.update(row())
        progress.finish(result())
    assert stream.getvalue() == ""


def test_the_summary_is_printed_away_from_a_terminal_without_colours():
    stream = io.StringIO()
    progress = Progress(file=stream)
    progress.start(None, Settings())
    progress.finish(result())
    assert "time limit" in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


def test_the_live_line_is_cleared_even_if_the_solve_fails(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with pytest.raises(RuntimeError), Progress(file=stream) as progress:  # noqa: PT012
        progress.start(None, Settings())
        progress.update(row())
        raise RuntimeError
    assert stream.getvalue().count("\x1b[?25l") == stream.getvalue().count("\x1b[?25h") == 1


def test_no_color_leaves_the_text_plain(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = Terminal()
    Progress(live=False, file=stream).finish(result())
    assert "\x1b[3" not in stream.getvalue()  # the codes of colours begin so


def test_a_progress_serves_several_solves():
    stream = io.StringIO()
    progress = Progress(file=stream)
    for _ in range(2):
        progress.start(None, Settings())
        progress.finish(result())
    assert stream.getvalue().count("grid.uai") == 2


def test_numbers_are_written_for_people():
    assert number(None) == small(None) == "-"
    assert number(1e22) == "1e+22"
    assert small(-12345.0) == "-1.23e+04"
    assert count(1000) == "1,000"
    assert seconds(61) == "61 s"
    assert seconds(125) == "2 min 05 s"
    assert memory(999) == "999 B"
    assert memory(2_500_000_000) == "2.5 GB"
