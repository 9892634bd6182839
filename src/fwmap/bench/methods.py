"""Methods of a benchmark: a solver, and the settings in which it differs from the defaults."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args, get_type_hints

from ..errors import InvalidSetting
from ..settings import Settings

#: The solvers of this package, the default first.
SOLVERS: tuple[str, ...] = get_args(get_type_hints(Settings)["solver"])

#: An LP solver on the exported relaxation: one more rival.
HIGHS = "highs"


@dataclass(frozen=True)
class Method:
    """A solver and settings of its own.

    Examples
    --------
    >>> Method.parse("fwmap:proximal_weight=10").settings
    {'proximal_weight': 10}
    >>> str(Method.parse("fwmap:proximal_weight=paper"))
    'fwmap:proximal_weight=paper'
    """

    solver: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def parse(text: str) -> Method:
        """Read `solver` or `solver:setting=value:setting=value`; refuse what no solve would take."""
        solver, *given = text.split(":")
        settings = {}
        for each in given:
            name, equals, value = each.partition("=")
            if not equals:
                raise InvalidSetting(f"the method {text!r} has {each!r}; expected setting=value")
            settings[name] = _value(value)
        if solver == HIGHS and not settings:
            return Method(HIGHS)
        if solver not in SOLVERS:
            expected = ", ".join([*SOLVERS, HIGHS])
            raise InvalidSetting(f"there is no solver {solver!r}; expected one of {expected}")
        unknown = set(settings) - set(Settings.__dataclass_fields__)
        if unknown:
            raise InvalidSetting(
                f"the method {text!r} has the setting {min(unknown)!r}, which does not exist"
            )
        Settings(**{"solver": solver, **settings})
        return Method(solver, settings)

    def __str__(self) -> str:
        """The text that it is parsed from."""
        return ":".join([self.solver, *(f"{name}={value}" for name, value in self.settings.items())])


def _value(text: str) -> Any:
    """A number, true, false or null as JSON has them; else the text itself."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
