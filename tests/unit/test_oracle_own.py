"""Oracles written in Python: equal to the native ones, and refused in words where they talk nonsense."""

import gc
import itertools
import math
import weakref

import numpy as np
import pytest
from zoo import random_model

import fwmap
from fwmap import _core

INF = math.inf


class Chain(fwmap.Oracle):
    """Minimises unaries and tables of a chain by looking at every labeling."""

    operations = 100.0

    def __init__(self, unaries, tables, calls=None):
        self.sizes = [len(u) for u in unaries]
        self.starts = np.cumsum([0, *self.sizes[:-1]])
        self.choices = []
        for labels in itertools.product(*map(range, self.sizes)):
            own = [u[a] for u, a in zip(unaries, labels, strict=True)]
            own += [t[a, b] for t, (a, b) in zip(tables, itertools.pairwise(labels), strict=True)]
            self.choices.append((self.starts + labels, sum(own)))
        self.choices = [choice for choice in self.choices if choice[1] < INF]
        self.calls = calls

    def minimize(self, weights):
        if not self.choices:
            return [], INF
        indices, cost = min(self.choices, key=lambda choice: choice[1] + weights[choice[0]].sum())
        return indices[::-1], cost  # any order will do


class ChainWithCost(Chain):
    def cost(self, indices):
        return next((cost for own, cost in self.choices if np.array_equal(own, indices)), INF)


def square(seed=0, kind=Chain, forbidden=0.0):
    """A square of four nodes: two chains as Python oracles, and the same as a field."""
    rng = np.random.default_rng(seed)
    unaries = rng.normal(size=(4, 3))
    tables = np.where(rng.random((4, 3, 3)) < forbidden, INF, rng.normal(size=(4, 3, 3)))
    edges = [(0, 1), (1, 2), (2, 3), (0, 3)]
    field = fwmap.MRF(unaries, edges, tables, constant=0.25)
    own = fwmap.Decomposition(12, constant=0.25)
    first = kind(unaries / 2, tables[:3])  # 0 - 1 - 2 - 3
    second = kind(unaries[[0, 3]] / 2, tables[3:])
    own.add(first, range(12))
    own.add(second, [*range(3), *range(9, 12)])
    rest = kind((unaries / 2)[1:3], [np.zeros((3, 3))])  # the other half of the two nodes in the middle
    own.add(rest, range(3, 9))
    return field, own


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [Chain, ChainWithCost])
def test_two_chains_in_python_reach_the_bound_of_the_field(seed, kind):
    field, own = square(seed, kind)
    expected = fwmap.solve(field, iterations=3000)
    found = fwmap.solve(own, iterations=3000)
    assert found.bound == pytest.approx(expected.bound, rel=1e-5)
    if found.energy is not None:
        labels = found.labeling.reshape(4, 3).argmax(axis=1)
        assert found.labeling.sum() == 4
        assert found.energy == pytest.approx(field.energy(labels), rel=1e-12)
        assert found.bound <= found.energy + 1e-12
    if expected.status == "optimal" and kind is ChainWithCost:  # else the oracles may differ on what ties
        assert found.status == "optimal"
        assert found.energy == pytest.approx(expected.energy, rel=1e-6)


def test_agreement_gives_an_energy_without_cost():
    for seed in range(10):
        field, own = square(seed, Chain)
        result = fwmap.solve(own, iterations=3000)
        if result.status == "optimal":
            assert own.energy(result.labeling) is None  # nobody can tell, but all agree
            labels = result.labeling.reshape(4, 3).argmax(axis=1)
            assert result.energy == pytest.approx(field.energy(labels), rel=1e-12)
            return
    pytest.fail("no tight instance among ten")


def test_the_core_gives_the_same_minimum_as_the_oracle_s_own():
    _, own = square(3)
    core = fwmap.decompose.decompose(own).core
    rng = np.random.default_rng(0)
    for t, member in enumerate(own.members):
        for _ in range(20):
            weights = rng.normal(size=core.n_coordinates(t))
            indices, cost = member.oracle.minimize(weights)
            support, core_cost, value, rounding = core.minimize(t, weights)
            assert support.tolist() == sorted(indices)
            assert core_cost == cost
            assert value == pytest.approx(cost + weights[support].sum(), rel=1e-12)
            assert 0 <= rounding < 1e-12
        assert core.min_marginals(t, weights) is None


