"""The relaxation that is solved, and the integer programme behind it, for solvers of other people."""

from __future__ import annotations

from ..errors import InvalidModel
from ..models import MRF, GraphMatching, Model, Tomography
from ..models.chains import chosen_rays
from ..models.matching_right import chosen_decomposition
from ..settings import Decomposed
from .of_chains import add_rays_and_chains
from .of_field import add_field
from .of_matching import add_right_points, add_right_side
from .of_rays import add_rays
from .program import Builder, LinearProgram

__all__ = ["LinearProgram", "linear_program"]


def linear_program(model: Model, decomposition: Decomposed = "auto") -> LinearProgram:
    """Return a linear programme whose optimum is that of the relaxation, which the decomposition decides.

    Its variables are the labels of the nodes, x_node_label, and the joint labels of edges, factors and rays
    (local polytope; a ray is the flow through the graph of its partial sums, which is exact, in a chain
    together with the edges between its pixels). In a matching
    the nodes are the left points, and each right point is chosen at most once; two-sided, the right points
    are nodes as well, which have the same assignments and pairs, or are free. With the x
    integers it is the integer programme: its optimum is that of the model. Forbidden is what has no variable,
    or one that is fixed at 0.

    Raises
    ------
    InvalidModel
        For oracles of one's own, whose costs nobody knows; and where the model's constant is forbidden.

    Examples
    --------
    >>> program = linear_program(MRF([[0.0, 1.0], [2.0, 0.0]], [(0, 1)], [[0.0, 1.0], [1.0, 0.0]]))
    >>> program.n_columns, program.n_rows
    (8, 6)
    """
    builder = Builder()
    if isinstance(model, MRF):
        add_field(builder, model)
    elif isinstance(model, Tomography):
        labels, entries = add_field(builder, model.field)
        if chosen_rays(model, decomposition) == "chains":
            add_rays_and_chains(builder, model, labels, entries)
        else:
            add_rays(builder, model, labels)
    elif isinstance(model, GraphMatching):
        model = model.with_pairs()  # stars have no linear programme of their own: this one is tighter
        labels, entries = add_field(builder, model.field)
        if chosen_decomposition(model, decomposition) == "two-sided":
            add_right_side(builder, model, labels, entries)
        else:
            add_right_points(builder, model, labels)
    else:
        raise InvalidModel(f"a {type(model).__name__} has no linear programme: nobody knows its costs")
    return builder.program()
