"""What every generator returns, and the checks they share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSetting
from ..models import MRF, GraphMatching, Tomography

Kind = TypeVar("Kind", MRF, Tomography, GraphMatching)


@dataclass(frozen=True)
class Dataset(Generic[Kind]):
    """A generated problem.

    Attributes
    ----------
    name
        A short name, fit for a file name.
    model
        The model to solve.
    truth
        The labeling the data was made from, or None. The truth is what a person would like to see; it need
        not be the labeling of least energy. Of a matching it is the right point of each left one, of a
        tomography the image that was projected, row by row.
    description
        One sentence: what it is, how large, from which seed.
    pictures
        Images that show the data, by their name, for example the noisy picture. Empty where there are none.
    """

    name: str
    model: Kind
    truth: NDArray[np.int64] | None
    description: str
    pictures: dict[str, NDArray[np.uint8]] = field(default_factory=dict)


AnyDataset = Dataset[MRF] | Dataset[Tomography] | Dataset[GraphMatching]


def expect_at_least(minimum: int, **sizes: int) -> None:
    """Refuse a size that is not an integer of at least `minimum`, naming it.

    Examples
    --------
    >>> expect_at_least(1, height=0)
    Traceback (most recent call last):
    fwmap.errors.InvalidSetting: height is 0; expected an integer >= 1
    """
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < minimum:
            raise InvalidSetting(f"{name} is {size!r}; expected an integer >= {minimum}")
