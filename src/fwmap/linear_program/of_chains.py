"""Chains of a tomography model as flows: a ray and the edges between its successive pixels at once."""

from __future__ import annotations

import itertools

import numpy as np

from ..models import MRF, Tomography
from ..models.arrays import Ints, offsets_of
from ..models.chains import rays_of_edges
from .of_field import pair_tables
from .of_rays import add_ray, useful_sums
from .program import Agreement, Builder


def add_rays_and_chains(builder: Builder, model: Tomography, labels: Ints, entries: Ints) -> None:
    """Add every ray of a model, with the edges that it holds; `labels` and `entries` as from `add_field`."""
    field = model.field
    held_by = {
        (min(u, v), max(u, v)): r
        for (u, v), r in zip(field.edges.tolist(), rays_of_edges(model).tolist(), strict=True)
    }
    columns = columns_of_pairs(field, entries)
    for r in range(model.n_rays):
        pixels = model.ray(r).tolist()
        links = [
            link_of(columns, u, v) if held_by.get((min(u, v), max(u, v))) == r else None
            for u, v in itertools.pairwise(pixels)
        ]
        if any(link is not None for link in links):
            add_chain(builder, model, labels, r, links)
        else:
            add_ray(builder, model, labels, r)


def columns_of_pairs(field: MRF, entries: Ints) -> dict[tuple[int, int], Ints]:
    """The columns of each edge's entries, the smaller node's labels in rows."""
    tables = pair_tables(field)
    offsets = offsets_of(np.array([table.size for _, table in tables], np.int64))
    return {
        (scope[0], scope[1]): entries[begin:end].reshape(table.shape)
        for (scope, table), begin, end in zip(tables, offsets[:-1], offsets[1:], strict=True)
    }


def link_of(columns: dict[tuple[int, int], Ints], u: int, v: int) -> Ints:
    """The columns of the entries of the edge between u and v, the labels of u in rows."""
    return columns[u, v] if u < v else columns[v, u].T


def add_chain(builder: Builder, model: Tomography, labels: Ints, ray: int, links: list[Ints | None]) -> None:
    """Add one chain: a unit of flow through the graph of labels and partial sums.

    From (k, s, a), the label a of pixel k and the sum s up to there, label b of the next pixel leads to
    (k + 1, s + b, b). What flows from a to b is the edge's entry, what flows to b that label's x.
    """
    pixels, sum_costs, field = model.ray(ray).tolist(), model.ray_cost(ray), model.field
    allowed = [np.flatnonzero(np.isfinite(field.unary(v))) for v in pixels]
    useful = useful_sums(allowed, sum_costs)
    first = allowed[0][np.isin(allowed[0], useful[1])]
    states = np.stack([first, first], axis=1)  # sum so far, label; each with a row that flow has arrived at
    arriving = np.zeros(0, np.int64)
    for k, link in enumerate(links):
        which, b = (
            np.repeat(np.arange(len(states)), len(allowed[k + 1])),
            np.tile(allowed[k + 1], len(states)),
        )
        (before, a), after = states[which].T, states[which, 0] + b
        kept = np.isin(after, useful[k + 2]) & (True if link is None else link[a, b] >= 0)
        which, before, a, b, after = which[kept], before[kept], a[kept], b[kept], after[kept]
        is_last = k + 1 == len(links)
        numbers = np.stack([before, a, b], axis=1)
        columns = builder.add_columns(f"chain_{ray}_{k}", numbers, sum_costs[after] if is_last else 0.0)
        if k == 0:
            agree(builder, model, labels, (ray, pixels[0]), a, columns)
        else:  # a state that nothing leaves lets nothing arrive
            builder.add_entries(arriving[which], columns, -1.0)
        agree(builder, model, labels, (ray, pixels[k + 1]), b, columns)
        if link is not None:
            known = link >= 0
            rows = np.full(link.shape, -1)
            rows[known] = builder.add_rows(0.0, int(known.sum()))
            builder.add_entries(rows[a, b], columns, 1.0)
            builder.add_entries(rows[known], link[known], -1.0)
        if not is_last:
            states, reached = np.unique(np.stack([after, b], axis=1), axis=0, return_inverse=True)
            arriving = builder.add_rows(0.0, len(states))
            builder.add_entries(arriving[reached.reshape(-1)], columns, 1.0)


def agree(
    builder: Builder, model: Tomography, labels: Ints, place: tuple[int, int], chosen: Ints, columns: Ints
) -> None:
    """What flows by each label of a pixel is that label's x; `place` is the ray and the pixel."""
    ray, pixel = place
    begin, end = model.field.label_offsets[pixel], model.field.label_offsets[pixel + 1]
    rows = builder.add_rows(0.0, int(end - begin))
    builder.add_entries(rows[chosen], columns, 1.0)
    builder.add_entries(rows, labels[begin:end], -1.0)
    builder.agreements.append(Agreement(("ray", ray), pixel, rows))
