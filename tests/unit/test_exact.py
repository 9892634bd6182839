"""What is left goes to an exact solver as integers; its answer is the optimum, and is named in the proof."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from matchings import random_matching
from zoo import GRAPHS, frustrated_triangle, odd_cycle_without_labeling, optimum, random_model

import fwmap
from fwmap.decompose import decompose
from fwmap.decompose.forests import decompose_covered
from fwmap.decompose.restriction import restricted
from fwmap.exact import Exact, remainder_of, reparametrised, solve_by_toulbar2, toulbar2
from fwmap.exact.finish import backtracks_of, entries_of_tables
from fwmap.run import Run
from fwmap.settings import Settings
from fwmap.solvers import Clock

KINDS = ("table", "potts", "linear", "quadratic")
needs_toulbar2 = pytest.mark.skipif(not toulbar2.is_installed(), reason="pytoulbar2 is not installed")


def some_field(seed, **options):
    rng = np.random.default_rng(seed)
    recipe = {"kinds": KINDS, "factors": seed % 3, "constant": 1.5, "forbidden": 0.1 * (seed % 2)}
    return random_model(rng, GRAPHS[seed % 7], int(rng.integers(3, 6)), 3, **(recipe | options))


def some_tomography(seed):
    rng = np.random.default_rng(seed)
    rays = [([0, 1, 2], 3), ([0, 3], 2), ([1, 4], 2), ([2, 5, 4], 3)]
    return fwmap.Tomography((2, 3), rays, labels=3, smoothness=0.3, unaries=rng.normal(size=(2, 3, 3)))


def some_matching(seed):
    rng = np.random.default_rng(seed)
    return random_matching(rng, 4, 4, 0.8, "partial" if seed % 2 else "perfect", integer=seed % 3 == 0)


def some_models():
    return [
        *(pytest.param(some_field(s, integer=s % 4 == 0), id=f"field {s}") for s in range(10)),
        *(pytest.param(some_tomography(s), id=f"tomography {s}") for s in range(2)),
        *(pytest.param(some_matching(s), id=f"matching {s}") for s in range(4)),
    ]


def labelings(model):
    """Labels of the model's field, and the energy of each."""
    field = model if isinstance(model, fwmap.MRF) else model.field
    for labels in itertools.product(*map(range, field.n_labels.tolist())):
        given = model.labeling_of(np.array(labels)) if isinstance(model, fwmap.GraphMatching) else labels
        yield labels, model.energy(given)


def integer_sum(remainder, labels):
    """What the remainder says of a labeling, by its definition; None where it forbids it."""
    total = 0
    for scope, table in zip(remainder.scopes, remainder.tables, strict=True):
        shape = remainder.n_labels[scope]
        entry = table[np.ravel_multi_index(tuple(np.array(labels)[scope]), tuple(shape))]
        if entry < 0:
            return None
        total += int(entry)
    if any(np.array(labels)[scope].sum() != number for scope, number in remainder.sums):
        return None
    return total


# --- integers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", some_models())
def test_integers_are_no_more_than_the_energy_and_less_by_no_more_than_they_say(model):
    remainder = remainder_of(model, decompose(model), 1e-6)
    for labels, energy in labelings(model):
        found = integer_sum(remainder, labels)
        assert (found is None) == (energy == math.inf)
        if found is not None:
            told = remainder.constant + Fraction(found, remainder.scale)
            noise = Fraction(1e-12)  # of the energy, which is rounded
            assert told - noise <= Fraction(energy) <= told + remainder.rounding + noise
            assert found <= remainder.integer_below(Fraction(energy) + noise)
            assert remainder.energy_of(found) <= energy + 1e-12
            assert found < remainder.largest()


def test_rounding_takes_no_more_than_asked_and_nothing_from_integers():
    model = some_field(3, integer=False)
    for precision in (1e-2, 1e-6, 1e-9):
        assert remainder_of(model, decompose(model), precision).rounding <= precision
    whole = random_model(np.random.default_rng(0), "grid", 6, 3, integer=True)
    assert remainder_of(whole, decompose(whole), 1e-6).scale == 1
    assert remainder_of(whole.scaled(0.25), decompose(whole.scaled(0.25)), 1e-6).scale == 4


