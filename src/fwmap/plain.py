"""Plain data, as JSON knows it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def without_infinities(value: Any) -> Any:
    """Return plain data with null for every number JSON does not know.

    Examples
    --------
    >>> without_infinities({"energy": math.inf, "A": [math.nan, 1.5]})
    {'energy': None, 'A': [None, 1.5]}
    """
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): without_infinities(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_infinities(entry) for entry in value]
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):  # an array or a NumPy number
        return without_infinities(value.tolist())
    return value
