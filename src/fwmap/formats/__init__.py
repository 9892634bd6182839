"""Files: reading models from them and writing models to them.

A new format is one new file with a `Format` in it, and one line in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import FormatError, InvalidModel, InvalidSetting
from ..models import MRF, GraphMatching, Tomography
from ..models.arrays import check_forbidden_above
from .cfn import CFN
from .comparison import compare
from .dd import DD
from .files import read_bytes, suffix_of, writing
from .format import VALUES, Format, Loaded, ReadOptions, Values, WriteOptions
from .images import read_image
from .lp import LP
from .mps import MPS
from .npz import NPZ
from .opengm import OPENGM
from .qaplib import QAPLIB, Solution, read_solution
from .uai import UAI
from .uai_evidence import read_evidence, write_evidence
from .uai_result import read_result, write_result
from .wcsp import WCSP

__all__ = [
    "FORMATS",
    "READ",
    "Format",
    "Loaded",
    "Solution",
    "can_read",
    "compare",
    "read",
    "read_evidence",
    "read_image",
    "read_result",
    "read_solution",
    "write",
    "write_evidence",
    "write_result",
]

#: Every format, in the order in which content without a known suffix is tried.
FORMATS: tuple[Format, ...] = (UAI, OPENGM, NPZ, CFN, DD, QAPLIB, WCSP, LP, MPS)

#: Names of those that can be read.
READ: tuple[str, ...] = tuple(format.name for format in FORMATS if format.read is not None)


def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    costs: bool = False,
    log_potentials: bool = False,
    evidence: str | PathLike[str] | Mapping[int, int] | None = None,
    forbidden_above: float = 1e20,
) -> Loaded:
    """Read a model from a file, compressed or not.

    Parameters
    ----------
    path
        The file. Compression (gzip, xz, bzip2) is found by its content, whatever the name.
    format
        "uai", "opengm", "wcsp", "cfn", "dd", "qaplib" or "npz"; by default as the suffix or else the
        content says.
    costs, log_potentials
        The numbers of a UAI file are costs, or logarithms of potentials, and not potentials.
    evidence
        A UAI evidence file, or the label of each observed variable; other labels become forbidden.
    forbidden_above
        Finite costs >= this are read as forbidden, and counted.

    Raises
    ------
    FormatError
        If the file does not follow its format; the message names the place and what was expected.
    InvalidSetting
        If the options contradict each other or the format.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.uai"
    >>> _ = path.write_text("MARKOV 2  2 2  1  2 0 1  4  0 1  1 0")
    >>> loaded = read(path, costs=True)
    >>> loaded.model.energy([0, 1]), loaded.reading
    (1.0, 'numbers are costs, inf is forbidden')
    """
    where = Path(path)
    data = read_bytes(where)
    chosen = _format_named(format) if format is not None else _format_of(where, data)
    if chosen.read is None:
        raise FormatError(
            f"{where}: files of the format {chosen.name} are only written; expected {_readable()}"
        )
    options = ReadOptions(_values(chosen, costs, log_potentials), check_forbidden_above(forbidden_above))
    try:
        loaded = chosen.read(where, data, options)
    except InvalidModel as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{where}: {error}") from None
    if evidence is None:
        return loaded
    if isinstance(evidence, Mapping):
        observed = dict(evidence)
        return replace(loaded, model=loaded.model.condition(observed), evidence=observed)
    observed = read_evidence(evidence)
    try:
        return replace(loaded, model=loaded.model.condition(observed), evidence=observed)
    except InvalidModel as error:
        raise FormatError(f"{Path(evidence)}: {error}") from None


def can_read(path: str | PathLike[str]) -> bool:
    """Tell whether files of the format that the suffix says can be read.

    Examples
    --------
    >>> can_read("a.uai.xz"), can_read("a.lp")
    (True, False)
    """
    chosen = _format_by_suffix(Path(path))
    return chosen is not None and chosen.read is not None


def write(
    model: MRF | Tomography | GraphMatching | Loaded,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    write_as: Values | None = None,
    resolution: int | None = None,
    integer: bool = False,
) -> dict[str, Any]:
    """Write a model to a file, compressed as its suffix says; return what was recorded about the writing.

    Parameters
    ----------
    model
        A model, or what `read` returned.
    path
        The file; it is replaced only when all went well.
    format
        "uai", "opengm", "wcsp", "dd", "qaplib", "npz", "lp" or "mps"; by default as the suffix says.
    write_as
        The numbers of a UAI file: "potentials", "costs" or "log-potentials". Without it they are what they
        were in the file that the model was read from, except costs, which must be asked for.
    resolution
        Decimals that a `.wcsp` file keeps; without it costs must be integers.
    integer
        Write the integer programme to a `.lp` or `.mps` file, and not the relaxation.

    Raises
    ------
    InvalidSetting
        If the format cannot be told or written, or it is not said what the numbers shall be.
    FormatError
        If the costs cannot be held by the format.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.wcsp.gz"
    >>> write(MRF([[0.25, 1], [2, 3]]), path, resolution=2)["upper_bound"]
    401
    >>> read(path).model.energy([0, 1])
    3.25
    """
    where = Path(path)
    chosen = _format_named(format) if format is not None else _format_by_suffix(where)
    if chosen is None or (chosen.write is None and chosen.write_matching is None):
        known = ", ".join(other.suffixes[0] for other in FORMATS if other.write or other.write_matching)
        what = f"the suffix {suffix_of(where)!r}" if chosen is None else f"the format {chosen.name}"
        raise InvalidSetting(f"{where}: {what} cannot be written; expected one of {known}")
    if write_as is not None and write_as not in VALUES:
        raise InvalidSetting(f"write_as is {write_as!r}; expected one of {', '.join(VALUES)}")
    if write_as is not None and write_as not in chosen.values:
        raise InvalidSetting(
            f"write_as is {write_as!r}; expected {chosen.values[0]}, all that {chosen.name} holds"
        )
    values = write_as
    if values is None and isinstance(model, Loaded) and model.values != "costs" and suffix_of(where) != ".lg":
        values = model.values
    plain = model.model if isinstance(model, Loaded) else model
    if isinstance(plain, Tomography) and chosen.write_tomography is None:
        raise InvalidSetting(f"{where}: {chosen.name} files hold no projections; expected a .uai file")
    if integer and chosen not in (LP, MPS):
        raise InvalidSetting(f"{where}: only .lp and .mps files hold integer programmes, not {chosen.name}")
    if (chosen.write_matching if isinstance(plain, GraphMatching) else chosen.write) is None:
        held = "holds graph matching alone" if chosen.write is None else "holds no graph matching"
        raise InvalidSetting(f"{where}: the format {chosen.name} {held}, and the model is {plain}")
    options = WriteOptions(values, resolution, integer)
    with writing(where) as stream:
        if isinstance(plain, MRF):
            assert chosen.write is not None
            return chosen.write(plain, where, stream, options)
        if isinstance(plain, GraphMatching):
            assert chosen.write_matching is not None
            return chosen.write_matching(plain, where, stream, options)
        assert chosen.write_tomography is not None
        return chosen.write_tomography(plain, where, stream, options)


def _format_named(name: str) -> Format:
    for format in FORMATS:
        if format.name == name:
            return format
    raise InvalidSetting(
        f"format is {name!r}; expected one of {', '.join(format.name for format in FORMATS)}"
    )


def _format_by_suffix(path: Path) -> Format | None:
    suffix = suffix_of(path)
    return next((format for format in FORMATS if suffix in format.suffixes), None)


def _format_of(path: Path, data: bytes) -> Format:
    by_suffix = _format_by_suffix(path)
    if by_suffix is not None:
        return by_suffix
    for format in FORMATS:
        if format.recognises(data[:65536]):
            return format
    raise FormatError(
        f"{path}: neither its name nor its content tells the format; expected one of {_readable()}"
    )


def _readable() -> str:
    return ", ".join(
        f"{format.title} ({format.suffixes[0]})" for format in FORMATS if format.read is not None
    )


def _values(format: Format, costs: bool, log_potentials: bool) -> Values | None:
    if costs and log_potentials:
        raise InvalidSetting("costs and log_potentials are both asked for; expected one of them")
    values: Values | None = "costs" if costs else "log-potentials" if log_potentials else None
    if values is not None and values not in format.values:
        raise InvalidSetting(
            f"the numbers of {format.name} files are {format.values[0]}; expected no {values}"
        )
    return values
