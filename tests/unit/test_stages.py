"""A solve goes on with another decomposition: nothing is lost, and the bound never falls."""

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from zoo import frustrated_triangle, odd_cycle_without_labeling, optimum, random_model

from fwmap.decompose import cycle_term, with_terms
from fwmap.outcome import multipliers
from fwmap.run import Run
from fwmap.settings import Settings
from fwmap.solvers import Clock, method


@pytest.fixture
def without_opening(monkeypatch):
    """Frank-Wolfe from the first point on: tiny models are solved before it begins."""
    monkeypatch.setattr(method, "messages_help", lambda decomposition: False)


def triangles(cover):
    """All triangles of a field's graph as terms."""
    number = {tuple(sorted(ends)): e for e, ends in enumerate(cover.edges.ends.tolist())}
    for u, v, w in itertools.combinations(range(cover.field.n_nodes), 3):
        if {(u, v), (v, w), (u, w)} <= number.keys():
            edges = np.array([number[u, v], number[v, w], number[u, w]])
            yield cycle_term(cover, np.array([u, v, w]), edges)


@dataclass
class AddTriangles:
    """Adds some triangles every few iterations, and remembers where the solve stood."""

    every: int = 6
    batch: int = 2
    work: float = 1000.0
    at: list = field(default_factory=list)

    def next_decomposition(self, moment):
        core, decomposition = moment.stage.solver.core, moment.stage.decomposition
        known = len(decomposition.further)
        more = list(itertools.islice(triangles(decomposition.cover), known, known + self.batch))
        if core.iteration < self.every * (1 + len(self.at)) or not more:
            return None
        self.at.append(
            (core.iteration, core.oracle_calls, core.work, moment.bound, moment.stage.solver.n_planes)
        )
        return with_terms(decomposition, more)

    def take_work(self):
        work, self.work = self.work, 0.0
        return work


def staged(model, improvement, **settings):
    run = Run(Settings(**settings), Clock(None), None, None, None)
    run.improvements.append(improvement)
    run.solve(model)
    return run


@pytest.mark.usefixtures("without_opening")
@pytest.mark.parametrize("seed", range(12))
def test_terms_that_join_leave_the_bound_and_counts_go_on(seed):
    model = random_model(np.random.default_rng(seed), "complete", 6, 3, forbidden=0.1 * (seed % 2))
    improvement = AddTriangles(every=3)
    run = staged(model, improvement, iterations=40, gap=0.0, primal=False)
    assert improvement.at or run.status == "infeasible"
    assert all(a.iteration <= b.iteration for a, b in itertools.pairwise(run.trace))
    assert all(a.lower_bound <= b.lower_bound for a, b in itertools.pairwise(run.trace))
    assert all(a.work < b.work and a.oracle_calls < b.oracle_calls for a, b in itertools.pairwise(run.trace))
    for iteration, calls, work, bound, planes in improvement.at:
        first = next((r for r in run.trace if r.iteration == iteration and r.oracle_calls > calls), None)
        if first is None:  # the terms that joined have no labeling
            assert run.status == "infeasible"
            continue
        assert first.work > work
        assert first.planes >= 0.5 * planes  # they came along
        assert first.lower_bound == pytest.approx(bound, rel=1e-12, abs=1e-12)
    assert run.bound <= optimum(model) + 1e-9 * max(1.0, abs(optimum(model)))


def test_work_of_an_improvement_is_counted_once():
    model = frustrated_triangle()
    works = [
        staged(model, AddTriangles(every=100, work=w), iterations=20, primal=False).trace[-1].work
        for w in (0.0, 12345.0)
    ]
    assert works[1] - works[0] == pytest.approx(12345.0)


@pytest.mark.usefixtures("without_opening")
def test_the_multipliers_of_the_bound_are_those_of_the_stage_that_proved_it():
    model = frustrated_triangle()
    run = staged(model, AddTriangles(every=3), iterations=0, gap=0.0, primal=False)
    proved = run.proves_the_bound()
    assert len(multipliers(run)) == proved.decomposition.core.n_terms
    assert len(proved.multipliers) == proved.decomposition.core.n_slots
    run = staged(model, AddTriangles(every=3), iterations=200, primal=False)
    assert run.bound == pytest.approx(1.0, rel=1e-6)  # two forests alone prove 0
    assert len(multipliers(run)) == 3


@pytest.mark.usefixtures("without_opening")
def test_a_cycle_without_any_labeling_is_a_proof_of_infeasibility():
    run = staged(odd_cycle_without_labeling(), AddTriangles(every=3), iterations=50, primal=False)
    assert run.status == "infeasible"
    assert run.proof == "term"
    assert run.bound < math.inf


@pytest.mark.usefixtures("without_opening")
def test_y_is_where_it_was_when_terms_join():
    model = random_model(np.random.default_rng(1), "complete", 5, 3, same_labels=True)
    improvement = AddTriangles(every=8, batch=1)
    run = staged(model, improvement, iterations=8, gap=0.0, primal=False, cache_iterations=1000)
    after = run.stage.solver.core.marginals()[: model.label_offsets[-1]]
    plain = staged(
        model, AddTriangles(every=1000), iterations=8, gap=0.0, primal=False, cache_iterations=1000
    )
    before = plain.stage.solver.core.marginals()
    assert len(improvement.at) == 1
    np.testing.assert_allclose(after, before, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_an_opening_goes_on_when_terms_join(seed):
    model = random_model(np.random.default_rng(seed), "complete", 8, 4)
    improvement = AddTriangles(every=2, batch=3)
    run = staged(model, improvement, iterations=60, gap=0.0, primal=False)
    assert improvement.at[0][-1] == 0  # planes: messages were at work
    assert all(a.lower_bound <= b.lower_bound for a, b in itertools.pairwise(run.trace))
    assert all(a.work < b.work and a.iteration <= b.iteration for a, b in itertools.pairwise(run.trace))
    assert run.trace[-1].planes > 0
    assert run.bound <= optimum(model) + 1e-9 * max(1.0, abs(optimum(model)))
