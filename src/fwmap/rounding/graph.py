"""A field as the core's searches for labelings read it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..decompose.merge import merged_edges
from ..models import MRF
from ..models.costs import PRODUCT, TABLE
from ..models.edge_costs import EdgeCosts
from ..models.parts import Parts


def penalised_graph(model: MRF) -> _core.FieldGraph:
    """The model with a penalty in place of every forbidden entry that no other costs can make up for.

    So searches compare numbers only, and leave forbidden entries first. Parallel edges are added up.
    """
    return graph_of(model, penalty_of(model))


def graph_of(model: MRF, penalty: float) -> _core.FieldGraph:
    """The model with `penalty` in place of inf."""
    edges = merged_edges(without_products(model))
    ends = edges.ends.astype(np.int32)
    return _core.FieldGraph(
        model.label_offsets,
        penalised(model.unaries, penalty),
        np.ascontiguousarray(ends[:, 0]),
        np.ascontiguousarray(ends[:, 1]),
        edges.kind,
        edges.table,
        edges.weight,
        edges.truncation,
        _core.TablePool(penalised(edges.table_values, penalty), edges.table_offsets),
        model.factor_scopes,
        model.factor_scope_offsets,
        model.factor_table_offsets[model.factor_table],
        penalised(model.factor_values, penalty),
    )


def without_products(model: MRF) -> MRF:
    """The model with a table of its own for each product: a penalty is none when it is multiplied."""
    products = np.flatnonzero(model.edge_kind == PRODUCT)
    if not len(products):
        return model
    parts = Parts.of(model)
    tables = EdgeCosts.of_tables(
        np.concatenate([model.pairwise_table(int(e)).ravel() for e in products]),
        model.n_labels[model.edges[products]],
        np.arange(len(products)),
    )
    number = np.arange(model.n_edges)
    number[products] = model.n_edges + np.arange(len(products))
    return MRF.from_parts(replace(parts, edge_costs=parts.edge_costs.joined(tables).picked(number)))


def penalised(costs: NDArray[np.float64], penalty: float) -> NDArray[np.float64]:
    """The costs with the penalty in place of inf; the same array where there is none."""
    forbidden = np.isposinf(costs)
    return np.where(forbidden, penalty, costs) if penalty < np.inf and forbidden.any() else costs


def penalty_of(model: MRF) -> float:
    """More than any entry, and by more than two labelings without forbidden entries can differ.

    >>> penalty_of(MRF([[0.0, 1.0], [2.0, np.inf]], [(0, 1)], [[3.0, 4.0], [np.inf, 3.0]]))
    13.0
    """
    parts = [
        spreads(model.unaries, model.label_offsets),
        spreads(model.table_values, model.table_offsets)[model.edge_table[model.edge_kind == TABLE]],
        spreads(model.factor_values, model.factor_table_offsets)[model.factor_table],
    ]
    _, least, most = Parts.of(model).edge_costs.product_limits()
    parts.append(most - least)
    structured = np.flatnonzero((model.edge_kind != TABLE) & (model.edge_kind != PRODUCT))
    farthest = model.n_labels[model.edges[structured]].max(axis=1, initial=1) - 1.0
    reached = np.minimum(farthest**2, np.maximum(model.edge_truncation[structured], 1.0))
    parts.append(np.abs(model.edge_weight[structured]) * reached)
    values = np.concatenate([model.unaries, model.table_values, model.factor_values, least, most])
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    return float(largest + 4.0 * sum(part.sum() for part in parts) + 1.0)


def spreads(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Largest minus smallest finite entry of each range of values; 0 where it has none."""
    if len(offsets) == 1:
        return np.zeros(0)
    finite = np.isfinite(values)
    largest = np.maximum.reduceat(np.where(finite, values, -np.inf), offsets[:-1])
    smallest = np.minimum.reduceat(np.where(finite, values, np.inf), offsets[:-1])
    return np.where(np.isfinite(largest), largest - np.where(np.isfinite(smallest), smallest, 0.0), 0.0)
