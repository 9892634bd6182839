"""Graph matching in the package's own format: all arrays of a model, exactly."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np

from ..errors import FormatError, InvalidModel
from ..models import GraphMatching
from ..models.matching_parts import MatchingParts
from ..models.product import ProductCosts
from .format import Loaded, ReadOptions, WriteOptions

VERSION = 1

#: Type and number of dimensions of each array of the file; empty where a model has none of it.
ARRAYS: dict[str, tuple[type, int]] = {
    "assignments": (np.int64, 2),
    "costs": (np.float64, 1),
    "pairs": (np.int64, 2),
    "pair_costs": (np.float64, 1),
    "sizes": (np.int64, 1),  # left, right, pairs that were left out, costs that were read as forbidden
    "unassigned_costs": (np.float64, 1),
    "left_points": (np.float64, 2),
    "right_points": (np.float64, 2),
    "left_matrix": (np.float64, 2),
    "right_matrix": (np.float64, 2),
    "constant": (np.float64, 0),
    "forbidden_above": (np.float64, 0),
    "matching": (np.str_, 0),
    "name": (np.str_, 1),
}


def write_npz_matching(
    model: GraphMatching, path: Path, stream: IO[bytes], options: WriteOptions
) -> dict[str, Any]:
    """Write all arrays of a model; nothing is rounded or left out."""
    none = np.zeros((0, 0))
    product = model.product
    arrays: dict[str, Any] = {
        "assignments": model.assignments,
        "costs": model.costs,
        "pairs": model.pairs,
        "pair_costs": model.pair_costs,
        "sizes": np.array([model.n_left, model.n_right, model.n_excluded_pairs, model.n_forbidden_read]),
        "unassigned_costs": model.unassigned_costs,
        "left_points": none if model.left_points is None else model.left_points,
        "right_points": none if model.right_points is None else model.right_points,
        "left_matrix": none if product is None else product.left,
        "right_matrix": none if product is None else product.right,
        "constant": np.array(model.constant),
        "forbidden_above": np.array(model.forbidden_above),
        "matching": np.array(model.matching),
        "name": np.array([] if model.name is None else [model.name], dtype=np.str_),
    }
    np.savez(stream, fwmap_matching=np.array(VERSION), **arrays)
    return {"matching": model.matching}


def read_npz_matching(path: Path, archive: Any, options: ReadOptions) -> Loaded:
    """Read what `write_npz_matching` wrote from an open archive; raises where arrays are missing or wrong."""
    version = int(archive["fwmap_matching"])
    if version != VERSION:
        raise FormatError(f"{path}: version {version} of the format; expected {VERSION}")
    arrays: dict[str, Any] = {}
    for name, (kind, dimensions) in ARRAYS.items():
        if name not in archive:
            raise FormatError(f"{path}: the array {name} is missing; expected {len(ARRAYS)} arrays")
        array = arrays[name] = archive[name]
        if not np.issubdtype(array.dtype, kind) or array.ndim != dimensions:
            raise FormatError(
                f"{path}: the array {name} has type {array.dtype} and {array.ndim} dimensions; "
                f"expected {kind.__name__} and {dimensions}"
            )
    if len(arrays["sizes"]) != 4:
        raise FormatError(f"{path}: the array sizes has {len(arrays['sizes'])} entries; expected 4")
    n_left, n_right, n_excluded, n_read = arrays["sizes"].tolist()
    points = [arrays[name] if arrays[name].size else None for name in ("left_points", "right_points")]
    matrices = arrays["left_matrix"], arrays["right_matrix"]
    stored, asked = float(arrays["forbidden_above"]), options.forbidden_above
    name = arrays["name"].tolist()
    try:
        model = GraphMatching.from_parts(
            MatchingParts(
                arrays["assignments"],
                arrays["costs"],
                arrays["pairs"],
                arrays["pair_costs"],
                n_left,
                n_right,
                arrays["unassigned_costs"],
                str(arrays["matching"]),
                points[0],
                points[1],
                float(arrays["constant"]),
                stored if asked == ReadOptions.forbidden_above else asked,
                n_excluded,
                n_read,
                name[0] if name else path.name,
                ProductCosts(*matrices) if matrices[0].size and matrices[1].size else None,
            )
        )
    except (InvalidModel, ValueError, IndexError) as error:
        raise FormatError(f"{path}: the arrays do not make a model: {error}") from None
    reading = f"numbers are costs, inf is forbidden; {model.matching} matching; read exactly as written"
    return Loaded(model, "npz", reading, "costs", {"version": VERSION}, path=path)
