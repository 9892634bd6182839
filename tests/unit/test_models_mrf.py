import copy
import itertools
import pickle

import numpy as np
import pytest

from fwmap.errors import InvalidModel
from fwmap.models import MRF, Potts, SharedTables, TruncatedLinear, TruncatedQuadratic
from fwmap.models.parts import Parts

INF = np.inf
TWO, THREE, EDGE, PATH = [[0, 1]] * 2, [[0, 1]] * 3, [(0, 1)], [(0, 1), (1, 2)]


def all_labelings(model):
    return itertools.product(*(range(k) for k in model.n_labels))


def energy_by_definition(model, labeling):
    energy = model.constant + sum(model.unary(v)[label] for v, label in enumerate(labeling))
    for e, (u, v) in enumerate(model.edges):
        energy += model.pairwise_table(e)[labeling[u], labeling[v]]
    for f in range(model.n_factors):
        energy += model.factor_table_of(f)[tuple(labeling[v] for v in model.factor_scope(f))]
    return energy


def test_energy_is_the_sum_of_unaries_pairwise_costs_factors_and_constant():
    cube = np.arange(12.0).reshape(2, 3, 2)
    model = MRF(
        [[1, 2], [3, 4, 5], [6, 7]], [(1, 0)], [[1, 2], [3, 4], [5, 6]], [((0, 1, 2), cube)], constant=0.5
    )
    assert model.energy([1, 2, 0]) == 0.5 + 2 + 5 + 6 + 6 + cube[1, 2, 0]


def test_energy_agrees_with_its_definition_for_every_kind_of_cost():
    rng = np.random.default_rng(1)
    sizes = [2, 3, 4, 2]
    costs = [Potts(1.5), TruncatedLinear(2, 1.5), TruncatedQuadratic(-1, 3), rng.random((3, 4)), Potts(-2)]
    factors = [
        ((3, 1, 0), rng.random((2, 3, 2))),
        ((0, 1, 2, 3), rng.random(sizes)),
        ((2, 0), rng.random((4, 2))),
        ((1,), [1, INF, 2]),
        ((), 7.0),
    ]
    edges = [(0, 1), (2, 0), (2, 3), (1, 2), (1, 3)]
    model = MRF([rng.random(k) for k in sizes], edges, costs, factors)
    assert model.n_edges == 6
    assert model.n_factors == 2
    for labeling in all_labelings(model):
        assert model.energy(labeling) == pytest.approx(energy_by_definition(model, labeling), abs=1e-12)


def test_structured_costs_have_the_values_of_their_formulas():
    edges = [(0, 1)] * 4
    costs = [Potts(2), TruncatedLinear(2, 1.5), TruncatedQuadratic(2, 3), TruncatedQuadratic(-1, INF)]
    model = MRF([[0, 0, 0], [0, 0, 0, 0]], edges, costs)
    tables = [model.pairwise_table(e) for e in range(4)]
    for a, b in itertools.product(range(3), range(4)):
        d = abs(a - b)
        assert [t[a, b] for t in tables] == [2 * (a != b), 2 * min(d, 1.5), 2 * min(d * d, 3), -d * d]


def test_energy_is_correctly_rounded_whatever_the_order_of_the_variables():
    unaries = np.array([[1e16], [1.0], [-1e16], [1e-3]])
    for order in itertools.permutations(range(4)):
        assert MRF(unaries[list(order)]).energy([0, 0, 0, 0]) == 1.001


def test_energy_of_a_forbidden_choice_is_infinite():
    model = MRF([[0, INF], [0, 1]], [(0, 1)], [[0, INF], [0, 0]])
    assert [model.energy(x) for x in all_labelings(model)] == [0, INF, INF, INF]


def test_a_labeling_of_the_wrong_length_range_or_type_is_refused():
    model = MRF([[0, 1], [0, 1, 2]])
    for labeling, words in [
        ([0], r"shape \(1,\); expected one label per variable: \(2,\)"),
        ([0, 3], "gives variable 1 the label 3; expected 0 to 2"),
        ([-1, 0], "gives variable 0 the label -1; expected 0 to 1"),
        ([0.0, 1.0], "float64; expected integers"),
    ]:
        with pytest.raises(InvalidModel, match=words):
            model.energy(labeling)


def test_a_boolean_labeling_is_a_labeling():
    assert MRF([[0, 1], [0, 2]]).energy(np.array([True, True])) == 3


def test_arrays_are_copies_and_read_only_and_attributes_do_not_change():
    unaries = np.zeros((2, 2))
    model = MRF(unaries, [(0, 1)], Potts(1))
    unaries[0, 0] = 5
    assert model.energy([0, 0]) == 0
    with pytest.raises(ValueError, match="read-only"):
        model.unaries[0] = 1
    with pytest.raises(AttributeError, match="does not change"):
        model.constant = 3


