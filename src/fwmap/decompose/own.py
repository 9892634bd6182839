"""A decomposition made of oracles written in Python."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import OracleError
from ..models import Decomposition
from ..models.oracle import Member


@dataclass(frozen=True)
class OwnDecomposition:
    """The terms as the core holds them; they refer to the model's oracles."""

    core: _core.Decomposition
    model: Decomposition


def decompose_own(model: Decomposition) -> OwnDecomposition:
    """Hand the oracles to the core, each behind a check of what it returns."""
    core = _core.Decomposition(model.n_variables, np.zeros(0, np.int64), model.constant)
    for member in model.members:
        core.add_python(CheckedOracle(member), member.variables, float(member.oracle.operations), member.name)
    core.connect()
    return OwnDecomposition(core, model)


class CheckedOracle:
    """Calls an oracle and refuses what is not a minimiser's description, in words."""

    def __init__(self, member: Member) -> None:
        self.member = member

    def __call__(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.int32] | None, float]:
        """Ascending indices and cost; no indices where the term has no feasible choice."""
        name = self.member.name
        try:
            answer: Any = self.member.oracle.minimize(weights)
        except Exception as error:
            raise OracleError(f"{name} raised {type(error).__name__}: {error}") from error
        if not isinstance(answer, (tuple, list)) or len(answer) != 2:
            raise OracleError(f"{name} returned {type(answer).__name__}; expected (indices, cost)")
        cost = self.member.checked_cost(answer[1])
        if cost == math.inf:
            return None, cost
        return self.checked_indices(answer[0]), cost

    def cost(self, support: NDArray[np.int32]) -> float:
        """Own cost of a choice; NaN where the oracle cannot tell."""
        cost = self.member.cost(support.astype(np.int64))
        return math.nan if cost is None else cost

    def checked_indices(self, given: Any) -> NDArray[np.int32]:
        """The indices, ascending."""
        name, size = self.member.name, len(self.member.variables)
        try:
            indices = np.asarray(given)
        except ValueError:
            indices = np.zeros((0, 0))
        if indices.ndim != 1 or (indices.size and indices.dtype.kind not in "iu"):
            raise OracleError(f"{name} returned indices {given!r}; expected a list of integers")
        outside = indices[(indices < 0) | (indices >= size)]
        if len(outside):
            raise OracleError(f"{name} returned index {outside[0]}; expected 0 to {size - 1}")
        ascending = np.sort(indices).astype(np.int32)
        if (ascending[1:] == ascending[:-1]).any():
            twice = ascending[1:][ascending[1:] == ascending[:-1]][0]
            raise OracleError(f"{name} returned index {twice} twice")
        return ascending
