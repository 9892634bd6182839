"""How fast assignment problems of real runs are solved, by the oracle and by other programs.

    python benchmarks/assignment.py FOLDER [--only NAME ...] [--calls 60] [--output FILE.json]
    python benchmarks/assignment.py --table FILE.json

FOLDER is that of `reference_bounds.py`. The problems are those that the assignment term gets at the
evaluated points of a run: its share of the costs plus the multipliers at that point, one call after the
other, and a sparse generated one. Each left point has a column of its own for staying alone. What is timed
is a call from Python with the costs in the form that the program wants; making that form is not. Programs
that are not installed are left out: SciPy, lap or lapx (both are called `lap`: put one of them first in
PYTHONPATH), OR-tools. Records of the same problems are joined in FILE.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from fwmap import GraphMatching, _core, datasets, formats
from fwmap.decompose import decompose
from fwmap.decompose.scale import scale_of
from fwmap.settings import Settings
from fwmap.solvers import Clock, method_of

BIG = 1e6  # in place of inf, where a program knows none
DENSE_MOST = 1 << 20  # entries of a dense matrix that a program is given


class Problem:
    """One model's assignment problems: `costs[call]` is over the labels of its left points."""

    def __init__(self, name: str, model: GraphMatching, calls: int) -> None:
        self.name, self.side, self.n_right = name, model.left, model.n_right
        decomposition = decompose(model, "forests")
        core, term = decomposition.core, decomposition.n_forests
        method = method_of(decomposition, Settings(threads=1), scale_of(decomposition), None)
        place = np.searchsorted(core.variables(term), core.shared_variables(term))
        first = sum(len(core.shared_variables(t)) for t in range(term))
        slots = slice(first, first + len(place))
        self.costs = []
        for point in method.points(Clock(None)):
            assert point.complete
            costs = decomposition.shares[term].copy()
            costs[place] += method.core.evaluated_lambda[slots]
            self.costs.append(costs + 0.0)
            if len(self.costs) >= calls:
                break
        n = self.side.n_points
        self.rows = np.repeat(np.arange(n), self.side.n_labels)
        self.columns = np.where(self.side.partner < 0, self.n_right + self.rows, self.side.partner)
        self.shape = (n, self.n_right + n)

    @property
    def is_small(self) -> bool:
        """Whether a dense matrix is reasonable."""
        return self.shape[0] * self.shape[1] <= DENSE_MOST

    def dense(self, costs: np.ndarray) -> np.ndarray:
        """Rows are left points; `BIG` where nothing is allowed."""
        matrix = np.full(self.shape, BIG)
        matrix[self.rows, self.columns] = costs
        return matrix


def oracle(problem: Problem) -> _core.Decomposition:
    """The assignment oracle without costs of its own."""
    side, n = problem.side, len(problem.rows)
    core = _core.Decomposition(n, np.zeros(0, np.int64), 0.0)
    partners = side.partner.astype(np.int32)
    core.add_assignment(
        np.arange(n), side.n_labels.astype(np.int32), np.zeros(n), partners, problem.n_right, "assignment"
    )
    return core


Solver = Callable[[Problem, int], tuple[float, float]]  # seconds and optimum of a call


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and what it returned."""
    start = time.process_time()
    answer = call()
    return time.process_time() - start, answer


def warm() -> Solver:
    """The oracle, which keeps its prices from call to call."""
    kept: dict[str, _core.Decomposition] = {}

    def solve(problem: Problem, k: int) -> tuple[float, float]:
        core = kept.setdefault(problem.name, oracle(problem))
        seconds, answer = timed(lambda: core.minimize(0, problem.costs[k]))
        return seconds, answer[2]

    return solve


def cold(problem: Problem, k: int) -> tuple[float, float]:
    """The oracle at its first call."""
    core = oracle(problem)
    seconds, answer = timed(lambda: core.minimize(0, problem.costs[k]))
    return seconds, answer[2]


def scipy_dense(problem: Problem, k: int) -> tuple[float, float]:
    """`scipy.optimize.linear_sum_assignment`."""
    from scipy.optimize import linear_sum_assignment

    matrix = problem.dense(problem.costs[k])
    seconds, (rows, columns) = timed(lambda: linear_sum_assignment(matrix))
    return seconds, float(matrix[rows, columns].sum())


def scipy_sparse(problem: Problem, k: int) -> tuple[float, float]:
    """`scipy.sparse.csgraph.min_weight_full_bipartite_matching`; costs must not be zero."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    moved = problem.costs[k] - problem.costs[k].min() + 1.0
    matrix = csr_array((moved, (problem.rows, problem.columns)), shape=problem.shape)
    seconds, (rows, columns) = timed(lambda: min_weight_full_bipartite_matching(matrix))
    if not problem.is_small:
        return seconds, np.nan
    return seconds, float(problem.dense(problem.costs[k])[rows, columns].sum())


def lap_dense(problem: Problem, k: int) -> tuple[float, float]:
    """`lap.lapjv`."""
    import lap

    matrix = problem.dense(problem.costs[k])
    seconds, (_, of_row, _) = timed(lambda: lap.lapjv(matrix, extend_cost=True))
    return seconds, float(matrix[np.arange(len(matrix)), of_row].sum())


