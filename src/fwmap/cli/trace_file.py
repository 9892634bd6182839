"""The trace of a run as a file that can be read while it grows."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from types import TracebackType

from ..plain import without_infinities
from ..result import TraceRow


class TraceFile:
    """A file of JSON lines, one per evaluated point, each on disk as soon as it is known.

    A row is one write, so that a reader, or an interrupt, never meets half of one. A failure to write is kept
    in `error` and ends the file, not the solve.
    """

    def __init__(self, path: Path) -> None:
        """Create the file, or empty it."""
        self.path = path
        self.error: OSError | None = None
        self._file = path.open("wb", buffering=0)

    def write(self, row: TraceRow) -> None:
        """Append one row."""
        if self.error is None:
            line = json.dumps(without_infinities(dataclasses.asdict(row)), allow_nan=False) + "\n"
            try:
                self._file.write(line.encode("ascii"))
            except OSError as error:
                error.filename = error.filename or str(self.path)
                self.error = error

    def __enter__(self) -> TraceFile:
        """Return the file itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()
