"""Recorded runs: files of JSON lines that grow by whole lines, and may be cut anywhere."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import FormatError
from ..formats.files import read_bytes
from .jobs import Job, job_key

Run = dict[str, Any]


class RunFile:
    """A file of runs that is only ever appended to, one line per run, each on disk before the next begins.

    A last line without its end was cut when the program was killed: it is dropped, and that run done again.

    Parameters
    ----------
    path
        The file; made with the first run when it does not exist.

    Examples
    --------
    >>> import tempfile
    >>> file = RunFile(Path(tempfile.mkdtemp()) / "runs.jsonl")
    >>> file.runs
    []
    """

    def __init__(self, path: Path) -> None:
        """Read what is there, and repair its end."""
        self.path = path
        self.runs: list[Run] = []
        if path.exists():
            content = path.read_bytes()
            whole = content[: content.rfind(b"\n") + 1]
            self.runs = list(parsed(path, whole))
            if len(whole) < len(content):
                os.truncate(path, len(whole))
        self._done = {job_key(run) for run in self.runs}

    def has(self, job: Job) -> bool:
        """Whether this job has been run."""
        return job.key in self._done

    def append(self, run: Run) -> None:
        """Write a run, and see to it that it is on disk."""
        line = json.dumps(run, allow_nan=False).encode("ascii") + b"\n"
        with self.path.open("ab", buffering=0) as stream:
            stream.write(line)
            os.fsync(stream.fileno())
        self.runs.append(run)
        self._done.add(job_key(run))


def read_runs(paths: Iterable[Path]) -> list[Run]:
    """Return the runs of several files, which may be compressed; of equal runs the last one."""
    runs: dict[tuple[object, ...], Run] = {}
    for path in paths:
        content = read_bytes(path)
        for run in parsed(path, content[: content.rfind(b"\n") + 1]):
            runs[job_key(run)] = run
    return list(runs.values())


def parsed(path: Path, content: bytes) -> Iterator[Run]:
    """Yield the runs of whole lines; name the line that is none."""
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            run = json.loads(line)
            job_key(run)
        except (ValueError, KeyError, TypeError):
            raise FormatError(f"{path}, line {number}: expected a run of `fwmap bench`") from None
        yield run
