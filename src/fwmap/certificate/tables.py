"""Costs of edges and factors as tables; those that a product of floats defines are rounded down."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..models import MRF
from ..models.costs import PRODUCT, TABLE, structured_costs
from ..rounding_down import add_rounding_down, products_rounded_down

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def edge_tables(field: MRF, edges: Ints, flipped: NDArray[np.bool_], n_rows: int, n_columns: int) -> Floats:
    """Tables of rows of parallel edges, added up; their rows belong to the first end, unless flipped."""
    total = one_edge_tables(field, edges[:, 0], flipped[:, 0], n_rows, n_columns)
    for k in range(1, edges.shape[1]):
        there = np.flatnonzero(edges[:, k] >= 0)
        if len(there):
            addend = one_edge_tables(field, edges[there, k], flipped[there, k], n_rows, n_columns)
            total[there] = add_rounding_down(total[there], addend)
    return total


def one_edge_tables(
    field: MRF, edges: Ints, flipped: NDArray[np.bool_], n_rows: int, n_columns: int
) -> Floats:
    """The same without parallel edges."""
    row, column = np.arange(n_rows)[None, :, None], np.arange(n_columns)[None, None, :]
    out = np.empty((len(edges), n_rows, n_columns))
    dense = field.edge_kind[edges] == TABLE
    if dense.any():
        turned = flipped[dense][:, None, None]
        place = np.where(turned, column * n_rows + row, row * n_columns + column)
        start = field.table_offsets[field.edge_table[edges[dense]]]
        out[dense] = field.table_values[start[:, None, None] + place]
    products = field.edge_kind[edges] == PRODUCT
    if products.any():
        turned = flipped[products][:, None, None]
        place = np.where(turned, column * n_rows + row, row * n_columns + column)  # the table is square
        out[products] = product_tables(
            field, edges[products], place, np.where(turned, row * n_columns + column, column * n_rows + row)
        )
    other = ~dense & ~products
    if other.any():
        own = edges[other]
        kind = field.edge_kind[own][:, None, None]
        weight = field.edge_weight[own][:, None, None]
        truncation = field.edge_truncation[own][:, None, None]
        shape = structured_costs(kind, 1.0, truncation, row - column)
        costs = weight * shape
        exact = (shape == 0) | (shape == 1)
        out[other] = np.where(exact, costs, np.nextafter(costs, -np.inf))
    return out


def product_tables(field: MRF, edges: Ints, entry: Ints, mirrored: Ints) -> Floats:
    """Products of an edge's weights with the entries of its table at two places, rounded down."""
    start = field.table_offsets[field.edge_table[edges]][:, None, None]
    first, second = field.table_values[start + entry], field.table_values[start + mirrored]
    weight, transposed = (w[edges][:, None, None] for w in (field.edge_weight, field.edge_truncation))
    return products_rounded_down(weight, transposed, first, second)


class Factor:
    """One factor of a field, as a term; arrays are over the labels of its variables, one after the other."""

    def __init__(self, field: MRF, number: int) -> None:
        self.table = field.factor_table_of(number)
        self.ends = np.cumsum(self.table.shape)

    def sums(self, weights: Floats) -> Floats:
        """The table with the weights of its labels."""
        total = self.table
        for axis, part in enumerate(np.split(weights, self.ends[:-1])):
            shape = [1] * self.table.ndim
            shape[axis] = -1
            total = add_rounding_down(total, part.reshape(shape))
        return total

    def minimum(self, weights: Floats) -> float:
        """No labeling of the factor costs less than this."""
        return float(self.sums(weights).min())

    def min_marginals(self, weights: Floats) -> Floats:
        """No labeling with this label costs less than this."""
        total = self.sums(weights)
        axes = range(total.ndim)
        return np.concatenate([total.min(axis=tuple(k for k in axes if k != axis)) for axis in axes])
