"""The `.mps` format, written only: the relaxation or the integer programme for other solvers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..linear_program import LinearProgram
from .linear_programs import program_format


def lines(program: LinearProgram, integer: bool) -> Iterator[str]:
    """The file, line by line. The objective's right side is the constant's negative, as is usual."""
    names = list(program.names())
    yield "NAME fwmap"
    yield "ROWS"
    yield " N obj"
    for r, is_equality in enumerate(program.is_equality.tolist()):
        yield f" {'E' if is_equality else 'L'} c{r}"
    yield "COLUMNS"
    yield from column_lines(program, names, integer)
    yield "RHS"
    if program.constant:
        yield f" rhs obj {-program.constant}"
    for r, right in enumerate(program.right.tolist()):
        if right:
            yield f" rhs c{r} {right}"
    yield "BOUNDS"
    marked = zip(names, program.upper.tolist(), program.is_label.tolist(), strict=True)
    for name, upper, is_label in marked:
        if upper == 0:
            yield f" FX bounds {name} 0"
        elif integer and is_label:
            yield f" UP bounds {name} 1"
    yield "ENDATA"


def column_lines(program: LinearProgram, names: list[str], integer: bool) -> Iterator[str]:
    """The entries column by column, the integer ones between their markers."""
    rows = np.repeat(np.arange(program.n_rows), np.diff(program.starts))
    order = np.argsort(program.columns, kind="stable")
    starts = np.searchsorted(program.columns[order], np.arange(program.n_columns + 1)).tolist()
    rows_of, values = rows[order].tolist(), program.values[order].tolist()
    within = False
    for column, (name, cost) in enumerate(zip(names, program.costs.tolist(), strict=True)):
        if integer and bool(program.is_label[column]) != within:
            within = not within
            yield f" marker 'MARKER' '{'INTORG' if within else 'INTEND'}'"
        yield f" {name} obj {cost}"
        for i in range(starts[column], starts[column + 1]):
            yield f" {name} c{rows_of[i]} {values[i]}"
    if within:
        yield " marker 'MARKER' 'INTEND'"


MPS = program_format("mps", "mathematical programming system", lines)
