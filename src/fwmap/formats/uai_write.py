"""Writing UAI files, with every number such that it reads back as it was."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..errors import FormatError, InvalidSetting
from ..models import MRF, Tomography
from ..models.arrays import Floats
from ..models.costs import TABLE
from .files import suffix_of
from .format import Values, WriteOptions
from .uai_projections import write_projections

SMALLEST = np.finfo(np.float64).tiny  # below it doubles lose digits: an underflow, if a gradual one


def write_uai(model: MRF, path: Path, stream: IO[bytes], options: WriteOptions) -> dict[str, Any]:
    """Write a model as a UAI file: unary factors in order, then edges, higher factors, and the constant.

    Raises
    ------
    InvalidSetting
        If it is not said what the numbers shall be, or the suffix says something else.
    FormatError
        If a cost has no potential: exp(-cost) underflows or overflows.
    """
    values = _written_values(path, options.values)
    numbers = _Numbers(model, path, values)
    lines = ["MARKOV", str(model.n_nodes), " ".join(map(str, model.n_labels.tolist()))]
    has_constant = model.constant != 0
    lines.append(str(model.n_nodes + model.n_edges + model.n_factors + has_constant))
    stream.write("\n".join(lines).encode() + b"\n")
    for part in (_scopes(model, has_constant), numbers.tables()):
        _write_lines(stream, part)
    return {"values": values}


def write_tomography(
    model: Tomography, path: Path, stream: IO[bytes], options: WriteOptions
) -> dict[str, Any]:
    """Write a tomography model: its field with costs, and a PROJECTIONS section.

    Raises
    ------
    InvalidSetting
        If the numbers shall be anything but costs.
    """
    if options.values not in (None, "costs") or suffix_of(path) == ".lg":
        raise InvalidSetting(
            f"{path}: projections come with costs by definition; expected a .uai file with costs"
        )
    written = write_uai(model.field, path, stream, replace(options, values="costs"))
    write_projections(model, stream)
    return written | {"projections": model.n_rays}


def _written_values(path: Path, values: Values | None) -> Values:
    by_suffix: Values | None = "log-potentials" if suffix_of(path) == ".lg" else None
    if values is None and by_suffix is None:
        raise InvalidSetting(
            f"{path}: a UAI file may hold potentials, costs or log-potentials, and nothing in it says which; "
            "say it: --write-as, write_as="
        )
    if by_suffix is not None and values not in (None, by_suffix):
        raise InvalidSetting(
            f"{path}: the suffix says log-potentials, but {values} are to be written; use .uai"
        )
    return values or "log-potentials"


def _write_lines(stream: IO[bytes], lines: Iterator[str]) -> None:
    waiting: list[str] = []
    for line in lines:
        waiting.append(line)
        if len(waiting) == 4096:
            stream.write("\n".join(waiting).encode() + b"\n")
            waiting.clear()
    stream.write("".join(line + "\n" for line in waiting).encode())


def _scopes(model: MRF, has_constant: bool) -> Iterator[str]:
    for v in range(model.n_nodes):
        yield f"1 {v}"
    for u, v in model.edges.tolist():
        yield f"2 {u} {v}"
    for f in range(model.n_factors):
        scope = model.factor_scope(f).tolist()
        yield f"{len(scope)} {' '.join(map(str, scope))}"
    if has_constant:
        yield "0"


class _Numbers:
    """The costs of a model as the numbers to be written."""

    def __init__(self, model: MRF, path: Path, values: Values) -> None:
        self.model, self.path, self.values = model, path, values

    def tables(self) -> Iterator[str]:
        """Yield the table of each factor, in the order of the scopes."""
        model = self.model
        for v in range(model.n_nodes):
            yield self._line(model.unary(v), f"variable {v}")
        yield from self._edge_tables()
        for f in range(model.n_factors):
            yield self._line(model.factor_table_of(f).reshape(-1), f"factor {f}")
        if model.constant != 0:
            yield self._line(np.array([model.constant]), "the constant")

    def _edge_tables(self) -> Iterator[str]:
        """Yield the tables of the edges; a line that several edges share is made once."""
        model, lines = self.model, dict[tuple[float, ...], str]()
        shapes = model.n_labels[model.edges].tolist()
        users = np.bincount(
            model.edge_table[model.edge_kind == TABLE], minlength=len(model.table_shapes)
        ).tolist()
        parameters = zip(
            model.edge_kind.tolist(),
            model.edge_table.tolist(),
            model.edge_weight.tolist(),
            model.edge_truncation.tolist(),
            shapes,
            strict=True,
        )
        for e, (kind, table, weight, truncation, (rows, columns)) in enumerate(parameters):
            key = (kind, table, weight, truncation, rows, columns)
            line = lines.get(key)
            if line is None:
                line = self._line(model.pairwise_table(e).reshape(-1), f"edge {e}")
                if kind != TABLE or users[table] > 1:
                    lines[key] = line
            yield line

    def _line(self, costs: Floats, what: str) -> str:
        numbers = self._converted(costs, what).tolist()
        return f"{len(numbers)} {' '.join(map(repr, numbers))}"

    def _converted(self, costs: Floats, what: str) -> Floats:
        if self.values == "costs":
            return costs
        if self.values == "log-potentials":
            return np.subtract(0.0, costs)
        with np.errstate(over="ignore", under="ignore"):
            potentials = np.exp(-costs)
        lost = ((potentials < SMALLEST) & (costs != math.inf)) | (potentials == math.inf)
        if lost.any():
            i = int(np.flatnonzero(lost)[0])
            happens = "underflows" if potentials[i] < 1 else "overflows"
            raise FormatError(
                f"{self.path}: {what} has the cost {float(costs[i])!r}; its potential exp(-cost) {happens}; "
                "expected costs from -709 to 708, or to write costs or log-potentials"
            )
        return potentials
