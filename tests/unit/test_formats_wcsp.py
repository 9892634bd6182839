import itertools
import math

import numpy as np
import pytest

from fwmap.errors import FormatError, InvalidSetting
from fwmap.formats import compare, read, write
from fwmap.models import MRF, Potts

INF = math.inf


@pytest.fixture
def loaded_of(tmp_path):
    def load(text):
        path = tmp_path / "problem.wcsp"
        path.write_text(text)
        return read(path)

    return load


def energies(model):
    return [model.energy(x) for x in itertools.product(*(range(k) for k in model.n_labels))]


def test_tuples_override_the_default_cost(loaded_of):
    model = loaded_of("tiny 2 3 1 100\n2 3\n2 0 1 7 2\n0 1 3\n1 2 0\n").model
    assert energies(model) == [7, 3, 7, 7, 7, 0]


def test_a_scope_in_reversed_order_has_its_tuples_in_that_order(loaded_of):
    model = loaded_of("tiny 2 3 1 100\n2 3\n2 1 0 0 1\n2 1 5\n").model
    assert energies(model) == [0, 0, 0, 0, 0, 5]


def test_costs_from_the_upper_bound_on_are_forbidden(loaded_of):
    loaded = loaded_of("tiny 1 4 1 10\n4\n1 0 10 3\n0 9\n1 10\n2 11\n")
    assert energies(loaded.model) == [9, INF, INF, INF]
    assert loaded.facts["upper_bound"] == 10
    assert loaded.facts["forbidden_by_upper_bound"] == 3
    assert "upper bound 10" in loaded.reading


def test_unary_ternary_and_constant_functions_are_read(loaded_of):
    text = "tiny 3 2 4 50\n2 2 2\n0 4 0\n1 2 0 1\n1 3\n3 2 0 1 1 2\n0 0 1 20\n1 1 1 30\n1 2 0 1\n0 6\n"
    model = loaded_of(text).model
    assert model.constant == 4
    assert model.energy([0, 1, 0]) == 4 + 6 + 20
    assert model.energy([1, 1, 1]) == 4 + 3 + 30
    assert model.energy([1, 0, 1]) == 4 + 3 + 1


def test_shared_tables_are_stored_once_and_used_by_number(loaded_of):
    text = (
        "tiny 4 2 5 50\n2 2 2 2\n-2 0 1 0 1\n1 1 5\n-2 0 2 1 1\n0 0 0\n2 1 2 0 -1\n2 3 2 1 -2\n2 3 0 0 -1\n"
    )
    loaded = loaded_of(text)
    model = loaded.model
    assert loaded.facts["shared_tables"] == 2
    assert len(model.table_shapes) == 2
    assert model.energy([1, 1, 1, 1]) == 5 + 1 + 5 + 1 + 5
    assert model.energy([0, 1, 0, 0]) == 0


def test_repeated_identical_tuples_are_fine(loaded_of):
    assert energies(loaded_of("tiny 1 2 1 9\n2\n1 0 0 2\n1 3\n1 3\n").model) == [0, 3]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty; expected the name of a problem"),
        ("tiny 2 2", "line 1: the file ends; expected the number of cost functions"),
        ("tiny 2 2 1 9\n2", "line 2: the file ends; expected the domain size of variable 1"),
        ("tiny 1 2 0 9\n-5", "line 2: the domain of variable 0 is '-5', an interval"),
        ("tiny 1 2 1 9\n2\n2 0 1", "line 3: the arity of cost function 0 is '2'; expected at most 1"),
        ("tiny 2 2 1 9\n2 2\n2 0 2 0 0", "line 3: the scope of cost function 0 has the variable 2"),
        ("tiny 2 2 1 9\n2 2\n2 1 1 0 0", r"line 3: the scope of cost function 0 is \(1, 1\)"),
        (
            "tiny 2 2 1 9\n2 2\n2 0 1 -1 salldiff var 1",
            "line 3: cost function 0 is 'salldiff', a function that",
        ),
        (
            "tiny 2 2 1 9\n2 2\n2 0 1 -1 >= 0 0",
            "line 3: cost function 0 is '>=', a function that is not a table",
        ),
        (
            "tiny 1 2 1 9\n2\n1 0 0 1\n2 1",
            "line 4: tuple 0 of cost function 0 has the label '2'; expected 0 to 1",
        ),
        ("tiny 1 2 1 9\n2\n1 0 0 2\n0 1\n1 -1", "line 5: the cost of tuple 1 of cost function 0 is '-1'"),
        ("tiny 1 2 1 9\n2\n1 0 0 1\n0 1.5", r"line 4: the cost of tuple 0 of cost function 0 is '1\.5'"),
        (
            "tiny 1 2 1 9\n2\n1 0 0 2\n0 1\n0 2",
            "line 5: tuple 1 of cost function 0 is given again with another",
        ),
        (
            "tiny 1 2 1 9\n2\n1 0 0 2\n0 1\n1",
            "line 5: the file ends; expected the 2 tuples of cost function 0",
        ),
        ("tiny 1 2 1 9\n2\n1 0 0 1\n0 1\n7", "line 5: found '7' .* after the last of 1 cost functions"),
        ("tiny 1 2 1 9\n2\n1 0 0 -1", "line 3: cost function 0 uses the shared table '-1'; expected"),
        ("tiny 2 3 2 9\n2 3\n-1 0 0 0\n1 1 0 -1", r"line 4: cost function 1 has the domain sizes \(3,\)"),
        ("tiny 1 2 1 9223372036854775807\n2\n1 0 0 1\n0 9007199254740993", r"line 4: .*below 2\^53 or"),
    ],
)
def test_a_file_that_does_not_follow_the_format_is_refused_with_the_place(loaded_of, text, words):
    with pytest.raises(FormatError, match=r"problem\.wcsp.*" + words):
        loaded_of(text)


