"""Instances of a benchmark: how each is made or read, and which dataset it belongs to."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import datasets, formats
from ..errors import FormatError
from ..models import Model

#: Dataset of a reference instance, by the first pattern that its name matches.
REFERENCE_DATASETS = (
    (r"(?i)emat", "protein design"),
    (r"pdb", "side chains"),
    (r"CELAR|scen", "frequency assignment"),
    (r"grid|Grids", "frustrated grids"),
    (r"0000047|Segmentation", "segmentation"),
    (r"(alien|circles)32_(\d)", r"phantoms {2} proj."),
    (r"shepp(\d+)_", r"Shepp-Logan {1}×{1}"),
    (r"car|motor", "car and motor"),
    (r"opengm", "opengm"),
    (r"", "UAI 2014"),
)


@dataclass(frozen=True)
class Instance:
    """One problem of a benchmark.

    Attributes
    ----------
    name
        What records call it.
    dataset
        The group whose average a table shows.
    kind
        "mrf", "tomography" or "matching".
    generator, arguments
        A function of `fwmap.datasets` and what it is called with; or
    file, values
        a file, and how to read the numbers of a UAI file: "costs", or None.

    Examples
    --------
    >>> Instance("t", "trees", "mrf", "tree", {"nodes": 5, "labels": 2}).load().n_edges
    4
    """

    name: str
    dataset: str
    kind: str
    generator: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None
    values: str | None = None

    def load(self) -> Model:
        """Generate the model, or read it."""
        if self.generator is not None:
            model: Model = getattr(datasets, self.generator)(**self.arguments).model
            return model
        assert self.file is not None
        return formats.read(self.file, costs=self.values == "costs").model

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain data, for another process."""
        return asdict(self)


def reference_instances(folder: Path) -> list[Instance]:
    """Return the instances listed in `reference.json` of a folder of reference data.

    Files of formats that this version does not read are left out.
    """
    listing = folder / "reference.json"
    try:
        entries = json.loads(listing.read_text())["instances"]
    except (json.JSONDecodeError, KeyError) as error:
        raise FormatError(f"{listing}: this is no list of reference instances ({error})") from None
    return [
        Instance(
            entry["name"],
            reference_dataset(entry["name"]),
            entry["class"],
            file=str(folder / entry["file"]),
            values="costs" if entry["values"] == "costs" else None,
        )
        for entry in entries
        if formats.can_read(entry["file"])
    ]


def reference_dataset(name: str) -> str:
    """Return the dataset of a reference instance.

    Examples
    --------
    >>> reference_dataset("circles32_4"), reference_dataset("shepp64_2"), reference_dataset("wcsp_11")
    ('phantoms 4 proj.', 'Shepp-Logan 64×64', 'UAI 2014')
    """
    for pattern, dataset in REFERENCE_DATASETS:
        found = re.match(pattern, name)
        if found:
            return dataset.format(found.group(), *found.groups())
    raise AssertionError("the last pattern matches every name")
