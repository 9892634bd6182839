"""Certificates of every class hold, prove no more than is true, and stop holding when they are changed."""

import ast
import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matchings import random_matching
from zoo import GRAPHS, frustrated_triangle, optimum, random_model

import fwmap
from fwmap.certificate import AlteredCertificate, Certificate
from fwmap.certificate.certificate import CHAIN, FACTOR, FOREST, RAY, RIGHT_FOREST

KINDS = ("table", "potts", "linear", "quadratic")


class OneOf(fwmap.Oracle):
    """Chooses exactly one variable."""

    def __init__(self, costs):
        self.costs = np.asarray(costs)

    def minimize(self, weights):
        chosen = int(np.argmin(self.costs + weights))
        return [chosen], float(self.costs[chosen])

    def cost(self, indices):
        return float(self.costs[indices[0]]) if len(indices) == 1 else math.inf


def field(seed, **options):
    rng = np.random.default_rng(seed)
    graph = GRAPHS[seed % len(GRAPHS)]
    recipe = {"kinds": KINDS, "factors": 2, "constant": 1.5, "forbidden": 0.1 * (seed % 2)}
    return random_model(rng, graph, int(rng.integers(1, 7)), 4, **(recipe | options))


def tomography(seed=0):
    rng = np.random.default_rng(seed)
    rays = [([0, 1, 2], 3), ([0, 3], rng.random(5)), ([1, 4], 2), ([2, 5, 4], [0.5, 0.0, 1.0, 2.0, 2.5])]
    return fwmap.Tomography((2, 3), rays, labels=3, smoothness=0.3)


def own():
    model = fwmap.Decomposition(3, constant=0.25)
    model.add(OneOf([1.0, 2.0, 4.0]), [0, 1, 2])
    model.add(OneOf([0.5, 1.0, 5.0]), [2, 1, 0])
    return model


@pytest.mark.parametrize("seed", range(48))
def test_a_field_s_certificate_proves_its_bound_and_no_more(seed):
    model = field(seed, integer=seed % 3 == 0)
    result = fwmap.solve(model, iterations=25)
    if result.status == "infeasible":
        assert result.certificate is None
        return
    verdict = result.check(model)
    assert verdict.holds, verdict
    assert verdict.energy == result.energy
    assert verdict.bound == pytest.approx(result.bound, rel=1e-9, abs=1e-300)
    assert verdict.bound <= optimum(model) + 1e-9 * abs(optimum(model))
    assert verdict.proved == (result.status == "optimal")


def several_rays(seed=0):
    """As `tomography`, of which the rows have no edges along them."""
    rng = np.random.default_rng(seed)
    rays = [([0, 4, 2], 3), ([1, 3, 5], rng.random(6)), ([0, 3], 2)]
    return fwmap.Tomography((2, 3), rays, labels=3, smoothness=0.3)


@pytest.mark.parametrize("decomposition", ["auto", "forests"])
@pytest.mark.parametrize("model", [tomography(), tomography(1), several_rays(), own()])
def test_so_does_one_of_rays_and_of_own_oracles(model, decomposition):
    result = fwmap.solve(model, iterations=40, decomposition=decomposition)
    verdict = result.check(model)
    assert verdict.holds, verdict
    assert verdict.bound == pytest.approx(result.bound, rel=1e-9)
    assert verdict.proved == (result.status == "optimal")


def test_nothing_costs_nothing_and_is_proved():
    model = fwmap.Tomography((2, 3), [([0, 3], 2), ([1, 4], 2), ([2, 5, 4], 3)], labels=3, smoothness=0.0)
    for solver in ("fwmap", "bundle", "subgradient"):
        verdict = fwmap.solve(model, solver=solver, iterations=50).check(model)
        assert verdict.holds, verdict
        assert verdict.energy in (0.0, None)


def test_a_bound_alone_has_a_certificate_and_is_no_proof_of_optimality():
    model = field(3)
    verdict = fwmap.solve(model, iterations=20, primal=False).check(model)
    assert verdict.holds
    assert not verdict.proved
    assert verdict.energy is None


def test_energies_that_are_steps_apart_are_proved_by_the_step():
    model = random_model(np.random.default_rng(4), "complete", 6, 3, integer=True)
    result = fwmap.solve(model, gap=0.0, tighten=False)
    assert result.proof == "step"
    assert 0.5 < result.energy - result.bound < 1
    verdict = result.check(model)
    assert verdict.proved
    assert verdict.by_step == 1


def test_a_gap_is_told():
    verdict = fwmap.solve(frustrated_triangle().scaled(0.1), iterations=100, tighten=False).check(
        frustrated_triangle().scaled(0.1)
    )
    assert (verdict.holds, verdict.proved) == (True, False)
    assert "NOT PROVED" in str(verdict)