def test_written_integers_read_back_exactly(tmp_path):
    cube = np.arange(8.0).reshape(2, 2, 2)
    cube[0, 0, 0] = INF
    model = MRF(
        [[3, 0, INF], [1, 2], [0, 5]], [(1, 0), (0, 1)], [np.arange(6).reshape(2, 3), Potts(4)], name="a b"
    )
    model = MRF(
        [model.unary(v) for v in range(3)],
        model.edges,
        [model.pairwise_table(e) for e in range(2)],
        [((2, 1, 0), np.stack([cube, cube, cube], axis=3)[0]), ((), 7)],
        name="a b",
    )
    facts = write(model, tmp_path / "out.wcsp")
    assert facts["resolution"] == 0
    again = read(tmp_path / "out.wcsp")
    assert again.facts["problem"] == "a_b"
    assert energies(again.model) == energies(model)
    assert compare(model, again.model) == 0


def test_negative_costs_are_shifted_and_the_shift_is_recorded(tmp_path):
    model = MRF([[-3, 2], [0, INF]], [(0, 1)], [[[-5, 1], [0, 2]]], constant=-10)
    assert write(model, tmp_path / "out.wcsp")["shift"] == -18
    text = (tmp_path / "out.wcsp").read_text()
    assert "-" not in text.split("\n", 1)[1]
    loaded = read(tmp_path / "out.wcsp")
    assert "divided by 10^0 and shifted by -18.0" in loaded.reading
    assert energies(loaded.model) == energies(model)
    assert compare(model, loaded.model) == 0


def test_a_name_that_only_looks_like_a_record_is_a_name(loaded_of):
    for name in ("tiny;resolution=999999;shift=0.5", "tiny;resolution=2;shift=half"):
        loaded = loaded_of(f"{name} 1 2 1 100\n2\n1 0 3 0\n")
        assert energies(loaded.model) == [3, 3]
        assert loaded.facts["problem"] == name


def test_costs_that_are_no_integers_need_a_resolution(tmp_path):
    model = MRF([[0.25, 1.5]], [], None, [((), -0.125)])
    with pytest.raises(FormatError, match=r"variable 0 has the cost 0\.25; expected integers"):
        write(model, tmp_path / "out.wcsp")
    write(model, tmp_path / "out.wcsp", resolution=3)
    assert compare(model, read(tmp_path / "out.wcsp").model) == 0
    write(model, tmp_path / "out.wcsp", resolution=1)
    assert compare(model, read(tmp_path / "out.wcsp").model) == pytest.approx(0.05)


def test_costs_too_large_for_integers_are_refused(tmp_path):
    with pytest.raises(FormatError, match=r"times 10\^3 beyond 2\^53"):
        write(MRF([[1e14, 0]]), tmp_path / "out.wcsp", resolution=3)
    with pytest.raises(InvalidSetting, match="resolution is -1; expected a number of decimals"):
        write(MRF([[1, 0]]), tmp_path / "out.wcsp", resolution=-1)


def test_a_model_that_forbids_everything_reads_back_so(tmp_path):
    write(MRF([[1, 2]], factors=[((), INF)]), tmp_path / "out.wcsp")
    assert energies(read(tmp_path / "out.wcsp").model) == [INF, INF]


def test_the_upper_bound_written_forbids_no_finite_labeling(tmp_path):
    model = MRF([[5, 0], [0, 5]], [(0, 1)], [[5, 5], [5, 5]])
    write(model, tmp_path / "out.wcsp")
    assert energies(read(tmp_path / "out.wcsp").model) == energies(model)
