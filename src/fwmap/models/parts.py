"""The parts of a model before they are checked: how readers of files and `MRF` itself hand them over."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidModel
from .arrays import Floats, Ints, check_forbidden_above, finite_range, offsets_of, read_forbidden
from .costs import PRODUCT, TABLE, structured_costs
from .edge_costs import EdgeCosts
from .factors import FactorCosts
from .unaries import check_label_counts, locate_unary

if TYPE_CHECKING:
    from .mrf import MRF


@dataclass(eq=False)
class Parts:
    """Everything that makes a model, as arrays that the model takes over without copying them."""

    n_labels: Ints
    unaries: Floats
    edges: Ints
    edge_costs: EdgeCosts
    factor_costs: FactorCosts
    constant: float = 0.0
    forbidden_above: float = 1e20
    n_forbidden_read: int = 0
    image_shape: tuple[int, int] | None = None
    name: str | None = None

    @staticmethod
    def of(model: MRF) -> Parts:
        """Return the parts of an existing model; the arrays are the model's own and read-only."""
        edge_costs = EdgeCosts(
            model.edge_kind,
            model.edge_table,
            model.edge_weight,
            model.edge_truncation,
            model.table_values,
            model.table_offsets,
            model.table_shapes,
        )
        factor_costs = FactorCosts(
            model.factor_scopes,
            model.factor_scope_offsets,
            model.factor_table,
            model.factor_values,
            model.factor_table_offsets,
        )
        return Parts(
            model.n_labels,
            model.unaries,
            model.edges,
            edge_costs,
            factor_costs,
            model.constant,
            model.forbidden_above,
            model.n_forbidden_read,
            model.image_shape,
            model.name,
        )

    def checked_fields(self) -> dict[str, Any]:
        """Check everything and return the attributes of the model; arrays of `self` may be changed."""
        threshold = check_forbidden_above(self.forbidden_above)
        check_label_counts(self.n_labels)
        label_offsets = offsets_of(self.n_labels)
        if len(self.unaries) != label_offsets[-1]:
            raise InvalidModel(
                f"there are {len(self.unaries)} unary costs; expected {label_offsets[-1]}, one per label"
            )
        check_edges(self.edges, len(self.n_labels))
        edge_costs, factors, constant = self.edge_costs, self.factor_costs, np.array([self.constant])
        n_read = self.n_forbidden_read
        n_read += read_forbidden(constant, threshold, lambda i: "the constant")
        n_read += read_forbidden(self.unaries, threshold, lambda i: locate_unary(self.n_labels, i))
        n_read += edge_costs.check(self.edges, self.n_labels, threshold)
        n_read += factors.check(self.n_labels, threshold)
        self._check_magnitude()
        return {
            "n_nodes": len(self.n_labels),
            "n_labels": self.n_labels,
            "label_offsets": label_offsets,
            "unaries": self.unaries,
            "n_edges": len(self.edges),
            "edges": self.edges,
            "edge_kind": edge_costs.kind,
            "edge_table": edge_costs.table,
            "edge_weight": edge_costs.weight,
            "edge_truncation": edge_costs.truncation,
            "table_values": edge_costs.table_values,
            "table_offsets": edge_costs.table_offsets,
            "table_shapes": edge_costs.table_shapes,
            "n_factors": len(factors.table),
            "factor_scopes": factors.scopes,
            "factor_scope_offsets": factors.scope_offsets,
            "factor_table": factors.table,
            "factor_values": factors.values,
            "factor_table_offsets": factors.table_offsets,
            "constant": float(constant[0]),
            "forbidden_above": threshold,
            "n_forbidden_read": n_read,
            "image_shape": self.image_shape,
            "name": self.name,
        }

    def _check_magnitude(self) -> None:
        """Refuse costs whose sum can overflow a double: no energy could be told."""
        costs, factors = self.edge_costs, self.factor_costs
        structured = (costs.kind != TABLE) & (costs.kind != PRODUCT)
        farthest = self.n_labels[self.edges[structured]].max(axis=1, initial=1) - 1
        parameters = (costs.kind[structured], costs.weight[structured], costs.truncation[structured])
        finite = finite_range(
            self.unaries,
            costs.table_values,
            factors.values,
            structured_costs(*parameters, farthest),
            *costs.product_limits()[1:],
        )
        largest = 0.0 if finite is None else max(abs(finite[0]), abs(finite[1]))
        n_terms = len(self.n_labels) + len(self.edges) + len(factors.table) + 1
        if math.isinf(largest * n_terms):
            raise InvalidModel(f"costs as large as {largest:g} overflow when added; expected smaller ones")


def check_edges(edges: Ints, n_nodes: int) -> None:
    """Refuse edges that are not between two different variables."""
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise InvalidModel(f"edges have shape {edges.shape}; expected two variables per edge: (edges, 2)")
    bad = np.flatnonzero(((edges < 0) | (edges >= n_nodes)).any(axis=1))
    if len(bad):
        e = int(bad[0])
        raise InvalidModel(
            f"edge {e} is {tuple(edges[e].tolist())}; expected variables from 0 to {n_nodes - 1}"
        )
    bad = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if len(bad):
        e = int(bad[0])
        raise InvalidModel(
            f"edge {e} is {tuple(edges[e].tolist())}, a self-loop; expected two different variables "
            "(the cost of one variable belongs to its unaries)"
        )
