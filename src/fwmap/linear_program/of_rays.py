"""Rays of a tomography model as flows: exact where a sum of fractional labels would not be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..models import Tomography
from ..models.arrays import Floats, Ints
from .program import Agreement, Builder


def add_rays(builder: Builder, model: Tomography, labels: Ints) -> None:
    """Add every ray of a model whose labels have the columns `labels`.

    A ray is a unit of flow through the graph of its partial sums: from (k, s), the sum s of the first k
    pixels, label a of the next pixel leads to (k + 1, s + a). What flows by label a of a pixel is that
    label's x. The vertices of such flows are integer: this is the convex hull of what the ray allows.
    """
    for r in range(model.n_rays):
        add_ray(builder, model, labels, r)


def add_ray(builder: Builder, model: Tomography, labels: Ints, ray: int) -> None:
    """Add one ray."""
    pixels, sum_costs = model.ray(ray).tolist(), model.ray_cost(ray)
    allowed = [np.flatnonzero(np.isfinite(model.field.unary(v))) for v in pixels]
    useful = useful_sums(allowed, sum_costs)
    previous = np.zeros(0, np.int64)  # rows of the sums that the pixels so far can have
    for k, v in enumerate(pixels):
        before, after = useful[k], useful[k + 1]
        sums, chosen = np.nonzero(np.isin(before[:, None] + allowed[k][None, :], after))
        taken = allowed[k][chosen]
        reached = before[sums] + taken
        is_last = k + 1 == len(pixels)
        costs: Floats | float = sum_costs[reached] if is_last else 0.0
        numbers = np.stack([before[sums], taken], axis=1)
        columns = builder.add_columns(f"ray_{ray}_{k}", numbers, costs)
        if k > 0:
            builder.add_entries(previous[sums], columns, -1.0)
        if not is_last:
            previous = builder.add_rows(0.0, len(after))
            builder.add_entries(previous[np.searchsorted(after, reached)], columns, 1.0)
        rows = builder.add_rows(0.0, int(model.field.n_labels[v]))
        builder.add_entries(rows[taken], columns, 1.0)
        begin, end = model.field.label_offsets[v], model.field.label_offsets[v + 1]
        builder.add_entries(rows, labels[begin:end], -1.0)
        builder.agreements.append(Agreement(("ray", ray), v, rows))


def useful_sums(allowed: list[Ints], sum_costs: Floats) -> list[NDArray[np.int64]]:
    """For 0, 1, … pixels the sums that they can have and from which an allowed total can be reached.

    >>> sums = useful_sums([np.array([0, 1]), np.array([0, 2])], np.array([np.inf, np.inf, 0.0]))
    >>> [each.tolist() for each in sums]
    [[0], [0], [2]]
    """
    n_sums = len(sum_costs)
    forward = [np.zeros(1, np.int64)]
    for labels in allowed:
        sums = np.unique(forward[-1][:, None] + labels[None, :])
        forward.append(sums[sums < n_sums])
    backward = [np.flatnonzero(np.isfinite(sum_costs))]
    for labels in reversed(allowed):
        sums = np.unique(backward[-1][:, None] - labels[None, :])
        backward.append(sums[sums >= 0])
    return [np.intersect1d(here, there) for here, there in zip(forward, reversed(backward), strict=True)]
