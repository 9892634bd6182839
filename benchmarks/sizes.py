"""Time and memory of large things: python benchmarks/sizes.py [--output FILE.json].

Each measurement runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import fwmap
from fwmap import _core, datasets, formats
from fwmap.memory import peak_memory_bytes


def cover() -> dict[str, object]:
    """Forests of a 1024 x 1024 grid."""
    n = 1024
    node = np.arange(n * n, dtype=np.int32).reshape(n, n)
    first = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    second = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
    start = time.process_time()
    n_forests, _ = _core.minimum_forest_cover(n * n, first, second)
    return {"forests": n_forests, "cpu_seconds": time.process_time() - start}


def denoising() -> dict[str, object]:
    """A picture of 512 x 512 pixels and 16 labels with Potts costs, 30 seconds."""
    data = datasets.denoising(512, 512, labels=16, smoothness="potts")
    result = fwmap.solve(data.model, time_limit=30)
    return {
        "bound": result.bound,
        "energy": result.energy,
        "relative_gap": result.relative_gap,
        "seconds": result.seconds,
        "iterations": result.iterations,
    }


def reading() -> dict[str, object]:
    """A UAI file of about 100 MB: the complete graph on 90 nodes with 36 labels."""
    random = np.random.default_rng(0)
    nodes, labels = 90, 36
    edges = np.array(np.triu_indices(nodes, 1)).T
    tables = random.normal(size=(len(edges), labels, labels))
    model = fwmap.MRF(random.normal(size=(nodes, labels)), edges, tables)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.uai"
        formats.write(model, path, write_as="costs")
        megabytes = path.stat().st_size / 1e6
        start = time.process_time()
        formats.read(path, costs=True)
        return {"megabytes": megabytes, "cpu_seconds": time.process_time() - start}


MEASUREMENTS = {"cover": cover, "denoising": denoising, "reading": reading}


def main() -> None:
    """Run all, or the one named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=sorted(MEASUREMENTS), default=None)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/sizes.json"))
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps({**MEASUREMENTS[arguments.only](), "peak_memory_bytes": peak_memory_bytes()}))
        return
    record = {"version": fwmap.__version__}
    for name in MEASUREMENTS:
        command = [sys.executable, __file__, "--only", name]
        record[name] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(name, record[name], file=sys.stderr, flush=True)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
