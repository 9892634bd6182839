"""The package's own format: all arrays of a model, exactly, in a NumPy archive (`.npz`)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..errors import FormatError, InvalidModel
from ..models import MRF
from ..models.arrays import offsets_of
from ..models.edge_costs import EdgeCosts
from ..models.factors import FactorCosts
from ..models.parts import Parts
from .format import Format, Loaded, ReadOptions, WriteOptions
from .npz_matching import read_npz_matching, write_npz_matching

VERSION = 1

EDGE_ARRAYS = (
    "edge_kind",
    "edge_table",
    "edge_weight",
    "edge_truncation",
    "table_values",
    "table_offsets",
    "table_shapes",
)
FACTOR_ARRAYS = (
    "factor_scopes",
    "factor_scope_offsets",
    "factor_table",
    "factor_values",
    "factor_table_offsets",
)

#: Type and shape of each array of the file (None: any length); names are those of the attributes of `MRF`.
ARRAYS: dict[str, tuple[type, tuple[int | None, ...]]] = {
    "n_labels": (np.int64, (None,)),
    "unaries": (np.float64, (None,)),
    "edges": (np.int64, (None, 2)),
    "edge_kind": (np.uint8, (None,)),
    "edge_table": (np.int64, (None,)),
    "edge_weight": (np.float64, (None,)),
    "edge_truncation": (np.float64, (None,)),
    "table_values": (np.float64, (None,)),
    "table_offsets": (np.int64, (None,)),
    "table_shapes": (np.int64, (None, 2)),
    "factor_scopes": (np.int64, (None,)),
    "factor_scope_offsets": (np.int64, (None,)),
    "factor_table": (np.int64, (None,)),
    "factor_values": (np.float64, (None,)),
    "factor_table_offsets": (np.int64, (None,)),
    "constant": (np.float64, ()),
    "forbidden_above": (np.float64, ()),
    "n_forbidden_read": (np.int64, ()),
    "image_shape": (np.int64, (None,)),
    "name": (np.str_, (None,)),
}


def write_npz(model: MRF, path: Path, stream: IO[bytes], options: WriteOptions) -> dict[str, Any]:
    """Write all arrays of a model; nothing is rounded or left out."""
    arrays = {
        name: np.asarray(getattr(model, name)) for name in ARRAYS if name not in ("image_shape", "name")
    }
    arrays["image_shape"] = np.array(model.image_shape or (), dtype=np.int64)
    arrays["name"] = np.array([] if model.name is None else [model.name], dtype=np.str_)
    np.savez(stream, fwmap_mrf=np.array(VERSION), **arrays)  # type: ignore[arg-type]
    return {}


def read_npz(path: Path, data: bytes, options: ReadOptions) -> Loaded:
    """Read a file written by `write_npz` or `write_npz_matching`; every other one is refused."""
    matching = _matching(path, data, options)
    if matching is not None:
        return matching
    arrays = _arrays(path, data)
    image_shape, name = arrays["image_shape"].tolist(), arrays["name"].tolist()
    stored, asked = float(arrays["forbidden_above"]), options.forbidden_above
    edge_costs = EdgeCosts(*(arrays[key] for key in EDGE_ARRAYS))
    factor_costs = FactorCosts(*(arrays[key] for key in FACTOR_ARRAYS))
    try:
        model = MRF.from_parts(
            Parts(
                arrays["n_labels"],
                arrays["unaries"],
                arrays["edges"],
                edge_costs,
                factor_costs,
                float(arrays["constant"]),
                stored if asked == ReadOptions.forbidden_above else asked,
                int(arrays["n_forbidden_read"]),
                (image_shape[0], image_shape[1]) if image_shape else None,
                name[0] if name else path.name,
            )
        )
    except (InvalidModel, ValueError, IndexError) as error:
        raise FormatError(f"{path}: the arrays do not make a model: {error}") from None
    reading = "numbers are costs, inf is forbidden; read exactly as they were written"
    return Loaded(model, "npz", reading, "costs", {"version": VERSION}, path=path)


def _matching(path: Path, data: bytes, options: ReadOptions) -> Loaded | None:
    """Return the matching problem in an archive, or None where it is something else."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            return read_npz_matching(path, archive, options) if "fwmap_matching" in archive else None
    except FormatError:
        raise
    except Exception as error:  # parsers of damaged archives raise whatever they happen to stumble over
        raise FormatError(f"{path}: not a NumPy archive, or damaged: {error}") from None


def _arrays(path: Path, data: bytes) -> dict[str, Any]:
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            if "fwmap_mrf" not in archive:
                raise FormatError(
                    f"{path}: a NumPy archive without the entry fwmap_mrf; expected a model of fwmap"
                )
            version = int(archive["fwmap_mrf"])
            if version != VERSION:
                raise FormatError(f"{path}: version {version} of the format; expected {VERSION}")
            missing = [name for name in ARRAYS if name not in archive]
            if missing:
                raise FormatError(f"{path}: the array {missing[0]} is missing; expected {len(ARRAYS)} arrays")
            arrays = {name: archive[name] for name in ARRAYS}
    except FormatError:
        raise
    except Exception as error:  # parsers of damaged archives raise whatever they happen to stumble over
        raise FormatError(f"{path}: not a NumPy archive, or damaged: {error}") from None
    for name, (kind, shape) in ARRAYS.items():
        array = arrays[name]
        if not (np.issubdtype(array.dtype, kind) and _fits(array.shape, shape)):
            raise FormatError(
                f"{path}: the array {name} has type {array.dtype} and shape {array.shape}; "
                f"expected {kind.__name__} and {shape}"
            )
    _check_offsets(path, arrays)
    return arrays


def _fits(shape: tuple[int, ...], expected: tuple[int | None, ...]) -> bool:
    return len(shape) == len(expected) and all(k in (None, n) for n, k in zip(shape, expected, strict=True))


def _check_offsets(path: Path, arrays: dict[str, Any]) -> None:
    """Refuse offsets that are not those of consecutive blocks, and arrays of unequal lengths."""
    n_edges, n_factors = len(arrays["edges"]), len(arrays["factor_table"])
    lengths = dict.fromkeys(EDGE_ARRAYS[:4], n_edges) | {"factor_scope_offsets": n_factors + 1}
    for name, length in lengths.items():
        if len(arrays[name]) != length:
            raise FormatError(f"{path}: the array {name} has {len(arrays[name])} entries; expected {length}")
    ends = {"table_offsets": "table_values", "factor_scope_offsets": "factor_scopes"}
    ends["factor_table_offsets"] = "factor_values"
    for name, values in ends.items():
        offsets = arrays[name]
        if not (len(offsets) and offsets[0] == 0 and offsets[-1] == len(arrays[values])):
            raise FormatError(f"{path}: the array {name} does not span {values}; expected 0 to its length")
        if (np.diff(offsets) < 0).any():
            raise FormatError(f"{path}: the array {name} decreases; expected increasing offsets")
    shapes = arrays["table_shapes"]
    if not np.array_equal(offsets_of(shapes[:, 0] * shapes[:, 1]), arrays["table_offsets"]):
        raise FormatError(f"{path}: table_offsets and table_shapes disagree; expected equal sizes")


NPZ = Format(
    name="npz",
    title="fwmap's own arrays",
    suffixes=(".npz",),
    recognises=lambda head: head.startswith(b"PK\x03\x04"),
    read=read_npz,
    write=write_npz,
    write_matching=write_npz_matching,
)
