"""Matchings of the reference: both sides prove the optimum, or nearly so, in counted work."""

import pytest
from reference_instances import entries, load, needed

import fwmap

pytestmark = needed


@pytest.mark.parametrize("entry", entries("matching"))
def test_the_bound_is_no_worse_than_any_known_and_the_energy_is_the_optimum(entry):
    model = load(entry).model
    # On opengm1 a thousand of the iterations are with the left side alone, and ten times as quick.
    result = fwmap.solve(model, iterations=3000, exact=False)
    assert result.settings.decomposition == "two-sided"
    assert result.bound >= entry["best_bound"] - 1e-6 * max(1.0, abs(entry["best_bound"]))
    assert result.energy == model.energy(result.labeling) >= result.bound
    if entry["optimum"] is not None:
        last_digit = 10.0 ** -entry["optimum_digits"]
        assert result.energy == pytest.approx(entry["optimum"], abs=last_digit)
        assert result.bound <= entry["optimum"] + last_digit
    if entry["name"] == "opengm1":  # at least half of what other programs' bounds leave
        assert result.bound >= 0.5 * (entry["best_bound"] + entry["optimum"])
