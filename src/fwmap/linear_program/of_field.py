"""The local polytope of a field: labels, pairs of labels, and tuples of labels of factors."""

from __future__ import annotations

import math

import numpy as np

from ..errors import InvalidModel
from ..models import MRF
from ..models.arrays import Floats, Ints
from .program import Agreement, Builder


def add_field(builder: Builder, model: MRF) -> tuple[Ints, Ints]:
    """Add a field; return the columns of its labels and of its edges' entries, in the order of the model.

    Parallel edges are one: their costs are added up, and what one of them forbids is forbidden. Entries that
    are forbidden have no column: -1.
    """
    if math.isinf(model.constant):
        raise InvalidModel("the constant of the model is forbidden; expected a model that allows a labeling")
    builder.constant += model.constant
    forbidden = np.isinf(model.unaries)
    node = np.repeat(np.arange(model.n_nodes), model.n_labels)
    label = np.arange(len(node)) - model.label_offsets[node]
    costs = np.where(forbidden, 0.0, model.unaries)
    numbers = np.stack([node, label], axis=1)
    labels = builder.add_columns("x", numbers, costs, is_label=True, forbidden=forbidden)
    builder.add_entries(builder.add_rows(1.0, model.n_nodes)[node], labels, 1.0)
    columns = [
        add_table(builder, model, labels, scope, table, part=("pair", *scope))
        for scope, table in pair_tables(model)
    ]
    for f, (scope, table) in enumerate(factor_tables(model)):
        add_table(builder, model, labels, scope, table, part=("factor", f))
    return labels, np.concatenate([np.zeros(0, np.int64), *(own.ravel() for own in columns)])


def pair_tables(model: MRF) -> list[tuple[list[int], Floats]]:
    """The tables of all pairs of nodes with an edge, each pair once, the smaller node first."""
    tables: dict[tuple[int, int], Floats] = {}
    for e, (u, v) in enumerate(model.edges.tolist()):
        table = model.pairwise_table(e) if u < v else model.pairwise_table(e).T
        pair = (min(u, v), max(u, v))
        tables[pair] = tables[pair] + table if pair in tables else table
    return [(list(pair), table) for pair, table in tables.items()]


def factor_tables(model: MRF) -> list[tuple[list[int], Floats]]:
    """Scope and table of each factor."""
    return [(model.factor_scope(f).tolist(), model.factor_table_of(f)) for f in range(model.n_factors)]


def add_table(
    builder: Builder,
    model: MRF,
    labels: Ints,
    scope: list[int],
    table: Floats,
    known: Ints | None = None,
    word: str | None = None,
    part: tuple[str | int, ...] | None = None,
) -> Ints:
    """Add the joint labels of some nodes, and that they agree with the labels of each; return the columns.

    Tuples that are forbidden, by the table or by a node, have no column: -1. Those in `known`, of the table's
    shape, have the column that stands there already, where that is not negative. `part` is what the builder
    is to note the agreements of.
    """
    allowed = np.isfinite(table)
    for axis, v in enumerate(scope):
        shape = [1] * len(scope)
        shape[axis] = -1
        allowed = allowed & np.isfinite(model.unary(v)).reshape(shape)
    tuples = np.stack(np.nonzero(allowed), axis=1)
    word = word or ("pair" if len(scope) == 2 else "factor")
    columns = np.full(table.shape, -1) if known is None else np.where(allowed, known, -1)
    new = allowed & (columns < 0)
    numbers = np.stack(np.nonzero(new), axis=1)
    columns[new] = builder.add_columns("_".join([word, *map(str, scope)]), numbers, table[new])
    for axis, v in enumerate(scope):
        n_labels = int(model.n_labels[v])
        rows = builder.add_rows(0.0, n_labels)
        builder.add_entries(rows[tuples[:, axis]], columns[allowed], 1.0)
        builder.add_entries(rows, labels[model.label_offsets[v] : model.label_offsets[v + 1]], -1.0)
        if part is not None:
            builder.agreements.append(Agreement(part, v, rows))
    return columns
