"""Quadratic assignment in little memory, measured in processes of their own."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import fwmap
from fwmap import memory
from fwmap.errors import TooLarge

MEASURE = """
import numpy as np, fwmap, fwmap.solve, sys
from fwmap import _core
n, iterations = int(sys.argv[1]), int(sys.argv[2])
def kilobytes(what):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what))
resident = kilobytes("VmRSS")
rng = np.random.default_rng(0)
matrices = rng.integers(0, 100, (2, n, n)).astype(float)
if len(sys.argv) > 3:
    matrices += matrices.transpose(0, 2, 1)
model = fwmap.GraphMatching.from_koopmans_beckmann(*matrices)
result = fwmap.solve(model, iterations=iterations)
assert result.bound <= result.energy
print(kilobytes("VmHWM") - resident)
"""


def megabytes(*arguments):
    if sys.platform != "linux":
        pytest.skip("resident sizes are read from /proc")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout) / 1e3


@pytest.mark.parametrize("symmetric", [(), ("symmetric",)])
def test_thirty_points_take_less_than_50_megabytes_above_the_import(symmetric):
    assert megabytes(30, 20, *symmetric) < 50


def test_a_pass_over_256_points_takes_less_than_two_gigabytes():
    assert megabytes(256, 1, "symmetric") < 2000


def test_what_does_not_fit_is_refused_before_it_is_allocated(monkeypatch):
    matrix = np.ones((40, 40))
    model = fwmap.GraphMatching.from_koopmans_beckmann(matrix, matrix)
    monkeypatch.setattr(memory, "available_memory_bytes", lambda: 1e6)
    with pytest.raises(TooLarge, match=r"the terms .stars. of .* would take .* GB; 0.001 GB are available"):
        fwmap.solve(model, iterations=1)


def test_the_memory_there_is_is_told():
    assert memory.available_memory_bytes() > 0