def test_the_rest_has_the_integers_of_its_labelings():
    model = some_field(6)
    origin = decompose(model)
    left = np.isfinite(model.unaries) & (np.random.default_rng(0).random(len(model.unaries)) < 0.8)
    left[model.label_offsets[:-1]] = np.isfinite(model.unaries[model.label_offsets[:-1]])
    cover = restricted(origin, (), left, (), math.inf)
    rest = decompose_covered(cover, ())
    whole, part = remainder_of(model, origin, 1e-6), remainder_of(model, rest, 1e-6)
    assert part.size < whole.size
    places = cover.restriction.labels
    for labels in itertools.product(*map(range, rest.field.n_labels.tolist())):
        own = places[rest.label_offsets[:-1] + labels] - origin.label_offsets[:-1]
        there = left[origin.label_offsets[:-1] + own].all()
        found = integer_sum(part, labels)
        assert (found is None) == (not there or model.energy(own) == math.inf)
        if found is not None:
            assert remainder_of(model, rest, 1e-6).energy_of(found) == pytest.approx(
                model.energy(own), abs=1e-5
            )


@pytest.mark.parametrize("seed", range(16))
def test_multipliers_move_integers_and_change_no_labeling_s_sum(seed):
    """All tables stay >= 0, and the constant comes near the bound, for what is left of a field, too."""
    model = some_field(seed)
    decomposition = decompose(model)
    if seed % 2:
        left = np.isfinite(model.unaries) & (np.random.default_rng(seed).random(len(model.unaries)) < 0.6)
        left[model.label_offsets[:-1]] = np.isfinite(model.unaries[model.label_offsets[:-1]])
        decomposition = decompose_covered(restricted(decomposition, (), left, (), math.inf), ())
    core = decomposition.core
    multipliers = np.random.default_rng(seed).normal(size=core.n_slots)
    variables = np.concatenate([np.zeros(0, int), *(core.shared_variables(t) for t in range(core.n_terms))])
    copies = np.bincount(variables, minlength=1)
    multipliers -= (np.bincount(variables, multipliers, len(copies)) / np.maximum(copies, 1))[variables]
    raw = remainder_of(model, decomposition, 1e-9)
    moved = reparametrised(raw, decomposition, multipliers)
    assert all(((table >= 0) | (table == -1)).all() for table in moved.tables)
    for labels in itertools.product(*map(range, decomposition.field.n_labels.tolist())):
        before, after = integer_sum(raw, labels), integer_sum(moved, labels)
        assert (before is None) == (after is None)
        if before is not None:
            told = raw.constant + Fraction(before, raw.scale)
            assert moved.constant + Fraction(after, moved.scale) == told
    infeasible, bound = core.reduced_costs(multipliers, math.inf)[1:3]
    as_made = (decomposition.field.n_labels == 1).any() and not decomposition.cover.fixed.any()
    assert infeasible or as_made or moved.constant >= bound - 1e-6


def test_soft_sums_and_costs_that_are_too_large_are_not_told_in_integers():
    soft = fwmap.Tomography((1, 2), [([0, 1], [0.5, 0.0])], labels=2)
    assert remainder_of(soft, decompose(soft), 1e-6) is None
    huge = fwmap.MRF([[0.0, 1e18 + 0.5]])
    assert remainder_of(huge, decompose(huge), 1e-6) is None


# --- toulbar2 -----------------------------------------------------------------------------------------------


@needs_toulbar2
@pytest.mark.parametrize("model", some_models())
def test_the_answer_is_the_optimum(model):
    best = min((energy for _, energy in labelings(model)), default=math.inf)
    result = fwmap.solve(model, exact=True, iterations=2)
    if best == math.inf:
        assert result.status == "infeasible"
        return
    assert result.status == "optimal"
    assert result.energy == pytest.approx(best, rel=1e-6, abs=1e-9)
    if result.proof == "exact":
        assert result.exact_bound <= best + 1e-12
        assert result.exact_bound >= best - 1e-5 * max(1.0, abs(best))
        assert "toulbar2" in result.exact_solver