def test_stored_arrays_follow_the_documented_layout():
    model = MRF([[1, 2], [3, 4, 5]], [(1, 0), (0, 1)], [np.arange(6).reshape(3, 2), Potts(4)])
    assert model.n_labels.tolist() == [2, 3]
    assert model.label_offsets.tolist() == [0, 2, 5]
    assert model.unaries.tolist() == [1, 2, 3, 4, 5]
    assert model.edges.tolist() == [[1, 0], [0, 1]]
    assert model.edge_kind.tolist() == [0, 1]
    assert model.edge_table.tolist() == [0, -1]
    assert model.edge_weight.tolist() == [0, 4]
    assert model.table_values.tolist() == [0, 1, 2, 3, 4, 5]
    assert model.table_offsets.tolist() == [0, 6]
    assert model.table_shapes.tolist() == [[3, 2]]
    assert model.edge_kind.dtype == np.uint8
    assert model.edge_table.dtype == model.edges.dtype == np.int64


def test_one_table_for_all_edges_is_stored_once():
    model = MRF(np.zeros((4, 2)), [(0, 1), (1, 2), (2, 3)], [[0, 1], [1, 0]])
    assert len(model.table_shapes) == 1
    assert model.edge_table.tolist() == [0, 0, 0]


def test_an_array_given_for_several_edges_is_stored_once():
    a, b = np.eye(2), np.ones((2, 2))
    model = MRF(np.zeros((4, 2)), [(0, 1), (1, 2), (2, 3)], [a, b, a])
    assert len(model.table_shapes) == 2
    assert model.edge_table.tolist() == [0, 1, 0]


def test_tables_per_edge_and_shared_tables_give_the_same_energies():
    tables = np.random.default_rng(0).random((2, 2, 2))
    edges, unaries = [(0, 1), (1, 2), (0, 2)], np.zeros((3, 2))
    index = [1, 0, 1]
    shared, dense = MRF(unaries, edges, SharedTables(tables, index)), MRF(unaries, edges, tables[index])
    assert len(shared.table_shapes) == 2
    assert [shared.energy(x) for x in all_labelings(shared)] == [
        dense.energy(x) for x in all_labelings(dense)
    ]


def test_nested_lists_are_one_table_or_one_per_edge_by_their_depth():
    unaries, table = np.zeros((3, 2)), [[0, 1], [2, 3]]
    one = MRF(unaries, [(0, 1), (1, 2)], table)
    each = MRF(unaries, [(0, 1), (1, 2)], [table, [[5, 5], [5, 5]]])
    assert one.energy([1, 1, 0]) == 5
    assert each.energy([1, 1, 0]) == 8


def test_a_factor_table_used_several_times_is_stored_once():
    cube = np.arange(8.0).reshape(2, 2, 2)
    model = MRF(np.zeros((4, 2)), factors=[((0, 1, 2), cube), ((3, 2, 1), cube)])
    assert len(model.factor_values) == 8
    assert model.factor_table.tolist() == [0, 0]
    assert model.energy([0, 1, 1, 0]) == 3 + 3


def test_factors_of_low_arity_become_constant_unaries_and_edges():
    model = MRF([[0, 0], [0, 0, 0]], factors=[((), 3), ((1,), [1, 2, 3]), ((1, 0), [[1, 2], [3, 4], [5, 6]])])
    assert model.constant == 3
    assert model.unary(1).tolist() == [1, 2, 3]
    assert model.edges.tolist() == [[1, 0]]
    assert model.n_factors == 0


def test_parallel_edges_and_repeated_scopes_add_up():
    cube = np.ones((2, 2, 2))
    model = MRF(np.zeros((3, 2)), [(0, 1), (1, 0)], [[0, 1], [2, 0]], [((0, 1, 2), cube), ((2, 1, 0), cube)])
    assert model.energy([0, 1, 0]) == 1 + 2 + 2
    assert model.facts()["repeated_scopes"] == 2


def test_huge_finite_costs_are_read_as_forbidden_and_counted():
    model = MRF([[1e38, 0], [0, 0]], [(0, 1)], [[1e20, 9e19], [-1e38, 0]], [((0,), [0, 1e25])], constant=-1)
    assert model.n_forbidden_read == 3
    assert np.isinf(model.unaries).tolist() == [True, True, False, False]
    assert model.table_values.tolist() == [INF, 9e19, -1e38, 0]


def test_a_forbidden_entry_is_never_added_to_other_costs():
    model = MRF([[1e20, 0]], factors=[((0,), [-1e20, 0])])
    assert model.energy([0]) == INF


def test_the_threshold_of_forbidden_costs_is_a_parameter():
    assert MRF([[1e38, 0]], forbidden_above=INF).energy([0]) == 1e38
    assert MRF([[10.0, 0]], forbidden_above=10).energy([0]) == INF


