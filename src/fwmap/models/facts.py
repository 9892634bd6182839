"""What a model consists of, for people: counts, ranges, and what is unusual about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Floats, finite_range
from .costs import KIND_NAMES, PRODUCT, TABLE, structured_costs
from .factors import by_arity
from .parts import Parts

if TYPE_CHECKING:
    from .mrf import MRF


def facts_of(model: MRF) -> dict[str, Any]:
    """Return what `fwmap info` prints about a model, as plain data."""
    arities = np.diff(model.factor_scope_offsets)
    factors = {1: model.n_nodes, 2: model.n_edges}
    factors |= {int(k): int(np.count_nonzero(arities == k)) for k in np.unique(arities)}
    kinds = np.bincount(model.edge_kind, minlength=len(KIND_NAMES)).tolist()
    degree_zero = np.ones(model.n_nodes, dtype=bool)
    degree_zero[model.edges.reshape(-1)] = False
    degree_zero[model.factor_scopes] = False
    costs = finite_range(model.unaries, model.table_values, model.factor_values, _structured_extremes(model))
    return {
        "variables": model.n_nodes,
        "labels": [int(model.n_labels.min()), int(model.n_labels.max())] if model.n_nodes else None,
        "labels_in_total": len(model.unaries),
        "factors_by_arity": factors,
        "edges_by_kind": {name: n for name, n in zip(KIND_NAMES, kinds, strict=True) if n},
        "tables_stored": len(model.table_shapes) + len(model.factor_table_offsets) - 1,
        "tables_used": kinds[TABLE] + model.n_factors,
        "finite_costs": None if costs is None else list(costs),
        "constant": model.constant,
        "forbidden_labels": int(np.count_nonzero(np.isinf(model.unaries))),
        "forbidden_table_entries": sum(
            int(np.count_nonzero(np.isinf(values))) for values in (model.table_values, model.factor_values)
        ),
        "forbidden_above": model.forbidden_above,
        "forbidden_read": model.n_forbidden_read,
        "repeated_scopes": _repeated_edges(model) + _repeated_factor_scopes(model),
        "isolated_variables": int(np.count_nonzero(degree_zero)),
        "image_shape": None if model.image_shape is None else list(model.image_shape),
    }


def summary_of(model: MRF) -> str:
    """Return the facts as a few lines of text."""
    facts = facts_of(model)
    counts = {1: "unary", 2: "pairwise"}
    lines = {
        "variables": f"{facts['variables']}"
        + (f", an image of {model.image_shape}" if model.image_shape else ""),
        "labels": "none" if facts["labels"] is None else "{} to {} per variable".format(*facts["labels"]),
        "factors": ", ".join(
            f"{n} {counts.get(k, f'of {k}')}" for k, n in facts["factors_by_arity"].items() if n
        ),
        "pairwise costs": ", ".join(f"{n} {name}" for name, n in facts["edges_by_kind"].items()),
        "tables": f"{facts['tables_stored']} stored, used {facts['tables_used']} times",
        "finite costs": "none"
        if facts["finite_costs"] is None
        else "{:g} to {:g}".format(*facts["finite_costs"]),
        "constant": f"{facts['constant']:g}",
        "forbidden": f"{facts['forbidden_labels']} labels, {facts['forbidden_table_entries']} table entries",
    }
    if facts["forbidden_read"]:
        lines["forbidden"] += f"; {facts['forbidden_read']} of them finite and >= {model.forbidden_above:g}"
    if facts["repeated_scopes"]:
        lines["repeated scopes"] = f"{facts['repeated_scopes']} (their costs add up)"
    if facts["isolated_variables"]:
        lines["isolated"] = f"{facts['isolated_variables']} variables"
    return "\n".join(f"{name:16}{text}" for name, text in lines.items() if text)


def _structured_extremes(model: MRF) -> Floats:
    """Return the costs of structured edges at equal labels and at the largest difference, and products."""
    other = (model.edge_kind != TABLE) & (model.edge_kind != PRODUCT)
    sizes = model.n_labels[model.edges[other]]
    farthest = sizes.max(axis=1, initial=1) - 1
    parameters = (model.edge_kind[other], model.edge_weight[other], model.edge_truncation[other])
    ends = [structured_costs(*parameters, 0), structured_costs(*parameters, farthest)]
    return np.concatenate([*ends, *Parts.of(model).edge_costs.product_limits()[1:]])


def _repeated_edges(model: MRF) -> int:
    low, high = np.minimum(*model.edges.T), np.maximum(*model.edges.T)
    return model.n_edges - len(np.unique(low * model.n_nodes + high))


def _repeated_factor_scopes(model: MRF) -> int:
    repeated = 0
    for group in by_arity(model.factor_scope_offsets):
        scopes = np.sort(model.factor_scopes[group.positions], axis=1)
        repeated += len(scopes) - len(np.unique(scopes, axis=0))
    return repeated