@needs_toulbar2
def test_the_check_says_whose_word_it_is():
    model = frustrated_triangle().scaled(0.1)
    result = fwmap.solve(model, exact=True, iterations=3)
    assert (result.status, result.proof) == ("optimal", "exact")
    assert result.bound < result.energy - 0.05  # what the multipliers prove is still told
    verdict = result.check(model)
    assert verdict.holds
    assert not verdict.proved
    assert verdict.rests_on == result.exact_solver
    assert result.exact_solver in str(verdict)
    assert "NOT PROVED here" in verdict.conclusion()
    for bound in (result.exact_bound - 0.05, math.nan):
        forged = replace(result.certificate, exact_bound=bound).check(model)
        assert forged.rests_on is None
    forged = replace(result.certificate, exact_bound=result.energy + 1.0).check(model)
    assert not forged.holds
    assert not replace(result.certificate, exact_solver="").check(model).holds


@needs_toulbar2
def test_a_model_without_labelings_is_told_and_by_whom():
    result = fwmap.solve(odd_cycle_without_labeling(), exact=True, iterations=3)
    assert (result.status, result.proof) == ("infeasible", "exact")
    assert "toulbar2" in result.exact_solver


@needs_toulbar2
def test_a_search_that_is_cut_says_nothing():
    model = random_model(np.random.default_rng(0), "complete", 12, 6, same_labels=True)
    remainder = remainder_of(model, decompose(model), 1e-6)
    assert solve_by_toulbar2(remainder, remainder.largest(), None, 0.0) is None
    answer = solve_by_toulbar2(remainder, remainder.largest(), 1, math.inf)
    assert answer.bound is None


@needs_toulbar2
def test_labels_that_were_removed_stay_away_and_the_bound_is_of_the_whole_problem():
    model = random_model(np.random.default_rng(104), "complete", 7, 4, same_labels=True)
    result = fwmap.solve(model, exact=True, gap=1e-9)
    assert result.energy == pytest.approx(optimum(model), abs=1e-12)
    assert result.exact_bound is None or result.exact_bound <= result.energy + 1e-12


@needs_toulbar2
def test_unasked_it_finishes_what_is_small():
    model = frustrated_triangle().scaled(0.1)
    unasked = Exact(model, Settings(), None)
    assert Exact.of(model, Settings(), None, []) is None  # the other tests do without
    assert unasked.asked == "auto"
    run = Run(Settings(iterations=200, tighten=False), Clock(None), None, None, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Exact, "of", staticmethod(lambda *_: unasked))
        run.solve(model)
    assert (run.status, run.proof) == ("optimal", "exact")


def test_unasked_it_leaves_alone_what_the_own_bound_proves(monkeypatch):
    """Also where labels were removed and little is left: the proof rests on nobody else."""
    model = random_model(np.random.default_rng(2), "grid", 36, 4, same_labels=True)

    def never(*_):
        raise AssertionError("it was asked")

    monkeypatch.setattr(toulbar2, "solve_by_toulbar2", never)
    monkeypatch.setattr(Exact, "of", staticmethod(lambda *_: Exact(model, Settings(), None)))
    result = fwmap.solve(model)
    assert result.removed["labels"] > 0
    assert (result.status, result.proof, result.exact_bound) == ("optimal", "gap", None)


def test_a_search_for_large_tables_has_fewer_backtracks():
    rng = np.random.default_rng(0)
    few, many = (decompose(random_model(rng, "complete", 6, labels)) for labels in (2, 30))
    assert backtracks_of(2e9, many) * entries_of_tables(many) <= 2e9
    assert backtracks_of(2e9, many) < backtracks_of(2e9, few)
    assert backtracks_of(0.0, many) > 0


def test_where_it_is_not_installed_the_command_to_get_it_is_told(monkeypatch):
    monkeypatch.setattr(toulbar2, "is_installed", lambda: False)
    with pytest.raises(fwmap.InvalidSetting, match=r"pip install 'fwmap\[exact\]'"):
        fwmap.solve(frustrated_triangle(), exact=True)
    assert fwmap.solve(frustrated_triangle(), iterations=3).exact_bound is None


def test_what_cannot_be_finished_is_refused_in_words():
    with pytest.raises(fwmap.InvalidSetting, match="primal is False"):
        fwmap.solve(frustrated_triangle(), exact=True, primal=False)
    with pytest.raises(fwmap.InvalidSetting, match="oracles"):
        fwmap.solve(fwmap.Decomposition(1), exact=True)
    with pytest.raises(fwmap.InvalidSetting, match="True, False or 'auto'"):
        fwmap.solve(frustrated_triangle(), exact="yes")
