"""Every reader on real instances; they are not part of this repository (see the skip reason)."""

import itertools
import lzma
import math

import numpy as np
import pytest
from reference_instances import FOLDER, entries, load, needed

from fwmap.errors import FormatError
from fwmap.formats import compare, read, write

pytestmark = needed


def factors_of_uai(tokens, cost):
    """Read a UAI file token by token, by its grammar and nothing else."""
    words = iter(tokens)
    assert next(words) == "MARKOV"
    sizes = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    tables = [[cost(float(next(words))) for _ in range(int(next(words)))] for _ in scopes]
    assert next(words, None) is None
    for scope, table in zip(scopes, tables, strict=True):
        assert len(table) == math.prod(sizes[v] for v in scope)
    return sizes, [
        (scope, np.reshape(table, [sizes[v] for v in scope]))
        for scope, table in zip(scopes, tables, strict=True)
    ]


def factors_of_wcsp(tokens):
    """Read a .wcsp file of tables token by token."""
    words = iter(tokens)
    next(words)
    n, _, n_functions, upper_bound = (int(next(words)) for _ in range(4))
    sizes = [int(next(words)) for _ in range(n)]
    factors = []
    for _ in range(n_functions):
        scope = [int(next(words)) for _ in range(int(next(words)))]
        table = np.full([sizes[v] for v in scope], float(next(words)))
        for _ in range(int(next(words))):
            labels = tuple(int(next(words)) for _ in scope)
            table[labels] = float(next(words))
        factors.append((scope, np.where(table >= upper_bound, math.inf, table)))
    return sizes, factors


def cost_of_potential(value):
    return math.inf if value == 0 else -math.log(value)


def forbid(value):
    return math.inf if value >= 1e20 else value


@pytest.mark.parametrize("entry", entries("mrf"))
def test_energies_are_those_of_a_reader_that_goes_token_by_token(entry):
    path = FOLDER / entry["file"]
    tokens = lzma.decompress(path.read_bytes()).decode().split()
    if entry["values"] is None:
        sizes, factors = factors_of_wcsp(tokens)
    else:
        sizes, factors = factors_of_uai(tokens, forbid if entry["values"] == "costs" else cost_of_potential)
    model = load(entry).model
    assert model.n_labels.tolist() == sizes
    rng = np.random.default_rng(0)
    for _ in range(5):
        labeling = rng.integers(0, sizes)
        expected = math.fsum(float(table[tuple(labeling[v] for v in scope)]) for scope, table in factors)
        assert model.energy(labeling) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("entry", entries("mrf"))
def test_costs_survive_a_conversion_exactly(entry, tmp_path):
    model = load(entry).model
    write(model, tmp_path / "m.npz")
    assert compare(model, read(tmp_path / "m.npz").model) == 0
    write(model, tmp_path / "m.uai", write_as="costs")
    assert compare(model, read(tmp_path / "m.uai", costs=True).model) == 0


@pytest.mark.parametrize("entry", [e for e in entries("mrf") if e.values[0]["values"] == "costs"])
def test_costs_are_refused_as_potentials_with_a_hint(entry):
    with pytest.raises(FormatError, match=r"line \d+: entry \d+ of the table of factor \d+ .*--costs"):
        read(FOLDER / entry["file"])


def test_entries_of_1e38_are_forbidden_and_counted():
    found = 0
    for entry in itertools.chain(e.values[0] for e in entries("mrf")):
        if not entry["name"].startswith("ematCOM"):
            continue
        tokens = lzma.decompress((FOLDER / entry["file"]).read_bytes()).decode().split()[1:]
        expected = sum(float(token) >= 1e20 for token in tokens)
        model = load(entry).model
        assert model.n_forbidden_read == expected
        assert model.facts()["forbidden_labels"] + model.facts()["forbidden_table_entries"] == expected
        found += expected
    assert found > 0
