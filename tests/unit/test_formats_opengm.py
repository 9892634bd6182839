import io
import itertools
import sys

import numpy as np
import pytest

from fwmap.errors import FormatError
from fwmap.formats import compare, read, write
from fwmap.models import MRF, Potts, SharedTables, TruncatedLinear, TruncatedQuadratic

h5py = pytest.importorskip("h5py")


def energies(model):
    return [model.energy(x) for x in itertools.product(*(range(k) for k in model.n_labels))]


@pytest.fixture
def loaded_of(tmp_path):
    """Write an OpenGM file by hand: states, {type: (count, indices, values)} and flat factors."""

    def load(states, types, factors, n_factors, group="gm", value_type=(1,), extra=()):
        path = tmp_path / "model.h5"
        with h5py.File(path, "w") as file:
            gm = file.create_group(group)
            header = [2, 0, len(states), n_factors, len(types)]
            for type_id, (count, indices, values) in types.items():
                header += [type_id, count]
                if count:
                    gm[f"function-id-{type_id}/indices"] = np.array(indices, dtype=np.uint64)
                    gm[f"function-id-{type_id}/values"] = np.array(values, dtype=np.float64)
            gm["header"] = np.array([*header, *value_type], dtype=np.uint64)
            gm["numbers-of-states"] = np.array(states, dtype=np.uint64)
            gm["factors"] = np.array(factors, dtype=np.uint64)
            for name in extra:
                file.create_group(name)["header"] = np.zeros(1)
        return read(path)

    return load


def one_pair(loaded_of, type_id, indices, values):
    """Return the table of one function on the variables 0 (2 labels) and 1 (3 labels)."""
    model = loaded_of([2, 3], {type_id: (1, indices, values)}, [0, 0, 2, 0, 1], 1).model
    return model.pairwise_table(0).tolist(), model.edge_kind.tolist()


def test_explicit_values_have_the_first_variable_fastest(loaded_of):
    table, _ = one_pair(loaded_of, 16000, [2, 2, 3], [1, 2, 3, 4, 5, 6])
    assert table == [[1, 3, 5], [2, 4, 6]]


def test_explicit_ternary_values_have_the_first_variable_fastest(loaded_of):
    types = {16000: (1, [3, 2, 3, 4], np.arange(24))}
    model = loaded_of([2, 3, 4], types, [0, 0, 3, 0, 1, 2], 1).model
    assert model.energy([1, 0, 0]) == 1
    assert model.energy([1, 2, 3]) == 1 + 2 * 2 + 3 * 6


@pytest.mark.parametrize(
    ("type_id", "indices", "values", "expected", "kind"),
    [
        (16001, [2, 2, 3, 2, 1, 4], [9, 1, 2], [[9, 9, 2], [1, 9, 9]], 0),
        (16002, [2, 3], [2], [[0, 2, 4], [2, 0, 2]], 2),
        (16002, [2, 3], [], [[0, 1, 2], [1, 0, 1]], 2),
        (16003, [2, 3], [1.5, 2], [[0, 2, 3], [2, 0, 2]], 2),
        (16004, [2, 3], [2], [[0, 2, 8], [2, 0, 2]], 3),
        (16005, [2, 3], [3, 2], [[0, 2, 6], [2, 0, 2]], 3),
        (16006, [2, 3], [0, 5], [[0, 5, 5], [5, 0, 5]], 1),
        (16006, [2, 3], [1, 5], [[1, 5, 5], [5, 1, 5]], 0),
        (16006, [2, 3], [0, np.inf], [[0, np.inf, np.inf], [np.inf, 0, np.inf]], 0),
        (16007, [2, 2, 3], [0, 5], [[0, 5, 5], [5, 0, 5]], 1),
        (16008, [2, 2, 3], [4], [[4, 4, 4], [4, 4, 4]], 0),
    ],
)
def test_every_readable_type_has_its_meaning(loaded_of, type_id, indices, values, expected, kind):
    assert one_pair(loaded_of, type_id, indices, values) == (expected, [kind])


def test_potts_of_many_variables_asks_whether_all_labels_are_equal(loaded_of):
    model = loaded_of([2, 2, 2], {16007: (1, [3, 2, 2, 2], [1, 5])}, [0, 0, 3, 0, 1, 2], 1).model
    assert energies(model) == [1, 5, 5, 5, 5, 5, 5, 1]


def test_functions_of_several_types_unaries_constants_and_sharing(loaded_of):
    types = {
        16001: (0, [], []),
        16000: (3, [1, 2, 2, 2, 2, 0], [1, 2, 10, 20, 30, 40, 100]),
        16006: (1, [2, 2], [0, 7]),
    }
    factors = [0, 1, 1, 0, 0, 1, 1, 2, 1, 1, 2, 0, 1, 1, 1, 2, 1, 2, 0, 2, 2, 0, 2, 2, 1, 0]
    loaded = loaded_of([2, 2, 2], types, factors, 6, value_type=())
    model = loaded.model
    assert len(model.table_shapes) == 1
    assert model.edge_table.tolist() == [0, 0, -1]
    assert model.energy([0, 1, 1]) == 1 + 2 + 30 + 40 + 7 + 100
    assert loaded.facts["types"] == {"explicit": 3, "Potts": 1}


def test_the_type_of_a_factor_is_a_position_and_not_a_number(loaded_of):
    types = {16006: (1, [2, 2], [0, 7]), 16000: (1, [2, 2, 2], [1, 2, 3, 4])}
    model = loaded_of([2, 2], types, [0, 1, 2, 0, 1], 1).model
    assert energies(model) == [1, 3, 2, 4]


