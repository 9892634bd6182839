"""Any model: what `fwmap.solve` takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidModel
from .energy import check_labeling
from .matching import GraphMatching
from .mrf import MRF
from .oracle import Decomposition
from .tomography import Tomography

#: Everything that `fwmap.solve` takes.
Model = MRF | Tomography | GraphMatching | Decomposition


def field_of(model: Model) -> MRF | None:
    """The Markov random field inside a model; None for oracles of one's own."""
    if isinstance(model, (Tomography, GraphMatching)):
        return model.field
    if isinstance(model, MRF):
        return model
    if isinstance(model, Decomposition):
        return None
    expected = "fwmap.MRF, fwmap.Tomography, fwmap.GraphMatching or fwmap.Decomposition"
    raise InvalidModel(f"cannot solve a {type(model).__name__}; expected {expected}")


def checked_labeling(model: Model, labeling: ArrayLike) -> NDArray[np.int64]:
    """A labeling as one integer per variable, or InvalidModel saying which entry is wrong."""
    if isinstance(model, GraphMatching):
        return model.check_labeling(labeling)
    field = field_of(model)
    if field is not None:
        return check_labeling(field, labeling)
    model.energy(labeling)  # raises where it is none
    return np.asarray(labeling, np.int64)
