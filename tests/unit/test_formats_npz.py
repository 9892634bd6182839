import numpy as np
import pytest

from fwmap.errors import FormatError
from fwmap.formats import compare, read, write
from fwmap.formats.npz import ARRAYS
from fwmap.models import MRF, Potts, SharedTables, TruncatedLinear


@pytest.fixture
def model():
    cube = np.arange(12.0).reshape(2, 3, 2)
    return MRF(
        [[0.1, np.inf], [1e30, 2, 3], [0, 0]],
        [(0, 1), (2, 1), (0, 2)],
        [np.ones((2, 3)) / 3, TruncatedLinear(0.3, 1.5), Potts(-2)],
        [((0, 1, 2), cube), ((2, 1, 0), cube)],
        constant=1 / 3,
        name="three",
    )


def test_every_array_reads_back_exactly(tmp_path, model):
    write(model, tmp_path / "m.npz")
    again = read(tmp_path / "m.npz").model
    for name in ARRAYS:
        given, found = getattr(model, name), getattr(again, name)
        if isinstance(given, np.ndarray):
            assert given.dtype == found.dtype
            assert np.array_equal(given, found)
        else:
            assert given == found
    assert compare(model, again) == 0


def test_image_shape_sharing_and_threshold_are_kept(tmp_path):
    grid = MRF.grid(np.zeros((2, 3, 2)), SharedTables([np.eye(2)], [0] * 7), forbidden_above=np.inf)
    write(grid, tmp_path / "m.npz.xz")
    again = read(tmp_path / "m.npz.xz").model
    assert again.image_shape == (2, 3)
    assert len(again.table_shapes) == 1
    assert again.forbidden_above == np.inf


def test_a_threshold_that_is_asked_for_is_applied(tmp_path):
    write(MRF([[1, 50]]), tmp_path / "m.npz")
    assert read(tmp_path / "m.npz", forbidden_above=10).model.n_forbidden_read == 1


def test_a_file_that_is_cut_off_or_foreign_is_refused(tmp_path, model):
    path = tmp_path / "m.npz"
    write(model, path)
    data = path.read_bytes()
    for damaged in (data[: len(data) // 2], data[:4], data[:-30], b"nonsense"):
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match=r"m\.npz: not a NumPy archive, or damaged"):
            read(path)
    np.savez(path, a=np.zeros(3))
    with pytest.raises(FormatError, match="without the entry fwmap_mrf"):
        read(path)


def changed(path, **changes):
    with np.load(path) as archive:
        arrays = dict(archive)
    arrays |= changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fwmap_mrf": np.array(2)}, "version 2 of the format; expected 1"),
        ({"unaries": None}, "the array unaries is missing"),
        ({"unaries": np.zeros(7, dtype=int)}, "the array unaries has type int64"),
        ({"edges": np.zeros((3, 3), dtype=int)}, r"the array edges has type int64 and shape \(3, 3\)"),
        ({"edge_kind": np.zeros(2, dtype=np.uint8)}, "the array edge_kind has 2 entries; expected 3"),
        ({"edge_table": np.array([5, -1, -1])}, "do not make a model: edge 0 uses table 5"),
        ({"unaries": np.zeros(5)}, "there are 5 unary costs; expected 7"),
        ({"table_offsets": np.array([0, 5])}, "table_offsets does not span table_values"),
        ({"table_shapes": np.array([[2, 2]])}, "table_offsets and table_shapes disagree"),
        ({"factor_scope_offsets": np.array([0, 7, 6])}, "factor_scope_offsets decreases"),
        ({"factor_table": np.array([0, 4])}, "factor 1 uses table 4"),
        ({"name": np.array([{}], dtype=object)}, "not a NumPy archive, or damaged"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, model, changes, words):
    path = tmp_path / "m.npz"
    write(model, path)
    changed(path, **changes)
    with pytest.raises(FormatError, match=words):
        read(path)
