"""What is left of a problem, solved exactly by a program of other people; its word is taken, and named."""

from __future__ import annotations

from .answer import Answer
from .finish import Exact, Finished
from .remainder import Remainder, remainder_of
from .reparametrise import reparametrised
from .toulbar2 import solve_by_toulbar2

__all__ = ["Answer", "Exact", "Finished", "Remainder", "remainder_of", "reparametrised", "solve_by_toulbar2"]
