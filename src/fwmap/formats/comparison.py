"""How far two models are apart, for conversions that are checked by reading back."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidModel
from ..models import MRF, GraphMatching, Tomography
from ..models.arrays import Floats, Ints
from ..models.costs import PRODUCT, TABLE, structured_costs
from ..models.factors import by_arity

BLOCK = 1 << 21  # table entries compared together

Compared = MRF | Tomography | GraphMatching


def compare(model_a: Compared, model_b: Compared) -> float:
    """Return the largest error of a cost between two models of the same variables; inf where one forbids.

    Costs of equal scopes are added up first, whatever the order of their variables; a scope that one of the
    models lacks costs nothing there. Models that differ by constants moved between factors are compared
    after moving them back, if that makes the error smaller; where nothing is feasible they do not matter.
    Projections are compared one by one, in their order. Of matchings the costs of assignments, of points
    without one and of pairs are compared; the order of assignments does not matter.

    Raises
    ------
    InvalidModel
        If the models have different numbers of variables or labels, or different rays.

    Examples
    --------
    >>> compare(MRF([[1, 2], [3, 4]]), MRF([[1, 2], [3, 4.5]]))
    0.5
    """
    if isinstance(model_a, Tomography) and isinstance(model_b, Tomography):
        return max(_compare_rays(model_a, model_b), compare(model_a.field, model_b.field))
    if isinstance(model_a, GraphMatching) and isinstance(model_b, GraphMatching):
        return _compare_matchings(model_a, model_b)
    if isinstance(model_a, GraphMatching) or isinstance(model_b, GraphMatching):
        raise InvalidModel(f"one of {model_a} and {model_b} is a matching; expected both or none")
    if isinstance(model_a, Tomography) or isinstance(model_b, Tomography):
        raise InvalidModel(f"one of {model_a} and {model_b} has projections; expected both or none")
    if not np.array_equal(model_a.n_labels, model_b.n_labels):
        raise InvalidModel(f"{model_a} and {model_b} have different variables or labels; expected the same")
    infeasible = math.isinf(model_a.constant)
    if infeasible != math.isinf(model_b.constant):
        return math.inf
    constant = 0.0 if infeasible else model_a.constant - model_b.constant
    plain, within, moved = abs(constant), 0.0, [constant]
    for a, b in _matched(model_a, model_b):
        forbidden = np.isinf(a)
        if not np.array_equal(forbidden, np.isinf(b)):
            return math.inf
        infeasible |= bool(forbidden.all(axis=1).any())
        difference = np.where(forbidden, 0.0, a) - np.where(forbidden, 0.0, b)
        plain = max(plain, float(np.abs(difference).max(initial=0.0)))
        first = (~forbidden).argmax(axis=1)
        shift = difference[np.arange(len(first)), first]
        rest = np.where(forbidden, 0.0, difference - shift[:, None])
        within = max(within, float(np.abs(rest).max(initial=0.0)))
        moved.extend(shift[shift != 0].tolist())
    return min(plain, max(within, 0.0 if infeasible else abs(math.fsum(moved))))


def _compare_matchings(model_a: GraphMatching, model_b: GraphMatching) -> float:
    """Return the largest error of a cost of two models with the same points and assignments."""
    sizes = [(model.n_left, model.n_right, model.n_assignments) for model in (model_a, model_b)]
    if sizes[0] != sizes[1] or not np.array_equal(model_a.left.partner, model_b.left.partner):
        raise InvalidModel(f"{model_a} and {model_b} have different assignments; expected the same")
    if model_a.product is not None and model_b.product is not None:
        matrices = zip(model_a.product.matrices(), model_b.product.matrices(), strict=True)
        products = max(float(np.abs(a - b).max(initial=0.0)) for a, b in matrices)
    else:
        products, model_a, model_b = 0.0, model_a.with_pairs(), model_b.with_pairs()
    n, error = model_a.n_assignments, abs(model_a.constant - model_b.constant)
    unaries = [model.left.unaries(model.costs, model.unassigned_costs) for model in (model_a, model_b)]
    pairs = [np.sort(model.left.place[model.pairs], axis=1) for model in (model_a, model_b)]
    keys = [own[:, 0] * (n + model_a.n_left) + own[:, 1] for own in pairs]
    every = np.unique(np.concatenate(keys))
    costs = []
    for own, model in zip(keys, (model_a, model_b), strict=True):
        total = np.zeros(len(every))
        total[np.searchsorted(every, own)] = model.pair_costs
        costs.append(total)
    for a, b in (unaries, costs):
        if not np.array_equal(np.isfinite(a), np.isfinite(b)):
            return math.inf
        finite = np.isfinite(a)
        error = max(error, float(np.abs(a[finite] - b[finite]).max(initial=0.0)))
    return max(error, products)


def _compare_rays(model_a: Tomography, model_b: Tomography) -> float:
    """Return the largest error of the cost of a sum."""
    if model_a.n_rays != model_b.n_rays:
        raise InvalidModel(f"{model_a} and {model_b} have different rays; expected the same")
    error = 0.0
    for r in range(model_a.n_rays):
        if not np.array_equal(np.sort(model_a.ray(r)), np.sort(model_b.ray(r))):
            raise InvalidModel(f"{model_a} and {model_b} have different pixels in ray {r}; expected the same")
        a, b = model_a.ray_cost(r), model_b.ray_cost(r)
        if not np.array_equal(np.isfinite(a), np.isfinite(b)):
            return math.inf
        finite = np.isfinite(a)
        error = max(error, float(np.abs(a[finite] - b[finite]).max(initial=0.0)))
    return error


def _matched(model_a: MRF, model_b: MRF) -> Iterator[tuple[Floats, Floats]]:
    """Yield the costs of both models on the same scopes: pairs of arrays (scopes, entries)."""
    for k in np.unique(model_a.n_labels).tolist():
        entries = model_a.label_offsets[:-1][model_a.n_labels == k][:, None] + np.arange(k)
        yield model_a.unaries[entries], model_b.unaries[entries]
    arities = {len(terms.scopes[0]) for model in (model_a, model_b) for terms in _terms_of(model)}
    for arity in sorted(arities):
        yield from _matched_of_arity(_terms_with(model_a, arity), _terms_with(model_b, arity))


def _matched_of_arity(a: _Terms, b: _Terms) -> Iterator[tuple[Floats, Floats]]:
    scopes = np.sort(np.concatenate([a.scopes, b.scopes]), axis=1)
    distinct, number = np.unique(scopes, axis=0, return_inverse=True)
    number_a, number_b = np.split(number.reshape(-1), [len(a.scopes)])
    shapes, shape_number = np.unique(a.model.n_labels[distinct], axis=0, return_inverse=True)
    for i, shape in enumerate(shapes.tolist()):
        chosen = np.flatnonzero(shape_number.reshape(-1) == i)
        step = max(1, BLOCK // math.prod(shape))
        for begin in range(0, len(chosen), step):
            block = chosen[begin : begin + step]
            yield a.sums(number_a, block, shape), b.sums(number_b, block, shape)


@dataclass(eq=False)
class _Terms:
    """Edges, or factors of one arity, of a model: their scopes, and their numbers among their like."""

    model: MRF
    scopes: Ints
    numbers: Ints

    def sums(self, scope_numbers: Ints, wanted: Ints, shape: list[int]) -> Floats:
        """Return the summed tables of the wanted scopes, axes in the order of the variables, flattened.

        `scope_numbers` has the number of the scope of each term.
        """
        sums = np.zeros((len(wanted), math.prod(shape)))
        row = np.searchsorted(wanted, scope_numbers)
        here = np.flatnonzero(wanted[np.minimum(row, len(wanted) - 1)] == scope_numbers)
        labels = np.indices(shape).reshape(len(shape), -1)
        np.add.at(sums, row[here], self._tables(here, labels))
        return sums

    def _tables(self, terms: Ints, labels: Ints) -> Floats:
        """Return the entries of each term at `labels` (variables in increasing order, entries)."""
        model, scopes, numbers = self.model, self.scopes[terms], self.numbers[terms]
        sizes = model.n_labels[scopes]
        strides = np.ones_like(sizes)
        strides[:, :-1] = np.cumprod(sizes[:, :0:-1], axis=1)[:, ::-1]
        entries = np.take_along_axis(strides, np.argsort(scopes, axis=1), axis=1) @ labels
        if scopes.shape[1] > 2:
            return model.factor_values[
                model.factor_table_offsets[model.factor_table[numbers]][:, None] + entries
            ]
        costs = np.empty(entries.shape)
        dense = model.edge_kind[numbers] == TABLE
        starts = model.table_offsets[model.edge_table[numbers[dense]]]
        costs[dense] = model.table_values[starts[:, None] + entries[dense]]
        for k in np.flatnonzero(model.edge_kind[numbers] == PRODUCT).tolist():
            costs[k] = model.pairwise_table(int(numbers[k])).ravel()[entries[k]]
            dense[k] = True
        others = numbers[~dense][:, None]
        parameters = (model.edge_kind[others], model.edge_weight[others], model.edge_truncation[others])
        costs[~dense] = structured_costs(*parameters, labels[0] - labels[1])
        return costs


def _terms_of(model: MRF) -> Iterator[_Terms]:
    if model.n_edges:
        yield _Terms(model, model.edges, np.arange(model.n_edges))
    for group in by_arity(model.factor_scope_offsets):
        yield _Terms(model, model.factor_scopes[group.positions], group.factors)


def _terms_with(model: MRF, arity: int) -> _Terms:
    none = _Terms(model, np.zeros((0, arity), dtype=np.int64), np.zeros(0, dtype=np.int64))
    return next((terms for terms in _terms_of(model) if terms.scopes.shape[1] == arity), none)
