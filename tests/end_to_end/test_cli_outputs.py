"""What `fwmap solve` writes: JSON, trace, result file and picture, and what goes where."""

from __future__ import annotations

import json
import math
import stat
from pathlib import Path

import pytest

from fwmap.settings import SOLVERS

KEYS = {
    "instance",
    "solver",
    "status",
    "energy",
    "lower_bound",
    "gap",
    "relative_gap",
    "labeling",
    "proof",
    "seconds",
    "cpu_seconds",
    "work",
    "iterations",
    "oracle_calls",
    "peak_memory_bytes",
    "relaxation_gap",
    "removed",
    "exact_bound",
    "exact_solver",
    "settings",
    "version",
}
TRACE_KEYS = {
    "labels_removed",
    "seconds",
    "cpu_seconds",
    "work",
    "iteration",
    "oracle_calls",
    "lower_bound",
    "energy",
    "A",
    "B",
    "proximal_weight",
    "planes",
    "cycles",
}


def strict(text: str):
    """Parse JSON as the standard has it, without NaN and Infinity."""

    def refuse(name: str):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def rows_of(path: Path) -> list[dict]:
    text = path.read_text()
    assert text == "" or text.endswith("\n")
    return [strict(line) for line in text.splitlines()]


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if "partial" in path.name]


def test_standard_output_is_one_json_object_with_all_keys(fwmap_command, small):
    done = fwmap_command("solve", small)
    content = strict(done.stdout)
    assert content.keys() >= KEYS
    assert content["relaxation_gap"].keys() == {"A", "B", "upper"}
    assert content["instance"] == str(small)
    assert content["solver"] == "fwmap"


@pytest.mark.parametrize("solver", SOLVERS)
def test_each_solver_can_be_chosen(fwmap_command, small, solver):
    content = strict(fwmap_command("solve", small, "--solver", solver).stdout)
    assert (content["solver"], content["status"]) == (solver, "optimal")


def test_the_small_instance_is_solved(fwmap_command, small):
    content = strict(fwmap_command("solve", small).stdout)
    assert content["status"] == "optimal"
    assert content["labeling"] == [0, 0]
    assert math.isclose(content["energy"], math.log(2), rel_tol=1e-12)
    assert content["lower_bound"] <= content["energy"]
    assert math.isclose(content["gap"], content["energy"] - content["lower_bound"])


def test_the_reading_of_the_numbers_changes_the_answer(fwmap_command, small):
    content = strict(fwmap_command("solve", small, "--costs").stdout)
    assert math.isclose(content["energy"], 0.875, rel_tol=1e-9)
    content = strict(fwmap_command("solve", small, "--log-potentials").stdout)
    assert math.isclose(content["energy"], -2.5, rel_tol=1e-9)


def test_evidence_is_respected(fwmap_command, small, tmp_path):
    evidence = tmp_path / "small.evid"
    evidence.write_text("1 1 2\n")
    content = strict(fwmap_command("solve", small, "--evidence", evidence).stdout)
    assert content["labeling"][1] == 2


def test_settings_are_recorded(fwmap_command, small):
    options = ("--gap", 0.01, "--seed", 7, "--iterations", 3, "--proximal-weight", 2.5, "--no-primal")
    settings = strict(fwmap_command("solve", small, *options).stdout)["settings"]
    expected = {"gap": 0.01, "seed": 7, "iterations": 3, "proximal_weight": 2.5, "primal": False}
    assert settings.items() >= expected.items()


def test_an_infeasible_instance_has_null_where_there_is_no_number(fwmap_command, infeasible):
    content = strict(fwmap_command("solve", infeasible).stdout)
    assert [content[key] for key in ("energy", "lower_bound", "gap", "relative_gap", "labeling")] == [
        None
    ] * 5
    assert content["proof"] is not None


def test_before_the_first_evaluation_the_bound_is_null_or_valid(fwmap_command, small):
    content = strict(fwmap_command("solve", small, "--time-limit", 0).stdout)
    assert content["lower_bound"] is None or content["lower_bound"] <= math.log(2)


def test_the_summary_goes_to_standard_error(fwmap_command, small):
    done = fwmap_command("solve", small)
    assert "optimal" in done.stderr
    assert "lower bound" in done.stderr
    assert "\x1b" not in done.stderr
    assert max(len(line.rstrip()) for line in done.stderr.splitlines()[1:]) <= 80


def test_quiet_says_nothing(fwmap_command, small):
    done = fwmap_command("solve", small, "--quiet")
    assert done.stderr == ""
    assert strict(done.stdout)["status"] == "optimal"


def test_with_output_standard_output_stays_empty(fwmap_command, small, tmp_path):
    done = fwmap_command("solve", small, "--output", tmp_path / "a.json")
    assert done.stdout == ""
    assert strict((tmp_path / "a.json").read_text())["status"] == "optimal"
    assert leftovers(tmp_path) == []


def test_a_dash_is_standard_output(fwmap_command, on_a_terminal, small, tmp_path):
    assert strict(fwmap_command("solve", small, "--output", "-").stdout)["status"] == "optimal"
    _, text = on_a_terminal("solve", small, "--quiet", "--output", "-")
    assert strict(text)["status"] == "optimal"


