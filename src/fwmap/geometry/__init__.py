"""Projection geometry: which pixels a ray meets, and what it measures.

Everything here returns rays or `fwmap.models.Projection` objects for `fwmap.models.Tomography`:

`directions`    the first n directions: rows, columns, the two diagonals, x + 2y, 2x + y, …
`rays`          the pixels of each ray of a direction
`sinogram`      what an image measures along each ray
`project`       an image's projections
`from_sums`     projections from sums measured elsewhere
`from_matrix`   projections from a 0/1 matrix A and sums b
`matrix_rays`   the rays of such a matrix
`noisy`         sums with a noise level as soft projections
"""

from __future__ import annotations

from .directions import Direction, Directions, directions, rays
from .matrix import from_matrix, matrix_rays
from .measure import from_sums, project, sinogram
from .noise import noisy

__all__ = [
    "Direction",
    "Directions",
    "directions",
    "from_matrix",
    "from_sums",
    "matrix_rays",
    "noisy",
    "project",
    "rays",
    "sinogram",
]
