"""What a matching model consists of, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import finite_range

if TYPE_CHECKING:
    from .matching import GraphMatching


def facts_of_matching(model: GraphMatching) -> dict[str, Any]:
    """Return the facts as plain data."""
    costs, pair_costs = finite_range(model.costs), finite_range(model.pair_costs)
    may_stay = np.isfinite(model.unassigned_costs)
    unassigned = finite_range(model.unassigned_costs)
    return {
        "name": model.name,
        "left": model.n_left,
        "right": model.n_right,
        "assignments": model.n_assignments,
        "pairs": model.n_pairs,
        "matching": model.matching,
        "may_stay_unassigned": int(np.count_nonzero(may_stay)),
        "costs": None if costs is None else list(costs),
        "pair_costs": None if pair_costs is None else list(pair_costs),
        "unassigned_costs": None if unassigned is None else list(unassigned),
        "forbidden_assignments": int(np.count_nonzero(np.isinf(model.costs))),
        "forbidden_pairs": int(np.count_nonzero(np.isinf(model.pair_costs))),
        "excluded_pairs": model.n_excluded_pairs,
        "forbidden_above": model.forbidden_above,
        "read_as_forbidden": model.n_forbidden_read,
        "constant": model.constant,
        "product": None if model.product is None else product_facts(model),
    }


def product_facts(model: GraphMatching) -> dict[str, Any]:
    """Return what there is to say of costs that are products."""
    product = model.product
    assert product is not None
    matrices = {"left": product.left, "right": product.right}
    return {
        "linked_left_points": len(product.edges()),
        "symmetric": {side: bool(np.array_equal(m, m.T)) for side, m in matrices.items()},
        "different_values": {side: len(np.unique(m)) for side, m in matrices.items()},
    }


def summary_of_matching(model: GraphMatching) -> str:
    """Return the facts as a few lines of text."""
    facts = facts_of_matching(model)
    full = model.n_left * model.n_right
    share = f" ({100 * model.n_assignments / full:.3g} % of all)" if full else ""
    lines = {
        "points": f"{model.n_left} left, {model.n_right} right",
        "assignments": f"{model.n_assignments} allowed{share}",
        "pairs": f"{model.n_pairs} with a cost",
        "matching": f"{model.matching}; {facts['may_stay_unassigned']} left points may stay unassigned",
    }
    if model.product is not None:
        said = facts["product"]
        kinds = ["symmetric" if said["symmetric"][side] else "asymmetric" for side in ("left", "right")]
        values = [said["different_values"][side] for side in ("left", "right")]
        lines["pairs"] = (
            f"products of a matrix of left points ({kinds[0]}, {values[0]} values) and one of right points "
            f"({kinds[1]}, {values[1]} values); {said['linked_left_points']} pairs of left points"
        )
    for key, words in (
        ("costs", "costs"),
        ("pair_costs", "costs of pairs"),
        ("unassigned_costs", "unassigned"),
    ):
        if facts[key] is not None:
            lines[words] = "{:g} to {:g}".format(*facts[key])
    if model.constant:
        lines["constant"] = f"{model.constant:g}"
    if facts["forbidden_assignments"] or facts["forbidden_pairs"]:
        lines["forbidden"] = f"{facts['forbidden_assignments']} assignments, {facts['forbidden_pairs']} pairs"
    if model.n_forbidden_read:
        lines["read as inf"] = f"{model.n_forbidden_read} finite costs >= {model.forbidden_above:g}"
    if model.n_excluded_pairs:
        lines["left out"] = f"{model.n_excluded_pairs} pairs that share a point and are never both made"
    return "\n".join(f"{name:16}{text}" for name, text in lines.items())
