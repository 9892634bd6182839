"""Bytes from and to files; compression is told by magic bytes when reading, by suffix when writing."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from ..errors import FormatError

MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"BZh": "bz2"}
COMPRESSIONS = (".gz", ".xz", ".bz2")


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, decompressed whatever its name says.

    Raises
    ------
    FormatError
        If the compressed data is damaged or ends early.
    OSError
        If the file cannot be read.
    """
    data = path.read_bytes()
    kind = next((kind for magic, kind in MAGIC.items() if data.startswith(magic)), None)
    try:
        if kind == "gz":
            return gzip.decompress(data)
        if kind == "xz":
            return lzma.decompress(data)
        if kind == "bz2":
            return bz2.decompress(data)
    except (EOFError, OSError, lzma.LZMAError, zlib.error, ValueError) as error:
        raise FormatError(f"{path}: the {kind} data is damaged or ends early: {error}") from None
    return data


@contextlib.contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing bytes, compressed as its suffix says; it appears only when all went well."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _open(part, path.suffix.lower()) as stream:
            yield stream
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _open(path: Path, suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        return cast(IO[bytes], gzip.GzipFile(path, "wb", compresslevel=6, mtime=0))
    if suffix == ".xz":
        return cast(IO[bytes], lzma.open(path, "wb"))
    if suffix == ".bz2":
        return cast(IO[bytes], bz2.open(path, "wb"))
    return open(path, "wb")


def suffix_of(path: Path) -> str:
    """Return the suffix under compression suffixes, in lower case.

    Examples
    --------
    >>> suffix_of(Path("a/model.UAI.xz"))
    '.uai'
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
