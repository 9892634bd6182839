"""Problems made by code: no downloads, equal seeds give equal models, and the truth where there is one.

Each function is one class of problems and returns a `Dataset`:

`denoising`     an 8-bit picture with noise, to be cleaned (grid; Potts or truncated costs)
`stereo`        two views of a scene, depth wanted (grid; truncated linear costs)
`ising`         a frustrated spin glass on a grid (two labels, signed couplings)
`side_chains`   a dense model as in protein design (complete graph, tables, forbidden entries)
`tree`          a random tree, where the bound meets the optimum
`noisy_or`      diagnosis from findings (two labels, factors of arity 3)
"""

from __future__ import annotations

from .dataset import Dataset
from .denoising import denoising
from .ising import ising
from .noisy_or import noisy_or
from .side_chains import side_chains
from .stereo import stereo
from .tree import tree

__all__ = ["Dataset", "denoising", "ising", "noisy_or", "side_chains", "stereo", "tree"]
