"""OpenGM models in HDF5 (`.h5`): functions shared by factors, in a group of flat arrays.

Explicit values are in the order of Fortran (first variable fastest), unlike everywhere else in this package.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError
from ..models import MRF
from ..models.arrays import Floats, Ints
from ..models.costs import Structured
from .factor_list import LARGEST_TABLE
from .format import Format, Loaded, ReadOptions
from .opengm_functions import FIRST_TYPE, TYPE_NAMES, Function, functions_of_type
from .opengm_write import import_h5py, write_opengm

REQUIRED = ("header", "numbers-of-states", "factors")


def read_opengm(path: Path, data: bytes, options: ReadOptions) -> Loaded:
    """Read an OpenGM model; function types that have no reader are refused by name."""
    h5py = import_h5py()
    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            group_name, arrays = _arrays(path, h5py, file)
    except FormatError:
        raise
    except Exception as error:  # HDF5 raises whatever it happens to stumble over in a damaged file
        raise FormatError(f"{path}: not an HDF5 file, or damaged: {error}") from None
    reader = _Reader(path, arrays)
    model = reader.model(options.forbidden_above)
    facts: dict[str, Any] = {
        "group": group_name,
        "functions": len(reader.functions),
        "types": reader.type_counts,
    }
    return Loaded(model, "opengm", "numbers are costs, inf is forbidden", "costs", facts, path=path)


def _arrays(path: Path, h5py: Any, file: Any) -> tuple[str, dict[str, np.ndarray]]:
    """Return the name of the group that holds the model, and its arrays by their path in it."""
    groups = [name for name, item in file.items() if isinstance(item, h5py.Group) and "header" in item]
    if "gm" in groups:
        groups = ["gm"]
    if len(groups) != 1:
        found = ", ".join(groups) or "none"
        raise FormatError(f"{path}: groups with a model: {found}; expected the group gm, or exactly one")
    group = file[groups[0]]
    arrays: dict[str, np.ndarray] = {}
    group.visititems(
        lambda name, item: (
            arrays.__setitem__(name, np.asarray(item[()])) if isinstance(item, h5py.Dataset) else None
        )
    )
    missing = [name for name in REQUIRED if name not in arrays]
    if missing:
        raise FormatError(f"{path}: the array {missing[0]} is missing in group {groups[0]}; expected a model")
    return groups[0], arrays


@dataclass(eq=False)
class _Reader:
    """Header, functions and factors of one file."""

    path: Path
    arrays: dict[str, np.ndarray]

    def __post_init__(self) -> None:
        header = self._integers("header")
        if len(header) < 5 or not 0 <= int(header[4]) <= (len(header) - 5) // 2:
            self._fail("header", f"has {len(header)} entries; expected at least 5 and two per function type")
        _, _, self.n_variables, self.n_factors, n_types = header[:5].tolist()
        types = header[5 : 5 + 2 * n_types].reshape(-1, 2).tolist()
        self.type_counts = {TYPE_NAMES.get(t - FIRST_TYPE, str(t)): n for t, n in types if n}
        self.n_labels = self._integers("numbers-of-states")
        if len(self.n_labels) != self.n_variables:
            self._fail("numbers-of-states", f"has {len(self.n_labels)} entries; expected {self.n_variables}")
        if (self.n_labels < 1).any() or self.n_labels.sum(dtype=np.float64) > LARGEST_TABLE:
            self._fail(
                "numbers-of-states", f"has entries < 1, or more than {LARGEST_TABLE} in total; expected none"
            )
        self.functions: list[Function] = []
        self.first: list[int] = []  # number of the first function of each type
        self.count: list[int] = []
        for type_id, count in types:
            self.first.append(len(self.functions))
            self.count.append(count)
            if count:
                self.functions.extend(self._functions(type_id, count))

    def model(self, forbidden_above: float) -> MRF:
        """Return the model; functions shared by factors stay shared."""
        unaries = [np.zeros(k) for k in self.n_labels.tolist()]
        low: list[tuple[list[int], Floats]] = []
        edges: list[list[int]] = []
        pairwise: list[Floats | Structured] = []
        for f, (scope, function) in enumerate(self._factors()):
            shape = tuple(self.n_labels[scope].tolist())
            if shape != function.shape:
                self._fail(
                    "factors",
                    f"gives factor {f} a function of shape {function.shape}; expected {shape}, for {scope}",
                )
            if len(scope) == 2:
                edges.append(scope)
                pairwise.append(function.structured or function.table())
            else:
                low.append((scope, function.table()))
        return MRF(unaries, edges, pairwise, low, forbidden_above=forbidden_above, name=self.path.name)

    def _functions(self, type_id: int, count: int) -> list[Function]:
        folder = f"function-id-{type_id}"
        indices, values = self._integers(f"{folder}/indices"), self._floats(f"{folder}/values")
        try:
            return functions_of_type(type_id, count, indices, values)
        except FormatError as error:
            raise FormatError(f"{self.path}: {folder}: {error}") from None

    def _factors(self) -> list[tuple[list[int], Function]]:
        entries = self._integers("factors").tolist()
        factors, i = [], 0
        for f in range(self.n_factors):
            if i + 3 > len(entries) or i + 3 + entries[i + 2] > len(entries):
                self._fail("factors", f"ends within factor {f}; expected {self.n_factors} factors")
            number, position, order = entries[i : i + 3]
            scope = entries[i + 3 : i + 3 + order]
            if not 0 <= position < len(self.first) or not 0 <= number < self.count[position]:
                self._fail(
                    "factors",
                    f"gives factor {f} the function {number} of type {position}, which is not there",
                )
            if any(not 0 <= v < self.n_variables for v in scope) or len(set(scope)) < len(scope):
                self._fail(
                    "factors",
                    f"gives factor {f} the scope {scope}; expected different variables "
                    f"from 0 to {self.n_variables - 1}",
                )
            factors.append((scope, self.functions[self.first[position] + number]))
            i += 3 + order
        if i != len(entries):
            self._fail("factors", f"has {len(entries) - i} entries after the last factor; expected none")
        return factors

    def _integers(self, name: str) -> Ints:
        array = self._one_dimensional(name)
        if array.size and array.dtype.kind not in "iu":
            self._fail(name, f"is of type {array.dtype}; expected integers")
        return array.astype(np.int64)

    def _floats(self, name: str) -> Floats:
        array = self._one_dimensional(name)
        if array.size and array.dtype.kind not in "iuf":
            self._fail(name, f"is of type {array.dtype}; expected numbers")
        costs = array.astype(np.float64)
        if np.isnan(costs).any() or (costs == -math.inf).any():
            bad = int(np.flatnonzero(np.isnan(costs) | (costs == -math.inf))[0])
            self._fail(
                name, f"has {costs[bad]} at entry {bad}; expected finite costs, or inf where forbidden"
            )
        return costs

    def _one_dimensional(self, name: str) -> np.ndarray:
        if name not in self.arrays:
            self._fail(name, "is missing; expected it, as the header counts its functions")
        return self.arrays[name].reshape(-1)

    def _fail(self, name: str, message: str) -> None:
        raise FormatError(f"{self.path}: the array {name} {message}")


OPENGM = Format(
    name="opengm",
    title="OpenGM model in HDF5",
    suffixes=(".h5", ".hdf5"),
    recognises=lambda head: head.startswith(b"\x89HDF\r\n\x1a\n"),
    read=read_opengm,
    write=write_opengm,
)
