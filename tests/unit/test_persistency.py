"""Labels are removed only where no better labeling has them; what is left is the same problem, smaller."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from matchings import random_matching
from zoo import GRAPHS, frustrated_triangle, optimum, random_model

import fwmap
from fwmap.decompose import decompose
from fwmap.decompose.forests import decompose_covered
from fwmap.decompose.restriction import restricted
from fwmap.stages import Persistency

KINDS = ("table", "potts", "linear", "quadratic")


def some_field(seed, **options):
    rng = np.random.default_rng(seed)
    recipe = {"kinds": KINDS, "factors": seed % 3, "constant": 1.5, "forbidden": 0.1 * (seed % 2)}
    return random_model(rng, GRAPHS[seed % 7], int(rng.integers(3, 7)), 4, **(recipe | options))


def some_tomography(seed):
    rng = np.random.default_rng(seed)
    rays = [([0, 1, 2], 3), ([0, 3], rng.random(5)), ([1, 4], 2), ([2, 5, 4], rng.random(7))]
    return fwmap.Tomography((2, 3), rays, labels=3, smoothness=0.3, unaries=rng.normal(size=(2, 3, 3)))


def some_matching(seed):
    rng = np.random.default_rng(seed)
    return random_matching(rng, 4, 4, 0.8, "partial" if seed % 2 else "perfect", integer=seed % 3 == 0)


def some_models():
    return [
        *(pytest.param(some_field(s, integer=s % 4 == 0), id=f"field {s}") for s in range(24)),
        *(pytest.param(some_tomography(s), id=f"tomography {s}") for s in range(6)),
        *(pytest.param(some_matching(s), id=f"matching {s}") for s in range(12)),
    ]


def field_of(model):
    return model if isinstance(model, fwmap.MRF) else model.field


def every_labeling(model):
    """All labelings of a model's field with a finite energy, and these."""
    for labels in itertools.product(*map(range, field_of(model).n_labels.tolist())):
        given = model.labeling_of(np.array(labels)) if isinstance(model, fwmap.GraphMatching) else labels
        energy = model.energy(given)
        if math.isfinite(energy):
            yield labels, energy


def solved(model):
    """A run; with an optimal labeling where it finds none itself."""
    first = None
    if isinstance(model, fwmap.Tomography):
        first = min(every_labeling(model), key=lambda pair: pair[1], default=[None])[0]
    return fwmap.solve(model, iterations=80, gap=0.0, labeling=first)


# --- what is removed ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", some_models())
def test_no_labeling_that_is_as_good_as_the_cutoff_loses_a_label(model):
    """Whatever was removed: all labelings with such a label cost more, and the bound is one of them all."""
    result = solved(model)
    if result.certificate is None or not len(result.certificate.cutoffs):
        return
    certificate, offsets = result.certificate, field_of(model).label_offsets
    best = math.inf
    for labels, energy in every_labeling(model):
        best = min(best, energy)
        at = certificate.removed_at[offsets[:-1] + labels]
        if (at >= 0).any():
            assert energy > certificate.cutoffs[at[at >= 0]].max()
    size = 1e-12 * max(1.0, abs(best))
    assert result.bound <= best + size
    assert result.energy >= best - size
    verdict = result.check(model)
    assert verdict.holds, verdict
    assert verdict.removed == np.count_nonzero(certificate.removed_at >= 0) > 0


def test_many_of_these_do_lose_labels():
    lost = [bool(solved(parameter.values[0]).removed) for parameter in some_models()]
    assert np.mean(lost) > 0.3
    assert any(lost[24:30])
    assert any(lost[30:])


def test_what_was_removed_is_told_in_result_and_trace():
    model = random_model(np.random.default_rng(9), "grid", 16, 4, same_labels=True)
    result = fwmap.solve(model, iterations=60, gap=0.0)
    assert 0 < result.removed["labels"] < result.removed["labels_in_total"]
    assert 0 < result.removed["variables_fixed"] <= result.removed["variables"]
    rows = [row.labels_removed for row in result.trace]
    assert rows[0] == 0
    assert rows == sorted(rows)
    assert rows[-1] == result.removed["labels"]
    assert result.as_dict()["removed"] == result.removed


