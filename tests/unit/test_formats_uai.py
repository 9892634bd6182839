import itertools
import math

import numpy as np
import pytest

from fwmap.errors import FormatError, InvalidSetting
from fwmap.formats import read, write

INF = math.inf


@pytest.fixture
def model_of(tmp_path):
    def load(text, name="model.uai", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read(path, **options).model

    return load


@pytest.fixture
def loaded_of(tmp_path):
    def load(text, name="model.uai", **options):
        path = tmp_path / name
        path.write_text(text)
        return read(path, **options)

    return load


def energies(model):
    labelings = itertools.product(*(range(k) for k in model.n_labels))
    return [model.energy(labeling) for labeling in labelings]


PAIR = "MARKOV\n2\n2 3\n1\n2 0 1\n6\n1 2 3\n4 5 6\n"


def test_costs_are_read_as_they_stand_with_the_last_variable_fastest(model_of):
    assert energies(model_of(PAIR, costs=True)) == [1, 2, 3, 4, 5, 6]


def test_potentials_are_the_default_and_cost_minus_their_logarithm(loaded_of):
    loaded = loaded_of("MARKOV 1 3 1 1 0 3 1 0.5 0")
    assert loaded.model.unary(0).tolist() == [0, -math.log(0.5), INF]
    assert loaded.values == "potentials"
    assert "-log(number)" in loaded.reading
    assert loaded.log_value(loaded.model.energy([1])) == pytest.approx(math.log(0.5))


def test_a_potential_of_one_costs_zero_and_not_minus_zero(model_of):
    assert math.copysign(1, model_of("MARKOV 1 1 1 1 0 1 1").energy([0])) == 1


def test_log_potentials_change_their_sign_and_minus_infinity_forbids(loaded_of):
    loaded = loaded_of("MARKOV 1 3 1 1 0 3 1.5 -2 -inf", log_potentials=True)
    assert loaded.model.unary(0).tolist() == [-1.5, 2, INF]
    assert loaded.log_value(-1.5) == 1.5


def test_the_suffix_lg_means_log_potentials_unless_told_otherwise(loaded_of):
    text = "MARKOV 1 2 1 1 0 2 1.5 -2"
    assert loaded_of(text, "model.LG").model.unary(0).tolist() == [-1.5, 2]
    assert loaded_of(text, "model.uai.LG").values == "log-potentials"
    assert loaded_of(text, "model.LG", costs=True).model.unary(0).tolist() == [1.5, -2]


def test_costs_have_no_log_value(loaded_of):
    assert loaded_of(PAIR, costs=True).log_value(3.0) is None


def test_two_readings_at_once_are_refused(loaded_of):
    with pytest.raises(InvalidSetting, match="expected one of them"):
        loaded_of(PAIR, costs=True, log_potentials=True)


def test_tables_may_be_wrapped_anyhow(model_of):
    wrapped = "MARKOV 2 2\n3 1\n2 0\n1 6 1\n\n2 3 4\t5\r\n6"
    assert energies(model_of(wrapped, costs=True)) == [1, 2, 3, 4, 5, 6]


def test_a_scope_in_reversed_order_has_its_table_in_that_order(model_of):
    model = model_of("MARKOV 2  2 3  1  2 1 0  6  1 2 3 4 5 6", costs=True)
    assert model.energy([1, 0]) == 2
    assert model.energy([0, 2]) == 5


def test_a_ternary_scope_in_any_order_is_read_in_that_order(model_of):
    model = model_of("MARKOV 3  2 3 4  1  3 2 0 1  24 " + " ".join(map(str, range(24))), costs=True)
    for a, b, c in itertools.product(range(2), range(3), range(4)):
        assert model.energy([a, b, c]) == c * 6 + a * 3 + b


def test_factors_on_the_same_scope_add_up(loaded_of):
    loaded = loaded_of(
        "MARKOV 2 2 2 5  1 0  1 0  2 0 1  2 1 0  0  2 1 2  2 10 20  4 1 2 3 4  4 5 6 7 8  1 100", costs=True
    )
    assert loaded.model.energy([0, 1]) == 1 + 10 + 2 + 7 + 100
    assert loaded.facts["repeated_scopes"] == 2
    assert loaded.facts["factors_by_arity"] == {0: 1, 1: 2, 2: 2}


def test_unary_factors_come_in_any_order_and_may_be_missing(model_of):
    model = model_of("MARKOV 3 2 3 1 2  1 1  1 0  3 1 2 3  2 4 5", costs=True)
    assert [model.unary(v).tolist() for v in range(3)] == [[4, 5], [1, 2, 3], [0]]


def test_factors_of_arity_zero_are_constants_and_a_zero_potential_forbids_everything(model_of):
    assert model_of("MARKOV 1 2 2  0  0  1 3  1 4", costs=True).constant == 7
    assert energies(model_of("MARKOV 1 2 1  0  1 0")) == [INF, INF]


def test_a_model_without_factors_is_read(model_of):
    assert energies(model_of("MARKOV 2 2 1 0")) == [0, 0]
    assert model_of("MARKOV 0 0").n_nodes == 0


def test_lines_that_begin_with_c_and_a_blank_are_comments(model_of):
    text = "c made by hand 17\nMARKOV\nc 99 98\n2\n2 3\n1\n2 0 1\nc\n6\n1 2 3\nc 5\n4 5 6\nc end"
    assert energies(model_of(text, costs=True)) == [1, 2, 3, 4, 5, 6]


def test_huge_costs_are_forbidden_counted_and_never_added(loaded_of):
    model = loaded_of("MARKOV 1 2 2  1 0  1 0  2 1e38 1  2 -1e38 1", costs=True).model
    assert model.n_forbidden_read == 1
    assert model.unary(0).tolist() == [INF, 2]
    assert loaded_of("MARKOV 1 2 1  1 0  2 50 1", costs=True, forbidden_above=50).model.n_forbidden_read == 1


def test_infinity_is_written_in_several_ways(model_of):
    model = model_of("MARKOV 1 4 1 1 0 4 inf Inf 1e+99 1E5", costs=True)
    assert model.unary(0).tolist() == [INF, INF, INF, 1e5]
    assert model.n_forbidden_read == 1


def test_numbers_are_parsed_as_python_parses_them(model_of):
    rng = np.random.default_rng(3)
    words = [repr(x) for x in (rng.random(500) * 10.0 ** rng.integers(-30, 15, 500)).tolist()]
    words += ["0.1", "1e-7", "123456789012345678", "2.2250738585072014e-308", ".5", "5.", "+3", "-0.0"]
    model = model_of(f"MARKOV 1 {len(words)} 1 1 0 {len(words)} " + " ".join(words), costs=True)
    assert model.unary(0).tolist() == [float(word) for word in words]


def test_bayes_networks_are_products_of_their_tables(loaded_of):
    text = "BAYES 2 2 2 2  1 0  2 0 1  2 0.25 0.75  4 0.5 0.5 0.125 0.875"
    loaded = loaded_of(text)
    assert loaded.model.energy([1, 0]) == pytest.approx(-math.log(0.75 * 0.125))
    assert loaded.facts["rows_not_summing_to_one"] == 0
    assert loaded_of(text.replace("0.875", "0.5")).facts["rows_not_summing_to_one"] == 1


def test_equal_tables_are_stored_once(model_of):
    n = 30
    edges = "".join(f"2 {i} {i + 1}\n" for i in range(n - 1))
    text = f"MARKOV {n} {'2 ' * n} {n - 1}\n{edges}" + "4 0 1 1 0\n" * (n - 2) + "4 0 2 2 0\n"
    model = model_of(text, costs=True)
    assert len(model.table_shapes) == 2
    assert model.energy([0] * (n - 1) + [1]) == 2
    assert model.energy([0] + [1] * (n - 1)) == 1


def test_tables_of_equal_numbers_but_other_shapes_are_not_confused(model_of):
    text = "MARKOV 4 2 3 2 3 4  2 0 1  2 1 0  2 2 3  2 3 2 " + "6 1 2 3 4 5 6 " * 4
    model = model_of(text, costs=True)
    assert len(model.table_shapes) == 2
    assert model.pairwise_table(1).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert model.pairwise_table(2).tolist() == [[1, 2, 3], [4, 5, 6]]


def test_equal_higher_order_tables_are_stored_once_per_shape(model_of):
    scopes = "3 0 1 2  3 0 2 1  3 3 4 5  3 5 4 3"
    text = (
        f"MARKOV 6 2 3 4 2 2 2 4 {scopes} "
        + f"24 {' '.join(map(str, range(24)))} " * 2
        + "8 1 2 3 4 5 6 7 8 " * 2
    )
    model = model_of(text, costs=True)
    assert model.energy([1, 2, 3, 0, 0, 1]) == 23 + (1 * 12 + 3 * 3 + 2) + 2 + 5


def test_evidence_forbids_the_other_labels(tmp_path):
    (tmp_path / "m.uai").write_text(PAIR)
    (tmp_path / "m.evid").write_text("1 1 2")
    loaded = read(tmp_path / "m.uai", costs=True, evidence=tmp_path / "m.evid")
    assert loaded.evidence == {1: 2}
    assert energies(loaded.model) == [INF, INF, 3, INF, INF, 6]
    assert energies(read(tmp_path / "m.uai", costs=True, evidence={0: 1}).model) == [INF, INF, INF, 4, 5, 6]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty; expected MARKOV or BAYES"),
        ("\nHMM 1", "line 2: the file begins with 'HMM'; expected MARKOV or BAYES"),
        ("MARKOV\n", "line 1: the file ends; expected the number of variables"),
        ("MARKOV\n-1", "line 2: found '-1'; expected the number of variables, an integer >= 0"),
        ("MARKOV\n2.5", r"line 2: found '2\.5'; expected the number of variables"),
        ("MARKOV\n2\n2", "line 3: the file ends; expected the numbers of labels of 2 variables"),
        ("MARKOV\n2\n2 0\n0", "line 3: variable 1 has '0' labels; expected an integer from 1 to 2\\^31"),
        (
            "MARKOV\n1\n2\nmany",
            r"line 4: found 'many'; expected .* and the number of factors",
        ),
        ("MARKOV\n1\n2\n1.5\n", r"line 4: found '1\.5'; expected the number of factors"),
        ("MARKOV\n1\n2\n2\n1 0\n", "line 5: the file ends; expected the arity of factor 1 of 2"),
        (
            "MARKOV\n2\n2 2\n1\n3 0 1 0\n",
            "line 5: factor 0 has '3' variables; expected .* 0 to 2",
        ),
        (
            "MARKOV\n2\n2 2\n2\n1 0\n2 0 2\n2 1 1",
            "line 6: the scope of factor 1 has the variable '2'",
        ),
        ("MARKOV\n2\n2 2\n1\n2 0 -1\n2 1 1", "line 5: the scope of factor 0 has the variable '-1'"),
        (
            "MARKOV\n2\n2 2\n2\n1 0\n2 1 1\n2 1 1",
            r"line 6: the scope of factor 1 is \(1, 1\)",
        ),
        ("MARKOV\n2\n2 2\n1\n2 0", "line 5: the file ends; expected the 2 variables of factor 0"),
        (
            "MARKOV\n2\n2 3\n2\n1 0\n2 0 1\n2 1 1\n5\n1 2 3 4 5",
            r"line 8: the table of factor 1 over .* begins with '5'; expected .* 2 x 3 = 6",
        ),
        (
            "MARKOV\n1\n2\n1\n1 0\n",
            "line 5: the file ends; expected the number of entries",
        ),
        (
            "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 2\n3",
            r"line 8: the file ends; expected entry 3 of 2 x 2 = 4 .* factor 0 over the variables \(0, 1\)",
        ),
        (
            "MARKOV\n1\n2\n1\n1 0\n2\n1 x2\n",
            "line 7: found 'x2'; expected entry 1 of 2",
        ),
        (
            "MARKOV\n1\n2\n1\n1 0\n2\n1 2 3\n4",
            r"line 7: found '3' \(2 more numbers\) after",
        ),
        ("MARKOV\n1\n2\n1\n1 0\n2\n1 2\nend", "line 8: found 'end' after the last table"),
        (
            "MARKOV\n1\n2\n1\n1 0\n2\n1\nnan",
            r"line 8: entry 1 .* factor 0 over .* is 'nan'",
        ),
        (
            "MARKOV\n1\n2\n1\n1 0\n2\n1 -0.5",
            r"line 7: entry 1 .* is '-0\.5'; expected .*--costs",
        ),
        ("MARKOV\n1\n2\n1\n1 0\n2\n1 inf", "line 7: entry 1 .* is 'inf'; expected a finite potential"),
        ("MARKOV\n1\n2\n1\n1 0\n2\n1 3e-400", "line 7: the potential 3e-400 is too small for a double"),
        (
            "MARKOV\n1\n2\n2\n0\n1 0\n1 -1\n2 1 1",
            "line 7: entry 0 .* factor 0, a constant is",
        ),
        (
            "MARKOV\n1\n2\n0\nPROJECTIONS\n0 = (0,1",
            "line 6: ray 0 has the costs",
        ),
        (
            f"MARKOV 70 {'2 ' * 70} 1\n70 {' '.join(map(str, range(70)))}\n4 1 1 1 1",
            "begins with '4'",
        ),
    ],
)
def test_a_file_that_does_not_follow_the_format_is_refused_with_the_place(loaded_of, text, words):
    with pytest.raises(FormatError, match=r"model\.uai.*" + words):
        loaded_of(text)


