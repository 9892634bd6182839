"""`python -m fwmap.bench.worker`: a job from standard input is run, its record goes to standard output."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..decompose import decompose
from ..errors import InvalidModel, InvalidSetting
from ..linear_program import linear_program
from ..linear_program.by_highs import solve_by_highs
from ..memory import peak_memory_bytes
from ..models import Model
from ..plain import without_infinities
from ..result import TraceRow
from ..solve import solve
from ..version import __version__
from .instances import Instance
from .machine import calibration_seconds, machine
from .methods import HIGHS, Method

#: The columns of a recorded trace.
COLUMNS = tuple(TraceRow.__dataclass_fields__)


def run(order: Mapping[str, Any]) -> dict[str, Any]:
    """Run one job; the record says what was run, on what, and what came out."""
    record = order["record"]
    instance, method = Instance(**order["instance"]), Method.parse(record["method"])
    before = calibration_seconds()
    limit = record["cpu_limit"] * speed(record, [before])
    model = instance.load()
    outcome = run_highs(model, limit) if method.solver == HIGHS else run_solver(model, method, record, limit)
    calibrations = [before, calibration_seconds()]
    return {
        **record,
        "version": __version__,
        "sizes": sizes_of(model),
        **outcome,
        "speed": speed(record, calibrations),
        "machine": machine() | {"calibration_seconds": calibrations},
    }


def speed(record: Mapping[str, Any], calibrations: Sequence[float]) -> float:
    """CPU seconds here for one of the record's: 1, or by the calibration kernel."""
    reference = record["calibration"]
    return 1.0 if reference is None else sum(calibrations) / len(calibrations) / reference


def run_solver(model: Model, method: Method, record: Mapping[str, Any], limit: float) -> dict[str, Any]:
    """Solve by one of the package's own methods until the CPU limit."""
    parent = os.getppid()
    settings = {"gap": 0.0, "threads": 1, "seed": record["repetition"], **record["given"], **method.settings}

    def is_over(row: TraceRow) -> bool:
        return row.cpu_seconds > limit or os.getppid() != parent  # nobody waits for the record

    try:
        result = solve(model, callback=is_over, solver=method.solver, **settings)
    except (InvalidModel, InvalidSetting) as error:
        return not_applicable(str(error))
    start = time.process_time()
    decompose(model)
    return {
        "status": "time_limit" if result.status == "interrupted" else result.status,  # nobody else interrupts
        "bound": result.bound,
        "energy": result.energy,
        "cpu_seconds": result.cpu_seconds,
        "decompose_cpu_seconds": time.process_time() - start,
        "work": result.work,
        "iterations": result.iterations,
        "oracle_calls": result.oracle_calls,
        "peak_memory_bytes": result.peak_memory_bytes,
        "settings": result.settings.as_dict(),
        "trace": {name: [getattr(row, name) for row in result.trace] for name in COLUMNS},
    }


def run_highs(model: Model, cpu_limit: float) -> dict[str, Any]:
    """Solve the exported relaxation; the bound is known when HiGHS is done, and not before."""
    start = time.process_time()
    try:
        program = linear_program(model)
    except InvalidModel as error:
        return not_applicable(str(error))
    built = time.process_time() - start
    answer = solve_by_highs(program, cpu_limit)
    seconds = time.process_time() - start
    return {
        "status": answer.status,
        "bound": answer.objective,
        "energy": None,
        "cpu_seconds": seconds,
        "decompose_cpu_seconds": built,
        "iterations": answer.iterations,
        "peak_memory_bytes": peak_memory_bytes(),
        "settings": {},
        "trace": {"cpu_seconds": [seconds], "lower_bound": [answer.objective]},
    }


def not_applicable(reason: str) -> dict[str, Any]:
    """The outcome of a method that says that it does not apply to the model."""
    nothing = dict.fromkeys(("bound", "energy", "cpu_seconds", "decompose_cpu_seconds", "peak_memory_bytes"))
    return {"status": "not_applicable", "reason": reason, **nothing, "settings": {}, "trace": {}}


def sizes_of(model: Model) -> dict[str, int]:
    """Counts that tables show, those of the field inside a model; nothing for oracles of one's own."""
    field = getattr(model, "field", model)
    names = {"n_nodes": field, "n_edges": field, "n_factors": field, "n_rays": model, "n_pairs": model}
    sizes = {name: int(count) for name, of in names.items() if (count := getattr(of, name, 0))}
    labels = getattr(field, "n_labels", ())
    return {**sizes, "most_labels": int(np.max(labels))} if len(labels) else sizes


def main() -> None:
    """Read, run, write."""
    record = run(json.load(sys.stdin))
    sys.stdout.write(json.dumps(without_infinities(record), allow_nan=False) + "\n")


if __name__ == "__main__":
    main()
