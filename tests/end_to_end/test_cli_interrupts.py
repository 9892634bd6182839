"""Ctrl-C and SIGTERM, while reading, solving and writing. Tests wait for events, never for a time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

SIGNALS = [signal.SIGINT, signal.SIGTERM]
PATIENCE = 300  # seconds on a busy machine; what hangs, hangs longer


def wait_for_rows(process: subprocess.Popen[str], trace: Path, n_lines: int = 1) -> None:
    """Wait until the trace has so many lines."""
    while not trace.exists() or trace.read_bytes().count(b"\n") < n_lines:
        try:
            process.wait(0.02)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(f"it ended by itself: {process.stderr.read()}")


def interrupt_until_it_ends(process: subprocess.Popen[str], number: signal.Signals) -> None:
    """Interrupt again where a signal fell between Python's last look at it and a read that blocks.

    Much later, since one that falls into Python's own end ends the process by the signal.
    """
    for _ in range(10):
        process.send_signal(number)
        try:
            process.wait(PATIENCE / 10)
        except subprocess.TimeoutExpired:
            continue
        return
    raise AssertionError("it does not end")


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupted_solve_writes_what_it_has_and_ends_with_130(start_fwmap, endless, tmp_path, number):
    files = {name: tmp_path / f"a.{name}" for name in ("json", "jsonl", "MPE", "png")}
    process = start_fwmap(
        "solve", endless, "--gap", 0, "--output", files["json"], "--trace", files["jsonl"],
        "--result", files["MPE"], "--plot", files["png"],
    )  # fmt: skip
    wait_for_rows(process, files["jsonl"], 2)
    process.send_signal(number)
    assert process.wait(PATIENCE) == 130, process.stderr.read()
    content = json.loads(files["json"].read_text())
    assert content["status"] == "interrupted"
    rows = [json.loads(line) for line in files["jsonl"].read_text().splitlines()]
    assert content["lower_bound"] >= rows[1]["lower_bound"]
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    if content["labeling"] is not None:
        assert files["MPE"].read_text().split()[2:] == [str(label) for label in content["labeling"]]
    error = process.stderr.read()
    assert "interrupted by the user" in error
    assert "Traceback" not in error
    assert not [path for path in tmp_path.iterdir() if "partial" in path.name]


def test_json_on_standard_output_is_whole_after_an_interrupt(start_fwmap, endless, tmp_path):
    process = start_fwmap("solve", endless, "--gap", 0, "--quiet", "--trace", tmp_path / "a.jsonl")
    wait_for_rows(process, tmp_path / "a.jsonl")
    process.send_signal(signal.SIGINT)
    output, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert json.loads(output)["status"] == "interrupted"
    assert error == ""


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("command", ["solve", "info"])
def test_an_interrupt_while_reading_ends_with_130_and_writes_nothing(
    start_fwmap, tmp_path, small, command, number
):
    pipe = tmp_path / "pipe.uai"
    os.mkfifo(pipe)
    process = start_fwmap(command, pipe, "--output", tmp_path / "a.json")
    with pipe.open("w") as writer:  # opens only when the other side reads
        writer.write(small.read_text()[:10])
        writer.flush()
        interrupt_until_it_ends(process, number)
    output, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, error
    assert output == ""
    assert error.splitlines() == ["fwmap: interrupted"]
    assert not (tmp_path / "a.json").exists()


def wait_for_words(process: subprocess.Popen[str], words: str) -> None:
    """Wait until a line of standard error holds the words."""
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(f"it ended without saying {words!r}")


def test_an_interrupt_while_writing_waits_for_the_result(start_fwmap, small, tmp_path):
    pipe = tmp_path / "a.json"
    os.mkfifo(pipe)
    process = start_fwmap("solve", small, "--output", pipe)
    wait_for_words(process, "peak memory")  # from here on it waits for somebody to read the pipe
    process.send_signal(signal.SIGINT)
    wait_for_words(process, "finishing")
    content = json.loads(pipe.read_text())
    assert content["status"] == "optimal"
    assert process.wait(PATIENCE) == 130


def test_a_second_interrupt_while_writing_abandons_the_result(start_fwmap, small, tmp_path):
    pipe = tmp_path / "a.json"
    os.mkfifo(pipe)
    process = start_fwmap("solve", small, "--output", pipe)
    wait_for_words(process, "peak memory")
    process.send_signal(signal.SIGINT)
    wait_for_words(process, "finishing")
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 130
    assert process.stderr.read().splitlines() == ["fwmap: interrupted"]


def test_an_interrupted_conversion_leaves_the_old_file(start_fwmap, small, tmp_path):
    pipe, target = tmp_path / "pipe.uai", tmp_path / "out.npz"
    os.mkfifo(pipe)
    target.write_text("old")
    process = start_fwmap("convert", pipe, target)
    with pipe.open("w"):
        interrupt_until_it_ends(process, signal.SIGINT)
    assert process.returncode == 130
    assert target.read_text() == "old"
    assert not [path for path in tmp_path.iterdir() if "partial" in path.name]