def test_weights_may_be_changed_and_kept():
    class Greedy(Chain):
        def minimize(self, weights):
            answer = super().minimize(weights)
            self.kept = weights
            weights[:] = -1e9
            return answer

    bounds = [fwmap.solve(square(1, kind)[1], iterations=50, gap=0.0).bound for kind in (Chain, Greedy)]
    assert bounds[0] == bounds[1]


def two(oracle, size=3):
    """The oracle beside a well-behaved one that shares its variables."""
    own = fwmap.Decomposition(size)
    own.add(Constant(([0], 0.0)), range(size))
    own.add(oracle, range(size))
    return own


class Constant(fwmap.Oracle):
    """Answers the same, whatever is asked."""

    def __init__(self, answer, name=None):
        self.answer, self.name = answer, name

    def minimize(self, weights):
        if isinstance(self.answer, BaseException):
            raise type(self.answer)(
                *self.answer.args
            )  # a new one: an exception holds on to the frames it left
        return self.answer


NONSENSE = [
    (([3], 0.0), "returned index 3; expected 0 to 2"),
    (([-1], 0.0), "returned index -1; expected 0 to 2"),
    (([1, 0, 1], 0.0), "returned index 1 twice"),
    (([0], math.nan), "returned a cost of nan"),
    (([0], -INF), "returned a cost of -inf"),
    (([0], "cheap"), "returned a cost of 'cheap'"),
    (([0], None), "returned a cost of None"),
    (([0], 10**400), "returned a cost of 1000"),
    (([0.5], 0.0), "expected a list of integers"),
    (([True, False, True], 0.0), "expected a list of integers"),
    (([[0], [1]], 0.0), "expected a list of integers"),
    (([[0], [1, 2]], 0.0), "expected a list of integers"),
    ((None, 0.0), "expected a list of integers"),
    ((0, 0.0), "expected a list of integers"),
    (([2**40], 0.0), "returned index 1099511627776; expected 0 to 2"),
    (None, "returned NoneType; expected"),
    (3.0, "returned float; expected"),
    (([0], 0.0, 1), "returned tuple; expected"),
    (ValueError("no luck"), "raised ValueError: no luck"),
    (ZeroDivisionError("by zero"), "raised ZeroDivisionError: by zero"),
]


@pytest.mark.parametrize(("answer", "message"), NONSENSE, ids=[message for _, message in NONSENSE])
def test_nonsense_is_refused_with_the_oracle_s_name(answer, message):
    with pytest.raises(fwmap.OracleError) as caught:
        fwmap.solve(two(Constant(answer, "Pythia")), iterations=5)
    assert str(caught.value).startswith("Pythia ")
    assert message in str(caught.value)
    assert isinstance(caught.value, RuntimeError)
    with pytest.raises(fwmap.OracleError, match=r"^oracle 1 \(Constant\) "):
        fwmap.solve(two(Constant(answer)), iterations=5)


class SaysItCosts(Constant):
    """Answers well, but has something odd to say of what choices cost."""

    def __init__(self, said):
        super().__init__(([0], 1.0), "Pythia")
        self.said = said

    def cost(self, indices):
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (math.nan, "Pythia returned a cost of nan"),
        (-INF, "Pythia returned a cost of -inf"),
        ("dear", "Pythia returned a cost of 'dear'; expected a number"),
        (KeyError("where"), "Pythia raised KeyError in cost: 'where'"),
    ],
)
def test_nonsense_about_the_cost_of_a_choice_is_refused(said, message):
    own = fwmap.Decomposition(3)
    own.add(SaysItCosts(said), range(3))
    with pytest.raises(fwmap.OracleError) as caught:
        fwmap.solve(own, iterations=5)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("operations", [0, -1.0, math.nan, INF, "many"])
def test_a_number_of_operations_that_is_none_is_refused(operations):
    oracle = Constant(([0], 0.0), "Pythia")
    oracle.operations = operations
    with pytest.raises(
        fwmap.InvalidModel, match=r"operations of Pythia are .*; expected a finite number > 0"
    ):
        two(oracle)


def test_the_cause_of_an_error_is_kept():
    with pytest.raises(fwmap.OracleError) as caught:
        fwmap.solve(two(Constant(KeyError("where"))), iterations=5)
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.__cause__.args == ("where",)


