"""Keypoints: an object seen twice, turned and with points of other things in between, to be matched."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSetting
from ..models import GraphMatching
from .dataset import Dataset, expect_at_least

NEIGHBOURS = 4  # of each point, with which it shares costs


def keypoints(
    points: int = 15, outliers: int = 5, *, noise: float = 0.03, seed: int = 0
) -> Dataset[GraphMatching]:
    """Return two views of the same points, to be matched by their distances.

    The right view is turned, disturbed by noise, and has further points. Neighbours on the left are rewarded
    for having partners at the same distance: by 1 - (difference / (3 noise))², where that is positive. Single
    assignments cost nothing; a point may stay without a partner.

    Parameters
    ----------
    points
        Number of points on the left, in a square of side 1.
    outliers
        Number of points that only the right view has.
    noise
        Standard deviation of the right points' coordinates.
    seed
        Of points, noise and turn.

    Examples
    --------
    >>> data = keypoints(6, 2)
    >>> data.model.n_left, data.model.n_right, data.model.energy(data.truth) < 0
    (6, 8, True)
    """
    expect_at_least(2, points=points)
    expect_at_least(0, outliers=outliers)
    if not noise > 0:
        raise InvalidSetting(f"noise is {noise!r}; expected a standard deviation > 0")
    random = np.random.default_rng(seed)
    left = random.random((points, 2))
    angle = random.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    seen = np.concatenate([left @ turn.T, random.random((outliers, 2)) @ turn.T])
    right = np.empty_like(seen)
    place = random.permutation(len(seen))
    right[place] = seen + noise * random.standard_normal(seen.shape)

    every = np.indices((points, len(right))).reshape(2, -1).T  # assignment i * n_right + a
    apart_left = np.linalg.norm(left[:, None] - left[None], axis=2)
    apart_right = np.linalg.norm(right[:, None] - right[None], axis=2)
    pairs, costs = [], []
    for i, j in neighbours(apart_left):
        reward = 1.0 - ((apart_left[i, j] - apart_right) / (3 * noise)) ** 2
        np.fill_diagonal(reward, 0.0)
        a, b = np.nonzero(reward > 0)
        pairs.append(np.stack([i * len(right) + a, j * len(right) + b], axis=1))
        costs.append(-reward[a, b])
    model = GraphMatching(
        every,
        np.zeros(len(every)),
        np.concatenate(pairs),
        np.concatenate(costs),
        left_points=left,
        right_points=right,
    )
    return Dataset(
        name=f"keypoints_{points}_{outliers}",
        model=model,
        truth=place[:points].astype(np.int64),
        description=f"{points} points among {len(right)}, turned and disturbed, seed {seed}",
    )


def neighbours(apart: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Pairs of points of which one is among the nearest of the other.

    >>> neighbours(np.array([[0.0, 1.0], [1.0, 0.0]]))
    [(0, 1)]
    """
    nearest = np.argsort(apart, axis=1, kind="stable")[:, 1 : NEIGHBOURS + 1]
    return sorted({(min(i, int(j)), max(i, int(j))) for i in range(len(apart)) for j in nearest[i]})
