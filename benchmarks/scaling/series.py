"""What grows: one generator, one argument, and everything else fixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Series:
    """Models of growing size.

    `arguments(size)` are those of the generator, and `measure(size)` is what the time is drawn against.
    """

    what: str
    of: str
    generator: str
    sizes: tuple[int, ...]
    arguments: Callable[[int], dict[str, Any]]
    measure: Callable[[int], int] = lambda size: size


SERIES = {
    "nodes": Series(
        "grids, 4 labels, Potts costs",
        "nodes",
        "denoising",
        (32, 100, 316, 1000),
        lambda side: {"height": side, "width": side, "labels": 4, "smoothness": "potts"},
        lambda side: side * side,
    ),
    "labels, linear costs": Series(
        "32 × 32 grids, truncated linear costs",
        "labels",
        "stereo",
        (2, 5, 15, 50, 150, 500),
        lambda labels: {"height": 32, "width": 32, "disparities": labels},
    ),
    "labels, tables": Series(
        "complete graphs of 10 nodes, a table per edge",
        "labels",
        "side_chains",
        (2, 5, 15, 50, 150, 500),
        lambda labels: {"residues": 10, "rotamers": labels},
    ),
    "edges": Series(
        "complete graphs, 4 labels, a table per edge",
        "edges",
        "side_chains",
        (15, 45, 140, 450),
        lambda nodes: {"residues": nodes, "rotamers": 4},
        lambda nodes: nodes * (nodes - 1) // 2,
    ),
    "factors": Series(
        "factors of three variables, twice as many as variables",
        "terms",
        "noisy_or",
        (100, 1_000, 10_000, 100_000),
        lambda factors: {"diseases": factors // 2, "findings": factors},
    ),
    "rays": Series(
        "tomography, square images from 4 directions",
        "pixels",
        "random_objects",
        (16, 32, 64, 128, 256),
        lambda side: {"size": side, "directions": 4},
        lambda side: side * side,
    ),
}
