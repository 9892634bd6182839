"""A field with fewer labels: the same nodes, edges and factors, with the costs of what is left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import MRF
from ..models.arrays import offsets_of
from ..models.costs import PRODUCT, TABLE, structured_costs
from ..models.edge_costs import EdgeCosts
from ..models.factors import FactorCosts
from ..models.parts import Parts
from ..rounding_down import products_rounded_down
from .field import Cover, FieldDecomposition, NodeTerm, concatenated_ranges
from .merge import Edges

if TYPE_CHECKING:
    from ..stages.reduction import Reduction

#: A table of an edge's own may always have so many entries, even where one that is shared was as good.
SMALL_TABLE = 16
#: Operations of a structured cost per label of its larger end.
STRUCTURED = 4

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Restriction:
    """Which labels of a field are left, and how they are numbered.

    A node whose label is fixed has one label; others have those that are left, or all, where removing some
    would make the costs of its edges larger. The latter are forbidden where they are not left.
    """

    origin: FieldDecomposition  # of the field with all labels
    left: Bools  # per label of the origin
    labels: Ints  # per label here, its number there
    fixed: Bools  # per node: one label is left
    history: tuple[Reduction, ...]  # how it came to this
    least_removed: float  # no labeling that uses a removed label costs less

    @property
    def fixed_labels(self) -> Ints:
        """Of the origin's labels those of fixed nodes."""
        nodes = np.repeat(self.fixed, self.origin.field.n_labels)
        return np.flatnonzero(nodes & self.left)


def restricted(
    origin: FieldDecomposition,
    further: tuple[NodeTerm, ...],
    left: Bools,
    history: tuple[Reduction, ...],
    least_removed: float,
) -> Cover:
    """The origin's cover with the labels that are left; `further` are the terms that will join it."""
    cover = origin.cover
    field, edges = cover.field, cover.edges
    n_left = np.diff(np.concatenate([[0], np.cumsum(left)])[field.label_offsets])
    rigid = np.zeros(field.n_nodes, bool)
    for term in further:
        if term.rigid:
            rigid[term.nodes] = True
    for chain in cover.chains.values():
        rigid[chain.pixels] = True
    whole = whole_nodes(field, edges, n_left, rigid)
    numbered = left | np.repeat(whole, field.n_labels)
    labels = np.flatnonzero(numbered)
    restriction = Restriction(origin, left, labels, n_left == 1, history, least_removed)
    model = restricted_field(field, edges, restriction, whole)
    tables = _core.TablePool(model.table_values, model.table_offsets)
    return Cover(model, Edges.of(model), cover.parts, tables, restriction, cover.chains)


def whole_nodes(field: MRF, edges: Edges, n_left: Ints, rigid: Bools) -> Bools:
    """Nodes that keep all their labels' numbers, for the sake of an edge's structured or shared costs."""
    u, v = edges.ends.T
    rows, columns = field.n_labels[u], field.n_labels[v]
    dense = edges.table >= 0
    uses = np.bincount(edges.table[dense], minlength=len(edges.table_offsets) - 1)
    affordable = STRUCTURED * np.maximum(rows, columns)
    affordable[dense] = (rows * columns)[dense] // uses[edges.table[dense]]
    affordable = np.maximum(affordable, SMALL_TABLE)
    fixed = n_left == 1
    whole = (n_left == field.n_labels) | (n_left == 0) | (rigid & ~fixed)
    dear = np.ones(len(u), bool)
    while dear.any():
        size = np.where(whole, field.n_labels, n_left)
        changed = ~(whole[u] & whole[v]) & ~fixed[u] & ~fixed[v]
        dear = changed & (size[u] * size[v] > affordable)
        whole[u[dear]] = whole[v[dear]] = True
    return np.asarray(whole, bool)