def ortools_flow(problem: Problem, k: int) -> tuple[float, float]:
    """`ortools.graph.python.min_cost_flow`, costs in units of 1e-9."""
    from ortools.graph.python import min_cost_flow

    n, m = problem.shape
    arcs = np.stack([problem.rows, n + problem.columns]).astype(np.int32)
    ones = np.ones(arcs.shape[1], np.int64)
    costs = np.round(problem.costs[k] * 1e9).astype(np.int64)
    to_sink = np.arange(n, n + m, dtype=np.int32)
    sink = np.full(m, n + m, np.int32)

    def call() -> int:
        flow = min_cost_flow.SimpleMinCostFlow()
        flow.add_arcs_with_capacity_and_unit_cost(arcs[0], arcs[1], ones, costs)
        flow.add_arcs_with_capacity_and_unit_cost(to_sink, sink, np.ones(m, np.int64), np.zeros(m, np.int64))
        flow.set_nodes_supplies(np.arange(n, dtype=np.int32), np.ones(n, np.int64))
        flow.set_node_supply(n + m, -n)
        assert flow.solve() == flow.OPTIMAL
        return int(flow.optimal_cost())

    seconds, cost = timed(call)
    return seconds, cost * 1e-9


def solvers() -> dict[str, Solver]:
    """What is installed, by name and version."""
    found: dict[str, Solver] = {"oracle, warm": warm(), "oracle, cold": cold}
    for package, names in (
        ("scipy", {"linear_sum_assignment": scipy_dense, "csgraph": scipy_sparse}),
        ("lap", {"lapjv": lap_dense}),
        ("lapx", {"lapjv": lap_dense}),
        ("ortools", {"min-cost flow": ortools_flow}),
    ):
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
        found |= {f"{package} {version}, {name}": solver for name, solver in names.items()}
    return found


def problems(folder: Path, only: list[str] | None, calls: int) -> list[Problem]:
    """Those of the reference instances, and two generated ones."""
    listed = json.loads((folder / "reference.json").read_text())["instances"]
    listed = [i for i in listed if i["class"] == "matching" and (only is None or i["name"] in only)]
    models = [(i["name"], formats.read(folder / i["file"]).model) for i in listed]
    models += [
        ("keypoints 150 + 50", datasets.keypoints(150, 50).model),
        ("sparse 2000", sparse_model(2000, 12)),
    ]
    return [Problem(name, model, calls) for name, model in models]


def sparse_model(n: int, labels: int) -> GraphMatching:
    """Points on a circle that may take partners nearby, and want to keep their order."""
    random = np.random.default_rng(0)
    left = np.repeat(np.arange(n), labels)
    right = (left + np.tile(np.arange(labels) - labels // 2, n)) % n
    i, a, b = np.indices((n - 1, labels, labels)).reshape(3, -1)
    pairs = np.stack([i * labels + a, (i + 1) * labels + b], axis=1)
    kept = pairs[random.random(len(pairs)) < 0.3]
    costs = random.normal(size=len(left)) - 0.5
    return GraphMatching(np.stack([left, right], axis=1), costs, kept, -random.random(len(kept)))


def measure(problem: Problem, solver: Solver, expected: list[float]) -> dict[str, float]:
    """Median time of a call after the first tenth of them, and how far optima are from the oracle's."""
    seconds, worst = [], 0.0
    for k in range(len(problem.costs)):
        taken, optimum = solver(problem, k)
        seconds.append(taken)
        if not np.isnan(optimum):
            worst = max(worst, abs(optimum - expected[k]))
    later = seconds[len(seconds) // 10 :]
    return {"median": float(np.median(later)), "mean": float(np.mean(later)), "worst_difference": worst}


def table(record: dict[str, Any]) -> str:
    """Mean microseconds per call in Markdown."""
    names = list(record["problems"])
    sizes = ["{points}, {labels}".format(**record["problems"][name]) for name in names]
    rows = [["microseconds per call", *names], ["points, labels", *sizes]]
    for program, found in record["programs"].items():
        means = [found[name]["mean"] if name in found else None for name in names]
        rows.append([program, *("–" if mean is None else f"{1e6 * mean:,.0f}" for mean in means)])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---|" + "---:|" * len(names))
    return "\n".join(lines)


def main() -> None:
    """Run and record, or print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/assignment.json"))
    parser.add_argument("--table", type=Path, default=None)
    arguments = parser.parse_args()
    if arguments.table is not None:
        print(table(json.loads(arguments.table.read_text())))
        return
    known = json.loads(arguments.output.read_text()) if arguments.output.exists() else {}
    record = {"problems": known.get("problems", {}), "programs": known.get("programs", {})}
    for problem in problems(arguments.folder, arguments.only, arguments.calls):
        record["problems"][problem.name] = {"points": problem.side.n_points, "labels": len(problem.rows)}
        expected = [cold(problem, k)[1] for k in range(len(problem.costs))]
        for name, solver in solvers().items():
            needs_dense = solver in (scipy_dense, lap_dense)
            if needs_dense and not problem.is_small:
                continue
            answer = measure(problem, solver, expected)
            record["programs"].setdefault(name, {})[problem.name] = answer
            told = "{mean:10.2e} s, off by {worst_difference:.1e}".format(**answer)
            print(f"{problem.name:20s} {name:42s} {told}", file=sys.stderr, flush=True)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
