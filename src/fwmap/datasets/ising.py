"""Spin glasses: two labels, couplings of both signs, and no way to please every edge."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..errors import InvalidSetting
from ..models import MRF, Potts
from .dataset import Dataset, expect_at_least


def ising(
    height: int = 24,
    width: int = 24,
    *,
    couplings: Literal["gaussian", "signs"] = "gaussian",
    field: float = 1.0,
    seed: int = 0,
) -> Dataset[MRF]:
    """Return a frustrated Ising grid: E(s) = −Σ J_ij s_i s_j − Σ h_i s_i with spins s = 2 label − 1.

    Parameters
    ----------
    height, width
        Size of the grid.
    couplings
        J is standard normal, or −1 and +1 with equal chance.
    field
        Standard deviation of h; the smaller, the harder. 0 for none.
    seed
        Of couplings and field.

    Examples
    --------
    >>> data = ising(3, 4, field=0)
    >>> data.model.n_nodes, data.model.n_edges
    (12, 17)
    """
    expect_at_least(1, height=height, width=width)
    if couplings not in ("gaussian", "signs"):
        raise InvalidSetting(f"couplings is {couplings!r}; expected 'gaussian' or 'signs'")
    random = np.random.default_rng(seed)
    n_nodes = height * width
    index = np.arange(n_nodes).reshape(height, width)
    edges = np.concatenate(
        [
            np.stack([index[:, :-1].ravel(), index[:, 1:].ravel()], axis=1),
            np.stack([index[:-1].ravel(), index[1:].ravel()], axis=1),
        ]
    )
    coupling = random.standard_normal(len(edges))
    if couplings == "signs":
        coupling = np.where(coupling < 0, -1.0, 1.0)
    spins = field * random.standard_normal(n_nodes)
    unaries = np.stack([spins, -spins], axis=1)
    # −J s_i s_j is −J where the labels are equal, else +J: Potts of weight 2J and a constant −J
    model = MRF(unaries, edges, Potts(2 * coupling), constant=-float(coupling.sum()))
    return Dataset(
        name=f"ising_{height}x{width}",
        model=model,
        truth=None,
        description=f"frustrated Ising grid of {height} x {width} spins, {couplings} couplings, seed {seed}",
    )
