import bz2

import numpy as np
import pytest

from fwmap.errors import FormatError, InvalidModel, InvalidSetting
from fwmap.formats import read, read_evidence, read_result, write_evidence, write_result


@pytest.fixture
def file(tmp_path):
    def make(text, name="file.evid"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return make


@pytest.mark.parametrize(
    "text",
    ["2 0 1 3 0", "2\n0 1\n3 0\n", "1\n2 0 1 3 0\n", "1\n2\n0 1\n3 0", "c observed\n2 0 1 3 0\n"],
)
def test_all_three_layouts_of_evidence_are_read(file, text):
    assert read_evidence(file(text)) == {0: 1, 3: 0}


def test_no_evidence_is_evidence_too(file):
    assert read_evidence(file("0\n")) == {}
    assert read_evidence(file("1 0\n")) == {}


def test_compressed_evidence_is_read(file):
    assert read_evidence(file(bz2.compress(b"1 4 2"))) == {4: 2}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("2 1 0 1 1 2 1", "2 samples of evidence; expected one sample"),
        ("2 0 1", "3 numbers that begin with 2; expected 1 . 2 x 2"),
        ("1 0 1 7", "4 numbers that begin with 1"),
        ("1 0 -1", "line 1: found '-1'; expected an integer >= 0"),
        ("2 0 1\n3 x", "line 2: found 'x' after the evidence"),
        ("2 0 1 0 2", "variable 0 is observed as 1 and as 2; expected one label"),
    ],
)
def test_evidence_that_fits_no_layout_or_contradicts_itself_is_refused(file, text, words):
    with pytest.raises(FormatError, match=r"file\.evid.*" + words):
        read_evidence(file(text))


def test_evidence_about_what_does_not_exist_is_refused(file):
    model = file("MARKOV 1 2 0", "model.uai")
    with pytest.raises(InvalidModel, match="variable in the evidence is 1; expected an integer from 0 to 0"):
        read(model, evidence={1: 0})
    with pytest.raises(InvalidModel, match=r"file\.evid: label of variable 0 in the evidence is 2"):
        read(model, evidence=file("1 0 2"))


def test_written_evidence_reads_back(tmp_path):
    write_evidence({3: 1, 0: 2}, tmp_path / "out.evid.gz")
    assert read_evidence(tmp_path / "out.evid.gz") == {3: 1, 0: 2}


@pytest.mark.parametrize(
    "text",
    [
        "MPE\n3 0 2 1\n",
        "MAP\n3\n0 2 1",
        "MPE\n1\n3 0 2 1\n",
        "MPE\n3 1 1 1\n-BEGIN-\n3 0 2 1\n",
        "MPE\n-BEGIN-\n1\n3 0 0 0\n-BEGIN-\n1\n3 0 2 1\n",
    ],
)
def test_the_last_labeling_of_a_result_counts(file, text):
    assert read_result(file(text)).tolist() == [0, 2, 1]


def test_a_result_of_one_variable_is_no_number_of_samples(file):
    assert read_result(file("MPE\n1 0")).tolist() == [0]
    assert read_result(file("MPE\n1\n1 4")).tolist() == [4]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("PR\n-3.5", "line 1: found 'PR'; expected MPE or MAP"),
        ("", "line 1: found ''"),
        ("MPE\n", "the file ends; expected the number of variables"),
        ("MPE\n3 0 1\n", "line 2: the file ends; expected the label of variable 2 of 3"),
        ("MPE\n2 0 1 1\n", "line 2: found '1' .* after the labels of 2 variables"),
        ("MPE\n3 0 0 0\n-BEGIN-\n3 0 x 0", "line 4: found 'x'; expected the label of variable 1"),
        ("MPE\n2 0 -1", "line 2: found '-1'; expected the label of variable 1"),
    ],
)
def test_an_incomplete_result_is_refused(file, text, words):
    with pytest.raises(FormatError, match=words):
        read_result(file(text, "file.MPE"))


def test_written_results_read_back(tmp_path):
    labeling = np.array([[0, 1], [2, 0]])
    write_result(labeling, tmp_path / "out.MPE")
    assert (tmp_path / "out.MPE").read_text() == "MPE\n4 0 1 2 0\n"
    assert read_result(tmp_path / "out.MPE").tolist() == [0, 1, 2, 0]
    with pytest.raises(InvalidSetting, match="task is 'PR'"):
        write_result([0], tmp_path / "out.PR", task="PR")
