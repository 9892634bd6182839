"""The numbers in UAI tables: potentials, costs or log potentials, and what each may be."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NoReturn

import numpy as np

from ..models.arrays import Floats
from .format import Values
from .number_text import SPACES, NumberText

#: What each reading means, for people.
READINGS: dict[Values, str] = {
    "potentials": "numbers are potentials: cost = -log(number), 0 is forbidden",
    "costs": "numbers are costs, inf is forbidden",
    "log-potentials": "numbers are logarithms of potentials: cost = -number, -inf is forbidden",
}

SMALL_EXPONENT = re.compile(rb"[eE]-0*(?:3[2-9]\d|[4-9]\d\d|\d{4,})")


def costs_of(
    values: Floats, reading: Values, numbers: NumberText, locate: Callable[[int], tuple[int, str]]
) -> Floats:
    """Return the costs that the numbers of the tables stand for, in place of them.

    Numbers that the reading does not allow are refused; `locate` gives the index among `numbers` of an entry
    and the words that name it.
    """

    def refuse(bad: np.ndarray, expected: str) -> NoReturn:
        index, what = locate(int(np.flatnonzero(bad)[0]))
        numbers.fail(index, f"{what} is {numbers.token(index)}; expected {expected}")

    if len(values) == 0:
        return values
    lowest, highest = float(values.min()), float(values.max())
    if math.isnan(lowest):
        refuse(np.isnan(values), "a number")
    if reading == "costs":
        if lowest == -math.inf:
            refuse(values == -math.inf, "a finite cost, or inf where forbidden")
        return values
    if reading == "log-potentials":
        if highest == math.inf:
            refuse(values == math.inf, "a finite logarithm, or -inf where forbidden")
        return np.subtract(0.0, values, out=values)
    if lowest < 0:
        refuse(
            values < 0,
            "a potential >= 0 (if the numbers are costs, say --costs, costs=True; if they are logarithms of "
            "potentials, --log-potentials, log_potentials=True)",
        )
    if highest == math.inf:
        refuse(values == math.inf, "a finite potential")
    if lowest == 0:
        _refuse_underflow(numbers)
    with np.errstate(divide="ignore"):
        np.log(values, out=values)
    return np.subtract(0.0, values, out=values)


def _refuse_underflow(numbers: NumberText) -> None:
    """Refuse a positive potential too small for a double: as zero it would forbid what is not forbidden."""
    text = numbers.text
    for found in SMALL_EXPONENT.finditer(text, numbers.start):
        begin = found.start()
        while begin > 0 and text[begin - 1 : begin] not in SPACES:
            begin -= 1
        token = text[begin : found.end()]
        if float(token) == 0 and token.lower().split(b"e")[0].strip(b"+-0."):
            numbers.fail_at(
                begin,
                f"the potential {token.decode()} is too small for a double and would be read as 0, which "
                "forbids; expected a number >= 1e-307 (or logarithms of potentials)",
            )
