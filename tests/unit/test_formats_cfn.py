import itertools
import math

import pytest

from fwmap.errors import FormatError
from fwmap.formats import read

INF = math.inf

STRICT = """{
  "problem": { "name": "strict", "mustbe": "<12.30" },
  "variables": { "x": ["a", "b"], "y": 3 },
  "functions": {
    "fx": { "scope": ["x"], "costs": [1.5, -2] },
    "fxy": { "scope": ["y", "x"], "costs": [0, 1, 2, 3, 4, inf] }
  }
}
"""

RELAXED = """# the same, written loosely
[problem [name strict mustbe <12.30]
variables {x {a b} "y" 3}
functions [ fx [scope [0] costs ["1.5" -2]]
# another comment, with } and ]
  [scope {1, x} costs {0 1 2,3 4:inf}] ]]
"""


@pytest.fixture
def loaded_of(tmp_path):
    def load(text):
        path = tmp_path / "problem.cfn"
        path.write_text(text)
        return read(path)

    return load


def functions(text, variables="x {a b} y 3", mustbe="<inf"):
    return f"{{problem {{name p mustbe {mustbe}}}\nvariables {{{variables}}}\nfunctions {{\n{text}\n}}}}"


def energies(model):
    return [model.energy(x) for x in itertools.product(*(range(k) for k in model.n_labels))]


@pytest.mark.parametrize("text", [STRICT, RELAXED])
def test_strict_and_relaxed_notation_mean_the_same(loaded_of, text):
    assert energies(loaded_of(text).model) == [1.5, 3.5, 5.5, -1, 1, INF]


def test_sparse_costs_have_a_default_and_labels_by_number_or_name(loaded_of):
    model = loaded_of(functions("{scope [x y] defaultcost 7 costs [a 0 1.25 1 2 -3]}")).model
    assert energies(model) == [1.25, 7, 7, 7, 7, -3]


def test_a_function_may_have_the_costs_of_another(loaded_of):
    text = functions(
        "f {scope [x y] costs [0 1 2 3 4 5]} g {scope [z y] costs f} {scope [] costs [10]}", "x 2 y 3 z 2"
    )
    loaded = loaded_of(text)
    assert len(loaded.model.table_shapes) == 1
    assert loaded.facts["shared_tables"] == 1
    assert loaded.model.energy([1, 2, 0]) == 5 + 2 + 10


def test_ternary_functions_have_the_last_variable_fastest(loaded_of):
    text = functions(f"f {{scope [z x y] costs [{' '.join(map(str, range(24)))}]}}", "x 2 y 3 z 4")
    model = loaded_of(text).model
    assert model.energy([1, 2, 3]) == 23
    assert model.energy([0, 2, 1]) == 1 * 6 + 0 * 3 + 2


def test_costs_with_which_the_bound_cannot_be_kept_are_forbidden(loaded_of):
    model = loaded_of(functions("f {scope [x] costs [9.99 10]}", "x 2", "<10.00")).model
    assert energies(model) == [9.99, INF]
    loaded = loaded_of(functions("f {scope [x] costs [12 13]} g {scope [y] costs [-3 0]}", "x 2 y 2", "<10"))
    assert loaded.model.unary(0).tolist() == [12, INF]
    assert loaded.facts["forbidden_by_upper_bound"] == 1


def test_a_problem_to_be_maximised_changes_its_sign(loaded_of):
    loaded = loaded_of(
        functions("f {scope [x] costs [1.5 -inf]} {scope [y] costs [4 0]}", "x 2 y 2", ">-5.0")
    )
    assert energies(loaded.model) == [-5.5, -1.5, INF, INF]
    assert "maximised" in loaded.reading


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: the file ends; expected { or"),
        ("{variables", "line 1: found 'variables'; expected the field 'problem'"),
        ("{problem {mustbe <1}}", "found 'mustbe'; expected the field 'name'"),
        (functions("", mustbe="12"), "mustbe is '12'; expected < or > and a number"),
        (functions("", mustbe="<1x"), "the bound of mustbe is '1x'; expected a number"),
        (functions("", "x -3"), "line 2: the domain of variable 'x' is '-3'; .* interval"),
        (functions("", "x 2 x 2"), "line 2: the variable 'x' is given again"),
        (functions("", "x {}"), "line 2: the variable 'x' has no labels"),
        (functions("", "x {a a}"), "line 2: the labels of variable 'x' repeat a name"),
        (functions("f {scope [x w]}"), "line 4: the scope of function 'f' has the variable 'w'"),
        (functions("f {scope [x 0] costs [1]}"), r"line 4: the scope of function 'f' is \(0, 0\)"),
        (
            functions("{scope [x] costs [1 2 3]}"),
            "line 4: the costs of function 0 have 3 entries; expected 2",
        ),
        (
            functions("{scope [x] costs [1\n two]}"),
            "line 5: cost 1 of function 0 is 'two'; expected a number",
        ),
        (functions("{scope [x] costs [1 nan]}"), "line 4: cost 1 of function 0 is nan"),
        (functions("{scope [x] costs [1 -inf]}"), "line 4: cost 1 of function 0 is -inf"),
        (functions("{scope [x] costs f}"), "line 4: the costs of function 0 are those of 'f'"),
        (functions("f {scope [x] costs [1 2]} {scope [y] costs f}"), "function 1 has label counts"),
        (functions("f {scope [x] costs [1 2]} f {scope [y] costs f}"), "function 'f' is given again"),
        (functions("f {scope [x y] type salldiff params {}}"), "line 4: function 'f' is 'salldiff'"),
        (functions("{scope [x] defaultcost 0 costs [a]}"), "have 1 entries; expected tuples of 2"),
        (functions("{scope [x] defaultcost 0 costs [c 1]}"), "tuple 0 of function 0 has the label 'c'"),
        (functions("{scope [x] defaultcost 0 costs [a 1 0 2]}"), "tuple 1 of function 0 is given again"),
        (functions("{scope [x] defaultcost -inf costs [a 1]}"), "the default cost of function 0 is -inf"),
        (functions("{scope [x] costs [1 2")[:-4], "line 4: the file ends; expected an entry of the costs"),
        (functions("") + " x", "line 5: found 'x' after the problem; expected the end"),
        (functions('{scope [x] costs ["1 2]}'), "line 4: found a quote that is not closed"),
    ],
)
def test_a_file_that_does_not_follow_the_format_is_refused_with_the_place(loaded_of, text, words):
    with pytest.raises(FormatError, match=r"problem\.cfn.*" + words):
        loaded_of(text)
