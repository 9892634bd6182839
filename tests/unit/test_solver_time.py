"""Long steps end when time is over, and what they leave is the beginning of a longer run."""

import math
from dataclasses import replace

import numpy as np
import pytest
from zoo import random_model

import fwmap
from fwmap import _core, datasets
from fwmap.decompose import decompose
from fwmap.rounding import FieldRounding, MatchingRounding, ProductRounding
from fwmap.rounding.graph import penalised_graph
from fwmap.tightening import Tightening


def dense():
    """Its relaxation is loose: rounds of cycles join."""
    return random_model(np.random.default_rng(0), "complete", 16, 4, same_labels=True)


def assignment():
    rng = np.random.default_rng(1)
    return fwmap.GraphMatching.from_koopmans_beckmann(rng.random((16, 16)), rng.random((16, 16)))


def rows(result):
    """A trace without its seconds."""
    return [replace(row, seconds=0.0, cpu_seconds=0.0) for row in result.trace]


MODELS = {
    "dense": dense,
    "keypoints": lambda: datasets.keypoints(20, 8, seed=3).model,
    "assignment": assignment,
}

#: Who takes long, as which step, and at which call of it time is over.
STEPS = [
    ("dense", Tightening, "tightened", 0),
    ("dense", FieldRounding, "attempt", 0),
    ("dense", FieldRounding, "attempt", 2),
    ("keypoints", MatchingRounding, "attempt", 0),
    ("assignment", ProductRounding, "attempt", 0),
    ("assignment", ProductRounding, "attempt", 1),
]


@pytest.mark.parametrize(("name", "owner", "step", "call"), STEPS)
def test_a_step_that_is_cut_ends_the_run_and_leaves_the_beginning_of_a_longer_one(
    name, owner, step, call, monkeypatch
):
    """The core is told that time is over while the step runs, however fast the machine is."""
    model = MODELS[name]()
    settings = fwmap.Settings(exact=False, finish=False, threads=1, iterations=150, gap=0.0)
    whole = fwmap.solve(model, settings=settings)
    own, calls, after = getattr(owner, step), [], []

    def cut(self, *args):
        calls.append(self)
        if len(calls) <= call:
            return own(self, *args)
        with _core.Deadline(0.0):
            own(self, *args)
            after.append(self)

    monkeypatch.setattr(owner, step, cut)
    result = fwmap.solve(model, settings=settings)
    assert len(calls) == call + 1
    assert not after  # the step did not go on to its end
    assert result.status == "time_limit"
    assert len(rows(result)) < len(rows(whole))
    assert rows(result) == rows(whole)[: len(rows(result))]
    assert result.bound <= result.energy == pytest.approx(model.energy(result.labeling), rel=1e-12)
    assert result.bound <= whole.energy + 1e-9 * abs(whole.energy)
    assert result.check(model).holds


def is_cut(step):
    """Whether a step ends early where time is over."""
    try:
        with _core.Deadline(0.0):
            step()
    except _core.OutOfTime:
        return True
    return False


def test_every_long_step_of_the_core_asks_whether_time_is_over():
    model = random_model(np.random.default_rng(0), "complete", 40, 5, same_labels=True)
    decomposition = decompose(model)
    graph = penalised_graph(model)
    labels, n = np.zeros(40, np.int32), math.inf
    search, tabu = _core.LabelingSearch(graph, 0), _core.TabuSearch(graph, 0)
    dual = _core.Reparametrization(
        decomposition.core, decomposition.n_forests, np.zeros(decomposition.core.n_slots)
    )
    marginals = np.full(200, 0.2)
    steps = {
        "spread": dual.spread,
        "sweep": lambda: dual.sweep(forward=True),
        "triangles": lambda: dual.triangles(10, 1e-9, n),
        "odd cycles": lambda: dual.odd_cycles(10, 1e-9, 12, n),
        "from terms": lambda: _core.Reparametrization(
            decomposition.core, decomposition.n_forests, np.zeros(decomposition.core.n_slots)
        ),
        "descend": lambda: search.descend(labels, n),
        "fuse": lambda: search.fuse(labels, labels + 1, n),
        "expand": lambda: search.expand(labels, n),
        "kick": lambda: search.kick(labels, labels, n),
        "resolve": lambda: search.resolve(labels, n),
        "tabu": lambda: tabu.wander(labels, n),
        "nodes": lambda: _core.LocalSearch(graph).improve(labels, n),
        "sequential": lambda: _core.round_sequentially(graph, marginals),
        "decompose": lambda: decompose(model),
    }
    assert [name for name, step in steps.items() if not is_cut(step)] == []


def test_deadlines_may_be_nested_and_end_with_their_context():
    graph = penalised_graph(dense())
    labels = np.zeros(16, np.int32)
    with _core.Deadline(math.inf):
        with pytest.raises(_core.OutOfTime), _core.Deadline(0.0):
            _core.LocalSearch(graph).improve(labels, math.inf)
        _core.LocalSearch(graph).improve(labels, math.inf)
    _core.LocalSearch(graph).improve(labels, math.inf)
