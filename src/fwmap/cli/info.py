"""`fwmap info`: what is in an instance, and how its numbers were read."""

from __future__ import annotations

from .. import formats
from ..progress import say
from ..settings import Settings
from .exits import SOLVED
from .outputs import OutputFile, check_outputs, write_json
from .reading import Costs, Evidence, ForbiddenAbove, Format, Instance, LogPotentials, Matching, read_instance


def info(
    instance: Instance,
    format: Format = None,
    costs: Costs = False,
    log_potentials: LogPotentials = False,
    evidence: Evidence = None,
    matching: Matching = None,
    output: OutputFile = None,
    forbidden_above: ForbiddenAbove = Settings.forbidden_above,
) -> int:
    """Tell what an instance holds: variables, labels, factors, costs, what is forbidden or repeated.

    The same as JSON goes to --output, or to standard output when that is not a terminal.
    """
    check_outputs({"--output": output}, {"the instance": instance, "the evidence": evidence})
    loaded = read_instance(instance, format, costs, log_potentials, evidence, forbidden_above, matching)
    say(_text(str(instance), loaded))
    about = {"instance": str(instance), "format": loaded.format, "reading": loaded.reading}
    write_json({**about, **loaded.model.facts(), **loaded.facts, "evidence": loaded.evidence}, output)
    return SOLVED


def _text(name: str, loaded: formats.Loaded) -> str:
    lines = {"instance": name, "format": loaded.format, "reading": loaded.reading}
    if loaded.evidence is not None:
        lines["evidence"] = f"{len(loaded.evidence)} observed"
    of_file = [f"{key.replace('_', ' ')}: {_words(value)}" for key, value in loaded.facts.items()]
    return "\n".join(
        [
            *(f"{key:16}{value}" for key, value in lines.items()),
            loaded.model.summary(),
            *(f"{'in the file' if i == 0 else '':16}{words}" for i, words in enumerate(of_file)),
        ]
    )


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {amount}" for key, amount in value.items())
    return str(value)
