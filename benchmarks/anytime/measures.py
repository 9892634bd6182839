"""Dominance, speed-up and distance of one run, and their summaries; the words are those of the docs page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from curves import TOLERANCE, Curve, size

CHECKPOINTS = (0.1, 0.3, 1.0, 3.0, 10.0, 20.0)  # CPU seconds of the reference machine
PUBLISHED = {"own c": "fwmap_published_own_c", "tuned c": "fwmap_published_tuned_c"}
FIRST_COUNTED = 1.0  # seconds: a program that is there earlier says nothing about speed


def dominance(ours: Curve, others: Mapping[str, Curve], until: float) -> list[dict[str, Any]]:
    """At each checkpoint up to `until`: our bound, and the best of all other programs."""
    rows = []
    for time in CHECKPOINTS:
        if time > until * (1 + 1e-9) or not others:
            continue
        known = {name: bound for name, curve in others.items() if (bound := curve.at(time)) is not None}
        if not known:
            continue
        best = max(known, key=lambda name: known[name])
        own = ours.at(time)
        ahead = own is not None and own >= known[best] - TOLERANCE * size(known[best])
        rows.append({"seconds": time, "bound": own, "best": known[best], "program": best, "ahead": ahead})
    return rows


def speed_up(ours: Curve, published: Curve) -> dict[str, Any] | None:
    """How many times faster we are at the published solver's bound after 10 seconds, less 1e-6.

    Its time is the earlier end of the recorded interval in which it gets there. `counts` says whether it
    gets there at 1 s or later, as recorded. Where we do not get there at all, our time is None and the
    factor is what it would be if we got there at the very end.
    """
    final = published.at(10.0)
    if final is None:
        return None
    level = final - TOLERANCE * size(final)
    reached = published.first_reaching(level)
    assert reached is not None
    theirs = published.times[reached - 1] if reached else 0.0
    own = ours.first_reaching(level)
    own_time = None if own is None else ours.times[own]
    return {
        "level": level,
        "theirs": theirs,
        "theirs_recorded": published.times[reached],
        "ours": own_time,
        "factor": theirs / (ours.times[-1] if own_time is None else own_time) if ours.times else 0.0,
        "counts": published.times[reached] >= FIRST_COUNTED,
    }


def distance(bound: float | None, entry: Mapping[str, Any]) -> dict[str, Any] | None:
    """Relative distance of the last bound to the relaxation's optimum.

    Where that is unknown, to the least energy known (`at most`: the relaxation's optimum is no more), or else
    to the best bound of any program (`at least`). Energies rounded to two decimals are no use.
    """
    if bound is None:
        return None
    if entry["lp_optimum"] is not None:
        target, kind = entry["lp_optimum"], "exact"
    elif entry.get("optimum") is not None and entry.get("optimum_digits", 5) > 2:
        target, kind = entry["optimum"], "at most"
    elif entry["best_bound"] is not None:
        target, kind = entry["best_bound"], "at least"
    else:
        return None
    return {"value": (target - bound) / size(target), "to": target, "kind": kind}


def summary(runs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Dominance and speed-ups of several runs."""
    runs = list(runs)
    points = [row["ahead"] for run in runs for row in run["dominance"]]
    result: dict[str, Any] = {
        "instances": len(runs),
        "checkpoints": len(points),
        "ahead": sum(points),
        "share": sum(points) / len(points) if points else None,
    }
    for name in PUBLISHED:
        known = [run["speed_up"][name] for run in runs if run["speed_up"].get(name)]
        factors = [each["factor"] for each in known if each["counts"]]
        result[name] = {
            "counted": len(factors),
            "geometric_mean": geometric_mean(factors),
            "least": min(factors, default=None),
            "not_reached": sum(each["counts"] and each["ours"] is None for each in known),
        }
    return result


def geometric_mean(factors: list[float]) -> float | None:
    """The mean of factors; 0 where one is 0."""
    if not factors:
        return None
    if min(factors) <= 0:
        return 0.0
    return math.exp(math.fsum(math.log(factor) for factor in factors) / len(factors))
