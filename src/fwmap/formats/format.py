"""What a file format is to the rest of the package, and what reading a file gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from ..models import MRF, GraphMatching, Tomography

#: How numbers are to be read: as cost, as exp(-cost), or as -cost.
Values = Literal["costs", "potentials", "log-potentials"]

VALUES: tuple[Values, ...] = ("costs", "potentials", "log-potentials")


@dataclass(frozen=True)
class ReadOptions:
    """What a caller says about the numbers in a file."""

    values: Values | None = None  # None: as the format or the suffix says
    forbidden_above: float = 1e20


@dataclass(frozen=True)
class WriteOptions:
    """What a caller says about the numbers to be written."""

    values: Values | None = None
    resolution: int | None = None  # decimals kept by formats of integers
    integer: bool = False  # linear programmes: with integer labels


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model read from a file, and how its numbers were understood.

    Attributes
    ----------
    model
        The model, conditioned on the evidence if there was any.
    format
        Name of the format: one of "uai", "opengm", "wcsp", "cfn", "dd", "qaplib", "npz".
    reading
        How the numbers were interpreted, as a sentence for people.
    values
        What the numbers in the file are: "costs", "potentials" or "log-potentials".
    facts
        What is worth telling about the file: counts, duplicates, scaling.
    evidence
        Label by observed variable, or None.
    path
        The file.
    """

    model: MRF | Tomography | GraphMatching
    format: str
    reading: str
    values: Values
    facts: dict[str, Any] = field(default_factory=dict)
    evidence: dict[int, int] | None = None
    path: Path | None = None

    def log_value(self, energy: float) -> float | None:
        """Return the natural logarithm of the product of the potentials at a labeling of this energy.

        None where the file holds costs.

        Examples
        --------
        >>> Loaded(MRF([[0.0]]), "uai", "", "potentials").log_value(2.5)
        -2.5
        """
        if self.values == "costs" or math.isnan(energy):
            return None
        return 0.0 - energy


@dataclass(frozen=True)
class Format:
    """A file format: how it is recognised, read and written. One per file, all listed in `FORMATS`.

    `read` gets the path (for messages and suffixes) and the decompressed content; `write` gets a stream and
    returns what it recorded about the writing, for people. `write_tomography` does so with projections,
    `write_matching` for graph matching. A format without `read` is only written.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]
    read: Callable[[Path, bytes, ReadOptions], Loaded] | None
    write: Callable[[MRF, Path, IO[bytes], WriteOptions], dict[str, Any]] | None = None
    values: tuple[Values, ...] = ("costs",)  # readings of numbers that the format allows
    write_tomography: Callable[[Tomography, Path, IO[bytes], WriteOptions], dict[str, Any]] | None = None
    write_matching: Callable[[GraphMatching, Path, IO[bytes], WriteOptions], dict[str, Any]] | None = None
