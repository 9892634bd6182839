"""Projections that contradict each other or the labels: what can be seen by adding up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .arrays import Ints

if TYPE_CHECKING:
    from .tomography import Tomography


@dataclass(eq=False)
class _Group:
    """Disjoint rays, and the range of the image's total that they leave."""

    covered: NDArray[np.bool_]
    rays: list[int]
    low: int = 0
    high: int = 0


def contradiction_of(model: Tomography) -> str | None:
    """Return words that prove that no labeling satisfies all projections, or None where none were found.

    Looks at each ray alone, and at the image's total according to each set of disjoint rays. Rays are put
    into the first set that they fit, so that each direction becomes a set. None proves nothing.
    """
    lowest_label, highest_label = _allowed_labels(model)
    bad = np.flatnonzero(lowest_label > highest_label)
    if len(bad):
        return f"every label of variable {bad[0]} is forbidden"
    starts = model.ray_offsets[:-1]
    least = np.add.reduceat(lowest_label[model.ray_pixels], starts) if len(starts) else starts
    most = np.add.reduceat(highest_label[model.ray_pixels], starts) if len(starts) else starts
    groups: list[_Group] = []
    for r, (reach_low, reach_high) in enumerate(zip(least.tolist(), most.tolist(), strict=True)):
        costs = model.ray_cost(r)
        allowed = np.flatnonzero(np.isfinite(costs))
        if len(allowed) == 0:
            return f"ray {r} allows no sum at all"
        within = allowed[(allowed >= reach_low) & (allowed <= reach_high)]
        if len(within) == 0:
            return (
                f"ray {r} requires {_range(int(allowed[0]), int(allowed[-1]), 'a sum')}, but the allowed "
                f"labels of its pixels sum to at least {reach_low} and at most {reach_high}"
            )
        _add(groups, r, model.ray(r), int(within[0]), int(within[-1]), model.n_nodes)
    for group in groups:
        outside = ~group.covered
        group.low += int(lowest_label[outside].sum())
        group.high += int(highest_label[outside].sum())
    return _disagreement(groups)


def _add(groups: list[_Group], r: int, pixels: Ints, low: int, high: int, n_nodes: int) -> None:
    """Add a ray to the first group that shares no pixel with it, or to a new one."""
    group = next((g for g in groups if not g.covered[pixels].any()), None)
    if group is None:
        group = _Group(np.zeros(n_nodes, dtype=bool), [])
        groups.append(group)
    group.covered[pixels] = True
    group.rays.append(r)
    group.low += low
    group.high += high


def _disagreement(groups: list[_Group]) -> str | None:
    if not groups:
        return None
    above = max(groups, key=lambda group: group.low)
    below = min(groups, key=lambda group: group.high)
    if above.low <= below.high:
        return None
    first, second = sorted((above, below), key=lambda group: group.rays)
    return (
        f"{_rays(first)} all pixels together {_range(first.low, first.high, 'a total')}, "
        f"{_rays(second, '')} {_range(second.low, second.high, 'a total')}; no image has both"
    )


def _range(low: int, high: int, what: str) -> str:
    """Return words for a range of integers.

    Examples
    --------
    >>> _range(2, 2, "a sum"), _range(2, 4, "a sum")
    ('a sum of 2', 'a sum from 2 to 4')
    """
    return f"{what} of {low}" if low == high else f"{what} from {low} to {high}"


def _rays(group: _Group, verb: str = "give") -> str:
    """Return words for the rays of a group, consecutive ones together and at most four pieces."""
    runs: list[list[int]] = []
    for r in group.rays:
        if runs and runs[-1][-1] == r - 1:
            runs[-1] = [runs[-1][0], r]
        else:
            runs.append([r])
    words = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[1]}" for run in runs]
    shown = ", ".join(words[:4]) + (f" and {len(words) - 4} more runs" if len(words) > 4 else "")
    if len(group.rays) == 1:
        return f"ray {shown} {verb}s".removesuffix(" s")
    return f"rays {shown} {verb}".rstrip()


def _allowed_labels(model: Tomography) -> tuple[Ints, Ints]:
    """Return the smallest and the largest label of each variable whose own cost is finite."""
    field = model.field
    variable = np.repeat(np.arange(field.n_nodes), field.n_labels)
    label = np.arange(len(field.unaries)) - np.repeat(field.label_offsets[:-1], field.n_labels)
    allowed = np.isfinite(field.unaries)
    lowest, highest = field.n_labels.copy(), np.full(field.n_nodes, -1)
    np.minimum.at(lowest, variable[allowed], label[allowed])
    np.maximum.at(highest, variable[allowed], label[allowed])
    return lowest, highest
