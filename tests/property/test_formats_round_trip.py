"""Random models, written in every format and read back, have the same energies."""

import importlib.util
import itertools
import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fwmap.formats import compare, read, write
from fwmap.models import MRF, Potts, TruncatedLinear, TruncatedQuadratic

INF = math.inf

exact = st.one_of(st.integers(-50, 50).map(float), st.floats(-1e6, 1e6), st.just(INF), st.just(0.0))
whole = st.one_of(st.integers(-9, 9).map(float), st.just(INF))
decimal = st.one_of(st.integers(-999, 999).map(lambda i: i / 100), st.just(INF))
small = st.one_of(st.floats(-300, 300), st.just(INF))

formats = ["m.npz", "m.uai", "m.LG", "m.uai.xz"]
if importlib.util.find_spec("h5py"):
    formats += ["m.h5", "m.h5.gz"]


def tables(costs, shape):
    size = math.prod(shape)
    return st.lists(costs, min_size=size, max_size=size).map(lambda x: np.array(x).reshape(shape))


@st.composite
def models(draw, costs=exact, structured=True):
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    n = len(sizes)
    unaries = [draw(tables(costs, (k,))) for k in sizes]
    edges, pairwise, factors = [], [], []
    for _ in range(draw(st.integers(0, 5)) if n > 1 else 0):
        u, v = draw(st.permutations(range(n)))[:2]
        edges.append((u, v))
        kinds = [tables(costs, (sizes[u], sizes[v]))]
        if structured:
            weights, truncations = st.floats(-9, 9), st.one_of(st.floats(0, 3), st.just(INF))
            kinds += [
                weights.map(Potts),
                st.builds(TruncatedLinear, weights, truncations),
                st.builds(TruncatedQuadratic, weights, truncations),
            ]
        earlier = [
            table
            for (a, b), table in zip(edges, pairwise, strict=False)
            if isinstance(table, np.ndarray) and (sizes[a], sizes[b]) == (sizes[u], sizes[v])
        ]
        if earlier:
            kinds.append(st.sampled_from(earlier))
        pairwise.append(draw(st.one_of(kinds)))
    for _ in range(draw(st.integers(0, 2))):
        arity = draw(st.integers(0, min(n, 4)))
        scope = draw(st.permutations(range(n)))[:arity]
        factors.append((scope, draw(tables(costs, tuple(sizes[v] for v in scope)))))
    return MRF(unaries, np.array(edges, dtype=int).reshape(-1, 2), pairwise, factors)


def energies(model):
    return [model.energy(x) for x in itertools.product(*(range(k) for k in model.n_labels))]


def there_and_back(model, name, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(model, path, **options)
        return read(path, costs=options.get("write_as") == "costs")


@pytest.mark.parametrize("name", formats)
@given(model=models())
@settings(max_examples=60, deadline=None)
def test_costs_read_back_exactly_in_every_exact_format(name, model):
    again = there_and_back(model, name, **({"write_as": "costs"} if ".uai" in name else {})).model
    assert compare(model, again) == 0
    assert again.n_labels.tolist() == model.n_labels.tolist()
    assert energies(again) == pytest.approx(energies(model), rel=1e-13, abs=1e-9)


@given(model=models(costs=small, structured=False))
@settings(max_examples=60, deadline=None)
def test_potentials_read_back_to_rounding(model):
    again = there_and_back(model, "m.uai", write_as="potentials").model
    assert compare(model, again) < 1e-12
    assert energies(again) == pytest.approx(energies(model), abs=1e-10)


@given(model=models(costs=whole, structured=False))
@settings(max_examples=60, deadline=None)
def test_integers_read_back_exactly_from_wcsp(model):
    again = there_and_back(model, "m.wcsp").model
    assert compare(model, again) == 0
    assert energies(again) == energies(model)


@given(model=models(costs=decimal, structured=False))
@settings(max_examples=60, deadline=None)
def test_decimals_read_back_from_wcsp_with_their_resolution(model):
    again = there_and_back(model, "m.wcsp.gz", resolution=2).model
    assert compare(model, again) < 1e-12
    assert energies(again) == pytest.approx(energies(model), abs=1e-10)


@given(model=models(), other=models())
@settings(max_examples=60, deadline=None)
def test_comparing_bounds_the_difference_of_energies(model, other):
    if model.n_labels.tolist() != other.n_labels.tolist():
        return
    error = compare(model, other)
    terms = sum(m.n_nodes + m.n_edges + m.n_factors + 1 for m in (model, other))
    for a, b in zip(energies(model), energies(other), strict=True):
        if error < INF:
            assert a == b or abs(a - b) <= error * terms * (1 + 1e-9) + 1e-6
