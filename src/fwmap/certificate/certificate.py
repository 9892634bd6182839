"""What proves a bound: the terms, their multipliers, the labels removed on the way, and the labeling."""

from __future__ import annotations

import hashlib
import io
import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError

if TYPE_CHECKING:
    from ..models import Model
    from .verdict import Verdict

VERSION = 1

#: Values of `Certificate.term_kind`.
FOREST, FACTOR, RAY, ORACLE, ASSIGNMENT, RIGHT_FOREST, STAR, CYCLE, LOCAL_MATCHING, CHAIN = range(10)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class AlteredCertificate(FormatError):
    """A file that is a certificate, but not as it was written."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """All that is needed to recompute a bound and an energy from a model's own costs, as plain arrays.

    The energy is a sum of terms. Each has some nodes, a share of their unary costs, and costs of its own: the
    edges of a forest, a factor, a ray. Multipliers are added to a term's costs and sum to zero over the terms
    that know a label, or an entry of an edge's table, so that the sum of the terms' minima is a lower bound.
    A reduction removes labels that its multipliers prove to cost more than its cut-off. "Coordinates" are the
    labels of the nodes of the first term, then the entries of the tables of its shared edges, row by row,
    then those of the second term, and so on.

    Attributes
    ----------
    model
        Name of the model's class.
    n_labels
        Of each node (own oracles: 1 for each variable).
    labeling, energy
        The labeling, empty where none is known, and its energy, else NaN.
    lower_bound
        What the arrays below prove; -inf where nothing was evaluated.
    term_kind, term_number
        0 forest, 1 factor, 2 ray, 3 own oracle, 4 assignment, 5 forest of the right points of a matching,
        6 star of a matching, 7 cycle, 8 some left points of a matching (5, 7 and 8 have no costs); and which
        factor, ray, oracle or star (else 0).
    term_nodes, term_node_offsets
        The nodes of all terms, and where each term's begin.
    term_edges, term_edge_offsets
        The shared edges of all terms, and where each term's begin: edges of the model of which the entries
        are coordinates. Those of a right forest are all its edges, in the field of the right points; those of
        a cycle are all its edges, in their order along it.
    edge_term
        The term that holds each edge of the model.
    shares
        Unary costs of each term, per coordinate; 0 where it is no label.
    multipliers
        One row per reduction and a last one for the bound, per coordinate.
    removed_at
        Per label of the model the reduction that removed it; -1: kept.
    cutoffs
        Of each reduction.
    exact_bound, exact_solver
        A bound that another program found, which nothing here proves (NaN: none), and its name and version.
    status, proof, version
        What the run said, and the version of fwmap that said it.
    """

    model: str
    n_labels: Ints
    labeling: Ints
    energy: float
    lower_bound: float
    term_kind: NDArray[np.uint8]
    term_number: Ints
    term_nodes: Ints
    term_node_offsets: Ints
    term_edges: Ints
    term_edge_offsets: Ints
    edge_term: Ints
    shares: Floats
    multipliers: Floats
    removed_at: Ints
    cutoffs: Floats
    exact_bound: float
    exact_solver: str
    status: str
    proof: str
    version: str

    def check(self, model: Model, *, gap: float = 1e-6, absolute_gap: float = 0.0) -> Verdict:
        """Recompute bound and energy from the model's costs; see `Verdict`."""
        from .check import check

        return check(self, model, gap=gap, absolute_gap=absolute_gap)

    def save(self, target: Path | str | IO[bytes]) -> None:
        """Write everything to a NumPy archive, exactly, with a digest of the content."""
        arrays = self.arrays()
        content: dict[str, Any] = {"fwmap_certificate": np.array(VERSION), "digest": digest(arrays), **arrays}
        if isinstance(target, (str, Path)):
            with open(target, "wb") as stream:
                np.savez_compressed(stream, **content)
        else:
            np.savez_compressed(target, **content)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The fields as arrays; words as UTF-8."""
        return {field.name: as_array(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def load(cls, path: Path | str) -> Certificate:
        """Read what `save` wrote; FormatError where it is something else, or was changed."""
        arrays = read_arrays(Path(path))
        known: dict[str, Any] = {}
        for field in fields(cls):
            expected, ndim = TYPES[str(field.type)]
            array = arrays[field.name]
            if array.dtype != expected or array.ndim != (2 if field.name == "multipliers" else ndim):
                raise FormatError(
                    f"{path}: the array {field.name} has type {array.dtype} and {array.ndim} dimensions; "
                    f"expected {np.dtype(expected)} and {ndim}"
                )
            known[field.name] = array
            if field.type == "str":
                try:
                    known[field.name] = array.tobytes().decode()
                except UnicodeDecodeError:
                    raise FormatError(f"{path}: the array {field.name} is no text") from None
            elif field.type == "float":
                known[field.name] = float(array)
        return cls(**known)


#: Type and number of dimensions of the arrays behind the types of fields.
TYPES: dict[str, tuple[type, int]] = {
    "str": (np.uint8, 1),
    "float": (np.float64, 0),
    "Ints": (np.int64, 1),
    "Floats": (np.float64, 1),
    "NDArray[np.uint8]": (np.uint8, 1),
}


def as_array(value: Any) -> NDArray[Any]:
    """A field's value as an array without Python objects."""
    if isinstance(value, str):
        return np.frombuffer(value.encode(), np.uint8)
    return np.asarray(value)


def digest(arrays: dict[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """SHA-256 of names, types, shapes and bytes: guards against accidents, not against forgers."""
    hashed = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        hashed.update(f"{name} {array.dtype.str} {arrays[name].shape};".encode())
        hashed.update(array.tobytes())
    return np.frombuffer(hashed.digest(), np.uint8)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file, their digest checked."""
    data = path.read_bytes()
    names = [field.name for field in fields(Certificate)]
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            if "fwmap_certificate" not in archive:
                raise FormatError(f"{path}: not a certificate of fwmap")
            version = int(archive["fwmap_certificate"])
            if version != VERSION:
                raise FormatError(f"{path}: version {version} of the certificate; expected {VERSION}")
            missing = [name for name in [*names, "digest"] if name not in archive]
            if missing:
                raise FormatError(f"{path}: the array {missing[0]} is missing")
            arrays = {name: archive[name] for name in names}
            kept = archive["digest"]
    except FormatError:
        raise
    except Exception as error:  # parsers of damaged archives raise whatever they happen to stumble over
        raise FormatError(f"{path}: not a certificate, or damaged: {error}") from None
    if not np.array_equal(kept, digest(arrays)):
        raise AlteredCertificate(f"{path}: the content does not match its digest: the file was changed")
    return arrays


def known_or_nan(value: float | None) -> float:
    """A number as it is kept in an array."""
    return math.nan if value is None else float(value)