@pytest.mark.parametrize(
    ("options", "number", "words"),
    [
        ({"costs": True}, "-inf", "is '-inf'; expected a finite cost, or inf where forbidden"),
        ({"costs": True}, "NaN", "is 'NaN'; expected a number"),
        ({"log_potentials": True}, "inf", "is 'inf'; expected a finite logarithm, or -inf where forbidden"),
    ],
)
def test_numbers_that_a_reading_does_not_allow_are_refused(loaded_of, options, number, words):
    with pytest.raises(FormatError, match=f"line 3: entry 1 .* {words}"):
        loaded_of(f"MARKOV 1 2 1\n1 0\n2 0 {number}", **options)


def test_a_zero_potential_with_a_large_exponent_is_still_zero(model_of):
    assert model_of("MARKOV 1 2 1 1 0 2 1 0.0e-400").unary(0).tolist() == [0, INF]


def test_places_are_right_beyond_the_block_in_which_text_is_parsed(loaded_of, monkeypatch):
    monkeypatch.setattr("fwmap.formats.number_text.CHUNK", 7)
    table = "\n".join(["123456"] * 9)
    text = f"MARKOV\n1\n10\n1\n1 0\n10\n{table}\n"
    assert loaded_of(text + "5", costs=True).model.energy([9]) == 5
    with pytest.raises(FormatError, match="line 16: found 'zzzzzzzzzzzz'; expected entry 9 of 10"):
        loaded_of(text + "zzzzzzzzzzzz", costs=True)
    with pytest.raises(FormatError, match=r"line 17: found '7' \(1 more"):
        loaded_of(text + "5\n7", costs=True)
    with pytest.raises(FormatError, match=r"line 16: entry 9 .* is '-5'; expected a potential"):
        loaded_of(text + "-5")


