"""The ways in which people write matching problems down, each a constructor of `GraphMatching`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

from numpy.typing import ArrayLike

from .frozen import Frozen

if TYPE_CHECKING:
    from .matching_parts import MatchingParts

Order = Literal["left", "right"]


class Constructors(Frozen):
    """What makes a model from something else than its own arrays."""

    if TYPE_CHECKING:

        def __init__(self, **keywords: Any) -> None:
            """See `GraphMatching`."""

    @classmethod
    def from_parts(cls, parts: MatchingParts) -> Self:
        """Return a model that takes over the arrays of `parts`, for readers of large files.

        They are checked like everything else, may be changed, and are read-only afterwards.

        Examples
        --------
        >>> from fwmap.models import GraphMatching
        >>> GraphMatching.from_parts(GraphMatching([(0, 0)], [1.0]).parts())
        GraphMatching(1 left, 1 right, 1 assignments, 0 pairs)
        """
        model = cls.__new__(cls)
        model._freeze(parts.checked_fields())
        return model

    @classmethod
    def from_sparse(
        cls,
        costs: Any,
        pair_costs: Any | None = None,
        **keywords: Any,
    ) -> Self:
        """Return the model of SciPy sparse matrices.

        Parameters
        ----------
        costs
            Shape (left, right). The stored entries, zeros included, are the allowed assignments; they are
            numbered row by row, columns ascending.
        pair_costs
            Shape (assignments, assignments): entries (p, q) and (q, p) add up to the cost of the pair,
            entries on the diagonal add to the cost of the assignment.
        keywords
            As for the class.

        Examples
        --------
        >>> from scipy.sparse import coo_array
        >>> from fwmap.models import GraphMatching
        >>> costs = coo_array(([1.0, 0.0, 2.0], ([0, 0, 1], [0, 1, 0])), shape=(2, 2))
        >>> pairs = coo_array(([5.0], ([1], [2])), shape=(3, 3))
        >>> GraphMatching.from_sparse(costs, pairs).energy([1, 0])
        7.0
        """
        from .matching_sources import arrays_of_sparse

        return cls(**arrays_of_sparse(costs, pair_costs), **keywords)

    @classmethod
    def from_networkx(
        cls,
        left: Any,
        right: Any,
        node_cost: Callable[[Mapping[str, Any], Mapping[str, Any]], float | None],
        edge_cost: Callable[[Mapping[str, Any], Mapping[str, Any]], float] | None = None,
        **keywords: Any,
    ) -> Self:
        """Return the model of matching the nodes of two NetworkX graphs, numbered as the graphs list them.

        Parameters
        ----------
        left, right
            Both directed, or both undirected. Attributes `pos` become the points' coordinates.
        node_cost
            Cost of assigning a node of `left` to one of `right`, from their attributes; None or inf forbids.
        edge_cost
            Cost, from their attributes, of an edge of `left` whose ends are assigned to those of an edge of
            `right`: in the same direction where the graphs are directed, in either direction where not.
        keywords
            As for the class.

        Examples
        --------
        >>> import networkx as nx
        >>> from fwmap.models import GraphMatching
        >>> path, triangle = nx.path_graph(3), nx.cycle_graph(3)
        >>> model = GraphMatching.from_networkx(path, triangle, lambda a, b: 0.0, lambda e, f: -1.0)
        >>> model.energy([2, 0, 1])
        -2.0
        """
        from .matching_sources import arrays_of_graphs

        return cls(**{**arrays_of_graphs(left, right, node_cost, edge_cost), **keywords})

    @classmethod
    def from_koopmans_beckmann(
        cls,
        left: ArrayLike,
        right: ArrayLike,
        linear: ArrayLike | None = None,
        *,
        matching: Literal["partial", "perfect"] = "perfect",
        **keywords: Any,
    ) -> Self:
        """Return the quadratic assignment problem of two matrices, as QAPLIB states it.

        A labeling p costs Σ_ij left[i, j] * right[p(i), p(j)] + Σ_i linear[i, p(i)]: all ordered pairs count,
        and the diagonals. The matrices are kept and never multiplied out; see `ProductCosts`.

        Parameters
        ----------
        left, right
            Shapes (n, n) and (m, m), n <= m unless points may stay unassigned; neither must be symmetric.
            Arrays, or SciPy sparse matrices, which are made dense.
        linear
            Shape (n, m); inf forbids.
        matching
            "perfect", or "partial": left points may stay unassigned, and then pay nothing.
        keywords
            As for the class: unassigned, left_points, right_points, constant, forbidden_above, name.

        Examples
        --------
        >>> from fwmap.models import GraphMatching
        >>> model = GraphMatching.from_koopmans_beckmann([[1, 2], [3, 0]], [[4, 5], [6, 7]])
        >>> model.energy([0, 1]), 1 * 4 + 2 * 5 + 3 * 6 + 0 * 7
        (32.0, 32)
        >>> model.energy([1, 0]), 1 * 7 + 2 * 6 + 3 * 5 + 0 * 4
        (34.0, 34)
        """
        from .matching_matrices import parts_of_products

        return cls.from_parts(parts_of_products(left, right, linear, matching=matching, **keywords))

    @classmethod
    def from_lawler(
        cls,
        costs: Any,
        n_left: int,
        n_right: int,
        *,
        fastest: Order = "right",
        maximise: bool = False,
        matching: Literal["partial", "perfect"] = "perfect",
        **keywords: Any,
    ) -> Self:
        """Return the model of Lawler's matrix: a matching with indicator x costs x' costs x.

        Both triangles count: the pair (p, q) costs costs[p, q] + costs[q, p], and the diagonal is the cost of
        single assignments. Zeros off the diagonal are no pairs; inf forbids.

        Parameters
        ----------
        costs
            Shape (n_left * n_right, n_left * n_right), an array or a SciPy sparse matrix.
        n_left, n_right
            Numbers of points.
        fastest
            Which point's number runs fastest in the index of an assignment (i, k): "right": i * n_right + k
            (x is the matrix of assignments row by row); "left": k * n_left + i (column by column).
        maximise
            The entries are affinities, to be maximised: costs are the negated ones, and so is the energy.
        matching
            "perfect", or "partial": left points may stay unassigned, and then pay nothing.
        keywords
            As for the class.

        Examples
        --------
        >>> from fwmap.models import GraphMatching
        >>> import numpy as np
        >>> costs = np.diag([1.0, 2.0, 3.0, 4.0])
        >>> costs[0, 3] = 10.0
        >>> GraphMatching.from_lawler(costs, 2, 2).energy([0, 1])
        15.0
        """
        from .matching_matrices import arrays_of_lawler

        arrays = arrays_of_lawler(costs, n_left, n_right, fastest, maximise)
        return cls(**{**arrays, "matching": matching, **keywords})

    @classmethod
    def from_pygmtools(cls, affinity: ArrayLike, n_left: int, n_right: int, **keywords: Any) -> Self:
        """Return the model of an affinity matrix of pygmtools, which is maximised.

        Assignment (i, k) has the index k * n_left + i, so this is `from_lawler` with `fastest="left"` and
        `maximise=True`: the energy is minus the score that pygmtools maximises.

        Parameters
        ----------
        affinity
            Shape (n_left * n_right, n_left * n_right), or the same behind a batch dimension of 1.
        n_left, n_right
            Numbers of nodes of the two graphs (pygmtools' n1 and n2).
        keywords
            As for `from_lawler`.

        Examples
        --------
        >>> from fwmap.models import GraphMatching
        >>> import numpy as np
        >>> GraphMatching.from_pygmtools(np.diag([1.0, 2.0, 3.0, 4.0]), 2, 2).energy([1, 0])
        -5.0
        """
        from .matching_matrices import one_of_a_batch

        return cls.from_lawler(
            one_of_a_batch(affinity), n_left, n_right, **{"fastest": "left", "maximise": True, **keywords}
        )
