"""Matchings of the reference: both sides prove the optimum, or nearly so, in counted work."""

import json
import os
from pathlib import Path

import pytest

import fwmap
from fwmap.formats import read

FOLDER = os.environ.get("FWMAP_REFERENCE_DATA")

pytestmark = pytest.mark.skipif(
    not FOLDER, reason="the environment variable FWMAP_REFERENCE_DATA does not name the reference instances"
)


def instances():
    if not FOLDER:
        return []
    listed = json.loads((Path(FOLDER) / "reference.json").read_text())["instances"]
    return [pytest.param(entry, id=entry["name"]) for entry in listed if entry["class"] == "matching"]


@pytest.mark.parametrize("entry", instances())
def test_the_bound_is_no_worse_than_any_known_and_the_energy_is_the_optimum(entry):
    model = read(Path(FOLDER) / entry["file"]).model
    result = fwmap.solve(model, iterations=1500, exact=False)
    assert result.settings.decomposition == "two-sided"
    assert result.bound >= entry["best_bound"] - 1e-6 * max(1.0, abs(entry["best_bound"]))
    assert result.energy == model.energy(result.labeling) >= result.bound
    if entry["optimum"] is not None:
        last_digit = 10.0 ** -entry["optimum_digits"]
        assert result.energy == pytest.approx(entry["optimum"], abs=last_digit)
        assert result.bound <= entry["optimum"] + last_digit
    if entry["name"] == "opengm1":  # at least half of what other programs' bounds leave
        assert result.bound >= 0.5 * (entry["best_bound"] + entry["optimum"])