@pytest.mark.parametrize(
    "indices", [[2, 0], (2, 0), np.array([2, 0]), np.array([2, 0], np.uint8), range(0, 3, 2)]
)
def test_indices_of_any_kind_are_taken(indices):
    result = fwmap.solve(two(Constant((indices, np.float32(1.5)))), iterations=2)
    assert result.status == "iteration_limit"


class Later(Chain):
    """Answers well for a while."""

    def __init__(self, good_calls, then):
        super().__init__(np.array([[0.0, 1.0, 0.3]]), [])
        self.left, self.then = good_calls, then

    def minimize(self, weights):
        self.left -= 1
        if self.left < 0:
            return Constant(self.then).minimize(weights)
        return super().minimize(weights)


def contested(good_calls, then):
    """Two oracles that disagree for a while, so that the run does not end by itself."""
    own = fwmap.Decomposition(3)
    own.add(Later(10**9, None), range(3))
    own.add(Later(good_calls, then), range(3))
    own.add(Chain(np.array([[0.5, 0.0, 0.2]]), []), range(3))
    return own


def test_an_error_in_the_middle_of_a_run_is_reported_as_well():
    with pytest.raises(fwmap.OracleError, match="raised ValueError: later"):
        fwmap.solve(contested(6, ValueError("later")), iterations=50, gap=0.0, tolerance=0.0)


def test_ctrl_c_inside_an_oracle_before_any_evaluation_leaves_no_bound():
    result = fwmap.solve(contested(0, KeyboardInterrupt()))
    assert (result.status, result.bound, result.energy) == ("interrupted", None, None)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_ctrl_c_inside_an_oracle_ends_the_run_with_the_bound_so_far(rows):
    own = contested(10**9, KeyboardInterrupt())
    seen = []

    def watch(row):
        seen.append(row)
        if len(seen) == rows:
            own.members[1].oracle.left = 0

    result = fwmap.solve(own, callback=watch, gap=0.0, tolerance=0.0, primal=False)
    assert result.status == "interrupted"
    assert result.trace == seen
    assert result.bound == seen[-1].lower_bound <= 0.5 + 1e-9  # the labels cost 0.5, 2.0 and 0.8


def test_a_cost_of_inf_says_infeasible():
    result = fwmap.solve(two(Constant(([], INF))), iterations=5)
    assert (result.status, result.proof, result.bound) == ("infeasible", "term", None)


def test_infinity_may_come_later_as_long_as_it_is_true():
    """Nothing but the weights changes between calls, and they are finite: the solver believes the oracle."""
    result = fwmap.solve(contested(7, ([], INF)), iterations=50, gap=0.0, tolerance=0.0)
    assert (result.status, result.proof) == ("infeasible", "term")


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ([0, 3], "names variable 3; expected 0 to 2"),
        ([-1], "names variable -1; expected 0 to 2"),
        ([1, 2, 1], "names variable 1 twice"),
        ([0.5], "must be a list of integers"),
        ([[0, 1]], "must be a list of integers"),
    ],
)
def test_variables_that_do_not_exist_or_come_twice_are_refused(variables, message):
    own = fwmap.Decomposition(3)
    with pytest.raises(fwmap.InvalidModel, match=rf"^Pythia .*{message}|^variables of Pythia {message}"):
        own.add(Constant(([0], 0.0), "Pythia"), variables)
    assert own.n_terms == 0


def test_what_is_no_oracle_is_refused():
    with pytest.raises(fwmap.InvalidModel, match=r"expected an fwmap\.Oracle"):
        fwmap.Decomposition(3).add(lambda weights: ([0], 0.0), [0])
    for n in (-1, 1.5, "3", True):
        with pytest.raises(fwmap.InvalidModel, match="n_variables"):
            fwmap.Decomposition(n)
    with pytest.raises(fwmap.InvalidModel, match="constant"):
        fwmap.Decomposition(3, constant=INF)


