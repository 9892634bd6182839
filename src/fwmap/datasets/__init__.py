"""Problems made by code: no downloads, equal seeds give equal models, and the truth where there is one.

Each function is one class of problems and returns a `Dataset`:

`denoising`     an 8-bit picture with noise, to be cleaned (grid; Potts or truncated costs)
`stereo`        two views of a scene, depth wanted (grid; truncated linear costs)
`ising`         a frustrated spin glass on a grid (two labels, signed couplings)
`side_chains`   a dense model as in protein design (complete graph, tables, forbidden entries)
`tree`          a random tree, where the bound meets the optimum
`noisy_or`      diagnosis from findings (two labels, factors of arity 3)

Two whose model is a `Tomography`:

`shepp_logan`       the head phantom, from projections in a few directions
`random_objects`    ellipses and rectangles of any density, from projections

One whose model is a `GraphMatching`:

`keypoints`         points of an object that is seen twice
"""

from __future__ import annotations

from .dataset import AnyDataset, Dataset
from .denoising import denoising
from .ising import ising
from .keypoints import keypoints
from .noisy_or import noisy_or
from .phantoms import random_objects, shepp_logan
from .side_chains import side_chains
from .stereo import stereo
from .tree import tree

__all__ = [
    "AnyDataset",
    "Dataset",
    "denoising",
    "ising",
    "keypoints",
    "noisy_or",
    "random_objects",
    "shepp_logan",
    "side_chains",
    "stereo",
    "tree",
]
