"""What a solve asks of a method, whichever it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..decompose import FieldDecomposition, OwnDecomposition
from ..planes import Planes
from ..rounding.proposals import Proposals
from ..settings import Settings
from .bundle import Bundle
from .clock import Clock
from .frank_wolfe import FrankWolfe
from .message_passing import MessagePassing
from .opening import Opening
from .start import Start
from .subgradient import Subgradient


class MethodCore(Proposals, Protocol):
    """The compiled part: what it has counted, and where its best bound is."""

    @property
    def iteration(self) -> int:
        """Iterations so far."""

    @property
    def oracle_calls(self) -> int:
        """Calls of oracles so far."""

    @property
    def best_lambda(self) -> NDArray[np.float64]:
        """Multipliers of the best bound, over the slots of all terms."""


class Method(Protocol):
    """Raises the bound of a decomposition."""

    @property
    def core(self) -> MethodCore:
        """The compiled part."""

    @property
    def proximal_weight(self) -> float:
        """The weight, or what the method has in its place: the length of its steps."""

    @property
    def n_planes(self) -> int:
        """Planes it remembers."""

    @property
    def weight_to_go_on_with(self) -> float:
        """The weight for another solver that begins where this one ends."""

    def planes(self) -> Planes:
        """What another solve can start from."""

    def count_work(self, operations: float) -> None:
        """Count what others did for this solver."""

    def points(self, clock: Clock) -> Iterator[_core.Evaluation]:
        """Evaluated points, one after the other, until a limit or until nothing more can be gained.

        An incomplete one (`complete` is false) was cut by the time limit and says nothing; an infeasible
        one names the term that has no feasible labeling.
        """


def method_of(
    decomposition: FieldDecomposition | OwnDecomposition,
    settings: Settings,
    scale: float,
    start: Start | None,
) -> Method:
    """The method that `settings.solver` names."""
    if settings.solver == "bundle":
        return Bundle(decomposition.core, settings, scale, start)
    if settings.solver == "subgradient":
        return Subgradient(decomposition.core, settings, scale, start)
    if settings.solver == "message-passing":
        return MessagePassing(decomposition.core, settings, scale, start)
    early = settings.iterations != 0 and (start is None or start.opening)
    if early and settings.proximal_weight == "auto" and messages_help(decomposition):
        return FrankWolfe(
            decomposition.core, settings, scale, None, Opening(decomposition.core, settings, scale, start)
        )
    return FrankWolfe(decomposition.core, settings, scale, start)


def is_opening(method: Method) -> bool:
    """True while a method is at work that another one will take over from."""
    return isinstance(method, FrankWolfe) and method.opening is not None


def messages_help(decomposition: FieldDecomposition | OwnDecomposition) -> bool:
    """Whether message passing opens well: terms share labels, and none of them are rays.

    Matchings are better off without: Frank-Wolfe has overtaken after a few hundredths of a second.
    """
    if isinstance(decomposition, OwnDecomposition) or decomposition.core.n_shared == 0:
        return False
    return all(term.kind == "cycle" for term in decomposition.further)
