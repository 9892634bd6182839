"""What a tomography model consists of, for people: its field, and its projections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import finite_range

if TYPE_CHECKING:
    from .tomography import Tomography


def facts_of_tomography(model: Tomography) -> dict[str, Any]:
    """Return the facts of the field and those of the projections, as plain data."""
    lengths = np.diff(model.ray_offsets)
    hard = int(np.count_nonzero(model.required_sums >= 0))
    seen = np.zeros(model.n_nodes, dtype=bool)
    seen[model.ray_pixels] = True
    costs = finite_range(model.ray_costs)
    return model.field.facts() | {
        "rays": model.n_rays,
        "hard_rays": hard,
        "soft_rays": model.n_rays - hard,
        "ray_lengths": [int(lengths.min()), int(lengths.max())] if model.n_rays else None,
        "ray_costs": None if costs is None else list(costs),
        "ray_costs_read_as_forbidden": model.n_forbidden_read,
        "pixels_in_no_ray": int(np.count_nonzero(~seen)),
    }


def summary_of_tomography(model: Tomography) -> str:
    """Return the facts as a few lines of text."""
    facts = facts_of_tomography(model)
    lines = {"projections": "none"}
    if model.n_rays:
        kinds = ", ".join(f"{facts[f'{kind}_rays']} {kind}" for kind in ("hard", "soft"))
        lines["projections"] = f"{kinds}; {{}} to {{}} pixels each".format(*facts["ray_lengths"])
    if facts["soft_rays"] and facts["ray_costs"] is not None:
        lines["costs of sums"] = "{:g} to {:g}".format(*facts["ray_costs"])
    if model.n_forbidden_read:
        lines["forbidden sums"] = (
            f"{model.n_forbidden_read} of finite cost >= {model.field.forbidden_above:g}"
        )
    if facts["pixels_in_no_ray"]:
        lines["in no ray"] = f"{facts['pixels_in_no_ray']} pixels"
    more = "\n".join(f"{name:16}{text}" for name, text in lines.items())
    return f"{model.field.summary()}\n{more}"