def test_the_certificate_of_another_model_does_not_hold():
    result = fwmap.solve(field(0))
    assert not result.check(field(0).scaled(1.001)).holds
    assert not result.check(field(2)).holds
    assert "Tomography" in str(result.check(tomography()))


# --- changed ones -------------------------------------------------------------------------------------------


def changed(array, rng):
    """The array with one entry that is another number of the same kind."""
    array = np.array(array, copy=True)
    place = tuple(int(rng.integers(n)) for n in array.shape)
    if array.dtype.kind in "iu":
        array[place] += 1
    else:
        array[place] = 0.25 if np.isnan(array[place]) else array[place] * 1.5 + 0.25
    return array


NUMBERS = (
    "n_labels",
    "labeling",
    "energy",
    "lower_bound",
    "term_kind",
    "term_number",
    "term_nodes",
    "term_node_offsets",
    "edge_term",
    "shares",
    "multipliers",
)


@pytest.mark.parametrize(
    ("which", "name"),
    [(which, name) for which in ("field", "tomography", "matching") for name in NUMBERS]
    + [("matching", "term_edges"), ("matching", "term_edge_offsets")],
)
def test_a_change_of_any_array_is_noticed(name, which):
    """Of labeling and multipliers by energy and bound; where these stay the same nothing false is said."""
    rng = np.random.default_rng(1)
    model = {
        "field": lambda: random_model(rng, "grid", 6, 3, kinds=KINDS, factors=2, same_labels=True),
        "tomography": tomography,
        "matching": lambda: random_matching(rng, 4, 4),
    }[which]()
    start = None
    if which == "tomography":
        start = min(itertools.product(range(3), repeat=6), key=model.energy)
    both_sides_at_once = {"proximal_weight": 1.0} if which == "matching" else {}
    certificate = fwmap.solve(model, iterations=30, labeling=start, **both_sides_at_once).certificate
    rng = np.random.default_rng(0)
    for _ in range(12):
        forged = replace(certificate, **{name: changed(getattr(certificate, name), rng)})
        if name in ("energy", "lower_bound"):
            forged = replace(certificate, **{name: float(getattr(forged, name))})
        verdict = forged.check(model)
        kind = forged.term_kind[forged.term_number != certificate.term_number]
        if name == "term_number" and kind in (FOREST, RIGHT_FOREST):
            continue  # a forest's number says nothing
        if name == "multipliers" and verdict.holds:  # others may prove the same
            assert verdict.bound == pytest.approx(certificate.lower_bound, rel=1e-9)
            continue
        assert not verdict.holds, (name, verdict)
        assert not verdict.proved
        assert verdict.failures


def test_shifted_multipliers_that_still_sum_to_zero_prove_nothing_that_is_false():
    for seed in range(20):
        model = field(seed, forbidden=0.0)
        certificate = fwmap.solve(model, iterations=10, primal=False).certificate
        variables = np.concatenate(
            [np.arange(model.label_offsets[v], model.label_offsets[v + 1]) for v in certificate.term_nodes]
        )
        rng = np.random.default_rng(seed)
        twice = [np.flatnonzero(variables == i) for i in range(len(model.unaries))]
        twice = [places for places in twice if len(places) > 1]
        if not twice:
            continue
        forged = certificate.multipliers.copy()
        for places in twice:
            amount = rng.normal()
            forged[0, places[0]] += amount
            forged[0, places[1]] -= amount
        verdict = replace(certificate, multipliers=forged).check(model)
        assert verdict.bound <= optimum(model) + 1e-9
        claimed = replace(certificate, multipliers=forged, lower_bound=verdict.bound).check(model)
        assert claimed.holds


def test_multipliers_that_do_not_sum_to_zero_prove_nothing_that_is_false():
    for model in [*(field(seed, forbidden=0.0) for seed in range(20)), own()]:
        certificate = fwmap.solve(model, iterations=10, primal=False).certificate
        noise = np.random.default_rng(7).normal(size=certificate.multipliers.shape)
        if isinstance(model, fwmap.MRF):
            known = np.bincount(certificate.term_nodes, minlength=model.n_nodes) > 1
            nodes = np.repeat(certificate.term_nodes, model.n_labels[certificate.term_nodes])
            noise *= known[nodes]
        verdict = replace(certificate, multipliers=certificate.multipliers + noise).check(model)
        least = optimum(model) if isinstance(model, fwmap.MRF) else fwmap.solve(model).energy
        assert verdict.bound <= least + 1e-9


