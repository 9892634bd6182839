"""Graph matching on the command line."""

from __future__ import annotations

import json

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
