"""Costs may be scaled, shifted and renamed: results follow."""

import math

import numpy as np
import pytest
from zoo import random_model

import fwmap
from fwmap.models.parts import Parts
from fwmap.settings import SOLVERS

INF = math.inf
MODELS = {
    "complete": lambda: random_model(np.random.default_rng(0), "complete", 9, 4, constant=0.7),
    "structured": lambda: random_model(
        np.random.default_rng(1), "grid", 16, 4, kinds=("potts", "linear", "quadratic"), constant=-2.0
    ),
    "forbidden": lambda: random_model(np.random.default_rng(8), "complete", 7, 4, forbidden=0.05),
    "dense": lambda: random_model(np.random.default_rng(4), "complete", 12, 4, same_labels=True),
    "factors": lambda: random_model(np.random.default_rng(3), "cycle", 8, 3, factors=6),
}


@pytest.fixture(params=list(MODELS))
def model(request):
    return MODELS[request.param]()


def final_bound(model):
    return fwmap.solve(model, iterations=2000, gap=0.0, primal=False, tighten=False).bound


def cost_range(model):
    tables = [model.unaries, model.table_values, model.factor_values, model.edge_weight]
    finite = np.concatenate([values[np.isfinite(values)] for values in tables])
    return float(finite.max() - finite.min())


@pytest.mark.parametrize(
    ("solver", "exponent"),
    [("fwmap", 10), ("fwmap", -10), ("fwmap", 1), *((solver, -40) for solver in SOLVERS)],
)
def test_a_power_of_two_scales_every_bit_of_the_run(model, solver, exponent):
    scale = 2.0**exponent
    plain = fwmap.solve(model, solver=solver, iterations=120, gap=0.0)
    scaled = fwmap.solve(model.scaled(scale), solver=solver, iterations=120, gap=0.0)
    assert len(plain.trace) == len(scaled.trace)
    for a, b in zip(plain.trace, scaled.trace, strict=True):
        assert (a.iteration, a.work, a.oracle_calls, a.planes) == (
            b.iteration,
            b.work,
            b.oracle_calls,
            b.planes,
        )
        assert b.lower_bound == scale * a.lower_bound
        assert b.proximal_weight == scale * a.proximal_weight
        assert (b.A, b.B) == (scale * a.A, a.B)
        assert (a.energy is None) == (b.energy is None)
        assert a.energy is None or b.energy == scale * a.energy
    assert plain.status == scaled.status
    assert np.array_equal(plain.labeling, scaled.labeling)


@pytest.mark.parametrize("scale", [1000.0, 0.001])
def test_any_other_scale_leads_to_the_same_bound(model, scale):
    assert abs(final_bound(model.scaled(scale)) / scale - final_bound(model)) <= 1e-6 * cost_range(model)


def test_a_constant_added_to_tables_shifts_the_bound(model):
    parts = Parts.of(model)
    unaries, tables = model.unaries.copy(), model.table_values.copy()
    unaries[model.label_offsets[0] : model.label_offsets[1]] += 12.5
    added = 12.5
    if len(tables):
        first = int(model.edge_table[model.edge_kind == 0][0])
        tables[model.table_offsets[first] : model.table_offsets[first + 1]] -= 40.0
        added -= 40.0
    parts.unaries, parts.edge_costs.table_values = unaries, tables
    shifted = fwmap.MRF.from_parts(parts)
    assert abs(final_bound(shifted) - added - final_bound(model)) <= 1e-6 * cost_range(model)


def test_a_constant_of_the_model_shifts_every_row():
    model = MODELS["complete"]()
    parts = Parts.of(model)
    parts.constant = model.constant + 4.0
    plain, shifted = (fwmap.solve(m, iterations=40, gap=0.0) for m in (model, fwmap.MRF.from_parts(parts)))
    for a, b in zip(plain.trace, shifted.trace, strict=True):
        assert b.lower_bound == pytest.approx(a.lower_bound + 4.0, rel=1e-12)
        assert (a.work, a.planes) == (b.work, b.planes)


def test_new_names_of_nodes_and_labels_lead_to_the_same_bound(model):
    rng = np.random.default_rng(5)
    node = rng.permutation(model.n_nodes)  # the new number of each node
    old = np.argsort(node)
    labels = [rng.permutation(k) for k in model.n_labels]  # new label -> old label
    edges = node[model.edges]
    pairwise = [
        model.pairwise_table(e)[np.ix_(labels[u], labels[v])] for e, (u, v) in enumerate(model.edges.tolist())
    ]
    factors = [
        (node[scope], model.factor_table_of(f)[np.ix_(*(labels[v] for v in scope))])
        for f, scope in enumerate(model.factor_scope(f).tolist() for f in range(model.n_factors))
    ]
    unaries = [model.unary(v)[labels[v]] for v in old]
    renamed = fwmap.MRF(unaries, edges, pairwise, factors, model.constant)
    assert abs(final_bound(renamed) - final_bound(model)) <= 1e-5 * max(1, cost_range(model))


def test_large_forbidden_entries_do_not_change_the_run():
    """1e38 stands for forbidden: the same run as with inf, to the last bit."""
    model = MODELS["forbidden"]()
    tables = [model.pairwise_table(e) for e in range(model.n_edges)]
    unaries = [model.unary(v) for v in range(model.n_nodes)]
    large = fwmap.MRF(
        [np.where(np.isinf(u), 1e38, u) for u in unaries],
        model.edges,
        [np.where(np.isinf(t), 1e38, t) for t in tables],
    )
    assert large.n_forbidden_read > 0
    a, b = (fwmap.solve(m, iterations=60, gap=0.0) for m in (model, large))
    assert [row.lower_bound for row in a.trace] == [row.lower_bound for row in b.trace]
    assert a.energy == b.energy
