"""Public instances that are not part of this repository, and what other programs know of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fwmap.formats import Loaded, read

GIVEN = os.environ.get("FWMAP_REFERENCE_DATA")
FOLDER = Path(GIVEN) if GIVEN else Path("nowhere")

#: On a test, or as a module's `pytestmark`.
needed = pytest.mark.skipif(not GIVEN, reason="FWMAP_REFERENCE_DATA does not name the reference instances")


def entries(kind, wanted=lambda entry: True):
    """What is listed of a kind, as parameters of a test; none where there are no instances."""
    if not GIVEN:
        return []
    listed = json.loads((FOLDER / "reference.json").read_text())["instances"]
    return [pytest.param(e, id=e["name"]) for e in listed if e["class"] == kind and wanted(e)]


def load(entry) -> Loaded:
    """The instance of an entry, its numbers read as the entry says."""
    return read(FOLDER / entry["file"], costs=entry["values"] == "costs")
