"""Labelings of a problem with oracles of one's own."""

from __future__ import annotations

import math
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ..decompose import OwnDecomposition
from .incumbent import Incumbent
from .proposals import Proposals


class OwnRounding:
    """Tries the oracles' choices: agreed ones always, others where every oracle has a `cost`."""

    def __init__(self, decomposition: OwnDecomposition) -> None:
        self.model = decomposition.model
        self.tried: set[bytes] = set()  # digests: a long run tries many labelings
        self.attempts = 0

    def after_evaluation(self, core: Proposals, incumbent: Incumbent) -> None:
        """Offer what one term chose, completed by the others in turn."""
        n_terms = self.model.n_terms
        if n_terms == 0:
            incumbent.offer(np.zeros(self.model.n_variables, np.int64), self.model.constant)
            return
        chosen = [self.choice(core, t) for t in range(n_terms)]
        first = self.attempts % n_terms
        self.attempts += 1
        labeling = np.full(self.model.n_variables, -1, np.int64)
        for t in [*range(first, n_terms), *range(first)]:
            variables = self.model.members[t].variables
            labeling[variables] = np.where(labeling[variables] < 0, chosen[t], labeling[variables])
        labeling = np.maximum(labeling, 0)  # variables of no term
        key = blake2b(labeling.astype(np.int8).tobytes(), digest_size=16).digest()
        if key in self.tried:
            return
        self.tried.add(key)
        incumbent.offer(labeling, self.energy(core, labeling, chosen))

    def at_the_end(self, core: Proposals, incumbent: Incumbent) -> None:
        """One last attempt from each term's choice."""
        for _ in range(self.model.n_terms):
            self.after_evaluation(core, incumbent)

    def choice(self, core: Proposals, term: int) -> NDArray[np.int64]:
        """What the term's oracle chose at the last evaluation, as 0/1 over its variables."""
        result = np.zeros(len(self.model.members[term].variables), np.int64)
        result[core.minimizer(term)] = 1
        return result

    def energy(
        self, core: Proposals, labeling: NDArray[np.int64], chosen: list[NDArray[np.int64]]
    ) -> float | None:
        """Energy by the oracles' `cost`, or, where all chose this labeling, by what they said it costs."""
        energy = self.model.energy(labeling)
        if energy is not None:
            return energy
        agree = all(
            np.array_equal(labeling[member.variables], choice)
            for member, choice in zip(self.model.members, chosen, strict=True)
        )
        if not agree:
            return None
        return math.fsum([self.model.constant, *map(core.minimizer_cost, range(self.model.n_terms))])
