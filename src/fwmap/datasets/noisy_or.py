"""Diagnosis: findings explained by diseases through noisy-or tables over three variables."""

from __future__ import annotations

import numpy as np

from ..errors import InvalidSetting
from ..models import MRF
from .dataset import Dataset, expect_at_least


def noisy_or(diseases: int = 60, findings: int = 120, *, prior: float = 0.1, seed: int = 0) -> Dataset[MRF]:
    """Return the most-probable-explanation problem of random diseases and observed findings.

    Every disease is present with probability `prior`; a finding has three possible causes, each of which
    produces it with its own probability, and appears by itself in 1 % of the cases. Costs are −log of the
    probabilities; one factor of arity 3 per finding.

    Parameters
    ----------
    diseases
        Number of variables, at least 3.
    findings
        Number of factors.
    prior
        Probability of a disease, between 0 and 1.
    seed
        Of diseases, causes and probabilities.

    Examples
    --------
    >>> data = noisy_or(diseases=5, findings=4)
    >>> data.model.n_nodes, data.model.n_factors
    (5, 4)
    """
    expect_at_least(3, diseases=diseases)
    expect_at_least(0, findings=findings)
    if not 0 < prior < 1:
        raise InvalidSetting(f"prior is {prior!r}; expected a probability between 0 and 1")
    random = np.random.default_rng(seed)
    present = (random.random(diseases) < prior).astype(np.int64)
    unaries = np.tile(-np.log([1 - prior, prior]), (diseases, 1))
    factors = []
    for _ in range(findings):
        causes = random.choice(diseases, size=3, replace=False)
        silent = 1 - random.uniform(0.3, 0.95, size=3)  # probability that a present cause stays silent
        absent = np.full((2, 2, 2), 0.99)
        absent[1] *= silent[0]
        absent[:, 1] *= silent[1]
        absent[:, :, 1] *= silent[2]
        observed = random.random() >= absent[tuple(present[causes])]
        factors.append((causes.tolist(), -np.log(1 - absent if observed else absent)))
    return Dataset(
        name=f"noisy_or_{diseases}_{findings}",
        model=MRF(unaries, factors=factors),
        truth=present,
        description=f"diagnosis with {diseases} diseases and {findings} findings, seed {seed}",
    )
