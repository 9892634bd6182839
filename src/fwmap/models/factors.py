"""Factors given as (scope, table): constants, unary and pairwise costs, and those of higher order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidModel
from .arrays import Floats, Ints, as_costs, as_indices, as_list, offsets_of, read_forbidden
from .edge_costs import EdgeCosts

Factor = tuple[Sequence[int], ArrayLike]


@dataclass(eq=False)
class FactorCosts:
    """Tables of factors of three or more variables; see the attributes of the same names of `MRF`."""

    scopes: Ints
    scope_offsets: Ints
    table: Ints
    values: Floats
    table_offsets: Ints

    @staticmethod
    def none() -> FactorCosts:
        """Return no factors."""
        empty, start = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
        return FactorCosts(empty, start, empty.copy(), np.zeros(0), start.copy())

    def check(self, n_labels: Ints, forbidden_above: float) -> int:
        """Refuse factors that do not fit the variables; mark forbidden entries and return their count."""
        arities = np.diff(self.scope_offsets)
        if len(arities) and arities.min() < 3:
            raise InvalidModel(
                f"factor {int(arities.argmin())} has {arities.min()} variables; expected at least 3"
            )
        self._check_scopes(n_labels)
        self._check_tables(n_labels)
        self._check_sharing(n_labels, arities)
        return read_forbidden(self.values, forbidden_above, self._locate_entry(n_labels))

    def _check_scopes(self, n_labels: Ints) -> None:
        check_scope_range(self.scopes, self.scope_offsets, len(n_labels))
        for group in by_arity(self.scope_offsets):
            ordered = np.sort(self.scopes[group.positions], axis=1)
            repeated = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
            if len(repeated):
                f = int(group.factors[repeated[0]])
                raise InvalidModel(f"factor {f} has the scope {self._scope(f)}; expected different variables")

    def _check_tables(self, n_labels: Ints) -> None:
        sizes = np.diff(self.table_offsets)
        bad = np.flatnonzero((self.table < 0) | (self.table >= len(sizes)))
        if len(bad):
            f = int(bad[0])
            raise InvalidModel(
                f"factor {f} uses table {self.table[f]}; expected a number from 0 to {len(sizes) - 1}"
            )
        for group in by_arity(self.scope_offsets):
            shapes = n_labels[self.scopes[group.positions]]
            wrong = np.flatnonzero(sizes[self.table[group.factors]] != shapes.prod(axis=1))
            if len(wrong):
                f = int(group.factors[wrong[0]])
                raise InvalidModel(
                    f"the table of factor {f} has {sizes[self.table[f]]} entries; expected "
                    f"{shapes[wrong[0]].prod()}, for the label counts {self._shape(f, n_labels)}"
                )

    def _check_sharing(self, n_labels: Ints, arities: Ints) -> None:
        """Refuse a table that factors of different shapes use: (2, 3, 4) and (4, 3, 2) have equal sizes."""
        first_user = np.zeros(len(self.table_offsets) - 1, dtype=np.int64)
        first_user[self.table[::-1]] = np.arange(len(self.table))[::-1]
        for group in by_arity(self.scope_offsets):
            first = first_user[self.table[group.factors]]
            differs = arities[first] != arities[group.factors]
            same = np.flatnonzero(~differs)
            of_first = self.scope_offsets[first[same]][:, None] + np.arange(group.positions.shape[1])
            shapes, expected = n_labels[self.scopes[group.positions[same]]], n_labels[self.scopes[of_first]]
            differs[same] = (shapes != expected).any(axis=1)
            if differs.any():
                f = int(group.factors[np.flatnonzero(differs)[0]])
                g = int(first_user[self.table[f]])
                raise InvalidModel(
                    f"factors {g} and {f} share a table but have the label counts {self._shape(g, n_labels)} "
                    f"and {self._shape(f, n_labels)}; expected equal ones"
                )

    def _scope(self, f: int) -> tuple[int, ...]:
        return tuple(self.scopes[self.scope_offsets[f] : self.scope_offsets[f + 1]].tolist())

    def _shape(self, f: int, n_labels: Ints) -> tuple[int, ...]:
        return tuple(n_labels[list(self._scope(f))].tolist())

    def _locate_entry(self, n_labels: Ints) -> Callable[[int], str]:
        def locate(index: int) -> str:
            t = int(np.searchsorted(self.table_offsets, index, side="right")) - 1
            users = np.flatnonzero(self.table == t)
            if len(users) == 0:
                entry = index - int(self.table_offsets[t])
                return f"entry {entry} of the factor table {t}, which no factor uses,"
            f = int(users[0])
            shape = self._shape(f, n_labels)
            place = tuple(int(i) for i in np.unravel_index(index - int(self.table_offsets[t]), shape))
            return f"entry {place} of the table of factor {f} over the variables {self._scope(f)}"

        return locate


@dataclass(frozen=True, eq=False)
class ArityGroup:
    """The factors of one arity: their numbers, and where in the flat scopes their variables are."""

    factors: Ints
    positions: Ints  # (number of factors, arity)


def by_arity(scope_offsets: Ints) -> Iterator[ArityGroup]:
    """Group factors by arity, so that each group is one rectangular array."""
    arities = np.diff(scope_offsets)
    for arity in np.unique(arities).tolist():
        factors = np.flatnonzero(arities == arity)
        yield ArityGroup(factors, scope_offsets[factors][:, None] + np.arange(arity))


def check_scope_range(scopes: Ints, scope_offsets: Ints, n_nodes: int) -> None:
    """Refuse variables that do not exist."""
    if len(scopes) and (scopes.min() < 0 or scopes.max() >= n_nodes):
        position = int(np.flatnonzero((scopes < 0) | (scopes >= n_nodes))[0])
        f = int(np.searchsorted(scope_offsets, position, side="right")) - 1
        raise InvalidModel(
            f"factor {f} has the variable {scopes[position]} in its scope; expected 0 to {n_nodes - 1}"
        )


@dataclass(eq=False)
class SplitFactors:
    """Factors sorted by what they are: a constant, additions to unaries, edges, and higher order."""

    constants: list[float]
    unaries: list[tuple[int, Floats]]
    edges: Ints
    edge_costs: EdgeCosts
    higher: FactorCosts


def split_factors(factors: Sequence[Factor], n_labels: Ints) -> SplitFactors:
    """Check each factor's scope and shape and sort the factors by arity; equal array objects stay shared."""
    constants: list[float] = []
    unaries: list[tuple[int, Floats]] = []
    pairs: list[tuple[int, ...]] = []
    scopes: list[tuple[int, ...]] = []
    pair_tables, higher_tables = _Pool(), _Pool()
    for f, given in enumerate(as_list(factors, "factors", "pairs (variables, table)")):
        pair = as_list(given, f"factor {f}", "two: variables, and a table")
        if len(pair) != 2:
            raise InvalidModel(
                f"factor {f} has {len(pair)} parts; expected two: its variables, and its table"
            )
        given_scope, given_table = pair
        scope = tuple(as_indices(given_scope, f"the scope of factor {f}").reshape(-1).tolist())
        check_scope_range(np.array(scope, dtype=np.int64), np.array([0, len(scope)]), len(n_labels))
        if len(set(scope)) < len(scope):
            raise InvalidModel(f"factor {f} has the scope {scope}; expected different variables")
        shape = tuple(int(n_labels[v]) for v in scope)
        pool = higher_tables if len(scope) > 2 else pair_tables
        table = pool.read(given_table, f)
        if table.shape != shape:
            raise InvalidModel(
                f"the table of factor {f} over the variables {scope} has shape {table.shape}; "
                f"expected {shape} (their numbers of labels)"
            )
        if len(scope) == 0:
            constants.append(float(table))
        elif len(scope) == 1:
            unaries.append((scope[0], table))
        else:
            (pairs if len(scope) == 2 else scopes).append(scope)
            pool.use(given_table, table)
    shapes = np.array([t.shape for t in pair_tables.stored], dtype=np.int64).reshape(-1, 2)
    edge_costs = EdgeCosts.of_tables(pair_tables.values(), shapes, np.array(pair_tables.used, dtype=np.int64))
    higher = FactorCosts(
        np.array([v for scope in scopes for v in scope], dtype=np.int64),
        offsets_of(np.array([len(scope) for scope in scopes], dtype=np.int64)),
        np.array(higher_tables.used, dtype=np.int64),
        higher_tables.values(),
        offsets_of(np.array([t.size for t in higher_tables.stored], dtype=np.int64)),
    )
    return SplitFactors(
        constants, unaries, np.array(pairs, dtype=np.int64).reshape(-1, 2), edge_costs, higher
    )


class _Pool:
    """Tables stored once per array object."""

    def __init__(self) -> None:
        self.stored: list[Floats] = []
        self.used: list[int] = []
        self._numbers: dict[int, int] = {}

    def read(self, given: ArrayLike, factor: int) -> Floats:
        if id(given) in self._numbers:
            return self.stored[self._numbers[id(given)]]
        return as_costs(given, f"the table of factor {factor}")

    def use(self, given: ArrayLike, table: Floats) -> None:
        number = self._numbers.setdefault(id(given), len(self.stored))
        if number == len(self.stored):
            self.stored.append(table)
        self.used.append(number)

    def values(self) -> Floats:
        return np.concatenate([np.zeros(0), *(table.reshape(-1) for table in self.stored)])
