"""What the formats of linear programmes share: they are written, line by line, and never read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from ..linear_program import LinearProgram, linear_program
from ..models import Model
from .format import Format, WriteOptions

#: A programme as lines of text; with integer labels where the flag says so.
Lines = Callable[[LinearProgram, bool], Iterator[str]]


def program_format(name: str, title: str, lines: Lines) -> Format:
    """Return the format whose files hold the relaxation or the integer programme, as these lines."""

    def write(model: Model, path: Path, stream: IO[bytes], options: WriteOptions) -> dict[str, Any]:
        program = linear_program(model)
        for line in lines(program, options.integer):
            stream.write(line.encode("ascii") + b"\n")
        return {"columns": program.n_columns, "rows": program.n_rows, "integer": options.integer}

    return Format(
        name=name,
        title=title,
        suffixes=(f".{name}",),
        recognises=lambda content: False,
        read=None,
        write=write,
        write_tomography=write,
        write_matching=write,
    )
