"""Graph matching on the command line."""

from __future__ import annotations

import json

import pytest

TINY = """p 2 2 4 2
a 0 0 0 1
a 1 0 1 -1
a 2 1 0 -1
a 3 1 1 -3
e 1 2 -5
e 0 3 2
"""


def test_a_matching_is_solved_and_its_certificate_checked(fwmap_command, tmp_path):
    path, certificate = tmp_path / "tiny.dd", tmp_path / "proof.npz"
    path.write_text(TINY)
    done = fwmap_command("solve", path, "--certificate", certificate, "--quiet")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["labeling"], result["energy"], result["status"]) == ([1, 0], -7.0, "optimal")
    assert result["settings"]["matching"] == "partial"
    assert fwmap_command("check", path, certificate).returncode == 0
    assert fwmap_command("check", path, certificate, "--matching", "perfect").returncode == 4
    facts = json.loads(fwmap_command("info", path).stdout)
    assert (facts["left"], facts["right"], facts["assignments"], facts["pairs"]) == (2, 2, 4, 2)
    assert fwmap_command("convert", path, tmp_path / "copy.dd.gz", "--quiet").returncode == 0
    refused = fwmap_command("convert", path, tmp_path / "copy.uai")
    assert (refused.returncode, "holds no graph matching" in refused.stderr) == (2, True)


def test_points_that_must_be_assigned_and_cannot_be_make_it_infeasible(fwmap_command, tmp_path):
    path = tmp_path / "few.dd"
    path.write_text("p 2 1 2 0\na 0 0 0 -1\na 1 1 0 -2\n")
    free = json.loads(fwmap_command("solve", path, "--quiet").stdout)
    assert (free["labeling"], free["energy"]) == ([-1, 0], -2.0)
    done = fwmap_command("solve", path, "--matching", "perfect")
    assert done.returncode == 1
    assert json.loads(done.stdout)["status"] == "infeasible"
    assert "the 2 left points 0, 1 must all be assigned" in " ".join(done.stderr.split())
    wrong = fwmap_command("solve", path, "--matching", "full")
    assert (wrong.returncode, "expected partial or perfect" in wrong.stderr) == (2, True)


def test_quadratic_assignments_are_solved_converted_and_their_solutions_checked(fwmap_command, tmp_path):
    path, solution = tmp_path / "three.dat", tmp_path / "three.sln"
    path.write_text("3\n0 5 2  5 0 3\n2 3 0\n0 1 4 1 0 2 4 2 0\n")
    done = fwmap_command("solve", path, "--quiet", "--certificate", tmp_path / "c.npz")
    result = json.loads(done.stdout)
    assert (result["status"], result["energy"]) == ("optimal", 38.0)
    assert (result["settings"]["matching"], result["settings"]["decomposition"]) == ("perfect", "two-sided")
    assert fwmap_command("check", path, tmp_path / "c.npz").returncode == 0
    places = [place + 1 for place in result["labeling"]]
    solution.write_text(f"3 38\n{places[0]}, {places[1]} {places[2]}\n")
    done = fwmap_command("check", path, solution)
    assert (done.returncode, "the cost is right" in done.stderr) == (3, True)
    solution.write_text("3 37 1 2 3")
    done = fwmap_command("check", path, solution)
    assert (done.returncode, "the cost is WRONG" in done.stderr) == (4, True)
    facts = json.loads(fwmap_command("info", path).stdout)
    assert facts["product"]["linked_left_points"] == 3
    assert fwmap_command("convert", path, tmp_path / "copy.npz", "--quiet").returncode == 0
    assert (
        fwmap_command("convert", tmp_path / "copy.npz", tmp_path / "copy.dat.xz", "--quiet").returncode == 0
    )
    assert fwmap_command("convert", path, tmp_path / "relaxation.lp", "--quiet").returncode == 0
    wrong = fwmap_command("solve", path, "--matching", "partial")
    assert (wrong.returncode, "forbids left points without" in wrong.stderr) == (2, True)


def test_points_with_coordinates_are_drawn(fwmap_command, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "tiny.dd"
    path.write_text(TINY + "i0 0 0 0\ni0 1 1 0\ni1 0 0 1\ni1 1 1 1\n")
    done = fwmap_command("solve", path, "--quiet", "--plot", tmp_path / "tiny.png")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tiny.png").stat().st_size > 10_000
