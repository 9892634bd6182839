"""Suites: which instances a benchmark runs, generated ones and, where at hand, reference ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidSetting
from .instances import Instance, reference_instances

DENSITIES = tuple(round(0.1 * tenth, 1) for tenth in range(1, 10))
DIRECTIONS = (2, 4, 6)


def protein_like() -> list[Instance]:
    """Complete graphs as large as those of the paper's protein folding set, which cannot be had."""
    return [
        Instance(
            f"side_chains_{residues}_{seed}",
            "protein folding, generated",
            "mrf",
            "side_chains",
            {"residues": residues, "rotamers": 40, "strength": 1.0, "seed": seed},
        )
        for seed, residues in enumerate((33, 36, 40))
    ]


def synthetic(directions: Iterable[int] = DIRECTIONS) -> list[Instance]:
    """Images of random objects, one for each density and number of directions."""
    return [
        Instance(
            f"{density:.2f}_{count}",
            f"synthetic {count} proj.",
            "tomography",
            "random_objects",
            {"size": 32, "density": density, "directions": count, "seed": round(10 * density)},
        )
        for count in directions
        for density in DENSITIES
    ]


def shepp_logan(size: int) -> list[Instance]:
    """The phantom of one size from 2, 4 and 6 directions."""
    return [
        Instance(
            f"Logan_{size}_{count}",
            f"Shepp-Logan {size}×{size}",
            "tomography",
            "shepp_logan",
            {"size": size, "directions": count},
        )
        for count in DIRECTIONS
    ]


def fields() -> list[Instance]:
    """Fields of other kinds: images, spin glasses, a tree, diagnosis."""
    return [
        Instance("denoising", "images", "mrf", "denoising", {"height": 48, "width": 64, "labels": 8}),
        Instance("stereo", "images", "mrf", "stereo", {"height": 48, "width": 64, "disparities": 8}),
        Instance("ising_24", "spin glasses", "mrf", "ising", {"height": 24, "width": 24}),
        Instance("ising_signs", "spin glasses", "mrf", "ising", {"couplings": "signs", "field": 0.5}),
        Instance("noisy_or", "diagnosis", "mrf", "noisy_or", {"diseases": 60, "findings": 120}),
    ]


def keypoints() -> list[Instance]:
    """Points seen twice, more and more of them."""
    return [
        Instance(
            f"keypoints_{points}",
            "keypoints, generated",
            "matching",
            "keypoints",
            {"points": points, "outliers": points // 3, "noise": 0.05, "seed": points},
        )
        for points in (15, 20, 30)
    ]


def small() -> list[Instance]:
    """One small instance of each class that can be generated."""
    chains = {"residues": 20, "rotamers": 10, "strength": 1.0}
    objects = {"size": 16, "density": 0.5, "directions": 4}
    return [
        Instance("side_chains_20", "protein folding, generated", "mrf", "side_chains", chains),
        Instance("ising_24", "spin glasses", "mrf", "ising", {"height": 24, "width": 24}),
        Instance("stereo", "images", "mrf", "stereo", {"height": 32, "width": 40, "disparities": 8}),
        Instance("0.50_4", "synthetic 4 proj.", "tomography", "random_objects", objects),
        keypoints()[0],
        Instance(
            "Logan_24_2", "Shepp-Logan 24×24", "tomography", "shepp_logan", {"size": 24, "directions": 2}
        ),
    ]


@dataclass(frozen=True)
class Suite:
    """A suite: generated instances, and which datasets of the reference instances belong to it.

    `seconds` is the CPU time of each run unless another is asked for.
    """

    description: str
    seconds: float
    generated: tuple[Instance, ...]
    kinds: tuple[str, ...] = ()  # of reference instances that belong to it
    datasets: tuple[str, ...] = ()  # and further ones of these datasets

    def instances(self, reference: Path | None, only: Iterable[str] = ()) -> list[Instance]:
        """Return the instances, without reference data the generated ones; `only` picks some by name."""
        chosen = list(self.generated)
        if reference is not None:
            chosen += [
                instance
                for instance in reference_instances(reference)
                if instance.kind in self.kinds or instance.dataset in self.datasets
            ]
        wanted = set(only)
        unknown = wanted - {instance.name for instance in chosen}
        if unknown:
            raise InvalidSetting(f"the suite has no instance {min(unknown)!r}")
        return [instance for instance in chosen if not wanted or instance.name in wanted]


SUITES = {
    "paper": Suite(
        "the paper's datasets: those that can be generated, and reference instances of the same classes",
        60.0,
        (*protein_like(), *synthetic(), *shepp_logan(64), *shepp_logan(256), *keypoints()),
        kinds=("matching",),
        datasets=("protein design",),
    ),
    "mrf": Suite("Markov random fields", 20.0, (*protein_like(), *fields()), kinds=("mrf",)),
    "tomography": Suite("tomography", 20.0, (*synthetic(), *shepp_logan(64)), kinds=("tomography",)),
    "matching": Suite("graph matching", 20.0, tuple(keypoints()), kinds=("matching",)),
    "quick": Suite("a small instance of each generated class, two minutes in all", 3.0, tuple(small())),
}
