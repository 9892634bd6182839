"""Rays that run along edges of the field: both together are a chain, which proves more than its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ..errors import InvalidSetting
from .arrays import Ints

if TYPE_CHECKING:
    from .tomography import Tomography

RaysAs = Literal["forests", "chains"]
KINDS: tuple[RaysAs, ...] = ("forests", "chains")

#: "auto" makes chains where none takes much longer than its ray and its edges by themselves: up to this many
#: labels, and this many costs by pixel, label and sum, a few dozen megabytes.
MOST_LABELS, MOST_VALUES = 8, 1 << 22


def chosen_rays(model: Tomography, asked: str) -> RaysAs:
    """Return how a model is decomposed: as asked, or ("auto") into chains where these are cheap enough.

    Examples
    --------
    >>> from fwmap.models import Tomography
    >>> chosen_rays(Tomography((1, 2), [([0, 1], 2)], labels=3), "auto")
    'chains'
    >>> chosen_rays(Tomography((1, 2), [([0, 1], 2)], labels=9), "auto")
    'forests'
    """
    for name in KINDS:
        if asked == name:
            return name
    if asked != "auto":
        raise InvalidSetting(
            f"decomposition is {asked!r}; an fwmap.Tomography is decomposed into 'forests' or 'chains'"
        )
    rays = np.unique(rays_of_edges(model))
    rays = rays[rays >= 0]
    most_labels = int(model.field.n_labels.max(initial=0))
    values = most_labels * np.diff(model.ray_offsets)[rays] * np.diff(model.ray_cost_offsets)[rays]
    cheap = len(rays) > 0 and most_labels <= MOST_LABELS and values.max() <= MOST_VALUES
    return "chains" if cheap else "forests"


def rays_of_edges(model: Tomography) -> Ints:
    """Return for each edge of the field the ray whose chain holds it, or -1 where there is none.

    A ray holds the edges between pixels that follow each other in it, but for those that an earlier ray
    holds.

    Examples
    --------
    >>> from fwmap.models import Tomography
    >>> rows, columns = [([0, 1], 2), ([2, 3], 1)], [([0, 2], 2)]
    >>> model = Tomography((2, 2), rows + columns, labels=3)
    >>> model.field.edges.tolist(), rays_of_edges(model).tolist()
    ([[0, 1], [2, 3], [0, 2], [1, 3]], [0, 1, 2, -1])
    """
    field, pixels = model.field, model.ray_pixels
    ray = np.repeat(np.arange(model.n_rays), np.diff(model.ray_offsets))
    follows = np.flatnonzero(ray[1:] == ray[:-1])
    keys, first = np.unique(pair_keys(pixels[follows], pixels[follows + 1], field.n_nodes), return_index=True)
    if not len(keys):
        return np.full(field.n_edges, -1)
    wanted = pair_keys(field.edges[:, 0], field.edges[:, 1], field.n_nodes)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    held: Ints = np.where(keys[place] == wanted, ray[follows[first[place]]], -1)
    return held


def pair_keys(first: Ints, second: Ints, n: int) -> Ints:
    """Return one number per unordered pair of numbers below n."""
    keys: Ints = np.minimum(first, second) * n + np.maximum(first, second)
    return keys
