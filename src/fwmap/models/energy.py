"""The energy of a labeling, by the definition and correctly rounded."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidModel
from ..rounding_down import exact_products
from .arrays import Floats, Ints, as_indices
from .costs import PRODUCT, TABLE, structured_costs
from .factors import by_arity

if TYPE_CHECKING:
    from .mrf import MRF


def check_labeling(model: MRF, labeling: ArrayLike) -> Ints:
    """Return a labeling as int64 of shape (n,), or raise InvalidModel saying which entry is wrong.

    A labeling of a grid may have the shape of the image.
    """
    labels = as_indices(
        np.asarray(labeling, dtype=np.int64) if _is_bool(labeling) else labeling, "the labeling"
    )
    if model.image_shape is not None and labels.shape == model.image_shape:
        labels = labels.reshape(-1)
    if labels.shape != (model.n_nodes,):
        raise InvalidModel(
            f"the labeling has shape {labels.shape}; expected one label per variable: ({model.n_nodes},)"
        )
    bad = np.flatnonzero((labels < 0) | (labels >= model.n_labels))
    if len(bad):
        v = int(bad[0])
        raise InvalidModel(
            f"the labeling gives variable {v} the label {labels[v]}; expected 0 to {model.n_labels[v] - 1}"
        )
    return labels


def energy_of(model: MRF, labels: Ints) -> float:
    """Return the energy of a checked labeling; the sum is exact before its one rounding.

    So it does not depend on the order of variables, edges or factors. inf where anything is forbidden.
    """
    terms = np.concatenate([np.array([model.constant]), *_terms(model, labels)])
    if np.isinf(terms).any():
        return math.inf
    return math.fsum(terms.tolist())


def _product_terms(model: MRF, products: NDArray[np.bool_], a: Ints, b: Ints) -> Iterator[Floats]:
    tables = model.edge_table[products]
    start, columns = model.table_offsets[tables], model.table_shapes[tables, 1]
    entry = model.table_values[start + a * columns + b]
    mirrored = model.table_values[start + b * columns + a]
    yield entry[np.isinf(entry)]
    allowed = np.isfinite(entry)
    for weight, values in ((model.edge_weight, entry), (model.edge_truncation, mirrored)):
        yield from exact_products(weight[products][allowed], values[allowed])


def _is_bool(labeling: ArrayLike) -> bool:
    return isinstance(labeling, np.ndarray) and labeling.dtype.kind == "b"


def _terms(model: MRF, labels: Ints) -> Iterator[Floats]:
    yield model.unaries[model.label_offsets[:-1] + labels]
    a, b = labels[model.edges].T
    dense = model.edge_kind == TABLE
    tables = model.edge_table[dense]
    entries = a[dense] * model.table_shapes[tables, 1] + b[dense]
    yield model.table_values[model.table_offsets[tables] + entries]
    products = model.edge_kind == PRODUCT
    yield from _product_terms(model, products, a[products], b[products])
    other = ~dense & ~products
    parameters = (model.edge_kind[other], model.edge_weight[other], model.edge_truncation[other])
    yield structured_costs(*parameters, a[other] - b[other])
    for group in by_arity(model.factor_scope_offsets):
        scopes = model.factor_scopes[group.positions]
        shapes, chosen = model.n_labels[scopes], labels[scopes]
        entries = np.zeros(len(scopes), dtype=np.int64)
        for position in range(scopes.shape[1]):
            entries = entries * shapes[:, position] + chosen[:, position]
        yield model.factor_values[model.factor_table_offsets[model.factor_table[group.factors]] + entries]
