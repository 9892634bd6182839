"""What the models share: they do not change after construction."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


class Frozen:
    """Attributes are set once, together, by the constructor; arrays become read-only."""

    def _freeze(self, fields: Mapping[str, object]) -> None:
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a model does not change."""
        raise AttributeError(
            f"a model does not change after construction: cannot set {name}; make a new model"
        )
