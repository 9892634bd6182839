"""Every vector variant gives the same bits, in the oracles and over whole runs."""

import numpy as np
import pytest
from zoo import random_model

import fwmap
from fwmap import _core
from fwmap.decompose import decompose


def fields():
    for seed, (graph, n, labels) in enumerate(
        [("complete", 9, 19), ("grid", 16, 9), ("cycle", 5, 33), ("parallel", 6, 8), ("complete", 6, 3)]
    ):
        rng = np.random.default_rng(seed)
        kinds = ("table",) if seed < 2 else ("table", "potts", "linear", "quadratic")
        yield random_model(rng, graph, n, labels, kinds=kinds, factors=seed % 3, forbidden=0.05)


@pytest.fixture(scope="module")
def expected():
    """What the narrowest variant says."""
    default = _core.kernels_in_use()
    assert _core.use_kernels(_core.available_kernels()[0])
    answers = [(runs(model), oracles(model)) for model in fields()]
    assert _core.use_kernels(default)
    return answers


def runs(model):
    """The traces of two runs, as bits, without times."""
    rows = []
    for choice in ({}, {"proximal_weight": 0.5}, {"solver": "message-passing"}):
        result = fwmap.solve(model, iterations=60, gap=0.0, **choice)
        rows += [[row.work, row.lower_bound, row.energy, row.A, row.B, row.planes] for row in result.trace]
        rows += [result.labeling.tolist() if result.labeling is not None else None]
        rows += [values.tobytes() for values in result.multipliers]
    return rows


def oracles(model):
    core, rng, answers = decompose(model).core, np.random.default_rng(0), []
    for t in range(core.n_terms):
        for _ in range(5):
            weights = rng.normal(size=core.n_coordinates(t))
            support, *numbers = core.minimize(t, weights)
            answers += [support.tolist(), numbers, core.min_marginals(t, weights).tobytes()]
    return answers


def test_runs_and_oracles_have_the_bits_of_the_narrowest_variant(expected, kernels):
    assert _core.kernels_in_use() == kernels
    for model, (run, oracle) in zip(fields(), expected, strict=True):
        assert oracles(model) == oracle
        assert runs(model) == run


def test_an_unknown_variant_is_refused_and_changes_nothing():
    before = _core.kernels_in_use()
    assert not _core.use_kernels("mmx")
    assert _core.kernels_in_use() == before


def test_the_widest_variant_is_the_default():
    assert _core.available_kernels()[0] == "baseline"
    assert _core.kernels_in_use() == _core.available_kernels()[-1]
