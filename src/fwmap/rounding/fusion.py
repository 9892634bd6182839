"""The best of two matchings combined: where they differ in several places, each place follows one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..models import MRF
from .graph import penalised_graph

if TYPE_CHECKING:
    from .matching import MatchingRounding

Labels = NDArray[np.int32]


def fused_matchings(problem: MatchingRounding, one: Labels, two: Labels) -> tuple[Labels, float]:
    """A matching made of parts of two, as good as the better one or better; and the operations spent.

    Two matchings differ in chains of points that take each other's partners. Each chain follows one of the
    two as a whole, so that what comes out is a matching; a field with a binary variable per chain says which.
    """
    better = one if problem.search.energy(one) <= problem.search.energy(two) else two
    chain, n_chains = chains(problem, one, two)
    if n_chains < 2:
        return better, problem.size
    field = field_of_chains(problem, one, two, chain, n_chains)
    graph = penalised_graph(field)
    search = _core.LabelingSearch(graph, 0)
    most, found = 50.0 * (2 * n_chains + field.n_edges), []
    spent = 4 * problem.size
    for first in (np.zeros(n_chains, np.int32), np.ones(n_chains, np.int32)):
        labels, _, operations = search.descend(first, most)
        spent += operations
        choice = np.append(labels, 0)[chain]
        found.append(np.where(choice == 0, one, two).astype(np.int32))
    return min([better, *found], key=problem.search.energy), spent


def chains(problem: MatchingRounding, one: Labels, two: Labels) -> tuple[NDArray[np.int64], int]:
    """Per left point the number of its chain, -1 where the matchings agree; and how many chains there are."""
    side = problem.side
    partners = [side.partner[problem.starts + labels] for labels in (one, two)]
    differs = np.flatnonzero(one != two)
    root = list(range(len(one)))

    def find(point: int) -> int:
        while root[point] != point:
            root[point] = root[root[point]]
            point = root[point]
        return point

    owner = {int(partners[0][i]): i for i in differs.tolist() if partners[0][i] >= 0}
    for i in differs.tolist():
        other = owner.get(int(partners[1][i]))
        if other is not None:
            root[find(i)] = find(other)
    chain = np.full(len(one), -1)
    roots = np.array([find(i) for i in differs.tolist()], np.int64)
    _, chain[differs] = np.unique(roots, return_inverse=True)
    return chain, int(chain.max(initial=-1)) + 1


def field_of_chains(
    problem: MatchingRounding, one: Labels, two: Labels, chain: NDArray[np.int64], n_chains: int
) -> MRF:
    """The energy of every choice, up to a constant."""
    labels = np.stack([problem.starts + one, problem.starts + two])
    variable = np.full(len(problem.costs), -2)  # of each label: its chain, -1: chosen anyhow, -2: by neither
    value = np.zeros(len(problem.costs), np.int64)
    for choice in (0, 1):
        variable[labels[choice]] = chain
        value[labels[choice]] = choice
    unaries = np.zeros((n_chains, 2))
    differs = np.flatnonzero(chain >= 0)
    for choice in (0, 1):
        np.add.at(unaries[:, choice], chain[differs], problem.costs[labels[choice][differs]])
    ends, choices = variable[problem.pairs], value[problem.pairs]
    known = (ends >= -1).all(axis=1) & (ends >= 0).any(axis=1)
    ends, choices, costs = ends[known], choices[known], problem.pair_costs[known]
    within = ends[:, 0] == ends[:, 1]
    both = within & (choices[:, 0] == choices[:, 1])
    np.add.at(unaries, (ends[both, 0], choices[both, 0]), costs[both])
    for end in (0, 1):
        alone = ends[:, 1 - end] == -1
        np.add.at(unaries, (ends[alone, end], choices[alone, end]), costs[alone])
    between = (ends >= 0).all(axis=1) & ~within
    ends, choices, costs = ends[between], choices[between], costs[between]
    turned = ends[:, 0] > ends[:, 1]
    ends[turned], choices[turned] = ends[turned][:, ::-1], choices[turned][:, ::-1]
    keys, edge = np.unique(ends[:, 0] * n_chains + ends[:, 1], return_inverse=True)
    tables = np.zeros((len(keys), 2, 2))
    np.add.at(tables, (edge.reshape(-1), choices[:, 0], choices[:, 1]), costs)
    edges = np.stack(np.divmod(keys, n_chains), axis=1)
    return MRF(unaries, edges, tables if len(edges) else None)
