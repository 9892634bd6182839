"""Convolutions of a projection's parts, three ways, on the weights that a run leaves.

Solves generated phantoms for some iterations, writes the weights of their rays, and times on them: the
kernel, the heuristic of Bussieck et al. and the plain double loop for two sequences of equal length; the
oracle and the sequential dynamic programme for a whole ray. Prints tables of CPU nanoseconds:

    python benchmarks/convolution --output benchmarks/results/convolution.json
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import fwmap
from fwmap import _core
from fwmap.datasets import shepp_logan

FOLDER = Path(__file__).resolve().parent
CONVOLUTIONS = ("kernel", "bussieck", "double_loop")
RAYS = ("halving", "sequential")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--output", type=Path, help="a JSON file for the numbers")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        rays = Path(folder) / "rays.txt"
        with rays.open("w") as file:
            for size in (16, 32, 64, 128, 256):
                write_rays(file, size, arguments.iterations if size < 256 else arguments.iterations // 3)
        lines = subprocess.run(
            [program, rays], check=True, text=True, capture_output=True
        ).stdout.splitlines()
    tables = {"convolution": [], "ray": []}
    for line in lines:
        what, size, n, *times = line.split()
        names = CONVOLUTIONS if what == "convolution" else RAYS
        times = dict(zip(names, map(float, times), strict=True))
        tables[what].append({"size": int(size), "cases": int(n), **times})
    for what, names in (("convolution", CONVOLUTIONS), ("ray", RAYS)):
        print(f"\n| {'sums of a half' if what == 'convolution' else 'pixels'} | " + " | ".join(names) + " |")
        print("|---:|" + "---:|" * len(names))
        for row in tables[what]:
            print(f"| {row['size']} | " + " | ".join(f"{row[name]:,.0f} ns" for name in names) + " |")
    if arguments.output:
        about = {
            "version": fwmap.__version__,
            "machine": platform.machine(),
            "kernels": _core.kernels_in_use(),
        }
        arguments.output.write_text(json.dumps(about | tables, indent=1) + "\n")


def build(folder: Path) -> Path:
    """Compile the comparison against the core of this source tree."""
    for command in (["cmake", "-S", FOLDER, "-B", folder], ["cmake", "--build", folder, "-j2"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "compare"


def write_rays(file, size: int, iterations: int) -> None:
    """Write rows, columns and diagonals of full length with the weights at the end of a run, six in all."""
    model = shepp_logan(size, 3, 4).model
    result = fwmap.solve(model, iterations=iterations, primal=False, threads=1)
    first = len(result.multipliers) - model.n_rays
    lengths = np.diff(model.ray_offsets)
    chosen = [r for r in np.flatnonzero(lengths == size) if model.required_sums[r] > 0]
    for r in chosen[:: max(1, len(chosen) // 6)][:6]:
        weights = result.multipliers[first + r]
        assert len(weights) == 3 * size  # all labels of a ray's pixels are shared
        print(size, 3, model.required_sums[r], file=file)
        print(*(repr(float(weight)) for weight in weights), file=file)


if __name__ == "__main__":
    main()
