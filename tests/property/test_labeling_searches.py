"""Searches around a labeling: energies are the model's, no search ends with more than it began with."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from zoo import GRAPHS, optimum, random_model

from fwmap import _core
from fwmap.rounding.graph import penalised_graph

seeds = st.integers(0, 2**32 - 1)


@st.composite
def fields(draw):
    rng = np.random.default_rng(draw(seeds))
    graph, labels = draw(st.sampled_from(GRAPHS)), draw(st.integers(1, 4))
    forbidden = draw(st.sampled_from([0.0, 0.1]))
    return random_model(rng, graph, draw(st.integers(1, 6)), labels, factors=1, forbidden=forbidden)


def searches(graph):
    forests, tabu = _core.LabelingSearch(graph, 3), _core.TabuSearch(graph, 3)
    yield "kick", lambda labels: forests.kick(labels, np.zeros(0, np.int32), 3e5)
    yield "resolve", lambda labels: forests.resolve(labels, 3e4)
    yield "wander", lambda labels: tabu.wander(labels, 1e6)


@settings(max_examples=60)
@given(fields(), seeds)
def test_searches_end_no_higher_and_say_by_how_much(model, seed):
    graph = penalised_graph(model)
    energy = _core.LocalSearch(graph).energy
    start = np.random.default_rng(seed).integers(0, model.n_labels).astype(np.int32)
    before = energy(start)[1]
    for name, search in searches(graph):
        labels, change, operations = search(start)
        after = energy(labels)[1]
        slack = 1e-9 * (1 + abs(before) + abs(after))
        assert after <= before + slack, name
        assert abs(before + change - after) <= slack, name
        assert operations >= 0
        assert (labels >= 0).all()
        assert (labels < model.n_labels).all()
        best = optimum(model)
        if best < np.inf:
            found = model.energy(labels.astype(np.int64))
            assert abs(found - best) <= 1e-9 * (1 + abs(best)), name
            assert abs(found - after - model.constant) <= slack, name
