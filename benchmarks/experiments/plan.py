"""What the experiments page is made from: which instances, by which methods, for how long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from fwmap.bench import Instance, Job, Method
from fwmap.bench.methods import HIGHS, SOLVERS
from fwmap.bench.suites import SUITES

#: Settings of every run: it is the bound of one relaxation that is compared.
SETTINGS = {"primal": False, "tighten": False, "exact": False}
#: The instance on which several proximal weights are compared, and those.
WEIGHTED, WEIGHTS = "side_chains_36_1", ("paper", 0.01, 0.1, 1, 10, 100)
#: Instances whose relaxation HiGHS solves in time.
EXACT, EXACT_SECONDS = ("ising_24", "stereo", "keypoints_15"), 20.0
#: Instances of the suite `quick` on which messages are known to do well.
EASY = ("ising_24", "stereo")
#: Densities that come first.
FIRST_DENSITIES = ("0.10", "0.50", "0.90")

#: CPU seconds by dataset, the first one that its name begins with.
SECONDS = (
    ("protein folding", 6.0),
    ("protein design", 3.0),
    ("synthetic", 4.0),
    ("Shepp-Logan 64", 6.0),
    ("Shepp-Logan 256", 12.0),
    ("keypoints", 4.0),
    ("", 3.0),
)


def seconds_of(dataset: str) -> float:
    """CPU seconds of each run on a dataset."""
    return next(seconds for name, seconds in SECONDS if dataset.startswith(name))


def jobs(reference: Path | None) -> Iterator[Job]:
    """Every run, one instance of each dataset before the next ones: wherever it is cut, all are there."""
    instances = SUITES["paper"].instances(reference) + SUITES["quick"].instances(None, EASY)
    solvers = [Method(name) for name in SOLVERS]
    rounds: dict[int, list[Instance]] = {}
    seen: Counter[str] = Counter()
    for instance in sorted(instances, key=rank):
        rounds.setdefault(seen[instance.dataset], []).append(instance)
        seen[instance.dataset] += 1
    for number, members in sorted(rounds.items()):
        for instance in members:
            yield from by(instance, solvers)
        if number == 0:
            for instance in instances:
                yield from by(instance, extras(instance))


def extras(instance: Instance) -> list[Method]:
    """Further methods on some instances."""
    if instance.name == WEIGHTED:
        return [Method.parse(f"fwmap:proximal_weight={c}") for c in WEIGHTS]
    return [Method(HIGHS)] if instance.name in EXACT else []


def rank(instance: Instance) -> int:
    """What comes first within a dataset: middling densities, then the others."""
    return instance.dataset.startswith("synthetic") and instance.name[:4] not in FIRST_DENSITIES


def by(instance: Instance, methods: list[Method]) -> Iterator[Job]:
    """The runs on one instance."""
    for method in methods:
        seconds = EXACT_SECONDS if method.solver == HIGHS else seconds_of(instance.dataset)
        yield Job(instance, method, seconds, settings=SETTINGS)