def test_private_and_unused_variables_are_allowed():
    own = fwmap.Decomposition(5, constant=1.0)
    own.add(ChainWithCost(np.array([[0.0, 1.0], [1.0, 0.0]]), [np.zeros((2, 2))]), [0, 1, 2, 3])
    own.add(ChainWithCost(np.array([[0.3, 0.0]]), []), [2, 3])
    result = fwmap.solve(own)
    assert result.status == "optimal"
    assert result.energy == 1.0
    assert result.labeling.tolist() == [1, 0, 0, 1, 0]


def test_one_term_alone_and_none_at_all_are_solved():
    own = fwmap.Decomposition(2)
    own.add(Chain(np.array([[0.5, 0.25]]), []), [1, 0])
    result = fwmap.solve(own)
    assert (result.status, result.energy, result.labeling.tolist()) == ("optimal", 0.25, [1, 0])
    result = fwmap.solve(fwmap.Decomposition(2, constant=3.0))
    assert (result.status, result.energy) == ("optimal", 3.0)


class Cardinality(fwmap.Oracle):
    """Free Booleans: exactly k of them are 1, at own costs."""

    def __init__(self, costs, k):
        self.costs, self.k = np.asarray(costs), k

    def minimize(self, weights):
        chosen = np.argsort(self.costs + weights, kind="stable")[: self.k]
        return chosen, float(self.costs[chosen].sum())

    def cost(self, indices):
        return float(self.costs[indices].sum()) if len(indices) == self.k else INF


@pytest.mark.parametrize("seed", range(20))
def test_free_booleans_are_bounded_by_all_choices(seed):
    rng = np.random.default_rng(seed)
    own = fwmap.Decomposition(6)
    for _ in range(3):
        variables = rng.permutation(6)[:4]
        own.add(Cardinality(rng.normal(size=4), int(rng.integers(1, 4))), variables)
    result = fwmap.solve(own, iterations=300)
    best = min(own.energy(np.array(x)) for x in itertools.product((0, 1), repeat=6))
    if result.status == "infeasible":
        assert best == INF
        return
    assert result.bound <= best + 1e-9
    if result.energy is not None:
        assert best - 1e-9 <= result.energy == pytest.approx(own.energy(result.labeling))


def test_scaled_oracles_take_the_same_steps():
    traces = []
    for scale in (1.0, 2.0**10, 2.0**-10):
        rng = np.random.default_rng(4)
        own = fwmap.Decomposition(6)
        for _ in range(3):
            variables = rng.permutation(6)[:4]
            own.add(Cardinality(scale * rng.normal(size=4), 2), variables)
        result = fwmap.solve(own, iterations=60, gap=0.0, tolerance=0.0)
        traces.append(
            [(row.lower_bound / scale, row.B, row.planes, row.oracle_calls) for row in result.trace]
        )
    assert traces[0] == traces[1] == traces[2]
    assert len(traces[0]) > 5


def test_an_oracle_that_keeps_what_refers_to_the_solve_is_collected():
    """The core holds the oracle, the oracle an error, and the frames of the error hold the core."""

    def fail(row):
        raise ValueError("in the callback")

    def solve_and_fail():
        oracle = Constant(([0], 0.0))
        try:
            fwmap.solve(two(oracle), callback=fail)
        except ValueError as error:
            oracle.error = error
        return weakref.ref(oracle)

    oracle = solve_and_fail()
    gc.collect()
    assert oracle() is None


def test_a_native_term_keeps_its_arrays_alive():
    core = _core.Decomposition(8, np.array([0, 2, 4, 6, 8]), 0.0)
    table = np.arange(4.0)
    core.add_factor(np.arange(4), np.array([2, 2], np.int32), np.zeros(4), table, [], "factor")
    core.connect()
    before = core.minimize(0, np.array([0.0, -9.0, 0.0, -9.0]))[1]
    del table
    junk = [np.full(4, 1e9) for _ in range(100)]
    assert core.minimize(0, np.array([0.0, -9.0, 0.0, -9.0]))[1] == before == 3.0
    del junk


def test_the_field_s_own_random_models_are_not_all_alike():
    """The generator used all over these tests makes what it says."""
    rng = np.random.default_rng(0)
    models = [random_model(rng, "parallel", 5, 4, kinds=("potts", "table"), forbidden=0.3) for _ in range(20)]
    assert len({model.n_edges for model in models}) > 3
    assert {int(kind) for model in models for kind in model.edge_kind} == {0, 1}
    assert any(np.isinf(model.unaries).any() for model in models)
