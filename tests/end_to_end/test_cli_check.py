"""From an instance to a certificate to a verdict, as a stranger would do it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fwmap import datasets, formats
from fwmap.certificate import Certificate


@pytest.fixture
def solved(fwmap_command, small, tmp_path):
    """An instance, and the certificate of its solution."""
    proof = tmp_path / "proof.npz"
    done = fwmap_command("solve", small, "--certificate", proof)
    assert done.returncode == 0, done.stderr
    return small, proof, json.loads(done.stdout)


def test_an_optimum_is_proved_and_the_exit_code_is_0(fwmap_command, solved):
    instance, proof, result = solved
    done = fwmap_command("check", instance, proof)
    assert done.returncode == 0, done.stderr
    assert "PROVED" in done.stderr
    assert repr(result["energy"]) in done.stderr
    assert fwmap_command("check", instance, proof, "--quiet").stderr == ""


def test_a_gap_that_is_left_ends_with_3(fwmap_command, tmp_path):
    spins = tmp_path / "spins.npz"
    formats.write(datasets.ising(8, 8, seed=1).model, spins)
    proof = tmp_path / "proof.npz"
    assert fwmap_command("solve", spins, "--iterations", 2, "--certificate", proof).returncode == 0
    done = fwmap_command("check", spins, proof)
    assert done.returncode == 3, done.stderr
    assert "leaves a gap" in done.stderr
    assert fwmap_command("check", spins, proof, "--gap", 0.9).returncode == 0


def test_the_wrong_instance_ends_with_4(fwmap_command, solved, infeasible):
    done = fwmap_command("check", infeasible, solved[1])
    assert done.returncode == 4, done.stderr
    assert "NOT PROVED" in done.stderr


def test_the_instance_read_otherwise_ends_with_4(fwmap_command, solved):
    done = fwmap_command("check", solved[0], solved[1], "--costs")
    assert done.returncode == 4, done.stderr
    assert "it claims" in done.stderr


def test_a_changed_file_ends_with_4_even_with_a_new_digest(fwmap_command, solved, tmp_path):
    instance, proof, _ = solved
    with np.load(proof) as archive:
        arrays = dict(archive)
    np.savez(tmp_path / "forged.npz", **(arrays | {"lower_bound": arrays["lower_bound"] + 1}))
    done = fwmap_command("check", instance, tmp_path / "forged.npz")
    assert done.returncode == 4, done.stderr
    assert "digest" in done.stderr
    certificate = Certificate.load(proof)
    object.__setattr__(certificate, "labeling", 1 - certificate.labeling)
    certificate.save(tmp_path / "forged.npz")
    done = fwmap_command("check", instance, tmp_path / "forged.npz")
    assert done.returncode == 4, done.stderr
    assert "energy" in done.stderr


def test_what_is_no_certificate_ends_with_2(fwmap_command, small, tmp_path):
    assert fwmap_command("check", small, small).returncode == 2
    assert fwmap_command("check", small, tmp_path / "none.npz").returncode == 2
    assert fwmap_command("check", tmp_path / "none.uai", small).returncode == 2


def test_without_anything_evaluated_no_certificate_is_written(fwmap_command, small, tmp_path):
    proof = tmp_path / "proof.npz"
    done = fwmap_command("solve", small, "--time-limit", 0, "--certificate", proof)
    assert done.returncode == 0, done.stderr
    assert not proof.exists()
    assert "is not written" in done.stderr
