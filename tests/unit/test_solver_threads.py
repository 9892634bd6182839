"""Several threads share the work of one solve: faster on large models, the same bits on all."""

import dataclasses
import math
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import fwmap
from fwmap import datasets
from fwmap.decompose import decompose
from fwmap.decompose.scale import scale_of
from fwmap.settings import SOLVERS, Settings, cores_available
from fwmap.solvers.frank_wolfe import FrankWolfe


def image(side=88, labels=16):
    rng = np.random.default_rng(1)
    return fwmap.MRF.grid(rng.random((side, side, labels)), fwmap.Potts(0.3))


def complete(n=30, labels=40):
    rng = np.random.default_rng(2)
    edges = [(u, v) for u in range(n) for v in range(u + 1, n)]
    tables = list(rng.random((len(edges), labels, labels)))
    return fwmap.MRF(rng.random((n, labels)), edges, tables)


def factors():
    return datasets.noisy_or(diseases=200, findings=600).model


MODELS = {
    "image": image,
    "complete": complete,
    "factors": factors,
    "matching": lambda: datasets.keypoints(30, 5, seed=1).model,
    "tomography": lambda: datasets.shepp_logan(96, directions=4).model,
}
SHARED = ("image", "complete", "tomography")  # large enough that there is something to share


def everything(model, **settings):
    """A result without its times, and how many threads there were."""
    result = fwmap.solve(model, **({"iterations": 12, "gap": 0.0, "exact": False} | settings))
    rows = [dataclasses.replace(row, seconds=0.0, cpu_seconds=0.0) for row in result.trace]
    labeling = None if result.labeling is None else result.labeling.tobytes()
    arrays = [np.asarray(a).tobytes() for a in (*result.multipliers, *result.marginals)]
    counts = (result.work, result.oracle_calls, result.iterations, result.status)
    return rows, labeling, result.energy, result.bound, counts, arrays


@pytest.mark.parametrize("kind", MODELS)
def test_results_have_the_same_bits_with_any_number_of_threads(kind):
    model = MODELS[kind]()
    alone = everything(model, threads=1)
    assert len(alone[0]) > 2
    for threads in (2, 3, 5):
        assert everything(model, threads=threads) == alone


@pytest.mark.parametrize("solver", SOLVERS)
def test_so_have_they_with_each_solver(solver):
    model = image()
    assert everything(model, solver=solver, threads=3) == everything(model, solver=solver, threads=1)


@pytest.mark.parametrize("kind", SHARED)
def test_large_models_are_shared(kind):
    """Otherwise the tests above compare nothing."""
    decomposition = decompose(MODELS[kind]())
    shared = {}
    for threads in (1, 2):
        solver = FrankWolfe(decomposition.core, Settings(threads=threads), scale_of(decomposition))
        solver.core.initialize(math.inf)
        solver.core.exact_pass(math.inf)
        shared[threads] = solver.core.shared_loops
    assert shared[1] == 0 < shared[2]


def test_small_models_stay_on_one_thread():
    decomposition = decompose(datasets.ising(12, 12, seed=3).model)
    solver = FrankWolfe(decomposition.core, Settings(threads=4), scale_of(decomposition))
    solver.core.initialize(math.inf)
    solver.core.exact_pass(math.inf)
    assert solver.core.shared_loops == 0


def test_oracles_in_python_stay_on_the_calling_thread():
    callers = set()

    class Choice(fwmap.Oracle):
        operations = 1e6  # enough to be shared, if it could be

        def __init__(self, costs):
            self.costs = costs

        def minimize(self, weights):
            callers.add(threading.get_ident())
            best = int(np.argmin(self.costs + weights))
            return [best], float(self.costs[best])

    rng = np.random.default_rng(0)

    def model():
        own = fwmap.Decomposition(400)
        for t in range(8):
            for _ in range(2):
                own.add(Choice(rng.random(50)), np.arange(t * 50, (t + 1) * 50))
        return own

    result = fwmap.solve(model(), threads=4, iterations=5, gap=0.0)
    assert result.iterations > 0
    assert callers == {threading.get_ident()}


def test_several_solves_at_once_each_with_threads_of_its_own():
    models = [image(48, labels) for labels in (16, 18)]
    alone = [everything(model, threads=1) for model in models]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda model: everything(model, threads=2), models)) == alone


def test_ctrl_c_ends_a_solve_while_threads_work():
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))

    def begin(row):
        if row.planes and timer.ident is None:  # the messages of the opening, which nobody shares, are over
            timer.start()

    try:
        result = fwmap.solve(image(128), threads=3, gap=0.0, primal=False, tolerance=0.0, callback=begin)
    finally:
        timer.cancel()
    assert result.status == "interrupted"
    assert math.isfinite(result.bound)


def test_a_time_limit_cuts_the_sequence_and_never_changes_it():
    model = image(96)
    alone = fwmap.solve(model, threads=1, iterations=60, gap=0.0, primal=False)
    cut = fwmap.solve(model, threads=2, time_limit=0.4 * alone.seconds, gap=0.0, primal=False)
    for one, other in zip(cut.trace, alone.trace, strict=False):
        times = {"seconds": 0.0, "cpu_seconds": 0.0}
        assert dataclasses.replace(one, **times) == dataclasses.replace(other, **times)


def test_no_thread_is_left_behind():
    tasks = f"/proc/{os.getpid()}/task"
    if not os.path.isdir(tasks):
        pytest.skip("threads are not listed here")
    fwmap.solve(image(), threads=1, iterations=2)  # whatever is started once
    before = len(os.listdir(tasks))
    solved = fwmap.solve(image(), threads=5, iterations=5)
    assert solved.iterations == 5
    until = time.monotonic() + 20.0  # they end by themselves, when they get the processor
    while len(os.listdir(tasks)) > before and time.monotonic() < until:
        time.sleep(0.01)
    assert len(os.listdir(tasks)) <= before


def test_unasked_there_is_a_thread_for_each_core():
    assert Settings().threads is None
    assert Settings().most_threads == cores_available() >= 1
    result = fwmap.solve(fwmap.MRF([[0.0, 1.0]]))
    assert result.settings.threads == cores_available()
    assert fwmap.solve(fwmap.MRF([[0.0, 1.0]]), threads=3).settings.threads == 3
