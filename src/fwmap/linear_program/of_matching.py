"""What a matching adds to the field of its left points."""

from __future__ import annotations

import numpy as np

from ..models import GraphMatching
from ..models.arrays import Ints
from ..models.matching_right import RightSide
from .of_field import add_table, pair_tables
from .program import Builder


def add_right_points(builder: Builder, model: GraphMatching, labels: Ints) -> None:
    """Add that each right point is the label of at most one left point; `labels` are the labels' columns."""
    partner = model.left.partner
    chosen = np.flatnonzero(partner >= 0)
    occurring, position = np.unique(partner[chosen], return_inverse=True)
    rows = builder.add_rows(1.0, len(occurring), equal=False)
    builder.add_entries(rows[position.reshape(-1)], labels[chosen], 1.0)


def add_right_side(builder: Builder, model: GraphMatching, labels: Ints, entries: Ints) -> None:
    """Add the field of the right points, whose labels and pairs are those of the left field.

    `labels` and `entries` are the columns of the left field's labels and of the entries of its tables, -1 for
    entries that are forbidden.
    """
    right = RightSide.of(model)
    field = right.field
    own = np.where(right.labels >= 0, labels[right.labels], -1)  # columns of the right field's labels
    alone = np.flatnonzero(own < 0)
    forbidden = np.isinf(field.unaries[alone])
    points = np.stack([np.searchsorted(field.label_offsets, alone, side="right") - 1], axis=1)
    own[alone] = builder.add_columns("free", points, 0.0, is_label=True, forbidden=forbidden)
    node = np.repeat(np.arange(field.n_nodes), field.n_labels)
    builder.add_entries(builder.add_rows(1.0, field.n_nodes)[node], own, 1.0)
    for e, (scope, table) in enumerate(pair_tables(field)):
        known = right.entries[field.table_offsets[e] : field.table_offsets[e + 1]].reshape(table.shape)
        known = np.where(known >= 0, entries[known], -2)  # -2: no other table has it, -1: forbidden there
        table = np.where(known == -1, np.inf, table)
        add_table(builder, field, own, scope, table, known, "right")