def test_all_optimal_labelings_stay_where_there_are_several():
    """Two labels that cost the same everywhere: neither is above the cut-off."""
    rng = np.random.default_rng(0)
    unaries = np.repeat(rng.normal(size=(6, 3)), 2, axis=1)
    tables = np.repeat(np.repeat(rng.normal(size=(5, 3, 3)), 2, axis=1), 2, axis=2)
    model = fwmap.MRF(unaries, [(v, v + 1) for v in range(5)], list(tables))
    result = fwmap.solve(model, gap=0.0, iterations=60)
    best = optimum(model)
    kept = result.certificate.removed_at.reshape(6, 6) < 0
    for labels, energy in every_labeling(model):
        if energy <= best + 1e-12:
            assert kept[np.arange(6), labels].all()


def test_without_labelings_nothing_is_removed_and_nothing_looked_for():
    model = some_field(4)
    result = fwmap.solve(model, iterations=60, gap=0.0, primal=False, labeling=np.zeros(model.n_nodes, int))
    assert result.removed == {}


def test_the_step_of_energies_lowers_the_cutoff():
    """Energies are 1 apart, the bound is 2 and the labeling 3: every other labeling is no better."""
    assert Persistency(None).cutoff(3.0) == 3.0
    assert Persistency(1.0).cutoff(3.0) == 2.0


def test_where_nothing_is_left_the_labeling_is_optimal():
    """Each label is proved to be worse, so that the rest has no labeling at all."""
    model = random_model(np.random.default_rng(3), "complete", 6, 3, integer=True)
    result = fwmap.solve(model, gap=0.0)
    if result.status == "optimal":
        assert result.energy == optimum(model)
        assert result.check(model).proved


# --- the problem that is left -------------------------------------------------------------------------------


def random_rest(model, rng):
    """Which labels are left: at least one allowed one of each node, of some only one."""
    field = field_of(model)
    left = np.isfinite(field.unaries)
    for v in range(field.n_nodes):
        own = slice(field.label_offsets[v], field.label_offsets[v + 1])
        allowed = np.flatnonzero(left[own])
        if len(allowed):
            kept = rng.permutation(allowed)[: int(rng.integers(1, len(allowed) + 1))]
            left[own] = np.isin(np.arange(own.stop - own.start), kept)
    return left


@pytest.mark.parametrize("model", some_models())
def test_the_rest_costs_what_the_model_costs(model):
    """The terms of the reduced decomposition together, for each labeling of labels that are left."""
    origin = decompose(model)
    left = random_rest(model, np.random.default_rng(7))
    cover = restricted(origin, origin.further, left, (), math.inf)
    further = tuple(term.restrict(cover) for term in origin.further)
    rest = decompose_covered(cover, further)
    assert rest.core.n_terms == origin.core.n_terms
    assert sum(map(len, rest.nodes)) <= sum(map(len, origin.nodes))
    labels_of = cover.restriction.labels
    offsets, before = rest.label_offsets, origin.label_offsets
    for labels in itertools.product(*map(range, rest.field.n_labels.tolist())):
        own = labels_of[offsets[:-1] + labels] - before[:-1]
        given = model.labeling_of(own) if isinstance(model, fwmap.GraphMatching) else own
        expected = model.energy(given) if left[before[:-1] + own].all() else math.inf
        cost = rest.core.constant
        for t, nodes in enumerate(rest.nodes):
            if not len(nodes):  # nothing is left of it, or it has no costs: right points
                continue
            sizes = rest.field.n_labels[nodes]
            support = np.cumsum(sizes) - sizes + np.array(labels)[nodes]
            cost += rest.core.cost(t, np.ascontiguousarray(support, np.int32))
        assert cost == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_large_structured_costs_stay_structured():
    """Truncated linear costs of many labels are cheaper than tables: labels are forbidden, not cut out."""
    model = fwmap.MRF.grid(np.random.default_rng(0).normal(size=(3, 3, 60)), fwmap.TruncatedLinear(0.1, 5))
    origin = decompose(model)
    left = np.ones(len(model.unaries), bool)
    left[:20] = False
    cover = restricted(origin, (), left, (), math.inf)
    assert (cover.field.edge_kind != 0).all()
    assert len(cover.field.unaries) == len(model.unaries)
    assert np.isinf(cover.field.unary(0)[:20]).all()
    left.reshape(9, 60)[:] = np.arange(60) < 3
    assert restricted(origin, (), left, (), math.inf).field.n_labels.tolist() == [3] * 9


