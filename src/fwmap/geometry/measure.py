"""From images to sums, and from sums to projections."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidModel
from ..models import Projection
from ..models.arrays import Ints, as_indices
from .directions import Directions, checked_shape, rays_of


def sinogram(image: ArrayLike, directions: Directions) -> list[Ints]:
    """Return the sums of an image: one array per direction, with one entry per ray.

    Parameters
    ----------
    image
        Integers (height, width).
    directions
        How many, or which: see `fwmap.geometry.directions`.

    Examples
    --------
    >>> [sums.tolist() for sums in sinogram([[0, 1], [2, 3]], 4)]
    [[1, 5], [2, 4], [0, 3, 3], [2, 3, 1]]
    """
    labels, shape = _checked_image(image)
    return [np.array([labels[ray].sum() for ray in own]) for own in rays_of(shape, directions)]


def project(image: ArrayLike, directions: Directions) -> list[Projection]:
    """Return the projections of an image with its sums required, direction by direction.

    Parameters
    ----------
    image
        Integers >= 0 (height, width): the grey values.
    directions
        How many, or which: see `fwmap.geometry.directions`.

    Examples
    --------
    >>> from fwmap.models import Tomography
    >>> image = np.array([[0, 1], [2, 3]])
    >>> model = Tomography(image.shape, project(image, 2), labels=4, smoothness=1.0)
    >>> model.n_rays, model.energy(image), model.energy(image.T)
    (4, 6.0, inf)
    """
    return from_sums(_checked_image(image)[1], sinogram(image, directions), directions)


def from_sums(shape: tuple[int, int], sums: Sequence[ArrayLike], directions: Directions) -> list[Projection]:
    """Return projections with required sums that were measured: a sinogram.

    Parameters
    ----------
    shape
        Height and width of the image.
    sums
        For each direction the integer sums of its rays, in the order of `fwmap.geometry.rays`.
    directions
        How many, or which.

    Examples
    --------
    >>> [projection.sum for projection in from_sums((2, 2), [[1, 5], [2, 4]], 2)]
    [1, 5, 2, 4]
    """
    projections: list[Projection] = []
    own = rays_of(checked_shape(shape), directions)
    if len(sums) != len(own):
        raise InvalidModel(f"there are sums of {len(sums)} directions; expected {len(own)}")
    for d, (given, pixels) in enumerate(zip(sums, own, strict=True)):
        measured = as_indices(given, f"the sums of direction {d}")
        if measured.shape != (len(pixels),):
            raise InvalidModel(
                f"the sums of direction {d} have shape {measured.shape}; "
                f"expected one per ray: ({len(pixels)},)"
            )
        projections.extend(
            Projection(ray, required) for ray, required in zip(pixels, measured.tolist(), strict=True)
        )
    return projections


def _checked_image(image: ArrayLike) -> tuple[Ints, tuple[int, int]]:
    labels = np.asarray(image)
    labels = as_indices(labels.astype(np.int64) if labels.dtype.kind == "b" else labels, "the image")
    if labels.ndim != 2:
        raise InvalidModel(f"the image has shape {labels.shape}; expected (height, width)")
    if labels.size and labels.min() < 0:
        row, column = np.argwhere(labels < 0)[0]
        raise InvalidModel(
            f"the image has the value {labels[row, column]} at row {row}, column {column}; expected >= 0"
        )
    return labels.reshape(-1), (labels.shape[0], labels.shape[1])