def test_arities_that_change_all_the_time_are_followed(model_of):
    rng = np.random.default_rng(0)
    scopes = [rng.permutation(6)[: rng.integers(0, 4)].tolist() for _ in range(300)]
    tables = [rng.integers(0, 9, 2 ** len(scope)).tolist() for scope in scopes]
    text = f"MARKOV 6 {'2 ' * 6} 300\n"
    text += "\n".join(" ".join(map(str, [len(scope), *scope])) for scope in scopes) + "\n"
    text += "\n".join(" ".join(map(str, [len(table), *table])) for table in tables)
    model = model_of(text, costs=True)
    for labeling in itertools.product(range(2), repeat=6):
        expected = 0
        for scope, table in zip(scopes, tables, strict=True):
            expected += table[int("0" + "".join(str(labeling[v]) for v in scope), 2)]
        assert model.energy(labeling) == expected


def test_written_costs_read_back_exactly(tmp_path, model_of):
    text = "MARKOV 3 2 3 2 5  1 0  2 2 1  3 1 0 2  0  2 0 1  2 0.1 inf  6 1 2 3 4 5 1e-17  12 " + "0.3 " * 12
    model = model_of(text + " 1 0.7  6 1 2 3 4 5 6", costs=True)
    for write_as, flags in [("costs", {"costs": True}), ("log-potentials", {"log_potentials": True})]:
        write(model, tmp_path / "out.uai", write_as=write_as)
        assert energies(read(tmp_path / "out.uai", **flags).model) == energies(model)