def test_a_structured_cost_that_reaches_the_threshold_becomes_a_table_with_forbidden_entries():
    costs = [Potts(1e30), TruncatedLinear(6e19, INF), Potts(1), Potts(1e30)]
    model = MRF(np.zeros((5, 3)), [(0, 1), (1, 2), (2, 3), (3, 4)], costs)
    assert model.edge_kind.tolist() == [0, 0, 1, 0]
    assert len(model.table_shapes) == 2
    assert model.n_forbidden_read == 6 + 2
    assert model.pairwise_table(1).tolist() == [[0, 6e19, INF], [6e19, 0, 6e19], [INF, 6e19, 0]]
    assert model.energy([0, 1, 1, 1, 1]) == INF


def test_a_fully_forbidden_variable_is_allowed():
    assert MRF([[INF, INF]]).energy([0]) == INF


def test_a_forbidden_constant_forbids_every_labeling():
    model = MRF([[0, 1]], factors=[((), INF)])
    assert model.constant == INF
    assert model.energy([0]) == INF


def test_a_model_without_variables_has_its_constant_as_energy():
    assert MRF([], constant=2).energy([]) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[0, np.nan]],), "cost of label 1 of variable 0 is nan; expected a finite cost, or inf"),
        (([[0, 1], [-INF]],), "cost of label 0 of variable 1 is -inf"),
        (([[0, 1], []],), "variable 1 has 0 labels; expected at least 1"),
        ((np.zeros((2, 0)),), "variable 0 has 0 labels"),
        ((np.zeros(3),), r"unaries have shape \(3,\)"),
        (([[[0, 1]]],), r"costs of variable 0 have shape \(1, 2\)"),
        (([["a", "b"]],), "costs of variable 0 has entries of type <U1; expected real numbers"),
        (([[0, 1]], [(0, 1)], Potts(1)), r"edge 0 is \(0, 1\); expected variables from 0 to 0"),
        ((TWO, [(0, 1), (1, 1)], Potts(1)), r"edge 1 is \(1, 1\), a self-loop"),
        ((TWO, [(0.0, 1.0)], Potts(1)), "edges has entries of type float64; expected integers"),
        ((TWO, [0, 1], Potts(1)), r"edges have shape \(2,\)"),
        ((TWO, [(0, 1)]), "pairwise costs are missing; expected those of 1 edges"),
        (
            ([[0, 1]] * 2, [(0, 1)], np.zeros((2, 3))),
            r"edge 0, between variables 0 and 1, has shape \(2, 3\)",
        ),
        ((TWO, EDGE, np.zeros(4)), r"pairwise has shape \(4,\); expected one table"),
        ((THREE, PATH, np.zeros((3, 2, 2))), r"expected one table .* or \(2, rows"),
        ((THREE, PATH, [Potts(1)]), "pairwise has 1 entries; expected one per edge: 2"),
        (
            ([[0, 1]] * 2, [(0, 1)], [[[0, 1], [np.nan, 0]]]),
            r"entry \(1, 0\) of the pairwise table of edge 0",
        ),
        ((TWO, EDGE, Potts(INF)), "weight of the pairwise cost of edge 0 is inf"),
        (
            ([[0, 1]] * 2, [(0, 1)], Potts([1, 2])),
            r"weight .* has shape \(2,\); expected one number, or one per edge",
        ),
        (
            ([[0, 1]] * 2, [(0, 1)], TruncatedLinear(1, -1)),
            "truncation .* of edge 0 is -1.0; expected a number >= 0",
        ),
        ((TWO, EDGE, TruncatedLinear(1, np.nan)), "truncation .* of edge 0 is nan"),
        ((TWO, EDGE, SharedTables([np.eye(2)], [1])), "edge 0 uses pairwise cost 1"),
        (
            ([[0, 1]] * 2, [(0, 1)], SharedTables([np.eye(2)], [0, 0])),
            r"index of the shared tables has shape \(2,\)",
        ),
        (
            ([[0, 1]] * 2, (), None, [((0, 0, 1), np.zeros((2, 2, 2)))]),
            r"scope \(0, 0, 1\); expected different",
        ),
        ((TWO, (), None, [((0, 2), np.eye(2))]), "variable 2 in its scope; expected 0 to 1"),
        (
            ([[0, 1]] * 2, (), None, [((1,), [1, 2, 3])]),
            r"factor 0 over .* has shape \(3,\); expected \(2,\)",
        ),
        ((THREE, (), None, [((0, 1, 2), np.zeros((2, 2, 3)))]), r"expected \(2, 2, 2\)"),
        (([[0, 1]], (), None, (), np.nan), "the constant is nan"),
        ((None,), "unaries is a NoneType; expected a sequence"),
        (([[0, 1]], (), None, 5), r"factors is a int; expected a sequence of pairs \(variables, table\)"),
        (([[0, 1]], (), None, [5]), "factor 0 is a int"),
        (([[0, 1]], (), None, [((0,), [1, 2], 3)]), "factor 0 has 3 parts"),
        (([[1.7e308, 0], [1.7e308, 0]], (), None, (), 0.0), None),
    ],
)
def test_a_wrong_argument_is_refused_with_its_place(arguments, words):
    if words is None:
        with pytest.raises(InvalidModel, match="overflow when added"):
            MRF(*arguments, forbidden_above=INF)
        return
    with pytest.raises(InvalidModel, match=words):
        MRF(*arguments)


