"""Everything a run can be told, with its default and its meaning on the same line."""

from __future__ import annotations

import dataclasses
import math
import os
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from .errors import InvalidSetting

Solver = Literal["fwmap", "bundle", "subgradient", "message-passing"]
SOLVERS: tuple[str, ...] = get_args(Solver)

Decomposed = Literal["auto", "forests", "chains", "two-sided", "stars"]
DECOMPOSITIONS: tuple[str, ...] = get_args(Decomposed)


@dataclass(frozen=True)
class Settings:
    """Settings of one solve. Every default works for every class of models; nothing needs tuning.

    Examples
    --------
    >>> Settings(gap=1e-4).gap
    0.0001
    >>> Settings(time_limit=-1)
    Traceback (most recent call last):
    fwmap.errors.InvalidSetting: time_limit is -1; expected seconds >= 0, or None
    """

    solver: Solver = "fwmap"  # which method raises the bound
    decomposition: Decomposed = "auto"  # into which oracles; but "forests" for matchings only
    matching: Literal["partial", "perfect"] | None = (
        None  # may left points stay unassigned? None: as the model says
    )
    time_limit: float | None = None  # seconds of wall clock, from the start of the solve; None: none
    iterations: int | None = None  # number of iterations at most; None: no limit
    gap: float = 1e-6  # optimal when energy - bound <= gap * max(|energy|, |bound|)
    absolute_gap: float = 0.0  # or when energy - bound <= absolute_gap
    tolerance: float = 1e-7  # converged when A <= this * (rise of the bound + typical cost) and
    # B <= 10 * this * number of shared variables: neither depends on scale or constants
    proximal_weight: float | Literal["auto", "paper"] = "auto"  # c; "paper": 1500000/(|T|+22)^2
    tighten: bool = True  # let cycles join where the bound stands still below the labeling
    primal: bool = True  # look for labelings; False: the bound only
    exact: bool | Literal["auto"] = "auto"  # finish with an exact solver; "auto": where what is left is small
    # and one is installed
    threads: int | None = None  # that share the work at most; None: as many as there are cores available.
    # The result does not depend on it
    finish: bool | Literal["auto"] = "auto"  # where the bound crawls, solve the relaxation as a linear
    # programme; "auto": where HiGHS is installed
    seed: int = 0  # of the random order of blocks
    cache_iterations: int = 10  # K: a cached plane unused for so many iterations is evicted
    forbidden_above: float = 1e20  # recorded; finite costs >= this were read as forbidden

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if isinstance(value := getattr(self, field.name), np.generic):
                object.__setattr__(self, field.name, value.item())

        def check(name: str, holds: bool, expected: str) -> None:
            if not holds:
                raise InvalidSetting(f"{name} is {getattr(self, name)!r}; expected {expected}")

        def number(value: Any) -> bool:
            return isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)

        def whole(value: Any) -> bool:
            return isinstance(value, int) and not isinstance(value, bool)

        check("solver", self.solver in SOLVERS, " or ".join(map(repr, SOLVERS)))
        check("decomposition", self.decomposition in DECOMPOSITIONS, " or ".join(map(repr, DECOMPOSITIONS)))
        matching = self.matching
        check("matching", matching in (None, "partial", "perfect"), "'partial', 'perfect' or None")
        limit = self.time_limit
        check("time_limit", limit is None or (number(limit) and limit >= 0), "seconds >= 0, or None")
        steps = self.iterations
        check("iterations", steps is None or (whole(steps) and steps >= 0), "an integer >= 0, or None")
        for name in ("gap", "absolute_gap", "tolerance"):
            check(name, number(getattr(self, name)) and getattr(self, name) >= 0, "a number >= 0")
        weight = self.proximal_weight
        check(
            "proximal_weight",
            weight in ("auto", "paper") or (number(weight) and 0 < float(weight) < math.inf),
            "'auto', 'paper' or a finite number > 0",
        )
        for name in ("tighten", "primal"):
            check(name, isinstance(getattr(self, name), bool), "True or False")
        check("exact", isinstance(self.exact, bool) or self.exact == "auto", "True, False or 'auto'")
        check("finish", isinstance(self.finish, bool) or self.finish == "auto", "True, False or 'auto'")
        check("exact", not (self.exact is True and not self.primal), "False or 'auto' where primal is False")
        check("seed", whole(self.seed) and 0 <= self.seed < 2**64, "an integer from 0 to 2^64 - 1")
        threads = self.threads
        check("threads", threads is None or (whole(threads) and 1 <= threads <= 1024), "1 to 1024, or None")
        kept = self.cache_iterations
        check("cache_iterations", whole(kept) and 1 <= kept < 2**63, "an integer from 1 to 2^63 - 1")
        check("forbidden_above", number(self.forbidden_above) and self.forbidden_above > 0, "a number > 0")

    @property
    def most_threads(self) -> int:
        """How many threads share the work at most."""
        return cores_available() if self.threads is None else self.threads

    def as_dict(self) -> dict[str, Any]:
        """The settings as plain data, as they are written into results."""
        return dataclasses.asdict(self)


def cores_available() -> int:
    """Cores that this process may use, 1 to 1024."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, 1024)
