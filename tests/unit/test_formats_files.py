import bz2
import gzip
import lzma

import pytest

from fwmap.errors import FormatError, InvalidSetting
from fwmap.formats import FORMATS, read, write
from fwmap.models import MRF, Potts

TEXT = b"MARKOV 2 2 2 1 2 0 1 4 0 1 2 3"


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_compression_is_found_by_content_whatever_the_suffix_says(tmp_path, suffix, compress):
    path = tmp_path / f"model.uai{suffix}"
    path.write_bytes(compress(TEXT))
    assert read(path, costs=True).model.energy([1, 0]) == 2


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
def test_compressed_data_that_ends_early_is_refused(tmp_path, compress):
    path = tmp_path / "model.uai"
    path.write_bytes(compress(TEXT * 50)[:-9])
    with pytest.raises(FormatError, match=r"model\.uai: the (gz|xz|bz2) data is damaged or ends early"):
        read(path)


@pytest.mark.parametrize(
    ("suffix", "magic"), [(".gz", b"\x1f\x8b"), (".xz", b"\xfd7zXZ"), (".bz2", b"BZh"), ("", b"MARK")]
)
def test_files_are_written_with_the_compression_of_their_suffix(tmp_path, suffix, magic):
    path = tmp_path / f"out.uai{suffix}"
    write(MRF([[1, 2]]), path, write_as="costs")
    assert path.read_bytes().startswith(magic)
    assert read(path, costs=True).model.energy([1]) == 2


@pytest.mark.parametrize("name", ["uai", "opengm", "wcsp", "npz"])
def test_a_format_is_recognised_by_its_content_where_the_suffix_says_nothing(tmp_path, name):
    if name == "opengm":
        pytest.importorskip("h5py")
    model = MRF([[1, 2], [3, 4]], [(0, 1)], Potts(5))
    write(model, tmp_path / "instance.data", format=name, write_as="costs" if name == "uai" else None)
    loaded = read(tmp_path / "instance.data", costs=True)
    assert loaded.format == name
    assert loaded.model.energy([0, 1]) == 1 + 4 + 5


def test_cfn_is_recognised_by_its_content(tmp_path):
    path = tmp_path / "problem"
    path.write_text(
        "# a comment\n{problem {name p mustbe <9} variables {x 2} functions {f {scope [x] costs [1 2]}}}"
    )
    assert read(path).format == "cfn"


def test_content_that_nothing_recognises_is_refused_with_what_could_be_read(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("some words about something else")
    with pytest.raises(FormatError, match=r"nor its content tells the format; expected .*\.uai"):
        read(path)


def test_a_known_suffix_decides_even_if_the_content_is_something_else(tmp_path):
    path = tmp_path / "model.uai"
    path.write_bytes(b"\x89HDF\r\n\x1a\n")
    with pytest.raises(FormatError, match="expected MARKOV or BAYES"):
        read(path)
    with pytest.raises(InvalidSetting, match="format is 'UAI'; expected one of uai, opengm"):
        read(path, format="UAI")


def test_a_missing_file_is_an_error_of_the_operating_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing.uai")


@pytest.mark.parametrize("name", ["out.cfn", "out.txt", "out"])
def test_what_cannot_be_written_is_refused_with_what_can(tmp_path, name):
    with pytest.raises(InvalidSetting, match=r"cannot be written; expected one of \.uai"):
        write(MRF([[1, 2]]), tmp_path / name)


def test_numbers_of_formats_that_know_only_costs_cannot_be_read_or_written_otherwise(tmp_path):
    write(MRF([[1, 2]]), tmp_path / "m.npz")
    assert read(tmp_path / "m.npz", costs=True).model.energy([1]) == 2
    with pytest.raises(InvalidSetting, match="numbers of npz files are costs; expected no log-potentials"):
        read(tmp_path / "m.npz", log_potentials=True)
    with pytest.raises(InvalidSetting, match="expected costs, all that npz holds"):
        write(MRF([[1, 2]]), tmp_path / "m.npz", write_as="potentials")


def test_every_format_has_a_name_and_a_suffix_of_its_own():
    assert len({format.name for format in FORMATS}) == len(FORMATS)
    suffixes = [suffix for format in FORMATS for suffix in format.suffixes]
    assert len(set(suffixes)) == len(suffixes)