def test_written_potentials_read_back_to_rounding(tmp_path, model_of):
    model = model_of("MARKOV 2 2 2 2  1 0  2 0 1  2 0 -3.7  4 0.1 inf 500 2", costs=True)
    assert write(model, tmp_path / "out.uai.gz", write_as="potentials") == {"values": "potentials"}
    assert energies(read(tmp_path / "out.uai.gz").model) == pytest.approx(energies(model), rel=1e-14)


def test_what_the_numbers_shall_be_must_be_said_unless_the_source_says_it(tmp_path, loaded_of):
    costs, potentials = loaded_of("MARKOV 1 2 1 1 0 2 1 2", costs=True), loaded_of("MARKOV 1 2 1 1 0 2 1 2")
    for source in (costs, costs.model, potentials.model):
        with pytest.raises(InvalidSetting, match="nothing in it says which; say it: --write-as"):
            write(source, tmp_path / "out.uai")
    assert write(potentials, tmp_path / "out.uai")["values"] == "potentials"
    assert write(potentials, tmp_path / "out.LG", write_as="log-potentials")["values"] == "log-potentials"
    assert write(costs, tmp_path / "out.LG")["values"] == "log-potentials"
    assert write(potentials, tmp_path / "out.LG")["values"] == "log-potentials"
    with pytest.raises(InvalidSetting, match="the suffix says log-potentials, but costs"):
        write(costs, tmp_path / "out.LG", write_as="costs")
    with pytest.raises(InvalidSetting, match="write_as is 'cost'; expected one of"):
        write(costs, tmp_path / "out.uai", write_as="cost")


@pytest.mark.parametrize(
    ("cost", "words"), [("746", "underflows"), ("720", "underflows"), ("-710", "overflows")]
)
def test_a_potential_that_underflows_is_refused_and_no_file_is_left(tmp_path, loaded_of, cost, words):
    loaded = loaded_of(f"MARKOV 1 2 1 1 0 2 1 {cost}", costs=True)
    with pytest.raises(FormatError, match=rf"variable 0 has the cost {cost}\.0; its potential .* {words}"):
        write(loaded, tmp_path / "out.uai", write_as="potentials")
    assert [path.name for path in tmp_path.iterdir()] == ["model.uai"]
