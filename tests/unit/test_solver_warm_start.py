"""A solve that starts from an earlier result, or from a labeling, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from zoo import optimum, random_model

import fwmap
from fwmap.planes import Planes
from fwmap.settings import SOLVERS

FRAMES = {"graph": "complete", "n": 10, "labels": 6, "same_labels": True}


@pytest.fixture
def model():
    return random_model(np.random.default_rng(3), **FRAMES)


def moved(model, amount):
    """The same model with slightly other unary costs: the next frame of a video."""
    noise = amount * np.random.default_rng(5).normal(size=len(model.unaries))
    unaries = [
        model.unary(v) + noise[model.label_offsets[v] : model.label_offsets[v + 1]]
        for v in range(model.n_nodes)
    ]
    return fwmap.MRF(unaries, model.edges, [model.pairwise_table(e) for e in range(model.n_edges)])


def first_bound(result):
    return result.trace[0].lower_bound


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("before", SOLVERS)
def test_it_begins_with_the_bound_where_the_earlier_one_ended(model, solver, before):
    all_labels = {"primal": False}  # without a labeling none is removed
    earlier = fwmap.solve(model, solver=before, iterations=100, **all_labels)
    again = fwmap.solve(model, solver=solver, start=earlier, iterations=0, **all_labels)
    size = max(1.0, abs(earlier.bound))
    assert first_bound(again) == pytest.approx(earlier.bound, abs=1e-12 * size)


@pytest.mark.parametrize("solver", SOLVERS)
def test_it_begins_with_the_labeling_and_above_the_bound_of_a_new_run(model, solver):
    earlier = fwmap.solve(model, iterations=100)
    again = fwmap.solve(model, solver=solver, start=earlier, iterations=0)
    new = fwmap.solve(model, solver=solver, iterations=0)
    assert earlier.removed  # so that the bound of what is left begins below the earlier one
    assert first_bound(new) < first_bound(again) <= earlier.bound
    assert again.energy <= earlier.energy


def test_it_is_quicker_than_a_cold_one_when_costs_have_moved_a_little(model):
    earlier = fwmap.solve(model, iterations=200, tighten=False)
    other = moved(model, 0.01)
    cold = fwmap.solve(other, iterations=400, gap=0.0, tighten=False)
    warm = fwmap.solve(other, start=earlier, iterations=400, gap=0.0, tighten=False)
    level = cold.bound - 0.01 * (cold.bound - first_bound(cold))

    def iterations_to(result):
        return next(row.iteration for row in result.trace if row.lower_bound >= level)

    assert iterations_to(warm) < 0.5 * iterations_to(cold)
    assert warm.bound >= level


@pytest.mark.parametrize("solver", SOLVERS)
def test_its_bound_is_one_of_the_new_costs(solver):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        model = random_model(rng, "complete", 5, 3, same_labels=True, factors=1)
        other = model.scaled(float(rng.uniform(0.2, 3.0)))
        result = fwmap.solve(other, solver=solver, start=fwmap.solve(model, iterations=20), iterations=7)
        best = optimum(other)
        assert result.bound <= best + 1e-9
        assert result.energy >= best - 1e-9


def test_it_repeats_to_the_bit(model):
    earlier = fwmap.solve(model, iterations=20)
    first, second = (fwmap.solve(model, start=earlier, iterations=20) for _ in range(2))
    assert [row.lower_bound for row in first.trace] == [row.lower_bound for row in second.trace]


def test_planes_make_the_copies_of_y_agree_from_the_first_point(model):
    earlier = fwmap.solve(model, iterations=300, tighten=False)
    again = fwmap.solve(model, start=earlier, iterations=0)
    bare = fwmap.solve(model, start=replace(earlier, planes=Planes.none()), iterations=0)
    assert again.trace[0].B <= 0.5 * bare.trace[0].B
    assert again.trace[0].planes > bare.trace[0].planes


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": 9}, "start has"),
        ({"labels": 5}, "expected"),
        ({"graph": "chain"}, "start has multipliers of"),
    ],
)
def test_a_result_of_another_model_is_refused_in_words(model, change, words):
    other = random_model(np.random.default_rng(0), **(FRAMES | change))
    with pytest.raises(fwmap.InvalidModel, match=words):
        fwmap.solve(other, start=fwmap.solve(model, iterations=3, primal=False))


def test_a_result_that_never_evaluated_anything_is_no_start_but_no_error(model):
    nothing = fwmap.solve(model, time_limit=0)
    assert fwmap.solve(model, start=nothing, iterations=2).bound is not None


def test_a_labeling_given_is_the_first_incumbent(model):
    best = fwmap.solve(model, iterations=300).labeling
    result = fwmap.solve(model, labeling=best, iterations=0)
    assert result.trace[0].energy <= model.energy(best)
    assert result.energy <= model.energy(best)
    without_search = fwmap.solve(model, labeling=best, iterations=0, primal=False)
    assert without_search.energy == model.energy(best)


def test_a_labeling_that_is_none_is_refused(model):
    with pytest.raises(fwmap.InvalidModel, match="labeling"):
        fwmap.solve(model, labeling=[0, 1])
    with pytest.raises(fwmap.InvalidModel, match="expected 0 to 5"):
        fwmap.solve(model, labeling=[9] * 10)


def test_a_forbidden_labeling_is_told_and_not_used():
    model = fwmap.MRF([[0.0, np.inf], [0.0, 1.0]])
    result = fwmap.solve(model, labeling=[1, 0], iterations=0)
    assert result.energy == 0.0
    assert any("labeling given" in note for note in result.notes)


class OneOf(fwmap.Oracle):
    """Chooses exactly one variable."""

    def __init__(self, costs):
        self.costs = np.asarray(costs)

    def minimize(self, weights):
        chosen = int(np.argmin(self.costs + weights))
        return [chosen], float(self.costs[chosen])

    def cost(self, indices):
        return float(self.costs[indices[0]]) if len(indices) == 1 else np.inf


def test_own_oracles_start_from_an_earlier_result_too():
    model = fwmap.Decomposition(3)
    model.add(OneOf([1.0, 2.0, 4.0]), [0, 1, 2])
    model.add(OneOf([5.0, 1.0, 0.5]), [0, 1, 2])
    earlier = fwmap.solve(model, iterations=20, gap=0.0)
    again = fwmap.solve(model, start=earlier, iterations=0, gap=0.0)
    assert again.trace[0].lower_bound == pytest.approx(earlier.bound)
    with pytest.raises(fwmap.InvalidModel, match="each 0 or 1"):
        fwmap.solve(model, labeling=[0, 2, 0])


def test_tomography_starts_from_an_earlier_result_too():
    model = fwmap.Tomography((2, 3), [([0, 1, 2], 2), ([0, 3], 1)], labels=2, smoothness=0.3)
    earlier = fwmap.solve(model, iterations=20, gap=0.0)
    again = fwmap.solve(model, start=earlier, iterations=0, gap=0.0)
    assert again.trace[0].lower_bound == pytest.approx(earlier.bound)
