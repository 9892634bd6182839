"""Writing OpenGM models: shared tables and structured costs stay what they are."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..errors import FormatError
from ..models import MRF
from ..models import costs as kinds
from ..models.arrays import Floats
from .format import WriteOptions
from .opengm_functions import EXPLICIT, FIRST_TYPE, POTTS, TRUNCATED_ABSOLUTE, TRUNCATED_SQUARED

#: The type that holds each kind of structured cost.
TYPES = {
    kinds.POTTS: POTTS,
    kinds.TRUNCATED_LINEAR: TRUNCATED_ABSOLUTE,
    kinds.TRUNCATED_QUADRATIC: TRUNCATED_SQUARED,
}


def import_h5py() -> Any:
    """Return the module h5py, or say how to get it."""
    try:
        import h5py  # type: ignore[import-untyped]
    except ImportError:
        raise FormatError(
            "OpenGM files need the package h5py; expected it: pip install fwmap[hdf5]"
        ) from None
    return h5py


def write_opengm(model: MRF, path: Path, stream: IO[bytes], options: WriteOptions) -> dict[str, Any]:
    """Write a model as the group `gm`: Potts and truncated costs as such, all else as explicit functions."""
    h5py = import_h5py()
    functions = _Functions()
    factors: list[int] = []
    for v in range(model.n_nodes):
        factors += [*functions.explicit(("unary", v), model.unary(v)), 1, v]
    for e, (u, v) in enumerate(model.edges.tolist()):
        factors += [*_edge_function(model, e, functions, reverse=u > v), 2, min(u, v), max(u, v)]
    for f in range(model.n_factors):
        scope = model.factor_scope(f)
        order = np.argsort(scope)
        key = ("factor", int(model.factor_table[f]), *order.tolist())
        table = model.factor_table_of(f).transpose(order)
        factors += [*functions.explicit(key, table), len(scope), *scope[order].tolist()]
    if model.constant != 0:
        factors += [*functions.explicit(("constant",), np.array(model.constant)), 0]
    n_factors = model.n_nodes + model.n_edges + model.n_factors + (model.constant != 0)
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        group = file.create_group("gm")
        header = [2, 0, model.n_nodes, n_factors, len(functions.types)]
        header += [number for t in functions.types for number in (FIRST_TYPE + t, functions.counts[t])]
        group["header"] = np.array([*header, 1], dtype=np.uint64)
        group["numbers-of-states"] = model.n_labels.astype(np.uint64)
        group["factors"] = np.array(factors, dtype=np.uint64)
        for t in functions.types:
            folder = group.create_group(f"function-id-{FIRST_TYPE + t}")
            folder["indices"] = np.array(functions.indices[t], dtype=np.uint64)
            folder["values"] = np.concatenate([np.zeros(0), *functions.values[t]])
    stream.write(buffer.getvalue())
    return {"functions": sum(functions.counts.values())}


def _edge_function(model: MRF, e: int, functions: _Functions, reverse: bool) -> tuple[int, int]:
    """Return the function of an edge whose variables may have to change places, since OpenGM sorts them."""
    kind = int(model.edge_kind[e])
    if kind in (kinds.TABLE, kinds.PRODUCT):
        table = model.pairwise_table(e)
        weights = float(model.edge_weight[e]), float(model.edge_truncation[e])
        key = ("table", int(model.edge_table[e]), reverse, *weights)
        return functions.explicit(key, table.T if reverse else table)
    shape = model.n_labels[model.edges[e]].tolist()[:: -1 if reverse else 1]
    weight, truncation = float(model.edge_weight[e]), float(model.edge_truncation[e])
    longest = float(max(shape) - 1) ** (2 if kind == kinds.TRUNCATED_QUADRATIC else 1)
    parameters = [0.0, weight] if kind == kinds.POTTS else [min(truncation, longest), weight]
    return functions.add((kind, *shape, *parameters), TYPES[kind], shape, np.array(parameters))


class _Functions:
    """Functions to be written, each distinct one once."""

    def __init__(self) -> None:
        self.types = [EXPLICIT, POTTS, TRUNCATED_ABSOLUTE, TRUNCATED_SQUARED]
        self.indices: dict[int, list[int]] = {t: [] for t in self.types}
        self.values: dict[int, list[Floats]] = {t: [] for t in self.types}
        self.counts = dict.fromkeys(self.types, 0)
        self._known: dict[tuple[Any, ...], tuple[int, int]] = {}

    def explicit(self, key: tuple[Any, ...], table: Floats) -> tuple[int, int]:
        """Return the number and the position of the type of a table, first variable fastest."""
        return self.add(key, EXPLICIT, [table.ndim, *table.shape], table.reshape(-1, order="F"))

    def add(self, key: tuple[Any, ...], t: int, indices: list[int], values: Floats) -> tuple[int, int]:
        """Return the number of a function and the position of its type in the header."""
        if key not in self._known:
            self._known[key] = (self.counts[t], self.types.index(t))
            self.counts[t] += 1
            self.indices[t] += indices
            self.values[t].append(values)
        return self._known[key]
