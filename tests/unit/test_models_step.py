"""What energies are multiples of apart, found where it can be known and nowhere else."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from zoo import GRAPHS, all_energies, random_model

import fwmap
from fwmap.models.step import energy_step

KINDS = ("table", "potts", "linear", "quadratic")


@pytest.mark.parametrize("seed", range(60))
def test_all_energies_of_integer_models_are_steps_apart(seed):
    rng = np.random.default_rng(seed)
    unit = (1.0, 0.25, 3.0, 2.0**-19, 6.0)[seed % 5]
    model = random_model(
        rng,
        GRAPHS[seed % len(GRAPHS)],
        4,
        3,
        kinds=KINDS,
        factors=1,
        integer=True,
        forbidden=0.1 * (seed % 2),
        constant=7.0,
    ).scaled(unit)
    step = energy_step(model)
    energies = all_energies(model).ravel()
    energies = [Fraction(e) for e in energies[np.isfinite(energies)].tolist()]
    if step is None:
        assert len(set(energies)) <= 1
        return
    assert Fraction(step) >= Fraction(unit) / 2  # truncations are multiples of one half
    assert all((e - energies[0]) % Fraction(step) == 0 for e in energies)


def test_a_common_factor_and_offsets_within_tables_do_not_hide_the_step():
    model = fwmap.MRF([[1, 7], [100, 103]], [(0, 1)], [[2, 5], [8, 2]])
    assert energy_step(model) == 3.0


@pytest.mark.parametrize(
    "model",
    [
        fwmap.MRF([[0.1, 0.2]]),
        fwmap.MRF([[0, 1], [0, 1]], [(0, 1)], fwmap.Potts(1 / 3)),
        fwmap.MRF([[0, 1]], constant=0.1),
        fwmap.MRF([[0.0, 2.0**53]]),
        fwmap.MRF([[5.0], [7.0]]),
        fwmap.Decomposition(2),
    ],
)
def test_other_models_have_none(model):
    assert energy_step(model) is None


def test_rays_count_too():
    integers = fwmap.Tomography((1, 2), [([0, 1], [0.0, 4.0, 6.0])], labels=2, smoothness=2.0)
    assert energy_step(integers) == 2.0
    assert energy_step(fwmap.Tomography((1, 2), [([0, 1], [0.0, 0.3])], labels=2, smoothness=2.0)) is None


def test_a_bound_above_the_energy_less_a_step_is_a_proof():
    proofs = set()
    for seed in range(25):
        model = random_model(np.random.default_rng(seed), "complete", 6, 3, integer=True)
        result = fwmap.solve(model, iterations=400, gap=0.0)
        if result.status != "optimal":
            continue
        proofs.add(result.proof)
        assert result.energy == all_energies(model).min()
        assert result.check(model).proved
        if result.proof == "step":
            assert 0 < result.gap < 1
    assert "step" in proofs


def test_a_gap_of_a_whole_step_is_none():
    for step, labels in itertools.product((1.0, 2.0), (2, 3)):
        model = fwmap.MRF(
            [[0.0] * labels] * 3, [(0, 1), (1, 2), (0, 2)], fwmap.Potts(-step), constant=math.pi
        )
        assert energy_step(model) is None  # the constant makes no energy exact
        assert fwmap.solve(model, iterations=50).proof in (None, "gap", "exact")
