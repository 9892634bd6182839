"""Parallel edges of a model, added up: fewer forests, and a relaxation that is no looser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..models import MRF
from ..models.costs import TABLE
from ..rounding_down import add_rounding_down


@dataclass(frozen=True)
class Edges:
    """Edges without parallels, in the layout of `MRF`; tables may be more than the model's."""

    ends: NDArray[np.int64]
    kind: NDArray[np.uint8]
    table: NDArray[np.int64]
    weight: NDArray[np.float64]
    truncation: NDArray[np.float64]
    table_values: NDArray[np.float64]
    table_offsets: NDArray[np.int64]
    of_model: NDArray[np.int64]  # for each edge of the model the one here that it is part of

    @classmethod
    def of(cls, model: MRF) -> Edges:
        """The edges of a model as they are."""
        return cls(
            model.edges,
            model.edge_kind,
            model.edge_table,
            model.edge_weight,
            model.edge_truncation,
            model.table_values,
            model.table_offsets,
            np.arange(model.n_edges),
        )


def merged_edges(model: MRF) -> Edges:
    """The model's edges with parallel ones added up, rounded down so that a bound stays a bound."""
    edges = Edges.of(model)
    key = model.edges.min(axis=1) * max(model.n_nodes, 1) + model.edges.max(axis=1)
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    if not (sizes > 1).any():
        return edges

    kept = np.sort(order[starts])
    of_model = np.empty(len(order), np.int64)
    of_model[order] = np.repeat(np.searchsorted(kept, order[starts]), sizes)
    kind, table = model.edge_kind.copy(), model.edge_table.copy()
    weight, truncation = model.edge_weight.copy(), model.edge_truncation.copy()
    new_tables: list[NDArray[np.float64]] = []
    for start, size in zip(starts[sizes > 1], sizes[sizes > 1], strict=True):
        parallel = order[start : start + size]
        first = parallel[0]
        total = model.pairwise_table(int(first))
        for other in parallel[1:]:
            same_way = model.edges[other, 0] == model.edges[first, 0]
            addend = model.pairwise_table(int(other))
            total = add_rounding_down(total, addend if same_way else addend.T)
        kind[first], table[first] = TABLE, len(model.table_offsets) - 1 + len(new_tables)
        weight[first] = truncation[first] = 0.0
        new_tables.append(np.ascontiguousarray(total))
    values = np.concatenate([model.table_values, *(t.ravel() for t in new_tables)])
    ends = model.table_offsets[-1] + np.cumsum([t.size for t in new_tables])
    offsets = np.concatenate([model.table_offsets, ends]).astype(np.int64)
    return Edges(
        np.ascontiguousarray(model.edges[kept]),
        kind[kept],
        table[kept],
        weight[kept],
        truncation[kept],
        values,
        offsets,
        of_model,
    )
