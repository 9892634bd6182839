"""What is written: checked before the work starts, and put in place whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InvalidSetting
from ..plain import without_infinities

OUTPUT = "Output"  # heading in the help
STANDARD_OUTPUT = Path("-")

OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="FILE.json",
        help="The result as JSON; - is standard output.",
        show_default=False,
        rich_help_panel=OUTPUT,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing but errors.", rich_help_panel=OUTPUT)]


def check_outputs(outputs: Mapping[str, Path | None], inputs: Mapping[str, Path | None]) -> None:
    """Refuse outputs that could not be written, or that would overwrite an input or each other.

    Parameters
    ----------
    outputs, inputs
        The paths by the name of their option, None where an option is absent.
    """
    taken = {_identity(path): name for name, path in inputs.items() if path is not None}
    for name, path in outputs.items():
        if path is None or (path == STANDARD_OUTPUT and name == "--output"):
            continue
        if path == STANDARD_OUTPUT:
            raise InvalidSetting(f"{name} is -; expected the name of a file (only --output may be -)")
        check_writable(name, path)
        if _is_special(path):
            continue
        other = taken.setdefault(_identity(path), name)
        if other != name:
            raise InvalidSetting(f"{name} {path}: this file is {other} too; expected another name")


def check_writable(name: str, path: Path) -> None:
    """Refuse a path that is a folder, lies in none, or may not be written; `name` is the option's."""
    folder = path.resolve().parent
    if path.is_dir():
        raise InvalidSetting(f"{name} {path}: this is a folder; expected the name of a file")
    if not folder.is_dir():
        raise InvalidSetting(f"{name} {path}: there is no folder {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InvalidSetting(f"{name} {path}: no permission to write there")
    if not _is_special(path) and not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidSetting(f"{name} {path}: no permission to write into the folder {folder}")


def make_folder(folder: Path) -> None:
    """Make the folder of `--folder`, or refuse a name that a file has."""
    if folder.exists() and not folder.is_dir():
        raise InvalidSetting(f"--folder {folder}: this is a file; expected a folder")
    folder.mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it takes the place of `path` if the block succeeds.

    Whatever happens, `path` holds the old content or the new one, never a part. The temporary name ends as
    `path` does, so that a format chosen by suffix stays the same. Devices and pipes get
    the whole content at the end.
    """
    if _is_special(path):
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / path.name
            yield whole
            with _naming(path), path.open("wb") as stream, whole.open("rb") as content:
                shutil.copyfileobj(content, stream)
        return
    target = path.resolve()  # a link stays a link
    handle, name = tempfile.mkstemp(prefix=".partial-", suffix="-" + target.name, dir=target.parent)
    os.close(handle)
    partial = Path(name)
    try:
        with _naming(path):
            yield partial
            partial.chmod(_mode_of(target))
            partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def write_json(content: Mapping[str, Any], path: Path | None) -> None:
    """Write a JSON object to `path`.

    Where that is None it goes to standard output unless that is a terminal; `-` always means standard output.
    """
    text = json.dumps(without_infinities(content), allow_nan=False) + "\n"
    if path is not None and path != STANDARD_OUTPUT:
        with written_whole(path) as partial:
            partial.write_text(text, encoding="ascii")
    elif sys.stdout is not None and (path is not None or not sys.stdout.isatty()):
        sys.stdout.write(text)
        sys.stdout.flush()


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Within, an error of the system names `path`, the only file the user knows of."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def _is_special(path: Path) -> bool:
    """Whether `path` is a device, a pipe or a socket: something to write to, not to replace."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _identity(path: Path) -> object:
    """Equal for two names of one file."""
    try:
        found = path.stat()
    except OSError:
        return path.resolve()
    return (found.st_dev, found.st_ino)


def _mode_of(target: Path) -> int:
    """Permissions of the file that is replaced, or of a new one under the user's mask."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
