"""Dense models as in side-chain prediction: everything interacts, and clashes are forbidden."""

from __future__ import annotations

import numpy as np

from ..errors import InvalidSetting
from ..models import MRF
from .dataset import Dataset, expect_at_least


def side_chains(
    residues: int = 20, rotamers: int = 8, *, strength: float = 0.5, clashes: float = 0.08, seed: int = 0
) -> Dataset[MRF]:
    """Return a complete graph: residues at random places, rotamers to choose, forces that fade with distance.

    Near pairs have strong normal costs and clashes (forbidden entries); far pairs hardly matter. A hidden
    labeling never clashes, so the model is feasible.

    Parameters
    ----------
    residues
        Number of nodes.
    rotamers
        Number of labels of each node.
    strength
        Scale of the pairwise costs; the larger, the harder.
    clashes
        Share of a touching pair's entries that is forbidden, 0 to below 1.
    seed
        Of places, costs and clashes.

    Examples
    --------
    >>> data = side_chains(residues=5, rotamers=3)
    >>> data.model.n_nodes, data.model.n_edges
    (5, 10)
    """
    expect_at_least(1, residues=residues, rotamers=rotamers)
    if not 0 <= clashes < 1:
        raise InvalidSetting(f"clashes is {clashes!r}; expected a share from 0 to below 1")
    random = np.random.default_rng(seed)
    places = random.random((residues, 3))
    hidden = random.integers(0, rotamers, residues)
    unaries = random.standard_normal((residues, rotamers))
    first, second = np.triu_indices(residues, 1)
    distance = np.linalg.norm(places[first] - places[second], axis=1)
    closeness = np.exp(-((distance / 0.5) ** 2))
    tables = strength * closeness[:, None, None] * random.standard_normal((len(first), rotamers, rotamers))
    forbidden = random.random(tables.shape) < (clashes * closeness)[:, None, None]
    forbidden[np.arange(len(first)), hidden[first], hidden[second]] = False
    tables[forbidden] = np.inf
    model = MRF(unaries, np.stack([first, second], axis=1), tables)
    return Dataset(
        name=f"side_chains_{residues}_{rotamers}",
        model=model,
        truth=None,
        description=f"complete graph of {residues} residues with {rotamers} rotamers each, seed {seed}",
    )
