"""UAI result files: a task, and labelings found one after the other, of which the last one counts."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..errors import FormatError, InvalidSetting
from ..models.arrays import Ints, as_indices
from .files import read_bytes, writing
from .number_text import NumberText

TASKS = ("MPE", "MAP")
SEPARATOR = b"-BEGIN-"


def read_result(path: str | PathLike[str]) -> Ints:
    """Return the last labeling of a result file; `MPE` and `MAP` mean the same.

    Raises
    ------
    FormatError
        If the task is another one, or the last labeling is incomplete.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "found.MPE"
    >>> _ = path.write_text("MPE\\n3 0 0 0\\n-BEGIN-\\n3 0 2 1\\n")
    >>> read_result(path).tolist()
    [0, 2, 1]
    """
    where = Path(path)
    data = read_bytes(where)
    words = data.split(None, 1)
    if not words or words[0] not in [task.encode() for task in TASKS]:
        shown = words[0][:40].decode("utf-8", "replace") if words else ""
        raise FormatError(f"{where}, line 1: found {shown!r}; expected MPE or MAP")
    last = data.rfind(SEPARATOR)
    begin = data.find(words[0]) + len(words[0]) if last < 0 else last + len(SEPARATOR)
    numbers = NumberText(where, data, begin)
    n = numbers.expect_integer(0, "the number of variables of the last labeling")
    first = 1
    if n == 1 and len(numbers.numbers) > 2:  # a number of samples comes first, as it did in 2010
        n, first = numbers.expect_integer(1, "the number of variables of the last labeling"), 2
    labels = [numbers.expect_integer(first + v, f"the label of variable {v} of {n}") for v in range(n)]
    numbers.expect_end(first + n, f"the labels of {n} variables")
    return np.array(labels, dtype=np.int64)


def write_result(labeling: ArrayLike, path: str | PathLike[str], task: str = "MPE") -> None:
    """Write one labeling as a result file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "found.MPE"
    >>> write_result([0, 2, 1], path)
    >>> path.read_text()
    'MPE\\n3 0 2 1\\n'
    """
    if task not in TASKS:
        raise InvalidSetting(f"task is {task!r}; expected MPE or MAP")
    labels = as_indices(labeling, "the labeling").reshape(-1).tolist()
    with writing(Path(path)) as stream:
        stream.write(f"{task}\n{' '.join(map(str, [len(labels), *labels]))}\n".encode())