def restricted_field(field: MRF, edges: Edges, restriction: Restriction, whole: Bools) -> MRF:
    """The field of the labels that are left."""
    labels = restriction.labels
    node = np.repeat(np.arange(field.n_nodes), field.n_labels)[labels]
    n_labels = np.bincount(node, minlength=field.n_nodes).astype(np.int64)
    unaries = np.where(restriction.left, field.unaries, np.inf)[labels]
    own_label = labels - field.label_offsets[node]
    u, v = edges.ends.T
    own = np.flatnonzero(~(whole[u] & whole[v]) | restriction.fixed[u] | restriction.fixed[v])
    kind, table = edges.kind.copy(), edges.table.copy()
    weight, truncation = edges.weight.copy(), edges.truncation.copy()
    kind[own], weight[own], truncation[own] = TABLE, 0.0, 0.0
    table[own] = -1
    used = np.unique(table[table >= 0])
    sizes = np.diff(edges.table_offsets)[used]
    kept_values = edges.table_values[concatenated_ranges(edges.table_offsets[used], sizes)]
    number = np.full(len(edges.table_offsets) - 1, -1)
    number[used] = np.arange(len(used))
    table[table >= 0] = number[table[table >= 0]]
    table[own] = len(used) + np.arange(len(own))
    shapes = np.zeros((len(used) + len(own), 2), np.int64)
    shapes[table[table >= 0]] = n_labels[edges.ends[table >= 0]]
    values = [kept_values, entries_of(edges, own, offsets_of(n_labels), own_label, field.n_labels)]
    offsets = offsets_of(shapes[:, 0] * shapes[:, 1])
    costs = EdgeCosts(kind, table, weight, truncation, np.concatenate(values), offsets, shapes)
    factors = restricted_factors(field, restriction, whole)
    parts = replace(
        Parts.of(field),
        n_labels=n_labels,
        unaries=unaries,
        edges=edges.ends.copy(),
        edge_costs=costs,
        factor_costs=factors,
        image_shape=None,
    )
    return MRF.from_parts(parts)


def entries_of(edges: Edges, which: Ints, offsets: Ints, own_label: Ints, n_labels: Ints) -> Floats:
    """Costs of some edges for the labels that are left, table after table; products are rounded down."""
    ends = edges.ends[which]
    rows, columns = (np.diff(offsets)[ends[:, k]] for k in (0, 1))
    sizes = rows * columns
    edge = np.repeat(np.arange(len(which)), sizes)
    place = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    row, column = np.divmod(place, columns[edge])
    a = own_label[offsets[ends[edge, 0]] + row]
    b = own_label[offsets[ends[edge, 1]] + column]
    which = which[edge]
    values = np.empty(len(which))
    dense = edges.kind[which] == TABLE
    start = edges.table_offsets[edges.table[which[dense]]]
    values[dense] = edges.table_values[start + a[dense] * n_labels[ends[edge[dense], 1]] + b[dense]]
    products = edges.kind[which] == PRODUCT
    start = edges.table_offsets[edges.table[which[products]]]
    columns = n_labels[ends[edge[products], 1]]
    values[products] = products_rounded_down(
        edges.weight[which[products]],
        edges.truncation[which[products]],
        edges.table_values[start + a[products] * columns + b[products]],
        edges.table_values[start + b[products] * columns + a[products]],
    )
    dense |= products
    other = which[~dense]
    kind, weight, truncation = edges.kind[other], edges.weight[other], edges.truncation[other]
    difference = a[~dense] - b[~dense]
    shape = structured_costs(kind, 1.0, truncation, difference)
    values[~dense] = product_rounded_down(weight, shape)
    return values


def product_rounded_down(weight: Floats, shape: Floats) -> Floats:
    """No more than the exact products, and those where both are multiples of 2^-20 of few digits."""
    costs = weight * shape
    scaled = weight * 2.0**20
    exact = (scaled == np.rint(scaled)) & (shape == np.rint(shape)) & (np.abs(scaled * shape) < 2.0**52)
    exact |= (shape == 0) | (shape == 1)
    return np.where(exact, costs, np.nextafter(costs, -np.inf))


def restricted_factors(field: MRF, restriction: Restriction, whole: Bools) -> FactorCosts:
    """The tables of factors, those of nodes that lost labels cut down."""
    values, offsets = [field.factor_values], [field.factor_table_offsets]
    table = field.factor_table.copy()
    n_tables, end = len(field.factor_table_offsets) - 1, len(field.factor_values)
    numbered = np.zeros(len(field.unaries), bool)
    numbered[restriction.labels] = True
    changed = np.repeat(np.arange(field.n_factors), np.diff(field.factor_scope_offsets))[
        ~whole[field.factor_scopes]
    ]
    for f in np.unique(changed).tolist():
        kept = [
            np.flatnonzero(numbered[field.label_offsets[v] : field.label_offsets[v + 1]])
            for v in field.factor_scope(f).tolist()
        ]
        cut = field.factor_table_of(f)[np.ix_(*kept)].ravel()
        table[f], n_tables, end = n_tables, n_tables + 1, end + len(cut)
        values.append(cut)
        offsets.append(np.array([end]))
    return FactorCosts(
        field.factor_scopes,
        field.factor_scope_offsets,
        table,
        np.concatenate(values),
        np.concatenate(offsets),
    )