def test_a_forbidden_entry_of_a_higher_order_table_is_named_when_it_is_nan():
    cube = np.zeros((2, 2, 3))
    cube[1, 0, 2] = np.nan
    with pytest.raises(InvalidModel, match=r"entry \(1, 0, 2\) of the table of factor 0 over the variables"):
        MRF([[0, 0], [0, 0], [0, 0, 0]], factors=[((0, 1, 2), cube)])


def test_a_table_shared_by_factors_of_different_shapes_is_refused():
    model = MRF([[0] * 2, [0] * 3, [0] * 4], factors=[((0, 1, 2), np.zeros((2, 3, 4)))])
    parts = Parts.of(model)
    parts.factor_costs.scopes = np.array([0, 1, 2, 2, 1, 0])
    parts.factor_costs.scope_offsets = np.array([0, 3, 6])
    parts.factor_costs.table = np.array([0, 0])
    with pytest.raises(InvalidModel, match=r"factors 0 and 1 share a table"):
        MRF.from_parts(parts)


def test_conditioning_forbids_all_other_labels_and_keeps_the_label_space():
    model = MRF([[1, 2, 3], [4, 5]], [(0, 1)], np.ones((3, 2)))
    conditioned = model.condition({0: 2})
    assert conditioned.n_labels.tolist() == [3, 2]
    for labeling in all_labelings(model):
        assert conditioned.energy(labeling) == (model.energy(labeling) if labeling[0] == 2 else INF)
    for evidence in ({2: 0}, {0: 3}, {0: 1.0}, {0: -1}):
        with pytest.raises(InvalidModel, match="in the evidence is"):
            model.condition(evidence)


def test_scaling_multiplies_every_energy():
    cube = np.random.default_rng(0).random((2, 2, 2))
    model = MRF(
        [[0, 1], [1e30, 2], [0, 0]], [(0, 1), (1, 2)], [Potts(3), [[1, 2], [3, 4]]], [((0, 1, 2), cube)], 5
    )
    for factor in (2.0**-10, 2.0**10):
        scaled = model.scaled(factor)
        assert [scaled.energy(x) for x in all_labelings(model)] == [
            factor * model.energy(x) for x in all_labelings(model)
        ]
    assert model.scaled(1e30).energy([0, 1, 0]) == pytest.approx(1e30 * model.energy([0, 1, 0]))
    for factor in (0, -1, INF, np.nan, "2"):
        with pytest.raises(InvalidModel, match="factor is"):
            model.scaled(factor)


def test_a_model_survives_pickle_and_deepcopy():
    model = MRF([[0, 1], [2, 3]], [(0, 1)], Potts(2), name="tiny")
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert twin.name == "tiny"
        assert twin.energy([1, 0]) == model.energy([1, 0]) == 5


def test_facts_count_what_the_model_holds():
    cube = np.zeros((2, 2, 2))
    cube[0, 0, 0] = INF
    model = MRF(
        [[0, INF], [1e38, 2], [0, -3], [0, 0]],
        [(0, 1), (1, 0), (1, 2)],
        [Potts(4), TruncatedLinear(5, 1), np.eye(2)],
        [((0, 1, 2), cube), ((2, 1, 0), cube)],
        constant=1.5,
    )
    facts = model.facts()
    assert facts["variables"] == 4
    assert facts["labels"] == [2, 2]
    assert facts["factors_by_arity"] == {1: 4, 2: 3, 3: 2}
    assert facts["edges_by_kind"] == {"table": 1, "Potts": 1, "truncated linear": 1}
    assert facts["tables_stored"] == 2
    assert facts["tables_used"] == 3
    assert facts["finite_costs"] == [-3, 5]
    assert facts["forbidden_labels"] == 2
    assert facts["forbidden_table_entries"] == 1
    assert facts["forbidden_read"] == 1
    assert facts["repeated_scopes"] == 2
    assert facts["isolated_variables"] == 1
    assert "2 labels, 1 table entries; 1 of them finite and >= 1e+20" in model.summary()
    assert "2 of 3" in model.summary()
