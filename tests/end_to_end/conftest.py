"""The command line as a person starts it: a process of its own, and instances to feed it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

TWO_VARIABLES = """MARKOV
2
2 3
3
1 0
1 1
2 0 1

2
 0.5 0.25
3
 1 0.5 0.125
6
 1 0.5 0.5
 0.5 1 0.5
"""

INFEASIBLE = """MARKOV
1
2
1
1 0

2
 0 0
"""


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "fwmap", *map(str, arguments)]


def plain_environment() -> dict[str, str]:
    """An environment in which nothing says how to colour or how wide to print."""
    unset = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    return {name: value for name, value in os.environ.items() if name not in unset}


@pytest.fixture
def fwmap_command():
    """Run the command line to its end and return what it printed, and its exit code."""

    def run(*arguments: object, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(*arguments),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env=plain_environment(),
            stdin=subprocess.DEVNULL,
        )

    return run


@pytest.fixture
def start_fwmap():
    """Start the command line and return the running process; it is ended with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=plain_environment(),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def on_a_terminal():
    """Run the command line with standard output and error on a terminal; return exit code and text."""

    def run(*arguments: object, **environment: str) -> tuple[int, str]:
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = subprocess.Popen(
            command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=follower,
            stderr=follower,
            env=plain_environment() | {"TERM": "xterm-256color"} | environment,
        )
        os.close(follower)
        text = b""
        with contextlib.suppress(OSError):  # raised when the other side is closed
            while piece := os.read(leader, 65536):
                text += piece
        os.close(leader)
        return process.wait(60), text.decode()

    return run


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Two variables; the optimum is [0, 0] with energy log 2."""
    path = tmp_path / "small.uai"
    path.write_text(TWO_VARIABLES)
    return path


@pytest.fixture
def infeasible(tmp_path: Path) -> Path:
    """One variable without any allowed label."""
    path = tmp_path / "infeasible.uai"
    path.write_text(INFEASIBLE)
    return path


@pytest.fixture(scope="session")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An instance whose relaxation keeps the solver busy for much longer than any test."""
    from fwmap import datasets, formats

    path = tmp_path_factory.mktemp("instances") / "endless.npz"
    formats.write(datasets.side_chains(60, 40, strength=1.0, clashes=0, seed=1).model, path)
    return path


@pytest.fixture(scope="session")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small image model."""
    from fwmap import datasets, formats

    path = tmp_path_factory.mktemp("instances") / "picture.npz"
    formats.write(datasets.denoising(12, 16, labels=4).model, path)
    return path
