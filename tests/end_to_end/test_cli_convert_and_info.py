"""`fwmap convert` and `fwmap info`."""

from __future__ import annotations

import json
import math

import pytest


def test_info_tells_what_was_read(fwmap_command, small):
    done = fwmap_command("info", small)
    assert done.returncode == 0
    content = json.loads(done.stdout)
    assert content["variables"] == 2
    assert content["labels"] == [2, 3]
    assert content["factors_by_arity"]["2"] == 1
    assert content["finite_costs"] == pytest.approx([0.0, math.log(8)])
    assert "potential" in content["reading"]
    for piece in ("variables", "labels", "factors", "finite costs", "forbidden", "potential"):
        assert piece in done.stderr


def test_info_counts_what_is_forbidden_and_repeated(fwmap_command, tmp_path):
    path = tmp_path / "a.uai"
    path.write_text("MARKOV\n2\n2 2\n3\n2 0 1\n2 1 0\n1 0\n\n4\n 1 0 1 1\n4\n 1 1 1 0\n2\n 1e38 1\n")
    content = json.loads(fwmap_command("info", path, "--costs").stdout)
    assert content["repeated_scopes"] == 1
    assert content["forbidden_labels"] == 1
    assert content["forbidden_read"] == 1


def test_info_writes_json_where_it_is_told(fwmap_command, small, tmp_path):
    done = fwmap_command("info", small, "--output", tmp_path / "a.json")
    assert done.stdout == ""
    assert json.loads((tmp_path / "a.json").read_text())["variables"] == 2


@pytest.mark.parametrize("ending", ["npz", "uai", "uai.gz", "h5"])
def test_a_model_survives_the_way_there_and_back(fwmap_command, small, tmp_path, ending):
    if ending == "h5":
        pytest.importorskip("h5py")
    there, back = tmp_path / f"there.{ending}", tmp_path / "back.npz"
    reading = ("--costs",) if "uai" in ending else ()
    writing = ("--write-as", "costs") if "uai" in ending else ()
    first = fwmap_command("convert", small, there, *writing)
    assert first.returncode == 0, first.stderr
    assert "largest error" in first.stderr
    second = fwmap_command("convert", there, back, *reading)
    assert second.returncode == 0, second.stderr
    energies = [
        json.loads(fwmap_command("solve", path, "--quiet").stdout)["energy"] for path in (small, back)
    ]
    assert math.isclose(*energies, rel_tol=1e-12)


def test_a_refused_conversion_leaves_the_old_file(fwmap_command, small, tmp_path):
    target = tmp_path / "a.xyz"
    target.write_text("old")
    done = fwmap_command("convert", small, target)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.xyz", "small.uai"]


def test_costs_are_not_written_as_uai_without_being_told_how(fwmap_command, small, tmp_path):
    done = fwmap_command("convert", small, tmp_path / "a.uai", "--costs")
    assert done.returncode == 2
    assert "--write-as" in done.stderr or "write_as" in done.stderr


def test_an_underflow_of_potentials_is_refused(fwmap_command, tmp_path):
    source = tmp_path / "a.uai"
    source.write_text("MARKOV\n1\n2\n1\n1 0\n\n2\n 0 5000\n")
    done = fwmap_command("convert", source, tmp_path / "b.uai", "--costs", "--write-as", "potentials")
    assert done.returncode == 2
    assert not (tmp_path / "b.uai").exists()


def test_converting_a_file_into_itself_is_refused(fwmap_command, small):
    before = small.read_text()
    assert fwmap_command("convert", small, small).returncode == 2
    assert small.read_text() == before