@pytest.mark.parametrize("solver", ["fwmap", "bundle"])
def test_it_holds_where_multipliers_were_far_larger_than_costs(solver):
    for seed in range(12):
        model = field(seed, forbidden=0.0)
        result = fwmap.solve(model, solver=solver, iterations=30, proximal_weight=1e9)
        verdict = result.check(model)
        assert verdict.holds, verdict


def test_a_claim_that_is_too_good_is_refused():
    model = frustrated_triangle().scaled(0.1)
    certificate = fwmap.solve(model, iterations=50, tighten=False).certificate
    verdict = replace(certificate, lower_bound=certificate.energy).check(model)
    assert not verdict.holds
    assert "claims" in str(verdict)


def test_a_part_of_the_model_cannot_be_counted_twice_or_left_out():
    model = tomography()
    certificate = fwmap.solve(model, iterations=5, decomposition="forests").certificate
    rays = np.flatnonzero(certificate.term_kind == RAY)
    numbers = certificate.term_number.copy()
    numbers[rays[0]] = numbers[rays[1]]
    assert "every ray" in str(replace(certificate, term_number=numbers).check(model))
    kinds = certificate.term_kind.copy()
    kinds[rays[0]] = FACTOR
    assert not replace(certificate, term_kind=kinds).check(model).holds


def test_a_chain_holds_the_edges_along_its_ray_and_no_others():
    model = several_rays()
    certificate = fwmap.solve(model, iterations=5).certificate
    (chain,) = np.flatnonzero(certificate.term_kind == CHAIN)
    assert certificate.term_number[chain] == 2
    assert sorted(certificate.term_number[certificate.term_kind == RAY]) == [0, 1]
    held = np.flatnonzero(certificate.edge_term == chain)
    assert model.field.edges[held].tolist() == [[0, 3]]
    other = np.flatnonzero(certificate.edge_term != chain)[0]
    edge_term = certificate.edge_term.copy()
    edge_term[other] = chain
    assert "between pixels that follow each other" in str(
        replace(certificate, edge_term=edge_term).check(model)
    )
    kinds = certificate.term_kind.copy()
    kinds[chain] = RAY
    assert "in no forest or chain" in str(replace(certificate, term_kind=kinds).check(model))
    numbers = certificate.term_number.copy()
    numbers[chain] = 1
    assert "every ray" in str(replace(certificate, term_number=numbers).check(model))


# --- files --------------------------------------------------------------------------------------------------


def test_a_file_holds_everything_exactly(tmp_path):
    certificate = fwmap.solve(field(8)).certificate
    certificate.save(tmp_path / "proof.npz")
    again = Certificate.load(tmp_path / "proof.npz")
    for name, array in certificate.arrays().items():
        assert again.arrays()[name].dtype == array.dtype
        assert again.arrays()[name].tobytes() == array.tobytes()


def test_a_file_has_no_pickles_and_a_version(tmp_path):
    fwmap.solve(field(8)).certificate.save(tmp_path / "proof.npz")
    with np.load(tmp_path / "proof.npz", allow_pickle=False) as archive:
        assert int(archive["fwmap_certificate"]) == 1
        assert all(archive[name].dtype.kind in "iuf" for name in archive)


def test_a_change_of_any_array_of_the_file_is_noticed(tmp_path):
    fwmap.solve(field(8)).certificate.save(tmp_path / "proof.npz")
    with np.load(tmp_path / "proof.npz") as archive:
        arrays = dict(archive)
    for name in arrays:
        if name == "fwmap_certificate" or not arrays[name].size:
            continue
        forged = changed(arrays[name].reshape(arrays[name].shape or ()), np.random.default_rng(0))
        np.savez(tmp_path / "forged.npz", **(arrays | {name: forged}))
        with pytest.raises(AlteredCertificate, match="digest"):
            Certificate.load(tmp_path / "forged.npz")


def test_what_is_no_certificate_is_refused_in_words(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"nothing")
    np.savez(tmp_path / "b.npz", a=np.zeros(3))
    np.savez(tmp_path / "c.npz", fwmap_certificate=np.array(99))
    np.savez(tmp_path / "d.npz", fwmap_certificate=np.array(1))
    for name, words in (("a", "damaged"), ("b", "not a certificate"), ("c", "version 99"), ("d", "missing")):
        with pytest.raises(fwmap.FormatError, match=words):
            Certificate.load(tmp_path / f"{name}.npz")


def test_the_check_knows_nothing_of_the_solver():
    """Neither the compiled module nor anything that imports it."""
    package = Path(fwmap.__file__).parent
    allowed = {"errors", "models", "rounding_down"}
    for folder, outside in (("certificate", allowed), ("models", {"errors", "memory", "rounding_down"})):
        for path in (package / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and node.level == 2:
                    assert (node.module or "").split(".")[0] in outside, path
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    assert not (node.module or "").startswith("fwmap"), path
