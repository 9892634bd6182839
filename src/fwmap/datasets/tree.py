"""Random trees: the class where bound, optimum and energy are one number."""

from __future__ import annotations

import numpy as np

from ..models import MRF
from .dataset import Dataset, expect_at_least


def tree(nodes: int = 1000, labels: int = 5, *, seed: int = 0) -> Dataset[MRF]:
    """Return a random recursive tree with standard normal costs.

    Node i hangs on a node drawn from those before it, and the numbering is shuffled afterwards.

    Parameters
    ----------
    nodes, labels
        Number of nodes, and of labels of each.
    seed
        Of shape and costs.

    Examples
    --------
    >>> data = tree(nodes=7, labels=2)
    >>> data.model.n_edges
    6
    """
    expect_at_least(1, nodes=nodes, labels=labels)
    random = np.random.default_rng(seed)
    children = np.arange(1, nodes)
    parents = np.floor(random.random(nodes - 1) * children).astype(np.int64)
    edges = random.permutation(nodes)[np.stack([parents, children], axis=1)]
    unaries = random.standard_normal((nodes, labels))
    tables = random.standard_normal((nodes - 1, labels, labels))
    return Dataset(
        name=f"tree_{nodes}_{labels}",
        model=MRF(unaries, edges, tables),
        truth=None,
        description=f"random tree of {nodes} nodes with {labels} labels, seed {seed}",
    )
