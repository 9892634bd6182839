"""`fwmap bench`: a suite is run, killed, continued, and turned into tables and pictures."""

import json
import signal
import time

import psutil
import pytest

pytest.importorskip("matplotlib")

TINY = ("bench", "quick", "--seconds", "2", "--only", "ising_24")


def recorded(folder):
    return [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()]


def test_a_suite_makes_runs_tables_and_pictures_and_runs_nothing_twice(fwmap_command, tmp_path):
    pytest.importorskip("highspy")
    folder = tmp_path / "out"
    first = fwmap_command(*TINY, "--solvers", "fwmap,highs", "--folder", folder)
    assert first.returncode == 0, first.stderr
    ours, highs = recorded(folder)
    assert (ours["method"], highs["method"]) == ("fwmap", "highs")
    assert ours["bound"] <= highs["bound"] + 1e-6 * abs(highs["bound"])  # both bound one relaxation
    assert ours["trace"]["lower_bound"][-1] == ours["bound"]
    assert ours["settings"]["seed"] == 0
    assert not ours["settings"]["primal"]
    assert {"processor", "cores", "calibration_seconds"} <= set(ours["machine"])
    assert str(tmp_path) not in json.dumps(ours)  # a record does not say where it was made
    assert "| spin glasses | 1 | 576 | 1104 |" in (folder / "tables.md").read_text()
    assert {path.name for path in folder.glob("*.png")} == {"bounds.png", "gap.png"}

    before = (folder / "runs.jsonl").read_bytes()
    second = fwmap_command(*TINY, "--solvers", "fwmap,highs", "--folder", folder)
    assert "2 of 2 runs are recorded" in second.stderr
    assert (folder / "runs.jsonl").read_bytes() == before

    table = fwmap_command("bench", "table", folder)
    assert table.stdout == (folder / "tables.md").read_text()
    plot = fwmap_command("bench", "plot", folder / "runs.jsonl", "--folder", tmp_path / "pictures")
    assert plot.returncode == 0
    assert (tmp_path / "pictures" / "bounds.png").exists()


def test_killed_in_the_middle_it_goes_on_where_it_was(start_fwmap, fwmap_command, tmp_path):
    folder = tmp_path / "out"
    options = ("bench", "quick", "--only", "side_chains_20", "--solvers", "fwmap", "--folder", folder)
    process = start_fwmap(*options, "--seconds", "0.3", "--repetitions", "3")
    file = folder / "runs.jsonl"
    wait_until(
        lambda: (
            file.exists() and file.read_bytes().count(b"\n") >= 1 and psutil.Process(process.pid).children()
        )
    )
    workers = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.wait(30)
    done = file.read_bytes()
    with file.open("ab") as stream:
        stream.write(b'{"instance": "side_cha')  # as if killed while writing

    again = fwmap_command(*options, "--seconds", "0.3", "--repetitions", "3")
    assert again.returncode == 0, again.stderr
    assert file.read_bytes().startswith(done)
    assert [run["repetition"] for run in recorded(folder)] == [0, 1, 2]
    wait_until(lambda: not any(worker.is_running() for worker in workers))  # nobody works for nobody


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("slow",), "there is no suite 'slow'"),
        (("table",), "no files of runs are given"),
        (("quick", "--solvers", "magic"), "there is no solver 'magic'"),
        (("quick", "--only", "nothing"), "no instance 'nothing'"),
        (("quick", "--repetitions", "0"), "--repetitions is 0"),
        (("quick", "--seconds", "0"), "--seconds is 0"),
        (("quick", "runs.jsonl"), "a suite takes no files"),
    ],
)
def test_wrong_usage_is_refused_before_anything_runs(arguments, words, tmp_path, monkeypatch, capsys):
    from fwmap.cli import main

    monkeypatch.chdir(tmp_path)
    assert main(["bench", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
