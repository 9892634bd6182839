"""Exit codes and error lines: what a script that calls `fwmap` relies on."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


def assert_refused(done, *pieces: str) -> None:
    """Exit code 2 and one line on standard error that holds all the pieces."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("fwmap: ")
    for piece in pieces:
        assert piece in lines[0]


def test_a_solved_instance_ends_with_0(fwmap_command, small):
    assert fwmap_command("solve", small).returncode == 0


@pytest.mark.parametrize("limit", [("--iterations", 1), ("--iterations", 0), ("--time-limit", 0)])
def test_a_limit_is_not_an_error(fwmap_command, endless, limit):
    done = fwmap_command("solve", endless, *limit)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == limit[0].strip("-").replace(
        "iterations", "iteration_limit"
    ).replace("time-limit", "time_limit")


def test_an_infeasible_instance_ends_with_1(fwmap_command, infeasible):
    done = fwmap_command("solve", infeasible)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["status"] == "infeasible"


def test_no_command_shows_the_help_and_ends_with_2(fwmap_command):
    done = fwmap_command()
    assert done.returncode == 2
    assert "solve" in done.stdout + done.stderr


def test_the_version_is_printed(fwmap_command):
    from importlib.metadata import version

    done = fwmap_command("--version")
    assert (done.returncode, done.stdout) == (0, f"fwmap {version('fwmap')}\n")


@pytest.mark.parametrize("command", ["solve", "info", "convert", "demo"])
def test_every_command_has_help(fwmap_command, command):
    done = fwmap_command(command, "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


@pytest.mark.parametrize("command", ["solve", "info"])
def test_a_missing_file_is_named(fwmap_command, tmp_path, command):
    assert_refused(fwmap_command(command, tmp_path / "none.uai"), "none.uai", "no such file")


def test_a_folder_is_no_instance(fwmap_command, tmp_path):
    assert_refused(fwmap_command("solve", tmp_path), str(tmp_path))


def test_an_unknown_option_is_named(fwmap_command, small):
    assert_refused(fwmap_command("solve", small, "--gab", 1), "--gab")


def test_an_option_of_later_versions_does_not_exist_yet(fwmap_command, small):
    assert_refused(fwmap_command("solve", small, "--checkpoint", "a"), "--checkpoint")


def test_an_unknown_command_is_named(fwmap_command):
    assert_refused(fwmap_command("resolve"), "resolve")


@pytest.mark.parametrize(
    ("option", "value", "piece"),
    [
        ("--gap", "-1", "gap"),
        ("--gap", "nan", "gap"),
        ("--gap", "small", "--gap"),
        ("--absolute-gap", "-0.5", "absolute_gap"),
        ("--time-limit", "-1", "time_limit"),
        ("--iterations", "-1", "iterations"),
        ("--iterations", "1.5", "--iterations"),
        ("--seed", "-1", "seed"),
        ("--proximal-weight", "0", "proximal_weight"),
        ("--proximal-weight", "much", "much"),
        ("--forbidden-above", "0", "forbidden_above"),
        ("--format", "doc", "doc"),
    ],
)
def test_a_value_that_cannot_be_is_refused(fwmap_command, small, option, value, piece):
    assert_refused(fwmap_command("solve", small, option, value), piece)


def test_two_readings_of_the_numbers_contradict_each_other(fwmap_command, small):
    assert_refused(
        fwmap_command("solve", small, "--costs", "--log-potentials"), "--costs", "--log-potentials"
    )


@pytest.mark.parametrize("length", [3, 10, 20, 40, 60])
def test_a_truncated_file_is_refused(fwmap_command, small, length):
    small.write_text(small.read_text()[:length])
    assert_refused(fwmap_command("solve", small), "small.uai")


def test_negative_potentials_are_refused_with_a_hint(fwmap_command, small):
    small.write_text(small.read_text().replace("0.125", "-0.125"))
    assert_refused(fwmap_command("solve", small), "--costs")


@pytest.mark.parametrize("option", ["--output", "--trace", "--result", "--plot"])
class TestAnOutput:
    def test_in_a_folder_that_does_not_exist_is_refused_first(self, fwmap_command, tmp_path, option):
        done = fwmap_command("solve", tmp_path / "none.uai", option, tmp_path / "nowhere" / "a.png")
        assert_refused(done, option, "nowhere")

    def test_that_is_a_folder_is_refused(self, fwmap_command, small, tmp_path, option):
        assert_refused(fwmap_command("solve", small, option, tmp_path), option, "folder")

    def test_that_is_the_instance_is_refused(self, fwmap_command, small, option):
        before = small.read_text()
        assert_refused(fwmap_command("solve", small, option, small), option, "instance")
        assert small.read_text() == before


@pytest.mark.parametrize("option", ["--trace", "--result", "--plot"])
def test_only_the_json_may_go_to_standard_output_by_a_dash(fwmap_command, small, option):
    assert_refused(fwmap_command("solve", small, option, "-"), option, "--output")


def test_two_outputs_of_one_name_are_refused(fwmap_command, small, tmp_path):
    done = fwmap_command("solve", small, "--output", tmp_path / "a", "--trace", tmp_path / "a")
    assert_refused(done, "--output", "--trace")


def test_a_picture_of_an_unknown_kind_is_refused_first(fwmap_command, tmp_path):
    done = fwmap_command("solve", tmp_path / "none.uai", "--plot", tmp_path / "a.docx")
    assert_refused(done, "--plot", "a.docx")


def test_a_failure_of_the_program_is_none_of_the_answers():
    code = (
        "import sys, fwmap.cli.info as info\n"
        "def read_instance(*_): raise ZeroDivisionError\n"
        "info.read_instance = read_instance\n"
        "from fwmap.cli import main\n"
        "sys.exit(main(['info', 'a']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "ZeroDivisionError" in done.stderr
    assert "please report" in done.stderr
