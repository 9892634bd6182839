"""UAI files of Markov random fields and Bayesian networks (`.uai`, `.LG`).

Grammar: `MARKOV` or `BAYES`, number of variables, their numbers of labels, number of factors, the scope of
each (arity and variables), then the table of each (its size and the entries, last variable fastest). Line
breaks mean nothing, except that lines starting with `c` and a blank are comments. With a PROJECTIONS section
after the tables the file is a tomography instance, and its numbers are costs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError, InvalidSetting
from ..models.arrays import Floats, Ints, offsets_of
from ..models.factors import by_arity
from .factor_list import FactorList
from .files import suffix_of
from .format import Format, Loaded, ReadOptions, Values
from .number_text import NumberText
from .uai_projections import READING, FieldText, find_projections, with_projections
from .uai_tables import Tables, unnormalised_rows
from .uai_values import READINGS, costs_of
from .uai_write import write_tomography, write_uai

BLOCK = 1 << 14  # numbers looked at one by one where arities change often: runs shorter than `MIXED`
MIXED = 16
HEADER = re.compile(rb"\s*(\S+)")
COMMENT = re.compile(rb"^c(?:[ \t][^\n]*)?\r?$", re.MULTILINE)


def read_uai(path: Path, data: bytes, options: ReadOptions) -> Loaded:
    """Read a UAI file.

    Raises
    ------
    FormatError
        If the file ends early or late, a table has the wrong size, an index is out of range, or a number is
        not what the reading of the numbers allows; the message names line, factor and entry.
    """
    text = without_comments(data)
    network, start = _header(path, text)
    section = find_projections(text)
    if section is not None and options.values not in (None, "costs"):
        raise InvalidSetting(
            f"{path} has a PROJECTIONS section, which makes its numbers costs; expected no {options.values}"
        )
    values: Values = options.values or ("log-potentials" if suffix_of(path) == ".lg" else "potentials")
    if section is not None:
        values = "costs"
    numbers = NumberText(path, text, start) if section is None else FieldText(path, text[:section], start)
    n_labels, position = _label_counts(numbers)
    scopes, scope_offsets, position = _scopes(numbers, position, n_labels)
    table = Tables(numbers, position, n_labels, scopes, scope_offsets)
    table.check()
    given = table.values()
    facts: dict[str, Any] = {"network": network}
    if network == "BAYES" and values == "potentials":
        facts["rows_not_summing_to_one"] = unnormalised_rows(given, n_labels, scopes, scope_offsets)
    costs = costs_of(given, values, numbers, table.locate)
    factors = FactorList(
        n_labels, scopes, scope_offsets, np.arange(len(table.sizes)), costs, offsets_of(table.sizes)
    )
    arities, counts = np.unique(np.diff(scope_offsets), return_counts=True)
    facts["factors_by_arity"] = dict(zip(arities.tolist(), counts.tolist(), strict=True))
    facts["repeated_scopes"] = factors.repeated_scopes()
    model = factors.model(options.forbidden_above, name=path.name)
    if section is not None:
        tomography = with_projections(model, path, text, section)
        return Loaded(tomography, "uai", READING, values, facts, path=path)
    return Loaded(model, "uai", READINGS[values], values, facts, path=path)


def without_comments(data: bytes) -> bytes:
    """Return the text with comment lines blanked out, so that every offset and line stays what it was."""
    if data.startswith(b"c") or b"\nc" in data:
        return COMMENT.sub(lambda found: b" " * len(found.group()), data)
    return data


def recognises_uai(head: bytes) -> bool:
    """Return whether a file that begins like this is a UAI model."""
    found = HEADER.match(without_comments(head))
    return found is not None and found.group(1) in (b"MARKOV", b"BAYES")


def _header(path: Path, text: bytes) -> tuple[str, int]:
    found = HEADER.match(text)
    if found is None:
        raise FormatError(f"{path}: the file is empty; expected MARKOV or BAYES")
    word = found.group(1)
    if word not in (b"MARKOV", b"BAYES"):
        line = text.count(b"\n", 0, found.start(1)) + 1
        shown = word[:40].decode("utf-8", "replace")
        raise FormatError(f"{path}, line {line}: the file begins with {shown!r}; expected MARKOV or BAYES")
    return word.decode(), found.end()


def _label_counts(numbers: NumberText) -> tuple[Ints, int]:
    n_variables = numbers.expect_integer(0, "the number of variables, an integer >= 0")
    end = 1 + n_variables
    given = numbers.numbers[1:end]
    bad = np.flatnonzero(~(given >= 1) | (given != np.floor(given)) | (given > 2**31))
    if len(bad):
        index = 1 + int(bad[0])
        found = f"variable {bad[0]} has {numbers.token(index)} labels"
        numbers.fail(index, f"{found}; expected an integer from 1 to 2^31")
    numbers.expect(end, f"the numbers of labels of {n_variables} variables and the number of factors")
    return given.astype(np.int64), end


def _scopes(numbers: NumberText, position: int, n_labels: Ints) -> tuple[Ints, Ints, int]:
    """Return the flat scopes, their offsets, and the index of the first number after them."""
    n_factors = numbers.expect_integer(position, "the number of factors, an integer >= 0")
    begin = position + 1
    arities = _arities(numbers, begin, n_factors, len(n_labels))
    end = begin + int(arities.sum()) + n_factors
    places = begin + offsets_of(arities + 1)[:-1]
    is_variable = np.ones(max(min(end, len(numbers.numbers)) - begin, 0), dtype=bool)
    is_variable[places[places < len(numbers.numbers)] - begin] = False
    given = numbers.numbers[begin : begin + len(is_variable)][is_variable]
    bad = np.flatnonzero(~((given >= 0) & (given < len(n_labels)) & (given == np.floor(given))))
    offsets = offsets_of(arities)
    if len(bad):
        f = int(np.searchsorted(offsets, bad[0], side="right")) - 1
        index = begin + int(bad[0]) + f + 1
        numbers.fail(
            index,
            f"the scope of factor {f} has the variable {numbers.token(index)}; "
            f"expected an integer from 0 to {len(n_labels) - 1}",
        )
    if end > len(numbers.numbers):
        f = int(np.searchsorted(places, len(numbers.numbers), side="right")) - 1
        numbers.expect(len(numbers.numbers), f"the {arities[f]} variables of factor {f}")
    scopes = given.astype(np.int64)
    for group in by_arity(offsets):
        ordered = np.sort(scopes[group.positions], axis=1)
        repeated = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if len(repeated):
            f = int(group.factors[repeated[0]])
            scope = tuple(scopes[offsets[f] : offsets[f + 1]].tolist())
            numbers.fail(int(places[f]), f"the scope of factor {f} is {scope}; expected different variables")
    return scopes, offsets, end


def _arities(numbers: NumberText, begin: int, n_factors: int, n_variables: int) -> Ints:
    """Return the arity of each factor; each says where the next one is."""
    runs: list[Ints] = []
    found, position = 0, begin
    while found < n_factors:
        arity = numbers.expect(position, f"the arity of factor {found} of {n_factors}")
        if not (0 <= arity <= n_variables and arity.is_integer()):
            numbers.fail(
                position,
                f"factor {found} has {numbers.token(position)} variables; "
                f"expected an integer from 0 to {n_variables}",
            )
        step = int(arity) + 1
        run = _run_length(numbers.numbers[position::step][: n_factors - found], arity)
        if run < MIXED:
            block = numbers.numbers[position : position + BLOCK].tolist()
            runs.append(_arities_in(block, n_factors - found, n_variables))
            run, passed = len(runs[-1]), int(runs[-1].sum()) + len(runs[-1])
        else:
            runs.append(np.full(run, int(arity)))
            passed = run * step
        found += run
        position += passed
    return np.concatenate([np.zeros(0, dtype=np.int64), *runs])


def _arities_in(block: list[float], most: int, n_variables: int) -> Ints:
    """Return the arities of the factors that begin in a block, up to one that cannot be."""
    arities: list[int] = []
    i = 0
    while i < len(block) and len(arities) < most:
        arity = block[i]
        if not (0 <= arity <= n_variables and arity.is_integer()):
            break
        arities.append(int(arity))
        i += int(arity) + 1
    return np.array(arities, dtype=np.int64)


def _run_length(numbers: Floats, value: float) -> int:
    """Return how many of the first numbers equal `value`, looking ever further ahead."""
    end, ahead = 1, 8
    while end < len(numbers):
        differs = numbers[end : end + ahead] != value
        if differs.any():
            return end + int(differs.argmax())
        end, ahead = end + len(differs), 8 * ahead
    return end


UAI = Format(
    name="uai",
    title="UAI model",
    suffixes=(".uai", ".lg"),
    recognises=recognises_uai,
    read=read_uai,
    write=write_uai,
    write_tomography=write_tomography,
    values=("potentials", "costs", "log-potentials"),
)