def test_another_group_is_found_if_it_is_the_only_one(loaded_of):
    types = {16000: (1, [1, 2], [1, 2])}
    assert loaded_of([2], types, [0, 0, 1, 0], 1, group="model").facts["group"] == "model"
    with pytest.raises(FormatError, match="groups with a model: a, b; expected the group gm, or exactly one"):
        loaded_of([2], types, [0, 0, 1, 0], 1, group="a", extra=["b"])


@pytest.mark.parametrize(
    ("states", "types", "factors", "n", "words"),
    [
        (
            [2, 2],
            {16011: (1, [2, 2, 2], [1])},
            [],
            0,
            "of type PottsG cannot be read; expected explicit",
        ),
        ([2, 2], {16065: (1, [0], [1])}, [], 0, "functions of type learnable Potts cannot be read"),
        ([2, 2], {15997: (1, [0], [1])}, [], 0, "functions of type constraint cannot be read"),
        ([2, 2], {17000: (1, [0], [1])}, [], 0, "functions of type number 17000 cannot be read"),
        ([2], {16000: (1, [1, 2], [1])}, [], 0, "function-id-16000: values end at 1; expected 2 more at 0"),
        ([2], {16000: (1, [2, 2], [1, 2])}, [], 0, "indices end at 2; expected 2 more at 1"),
        ([2], {16000: (1, [1, 2], [1, 2, 3])}, [], 0, "2 indices and 3 values; expected 2 and 2"),
        ([2], {16000: (1, [1, 2], [1, np.nan])}, [], 0, "function-id-16000/values has nan at entry 1"),
        (
            [2],
            {16001: (1, [1, 2, 1, 2], [1, 2])},
            [],
            0,
            r"function of shape \(2,\) has the keys \[2\]",
        ),
        ([2], {16000: (1, [1, 2], [1, 2])}, [0, 0, 1], 1, "factors ends within factor 0; expected 1 factors"),
        ([2], {16000: (1, [1, 2], [1, 2])}, [1, 0, 1, 0], 1, "gives factor 0 the function 1 of type 0"),
        ([2], {16000: (1, [1, 2], [1, 2])}, [0, 1, 1, 0], 1, "gives factor 0 the function 0 of type 1"),
        ([2], {16000: (1, [1, 2], [1, 2])}, [0, 0, 1, 1], 1, r"gives factor 0 the scope \[1\]"),
        ([3], {16000: (1, [1, 2], [1, 2])}, [0, 0, 1, 0], 1, r"a function of shape \(2,\); expected \(3,\)"),
        ([2], {16000: (1, [1, 2], [1, 2])}, [0, 0, 1, 0, 5], 1, "has 1 entries after the last factor"),
    ],
)
def test_a_file_that_is_no_model_is_refused(loaded_of, states, types, factors, n, words):
    with pytest.raises(FormatError, match=r"model\.h5: .*" + words):
        loaded_of(states, types, factors, n)


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "model.h5"
    write(MRF([[1, 2]]), path)
    path.write_bytes(path.read_bytes()[:700])
    with pytest.raises(FormatError, match="not an HDF5 file, or damaged"):
        read(path)
    with h5py.File(path, "w") as file:
        file.create_group("gm")["header"] = np.zeros(6, dtype=np.uint64)
    with pytest.raises(FormatError, match="the array numbers-of-states is missing in group gm"):
        read(path)


def test_a_missing_h5py_is_said_clearly(tmp_path, monkeypatch):
    write(MRF([[1, 2]]), tmp_path / "model.h5")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(FormatError, match=r"need the package h5py; expected it: pip install fwmap\[hdf5\]"):
        read(tmp_path / "model.h5")


def test_written_models_read_back_exactly_with_sharing_and_structure(tmp_path):
    rng = np.random.default_rng(5)
    a, b = rng.random((3, 2)), rng.random((2, 3))
    b[1, 1] = np.inf
    costs = [a, Potts(-0.3), TruncatedLinear(0.7, 1.5), TruncatedQuadratic(0.1, np.inf), b, a]
    edges = [(0, 1), (2, 0), (3, 0), (0, 3), (1, 2), (2, 3)]
    factors = [((2, 0, 1), rng.random((3, 3, 2))), ((), 1 / 3)]
    model = MRF([rng.random(k) for k in (3, 2, 3, 2)], edges, costs, factors)
    write(model, tmp_path / "m.h5.gz")
    again = read(tmp_path / "m.h5.gz").model
    assert compare(model, again) == 0
    assert energies(again) == energies(model)
    assert sorted(again.edge_kind.tolist()) == [0, 0, 0, 1, 2, 3]
    assert len(again.table_shapes) == 2


def test_a_shared_table_is_written_once(tmp_path):
    model = MRF.grid(np.zeros((9, 9, 3)), SharedTables([np.arange(9).reshape(3, 3)], [0] * 144))
    assert write(model, tmp_path / "m.h5")["functions"] == 81 + 1
    with h5py.File(io.BytesIO((tmp_path / "m.h5").read_bytes())) as file:
        assert file["gm/header"][:].tolist() == [2, 0, 81, 225, 4, 16000, 82, 16006, 0, 16003, 0, 16005, 0, 1]
        assert file["gm/function-id-16000/values"][-9:].tolist() == [0, 3, 6, 1, 4, 7, 2, 5, 8]
