"""From a list of factors with tables, as files have it, to a model."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidModel
from ..models import MRF
from ..models.arrays import Floats, Ints, offsets_of, read_forbidden
from ..models.edge_costs import EdgeCosts
from ..models.factors import FactorCosts, by_arity
from ..models.parts import Parts
from .shared_tables import Pool, share_equal_tables

LARGEST_TABLE = 1 << 28  # entries of one dense array that is made; a longer one has no place in memory


@dataclass(eq=False)
class FactorList:
    """Factors of any arity, all with dense tables whose last variable is fastest.

    `values[table_offsets[t]:table_offsets[t + 1]]` is table t, and factor f has the table `table[f]`.
    Variables of a scope are different and exist, and sizes of tables fit: readers check that, since they can
    tell the place in the file.
    """

    n_labels: Ints
    scopes: Ints
    scope_offsets: Ints
    table: Ints
    values: Floats
    table_offsets: Ints

    def model(self, forbidden_above: float, name: str | None = None) -> MRF:
        """Return the model; costs of factors of no, one or two variables go to constant, unaries, edges.

        Equal tables are stored once where that at least halves their number. `values` may be changed.
        """
        n_read = read_forbidden(self.values, forbidden_above, lambda i: f"number {i} of the tables")
        arities = np.diff(self.scope_offsets)
        pairs = np.flatnonzero(arities == 2)
        higher = np.flatnonzero(arities > 2)
        pair_pool, higher_pool = self._pool(pairs), self._pool(higher)
        edges = self.scopes[self.scope_offsets[pairs][:, None] + np.arange(2)]
        shapes = np.ones((len(pair_pool.offsets) - 1, 2), dtype=np.int64)
        shapes[pair_pool.index] = self.n_labels[edges]
        in_higher = np.repeat(arities > 2, arities)
        factor_costs = FactorCosts(
            self.scopes[in_higher],
            offsets_of(arities[higher]),
            higher_pool.index,
            higher_pool.values,
            higher_pool.offsets,
        )
        return MRF.from_parts(
            Parts(
                self.n_labels,
                self._unaries(np.flatnonzero(arities == 1)),
                edges,
                EdgeCosts.of_tables(pair_pool.values, shapes, pair_pool.index),
                factor_costs,
                self._constant(np.flatnonzero(arities == 0)),
                forbidden_above,
                n_read,
                name=name,
            )
        )

    def repeated_scopes(self) -> int:
        """Return how many factors have the variables of an earlier factor, in any order."""
        repeated = 0
        for group in by_arity(self.scope_offsets):
            scopes = np.sort(self.scopes[group.positions], axis=1)
            if scopes.shape[1] > 0:
                ordered = scopes[np.lexsort(scopes.T)]
                repeated += int(np.count_nonzero((ordered[1:] == ordered[:-1]).all(axis=1)))
        return repeated

    def _constant(self, factors: Ints) -> float:
        return math.fsum(self.values[self.table_offsets[self.table[factors]]].tolist())

    def _unaries(self, factors: Ints) -> Floats:
        label_offsets = offsets_of(self.n_labels)
        if label_offsets[-1] > LARGEST_TABLE:
            raise InvalidModel(
                f"the variables have {label_offsets[-1]} labels in total; expected at most {LARGEST_TABLE}"
            )
        unaries = np.zeros(label_offsets[-1])
        variables = self.scopes[self.scope_offsets[factors]]
        sizes = self.n_labels[variables]
        label = np.arange(sizes.sum()) - np.repeat(offsets_of(sizes)[:-1], sizes)
        costs = self.values[np.repeat(self.table_offsets[self.table[factors]], sizes) + label]
        np.add.at(unaries, np.repeat(label_offsets[variables], sizes) + label, costs)
        return unaries

    def _pool(self, factors: Ints) -> Pool:
        """Return the tables of some factors as a pool of their own."""
        used, index = np.unique(self.table[factors], return_inverse=True)
        sizes = np.diff(self.table_offsets)
        if len(used) == len(sizes):
            values = self.values
        else:
            chosen = np.zeros(len(sizes), dtype=bool)
            chosen[used] = True
            values = self.values[np.repeat(chosen, sizes)]
        pool = Pool(values, offsets_of(sizes[used]), index.reshape(-1))
        return share_equal_tables(pool, self._shape_numbers(factors, pool))

    def _shape_numbers(self, factors: Ints, pool: Pool) -> Ints:
        """Return for each table of a pool a number that is equal for equal shapes only."""
        numbers = np.zeros(len(pool.offsets) - 1, dtype=np.int64)
        lengths = np.diff(self.scope_offsets)[factors]
        passed = 0
        for arity in np.unique(lengths).tolist():
            group = np.flatnonzero(lengths == arity)
            scopes = self.scopes[self.scope_offsets[factors[group]][:, None] + np.arange(arity)]
            shapes = self.n_labels[scopes]
            radix = float(shapes.max()) + 1
            if radix**arity < 2**62:
                _, number = np.unique(
                    shapes @ int(radix) ** np.arange(arity, dtype=np.int64), return_inverse=True
                )
            else:
                _, number = np.unique(shapes, axis=0, return_inverse=True)
            numbers[pool.index[group]] = passed + number.reshape(-1)
            passed += len(group)
        return numbers