def test_a_terminal_that_knows_only_ascii_gets_ascii(on_a_terminal, small):
    _, text = on_a_terminal("solve", small, PYTHONIOENCODING="ascii")
    assert "\\u" not in text
    assert "-" * 80 in text


def test_the_trace_has_all_keys_and_a_bound_that_never_falls(fwmap_command, picture, tmp_path):
    done = fwmap_command("solve", picture, "--iterations", 30, "--gap", 0, "--trace", tmp_path / "a.jsonl")
    rows = rows_of(tmp_path / "a.jsonl")
    assert rows
    assert all(row.keys() == TRACE_KEYS for row in rows)
    bounds = [row["lower_bound"] for row in rows if row["lower_bound"] is not None]
    assert bounds == sorted(bounds)
    assert bounds[-1] == strict(done.stdout)["lower_bound"]
    energies = [row["energy"] for row in rows if row["energy"] is not None]
    assert energies == sorted(energies, reverse=True)


def test_the_same_seed_gives_the_same_trace_apart_from_seconds(fwmap_command, picture, tmp_path):
    traces = []
    for name in ("a.jsonl", "b.jsonl"):
        fwmap_command(
            "solve", picture, "--iterations", 25, "--gap", 0, "--seed", 5, "--trace", tmp_path / name
        )
        rows = rows_of(tmp_path / name)
        traces.append([{key: row[key] for key in TRACE_KEYS - {"seconds", "cpu_seconds"}} for row in rows])
    assert traces[0] == traces[1]


def test_an_old_trace_is_replaced(fwmap_command, small, tmp_path):
    (tmp_path / "a.jsonl").write_text("old\n" * 1000)
    fwmap_command("solve", small, "--trace", tmp_path / "a.jsonl")
    assert "old" not in (tmp_path / "a.jsonl").read_text()


def test_the_result_file_holds_the_labeling(fwmap_command, small, tmp_path):
    fwmap_command("solve", small, "--result", tmp_path / "small.MPE")
    assert (tmp_path / "small.MPE").read_text().split() == ["MPE", "2", "0", "0"]


def test_without_a_labeling_no_result_file_is_written(fwmap_command, infeasible, tmp_path):
    done = fwmap_command("solve", infeasible, "--result", tmp_path / "a.MPE")
    assert done.returncode == 1
    assert not (tmp_path / "a.MPE").exists()
    assert "not written" in done.stderr


@pytest.mark.parametrize("instance", ["small", "picture"])
def test_a_picture_is_drawn(fwmap_command, request, tmp_path, instance):
    path = request.getfixturevalue(instance)
    fwmap_command("solve", path, "--iterations", 10, "--plot", tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert leftovers(tmp_path) == []


def test_an_infeasible_instance_can_be_plotted_and_traced(fwmap_command, infeasible, tmp_path):
    done = fwmap_command("solve", infeasible, "--plot", tmp_path / "a.png", "--trace", tmp_path / "a.jsonl")
    assert done.returncode == 1, done.stderr
    rows_of(tmp_path / "a.jsonl")


def test_a_link_stays_a_link_and_permissions_stay(fwmap_command, small, tmp_path):
    target = tmp_path / "target.json"
    target.write_text("old")
    target.chmod(0o640)
    (tmp_path / "link.json").symlink_to(target)
    fwmap_command("solve", small, "--output", tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert strict(target.read_text())["status"] == "optimal"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_new_file_follows_the_mask_of_the_user(fwmap_command, small, tmp_path):
    (tmp_path / "other").touch()
    fwmap_command("solve", small, "--output", tmp_path / "a.json")
    assert (tmp_path / "a.json").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_device_is_written_to_and_not_replaced(fwmap_command, small):
    done = fwmap_command("solve", small, "--output", "/dev/null")
    assert done.returncode == 0, done.stderr
    assert Path("/dev/null").is_char_device()


def test_a_full_disk_is_an_error_of_one_line(fwmap_command, small):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    done = fwmap_command("solve", small, "--quiet", "--output", "/dev/full")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "no space left" in done.stderr


def test_a_reader_that_goes_away_is_no_traceback(start_fwmap, picture):
    process = start_fwmap("solve", picture, "--iterations", 5, "--quiet")
    process.stdout.close()
    assert process.wait(300) == 2
    assert "Traceback" not in process.stderr.read()


def test_on_a_terminal_there_is_a_live_line_and_no_json(on_a_terminal, picture):
    code, text = on_a_terminal("solve", picture, "--iterations", 200, "--gap", 0)
    assert code == 0
    assert "lower bound" in text
    assert '"lower_bound"' not in text
    assert "\x1b[?25l" in text  # the cursor is hidden while the line moves
    assert text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l")  # and shown again


def test_no_color_is_honoured_on_a_terminal(on_a_terminal, small):
    code, text = on_a_terminal("solve", small, NO_COLOR="1")
    assert code == 0
    assert "\x1b[3" not in text


def test_quiet_holds_on_a_terminal_too(on_a_terminal, small):
    code, text = on_a_terminal("solve", small, "--quiet")
    assert (code, text) == (0, "")
