"""The `.lp` format of CPLEX, written only: the relaxation or the integer programme for other solvers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..linear_program import LinearProgram
from .linear_programs import program_format

TERMS_PER_LINE = 6  # CPLEX reads lines of up to 560 characters


def lines(program: LinearProgram, integer: bool) -> Iterator[str]:
    """The file, line by line."""
    names = list(program.names())
    yield f"\\ the {'integer programme' if integer else 'relaxation'}, written by fwmap"
    yield "Minimize"
    terms = [f"{cost:+} {name}" for cost, name in zip(program.costs.tolist(), names, strict=True) if cost]
    if program.constant:
        terms.append(f"{program.constant:+}")
    yield from broken([" obj:", *(terms or [f"0 {names[0]}"])])
    yield "Subject To"
    values, columns = program.values.tolist(), program.columns.tolist()
    starts, right = program.starts.tolist(), program.right.tolist()
    for r, is_equality in enumerate(program.is_equality.tolist()):
        row = range(starts[r], starts[r + 1])
        entries = (f"{values[i]:+g} {names[columns[i]]}" for i in row)
        yield from broken([f" c{r}:", *entries, f"{'=' if is_equality else '<='} {right[r]:g}"])
    fixed = [name for name, upper in zip(names, program.upper.tolist(), strict=True) if upper == 0]
    if fixed:
        yield "Bounds"
        yield from (f" {name} = 0" for name in fixed)
    if integer:
        yield "Binary"
        allowed = zip(names, program.is_label.tolist(), program.upper.tolist(), strict=True)
        yield from broken([name for name, is_label, upper in allowed if is_label and upper])
    yield "End"


def broken(words: Iterable[str]) -> Iterator[str]:
    """Words in lines that every reader takes.

    >>> list(broken("abcdefgh"))
    ['a b c d e f', ' g h']
    """
    line: list[str] = []
    indent = ""
    for word in words:
        if len(line) == TERMS_PER_LINE:
            yield indent + " ".join(line)
            line, indent = [], " "
        line.append(word)
    if line:
        yield indent + " ".join(line)


LP = program_format("lp", "linear programme", lines)