def test_a_table_that_many_edges_share_is_not_copied_for_each():
    table = np.random.default_rng(0).normal(size=(40, 40))
    model = fwmap.MRF.grid(np.zeros((5, 5, 40)), table)
    left = np.ones(len(model.unaries), bool)
    left[::40] = False
    cover = restricted(decompose(model), (), left, (), math.inf)
    assert len(cover.field.table_values) == table.size


# --- the run and its certificate ----------------------------------------------------------------------------


def without_persistency(monkeypatch):
    monkeypatch.setattr(Persistency, "next_decomposition", lambda self, moment: None)


@pytest.mark.parametrize("solver", ["fwmap", "subgradient"])
def test_the_bound_is_no_worse_than_without(solver, monkeypatch):
    models = [random_model(np.random.default_rng(s), "grid", 64, 4, same_labels=True) for s in range(3)]
    settings = {"iterations": 150, "gap": 0.0, "solver": solver, "tighten": False}
    with_it = [fwmap.solve(model, **settings) for model in models]
    without_persistency(monkeypatch)
    for model, result in zip(models, with_it, strict=True):
        plain = fwmap.solve(model, **settings)
        assert result.removed or solver == "subgradient"
        assert not plain.removed
        assert result.bound >= plain.bound - 1e-4 * abs(plain.bound)
        assert result.bound <= plain.energy + 1e-9


def test_a_relaxation_that_leaves_a_gap_is_tighter_without_some_labels(monkeypatch):
    """Labels that only a fractional solution uses."""
    better = 0
    for seed in range(130, 160):
        model = random_model(np.random.default_rng(seed), "complete", 6, 4, same_labels=True)
        result = fwmap.solve(model, gap=0.0, iterations=400, tighten=False)
        with monkeypatch.context() as patch:
            without_persistency(patch)
            better += result.bound > fwmap.solve(model, gap=0.0, iterations=400, tighten=False).bound + 1e-3
        assert result.bound <= optimum(model) + 1e-9
        if better:
            return
    raise AssertionError("no relaxation of thirty became tighter")


def test_a_certificate_with_another_removal_cutoff_or_multiplier_does_not_hold():
    model = random_model(np.random.default_rng(9), "grid", 16, 4, same_labels=True)
    certificate = fwmap.solve(model, iterations=60, gap=0.0).certificate
    assert certificate.check(model).holds
    assert len(certificate.cutoffs)
    chosen = model.label_offsets[:-1] + certificate.labeling
    removed_at = certificate.removed_at.copy()
    removed_at[chosen[0]] = 0
    assert "not proved" in str(replace(certificate, removed_at=removed_at).check(model))
    removed_at[chosen[0]] = len(certificate.cutoffs)
    assert "none of" in str(replace(certificate, removed_at=removed_at).check(model))
    assert not replace(certificate, cutoffs=certificate.cutoffs + 1.0).check(model).holds
    lower = replace(certificate, cutoffs=certificate.cutoffs - 1.0).check(model)
    assert not lower.holds  # the bound is no more than that
    assert "claims" in str(lower)
    for row in range(len(certificate.cutoffs)):
        multipliers = certificate.multipliers.copy()
        multipliers[row] *= 0.5
        assert not replace(certificate, multipliers=multipliers).check(model).holds
    fewer = replace(certificate, cutoffs=certificate.cutoffs[:0], multipliers=certificate.multipliers[-1:])
    assert not fewer.check(model).holds


def test_a_reduced_result_starts_another_run():
    model = random_model(np.random.default_rng(9), "grid", 36, 4, same_labels=True)
    first = fwmap.solve(model, iterations=40, gap=0.0)
    assert first.removed
    again = fwmap.solve(model, start=first, iterations=40)
    assert again.energy <= first.energy
    assert [len(values) for values in again.multipliers] == [len(values) for values in first.multipliers]
    assert [values.shape for values in first.marginals] == [values.shape for values in again.marginals]
    np.testing.assert_allclose(np.sum(first.marginals, axis=1), 1.0, atol=1e-9)


def test_a_loose_relaxation_keeps_its_labels():
    result = fwmap.solve(frustrated_triangle(), iterations=100)
    assert result.removed == {}
