"""Markov random fields: unary, pairwise and higher-order costs over discrete variables, as plain arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidModel
from .arrays import Floats, Ints, as_costs, as_indices, check_forbidden_above, offsets_of, read_forbidden
from .costs import PRODUCT, TABLE, product_costs, structured_table
from .energy import check_labeling, energy_of
from .factors import Factor, FactorCosts, split_factors
from .facts import facts_of, summary_of
from .frozen import Frozen
from .grid import grid_edges, weighted
from .pairwise import Pairwise, edge_costs_of
from .parts import Parts, check_edges
from .unaries import flat_unaries, locate_addition, locate_unary


class MRF(Frozen):
    """A discrete energy: constant + unary costs + pairwise costs + costs of higher-order factors.

    Costs are minimised; inf forbids. A model does not change after construction: its arrays are copies
    and read-only. Parallel edges and factors with equal scopes are kept, and their costs add up.

    Parameters
    ----------
    unaries
        One 1-D array of costs per variable, or a 2-D array (variables, labels).
    edges
        Integers (m, 2): the two variables of each edge, in any order.
    pairwise
        The costs of the edges; rows belong to the first variable of an edge, columns to the second.
        One table for all edges; an array (m, rows, columns) with one table per edge; `Potts`,
        `TruncatedLinear` or `TruncatedQuadratic`; `SharedTables`; or a sequence with one table or
        structured cost per edge, where an array object that occurs several times is stored once.
    factors
        Pairs (scope, table); axis i of the table belongs to variable i of the scope. Of no, one or two
        variables they become part of the constant, the unaries or the edges (after those of `edges`).
    constant
        A cost paid by every labeling.
    forbidden_above
        Finite costs >= this stand for forbidden: they become inf and are counted in `n_forbidden_read`.
        A structured cost that reaches this is stored as a table.
    name
        What to call the model in messages.

    Raises
    ------
    InvalidModel
        For NaN, -inf, wrong sizes, indices out of range, self-loops, repeated variables in a scope.

    Attributes
    ----------
    n_nodes, n_edges, n_factors
        Numbers of variables, edges, and factors of at least three variables.
    n_labels
        int64 (n_nodes): number of labels of each variable.
    unaries, label_offsets
        float64, int64 (n_nodes + 1): the costs of variable v are
        `unaries[label_offsets[v]:label_offsets[v + 1]]`; inf is forbidden.
    edges
        int64 (n_edges, 2), as given.
    edge_kind
        uint8 (n_edges): 0 table, 1 Potts, 2 truncated linear, 3 truncated quadratic, 4 product: the labels
        (a, b) cost weight * T[a, b] + truncation * T[b, a] with the square table T that many edges share;
        they are forbidden where T[a, b] is inf. T forbids (a, b) and (b, a) alike.
    edge_table
        int64 (n_edges): number of the edge's table, -1 where there is none.
    edge_weight, edge_truncation
        float64 (n_edges): parameters of structured costs; the truncation (may be inf) of a Potts cost and
        both of a table are 0.
    table_values, table_offsets, table_shapes
        float64, int64 (tables + 1), int64 (tables, 2): the row-major tables, one after the other.
    factor_scopes, factor_scope_offsets
        int64, int64 (n_factors + 1): the variables of each factor.
    factor_table
        int64 (n_factors): number of the factor's table.
    factor_values, factor_table_offsets
        float64, int64 (factor tables + 1): the tables, last variable of the scope fastest.
    constant
        float, inf where a factor without variables is forbidden (then every labeling is).
    forbidden_above, n_forbidden_read
        The threshold used, and how many finite entries it turned into inf (a shared table counts once).
    image_shape
        (H, W) of a grid made by `MRF.grid`, else None; variable row * W + column is that pixel.
    name
        As given, or None.

    Examples
    --------
    >>> from fwmap.models import MRF, Potts
    >>> model = MRF([[0.0, 1.0], [2.0, 0.0]], edges=[(0, 1)], pairwise=Potts(0.5))
    >>> model.energy([0, 1])
    0.5
    """

    n_nodes: int
    n_labels: Ints
    label_offsets: Ints
    unaries: Floats
    n_edges: int
    edges: Ints
    edge_kind: NDArray[np.uint8]
    edge_table: Ints
    edge_weight: Floats
    edge_truncation: Floats
    table_values: Floats
    table_offsets: Ints
    table_shapes: Ints
    n_factors: int
    factor_scopes: Ints
    factor_scope_offsets: Ints
    factor_table: Ints
    factor_values: Floats
    factor_table_offsets: Ints
    constant: float
    forbidden_above: float
    n_forbidden_read: int
    image_shape: tuple[int, int] | None
    name: str | None

    def __init__(
        self,
        unaries: ArrayLike | Sequence[ArrayLike],
        edges: ArrayLike = (),
        pairwise: Pairwise = None,
        factors: Sequence[Factor] = (),
        constant: float = 0.0,
        *,
        forbidden_above: float = 1e20,
        name: str | None = None,
    ) -> None:
        """Check and copy what is given; the parameters are described with the class."""
        threshold = check_forbidden_above(forbidden_above)
        n_labels, costs = flat_unaries(unaries)
        pairs = as_indices(edges, "edges")
        pairs = pairs if pairs.size else pairs.reshape(0, 2)
        check_edges(pairs, len(n_labels))
        split = split_factors(factors, n_labels)
        constants = np.array([_constant(constant), *split.constants])
        n_read = read_forbidden(constants, threshold, lambda i: "the constant")
        n_read += read_forbidden(costs, threshold, lambda i: locate_unary(n_labels, i))
        offsets = offsets_of(n_labels)
        for v, added in split.unaries:
            n_read += read_forbidden(added, threshold, partial(locate_addition, v))
            costs[offsets[v] : offsets[v + 1]] += added
        parts = Parts(
            n_labels,
            costs,
            np.concatenate([pairs, split.edges]),
            edge_costs_of(pairwise, len(pairs)).joined(split.edge_costs),
            split.higher,
            math.fsum(constants.tolist()),
            threshold,
            n_read,
            name=name,
        )
        self._freeze(parts.checked_fields())

    @classmethod
    def from_parts(cls, parts: Parts) -> MRF:
        """Return a model that takes over the arrays of `parts`, for readers of large files.

        They are checked like everything else, not copied, may be changed, and are read-only afterwards.

        Examples
        --------
        >>> from fwmap.models.parts import EdgeCosts, FactorCosts, Parts
        >>> edges, unaries = np.zeros((0, 2), dtype=np.int64), np.array([3.0, 4.0])
        >>> MRF.from_parts(Parts(np.array([2]), unaries, edges, EdgeCosts.none(), FactorCosts.none()))
        MRF(1 variables, 0 edges, 0 factors)
        """
        model = cls.__new__(cls)
        model._freeze(parts.checked_fields())
        return model

    @classmethod
    def grid(
        cls,
        unaries: ArrayLike,
        pairwise: Pairwise,
        *,
        horizontal_weights: ArrayLike | None = None,
        vertical_weights: ArrayLike | None = None,
        diagonal_weights: ArrayLike | None = None,
        antidiagonal_weights: ArrayLike | None = None,
        connectivity: int = 4,
        constant: float = 0.0,
        forbidden_above: float = 1e20,
        name: str | None = None,
    ) -> MRF:
        """Return the model of an image; variable row * W + column is the pixel (row, column).

        Parameters
        ----------
        unaries
            Costs (H, W, K).
        pairwise
            As for `MRF`; edges are ordered horizontal, vertical, diagonal (down and right), antidiagonal
            (down and left), each row by row, from the upper pixel to the lower, or left to right.
        horizontal_weights, vertical_weights, diagonal_weights, antidiagonal_weights
            Arrays (H, W-1), (H-1, W), (H-1, W-1), (H-1, W-1) by which the cost of each edge is multiplied;
            `pairwise` is then one table or structured cost. Tables are stored once per distinct weight.
        connectivity
            4 or 8 neighbours.
        constant, forbidden_above, name
            As for `MRF`.

        Examples
        --------
        >>> from fwmap.models import MRF, TruncatedLinear
        >>> model = MRF.grid(np.zeros((2, 3, 4)), TruncatedLinear(1.0, 2.0))
        >>> model.n_edges, model.energy([[0, 1, 3], [0, 0, 0]])
        (7, 6.0)
        """
        threshold = check_forbidden_above(forbidden_above)
        costs = as_costs(unaries, "unaries")
        if costs.ndim != 3:
            raise InvalidModel(
                f"unaries of a grid have shape {costs.shape}; expected (height, width, labels)"
            )
        height, width, k = costs.shape
        weights = {
            "horizontal": horizontal_weights,
            "vertical": vertical_weights,
            "diagonal": diagonal_weights,
            "antidiagonal": antidiagonal_weights,
        }
        edges = grid_edges(height, width, connectivity)
        pairwise = weighted(pairwise, weights, (height, width), connectivity, threshold)
        return cls.from_parts(
            Parts(
                np.full(height * width, k),
                costs.reshape(-1),
                edges,
                edge_costs_of(pairwise, len(edges)),
                FactorCosts.none(),
                _constant(constant),
                threshold,
                image_shape=(height, width),
                name=name,
            )
        )

    def unary(self, v: int) -> Floats:
        """Return the costs of the labels of variable `v`.

        Examples
        --------
        >>> MRF([[1, 2], [3, 4, 5]]).unary(1).tolist()
        [3.0, 4.0, 5.0]
        """
        v = _number_below(v, self.n_nodes, "variable")
        return self.unaries[self.label_offsets[v] : self.label_offsets[v + 1]]

    def pairwise_table(self, e: int) -> Floats:
        """Return the costs of edge `e` as a new table, whatever their kind.

        Examples
        --------
        >>> from fwmap.models import MRF, Potts
        >>> MRF([[0, 0], [0, 0]], [(0, 1)], Potts(3)).pairwise_table(0).tolist()
        [[0.0, 3.0], [3.0, 0.0]]
        """
        e = _number_below(e, self.n_edges, "edge")
        weight, truncation = float(self.edge_weight[e]), float(self.edge_truncation[e])
        if self.edge_table[e] >= 0:
            t = self.edge_table[e]
            values = self.table_values[self.table_offsets[t] : self.table_offsets[t + 1]]
            table = values.reshape(self.table_shapes[t])
            if self.edge_kind[e] == TABLE:
                return table.copy()
            return product_costs(weight, truncation, table, table.T)
        rows, columns = self.n_labels[self.edges[e]].tolist()
        return structured_table(int(self.edge_kind[e]), weight, truncation, rows, columns)

    def factor_scope(self, f: int) -> Ints:
        """Return the variables of factor `f`, in the order of its table's axes.

        Examples
        --------
        >>> MRF([[0, 0]] * 3, factors=[((2, 0, 1), np.zeros((2, 2, 2)))]).factor_scope(0).tolist()
        [2, 0, 1]
        """
        f = _number_below(f, self.n_factors, "factor")
        return self.factor_scopes[self.factor_scope_offsets[f] : self.factor_scope_offsets[f + 1]]

    def factor_table_of(self, f: int) -> Floats:
        """Return the table of factor `f`, one axis per variable of its scope.

        Examples
        --------
        >>> MRF([[0, 0]] * 3, factors=[((2, 0, 1), np.zeros((2, 2, 2)))]).factor_table_of(0).shape
        (2, 2, 2)
        """
        scope, t = self.factor_scope(f), self.factor_table[f]
        values = self.factor_values[self.factor_table_offsets[t] : self.factor_table_offsets[t + 1]]
        return values.reshape(self.n_labels[scope])

    def energy(self, labeling: ArrayLike) -> float:
        """Return the energy of a labeling, correctly rounded; inf where it uses anything forbidden.

        Parameters
        ----------
        labeling
            One integer per variable; for a grid also of the shape of the image.

        Raises
        ------
        InvalidModel
            If the labeling has the wrong length, no integers, or a label that does not exist.

        Examples
        --------
        >>> MRF([[1, 2], [3, 4]], [(0, 1)], [[0, 10], [20, 0]]).energy([1, 0])
        25.0
        """
        return energy_of(self, check_labeling(self, labeling))

    def condition(self, evidence: Mapping[int, int]) -> MRF:
        """Return the model in which each variable of `evidence` has the label given there.

        Its other labels are forbidden; numbers of variables and labels stay as they are.

        Examples
        --------
        >>> MRF([[1, 2], [3, 4]]).condition({0: 1}).unaries.tolist()
        [inf, 2.0, 3.0, 4.0]
        """
        unaries = self.unaries.copy()
        for given_variable, given_label in evidence.items():
            v = _number_below(given_variable, self.n_nodes, "variable in the evidence")
            label = _number_below(
                given_label, int(self.n_labels[v]), f"label of variable {v} in the evidence"
            )
            costs = unaries[self.label_offsets[v] : self.label_offsets[v + 1]]
            observed = costs[label]
            costs[:] = math.inf
            costs[label] = observed
        return MRF.from_parts(replace(Parts.of(self), unaries=unaries))

    def scaled(self, factor: float) -> MRF:
        """Return the model with every finite cost, and `forbidden_above`, multiplied by `factor` > 0.

        Examples
        --------
        >>> MRF([[1, np.inf]], constant=1).scaled(4).unaries.tolist()
        [4.0, inf]
        """
        if (
            isinstance(factor, bool)
            or not isinstance(factor, (int, float, np.number))
            or not 0 < factor < math.inf
        ):
            raise InvalidModel(f"factor is {factor!r}; expected a finite number > 0")
        parts, s = Parts.of(self), float(factor)
        weight = np.where(self.edge_kind == PRODUCT, self.edge_weight, self.edge_weight * s)
        edge_costs = replace(parts.edge_costs, weight=weight, table_values=self.table_values * s)
        return MRF.from_parts(
            replace(
                parts,
                unaries=self.unaries * s,
                edge_costs=edge_costs,
                factor_costs=replace(parts.factor_costs, values=self.factor_values * s),
                constant=self.constant * s,
                forbidden_above=self.forbidden_above * s,
            )
        )

    def facts(self) -> dict[str, Any]:
        """Return counts, ranges and peculiarities of the model as plain data.

        Examples
        --------
        >>> MRF([[1, 2], [3, 4, 5]]).facts()["labels"]
        [2, 3]
        """
        return facts_of(self)

    def summary(self) -> str:
        """Return the facts as a few lines of text.

        Examples
        --------
        >>> print(MRF([[1, 2], [3, np.inf]]).summary().splitlines()[0])
        variables       2
        """
        return summary_of(self)

    def __repr__(self) -> str:
        """Return name and sizes."""
        name = f"{self.name!r}: " if self.name else ""
        return f"MRF({name}{self.n_nodes} variables, {self.n_edges} edges, {self.n_factors} factors)"


def _constant(value: float) -> float:
    constant = as_costs(value, "the constant")
    if constant.ndim:
        raise InvalidModel(f"the constant has shape {constant.shape}; expected one number")
    return float(constant)


def _number_below(given: int, end: int, what: str) -> int:
    if (
        isinstance(given, (bool, np.bool_))
        or not isinstance(given, (int, np.integer))
        or not 0 <= given < end
    ):
        raise InvalidModel(f"{what} is {given!r}; expected an integer from 0 to {end - 1}")
    return int(given)
