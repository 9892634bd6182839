"""The two gaps of a result: what more iterations could close, and what is the relaxation's own."""

from __future__ import annotations

from .result import Result

#: One of the two is said to be what is left where it is so large a part of the gap.
MOST = 0.9


def dual_gap(result: Result) -> float | None:
    """The bound is at most so far from the optimum of its relaxation; None where that is not known."""
    upper = result.relaxation_gap.get("upper")
    return None if upper is None or result.bound is None else max(0.0, upper - result.bound)


def own_gap(result: Result) -> float | None:
    """The relaxation's optimum is at least so far below the labeling; None where that is not known."""
    upper = result.relaxation_gap.get("upper")
    return None if upper is None or result.energy is None else max(0.0, result.energy - upper)


def what_is_left(result: Result) -> str | None:
    """Which gap keeps a labeling from being proved, and what to do about it, in a sentence or two."""
    own, dual, gap = own_gap(result), dual_gap(result), result.gap
    if result.status in ("optimal", "infeasible") or not gap or own is None or dual is None:
        return None
    if result.status == "converged":
        return (
            "the relaxation's own gap, or the labeling's: a proof needs a tighter relaxation, or an exact "
            "solver (--exact)"
        )
    if own >= MOST * gap:
        return (
            "the relaxation's own gap, or the labeling's: more time may find a better labeling, a proof "
            "needs a tighter relaxation, or an exact solver (--exact)"
        )
    if result.cycles and not own:  # nobody knows a point of it but the labeling
        return (
            "how far the relaxation with its cycles reaches is not known: more time may raise the bound, an "
            "exact solver (--exact) may close the gap"
        )
    if dual >= MOST * gap:
        return "the bound may be far from what the relaxation allows: more time may raise it"
    return "some of it is the bound's, which more time may raise, and some is the relaxation's own"
