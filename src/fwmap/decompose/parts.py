"""The edges of a field's graph in forests, as few as possible, and each forest in trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core

Ints = NDArray[np.int32]

#: Trees are gathered into parts where there would be more parts than this: a term has a price of its own.
MOST_PARTS = 4096


@dataclass(frozen=True)
class ForestParts:
    """A partition of edges into forests, and of each forest into parts made of whole trees.

    The parts of a forest have no node in common, so that each can be a term of its own: the dual is the same
    function as with one term for each forest, and y is a convex combination for each part by itself.
    """

    n_forests: int
    part_of_edge: Ints
    forest_of_part: Ints

    @property
    def n_parts(self) -> int:
        """How many parts there are, at most `MOST_PARTS` and one for each forest."""
        return len(self.forest_of_part)


def forest_parts(n_nodes: int, ends: NDArray[np.int64]) -> ForestParts:
    """Cover edges by as few forests as possible; their trees are the parts, small ones gathered."""
    first, second = (np.ascontiguousarray(ends[:, k], np.int32) for k in (0, 1))
    lines = straight_lines(first, second)
    if lines is None:
        n_forests, forest_of_edge = _core.minimum_forest_cover(n_nodes, first, second)
    else:
        n_forests, forest_of_edge = lines
    tree_of_edge = _core.trees_of_forests(n_nodes, first, second, forest_of_edge, n_forests)
    n_trees = int(tree_of_edge.max(initial=-1)) + 1
    forest_of_tree = np.zeros(n_trees, np.int32)
    forest_of_tree[tree_of_edge] = forest_of_edge
    part_of_tree = gathered(np.bincount(tree_of_edge, minlength=n_trees), forest_of_tree)
    forest_of_part = np.zeros(int(part_of_tree.max(initial=-1)) + 1, np.int32)
    forest_of_part[part_of_tree] = forest_of_tree
    return ForestParts(n_forests, part_of_tree[tree_of_edge], forest_of_part)


def straight_lines(first: Ints, second: Ints) -> tuple[int, Ints] | None:
    """The rows, columns and diagonals of a grid: edges by the difference of their ends' numbers.

    Edges of one difference form paths. Where there are no more differences than forests are needed for so
    many edges on so many nodes, this is a smallest cover, by short paths rather than by trees that span the
    graph; the method raises the bound faster with them. None where there are more differences.

    >>> straight_lines(np.array([0, 2, 0, 1], np.int32), np.array([1, 3, 2, 3], np.int32))[1].tolist()
    [0, 0, 1, 1]
    >>> straight_lines(np.array([0, 0], np.int32), np.array([1, 2], np.int32)) is None
    True
    """
    if not len(first):
        return None
    difference = np.abs(first - second)
    differences = np.flatnonzero(np.bincount(difference))
    n_touched = np.count_nonzero(np.bincount(np.concatenate([first, second])))
    needed = -(-len(first) // (n_touched - 1))
    if len(differences) > needed:
        return None
    line_of = np.zeros(differences[-1] + 1, np.int32)
    line_of[differences] = np.arange(len(differences))
    return len(differences), line_of[difference]


def gathered(sizes: NDArray[np.int64], forest_of_tree: Ints) -> Ints:
    """The part of each tree: a new one where the forest changes, or where the part before is large enough.

    >>> gathered(np.array([5, 1, 1, 7]), np.array([0, 0, 1, 1])).tolist()
    [0, 1, 2, 3]
    """
    least = int(sizes.sum()) // MOST_PARTS
    if least <= 1:
        return np.arange(len(sizes), dtype=np.int32)
    parts = np.zeros(len(sizes), np.int32)
    part, size = 0, 0
    for tree, (own, forest) in enumerate(zip(sizes.tolist(), forest_of_tree.tolist(), strict=True)):
        if tree and (forest != forest_of_tree[tree - 1] or size >= least):
            part, size = part + 1, 0
        parts[tree] = part
        size += own
    return parts
