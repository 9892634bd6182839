"""Proofs that can be checked without the solver. Nothing here knows the compiled module."""

from __future__ import annotations

from .certificate import AlteredCertificate, Certificate
from .check import check
from .verdict import Verdict

__all__ = ["AlteredCertificate", "Certificate", "Verdict", "check"]
