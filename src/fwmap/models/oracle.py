"""Own problems: whoever can minimise a term can solve a sum of terms."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidModel, OracleError


class Oracle(ABC):
    """A term of an energy over Boolean variables, given by its minimiser: derive and implement `minimize`.

    Variables are numbered from 0 within the term, in the order in which `Decomposition.add` names them.
    `cost` and `min_marginals` are optional: override `cost` to let labelings have an energy that the oracles
    do not agree on.

    Attributes
    ----------
    name
        What messages call the oracle; the class's name and the term's number when None.
    operations
        About how many elementary operations a call takes. Approximate passes are weighed against this
        number and never against the clock, so that runs repeat exactly.

    Examples
    --------
    >>> class Cheapest(Oracle):
    ...     def __init__(self, costs):
    ...         self.costs = np.asarray(costs)
    ...     def minimize(self, weights):
    ...         chosen = int(np.argmin(self.costs + weights))
    ...         return [chosen], float(self.costs[chosen])
    >>> Cheapest([3.0, 1.0]).minimize(np.zeros(2))
    ([1], 1.0)
    """

    name: str | None = None
    operations: float = 10_000.0

    @abstractmethod
    def minimize(self, weights: NDArray[np.float64]) -> tuple[ArrayLike, float]:
        """Minimise own cost plus the weights of the variables that are 1.

        Parameters
        ----------
        weights
            One number per variable. A copy: it may be kept or changed.

        Returns
        -------
        tuple
            The indices of the variables that are 1, in any order, and the own cost of that choice, without
            weights. A cost of +inf says that the term has no feasible choice at all.
        """

    def cost(self, indices: NDArray[np.int64]) -> float | None:
        """Own cost of a choice, inf where it is infeasible; None: this oracle cannot tell."""
        return None

    def min_marginals(self, weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Per variable the minimum over the choices in which it is 1; None: this oracle cannot tell."""
        return None


@dataclass(frozen=True)
class Member:
    """An oracle and the variables of the whole problem that are its own."""

    oracle: Oracle
    variables: NDArray[np.int64]
    name: str

    def cost(self, indices: NDArray[np.int64]) -> float | None:
        """What the oracle says that a choice costs, checked; None where it cannot tell."""
        try:
            cost = self.oracle.cost(indices)
        except Exception as error:
            raise OracleError(f"{self.name} raised {type(error).__name__} in cost: {error}") from error
        return None if cost is None else self.checked_cost(cost)

    def checked_cost(self, given: Any) -> float:
        """A cost that the oracle returned, as a float."""
        try:
            cost = float(given)
        except (TypeError, ValueError, OverflowError):
            raise OracleError(f"{self.name} returned a cost of {given!r}; expected a number") from None
        if math.isnan(cost) or cost == -math.inf:
            expected = "a finite number, or +inf where nothing is feasible"
            raise OracleError(f"{self.name} returned a cost of {cost}; expected {expected}")
        return cost


class Decomposition:
    """An energy over Boolean variables as a sum of terms that share variables.

    Parameters
    ----------
    n_variables
        Variables are 0 .. n_variables - 1.
    constant
        A cost paid by every labeling.

    Examples
    --------
    >>> class Nothing(Oracle):
    ...     def minimize(self, weights):
    ...         return np.flatnonzero(weights < 0), 0.0
    >>> model = Decomposition(3)
    >>> model.add(Nothing(), [0, 2])
    >>> model.n_terms
    1
    """

    def __init__(self, n_variables: int, constant: float = 0.0) -> None:
        """Start with no terms; the parameters are described with the class."""
        if isinstance(n_variables, bool) or not isinstance(n_variables, (int, np.integer)) or n_variables < 0:
            raise InvalidModel(f"n_variables is {n_variables!r}; expected an integer >= 0")
        if not np.isfinite(constant):
            raise InvalidModel(f"constant is {constant!r}; expected a finite number")
        self.n_variables = int(n_variables)
        self.constant = float(constant)
        self.members: list[Member] = []

    @property
    def n_terms(self) -> int:
        """Number of terms added so far."""
        return len(self.members)

    def add(self, oracle: Oracle, variables: ArrayLike) -> None:
        """Add a term; `variables[k]` is the variable that the oracle knows as k."""
        name = oracle_name(oracle, len(self.members))
        if not isinstance(oracle, Oracle):
            raise InvalidModel(f"{name} is a {type(oracle).__name__}; expected an fwmap.Oracle")
        operations = oracle.operations
        if not isinstance(operations, (int, float, np.number)) or not 0 < operations < math.inf:
            raise InvalidModel(f"operations of {name} are {operations!r}; expected a finite number > 0")
        own = np.asarray(variables)
        if own.ndim != 1 or (own.size and own.dtype.kind not in "iu"):
            raise InvalidModel(f"variables of {name} must be a list of integers")
        own = own.astype(np.int64)
        outside = own[(own < 0) | (own >= self.n_variables)]
        if len(outside):
            raise InvalidModel(f"{name} names variable {outside[0]}; expected 0 to {self.n_variables - 1}")
        values, counts = np.unique(own, return_counts=True)
        if (counts > 1).any():
            raise InvalidModel(f"{name} names variable {values[counts > 1][0]} twice")
        self.members.append(Member(oracle, own, name))

    def energy(self, labeling: ArrayLike) -> float | None:
        """Sum of the oracles' own costs of a 0/1 labeling; None where an oracle has no `cost`."""
        chosen = np.asarray(labeling)
        if chosen.shape != (self.n_variables,) or not np.isin(chosen, (0, 1)).all():
            raise InvalidModel(f"a labeling has {self.n_variables} entries, each 0 or 1")
        total = self.constant
        for member in self.members:
            cost = member.cost(np.flatnonzero(chosen[member.variables]))
            if cost is None:
                return None
            total += cost
        return total


def oracle_name(oracle: Oracle, number: int) -> str:
    """What messages call an oracle."""
    return getattr(oracle, "name", None) or f"oracle {number} ({type(oracle).__name__})"
