"""What a person sees of a run. Nothing else in this package prints."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Literal, TextIO

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from .result import Result, TraceRow
from .settings import Settings
from .summary import count, short_count, summary

REFRESHES_PER_SECOND = 8


def console_for(file: TextIO | None = None) -> Console | None:
    """Return the console of `file` (standard error when absent), or None where there is none."""
    file = sys.stderr if file is None else file
    return None if file is None or file.closed else Console(file=file, highlight=False)


def say(message: RenderableType, kind: Literal["error", "note", "plain"] = "plain") -> None:
    """Print one message on standard error; a string stays one line, however long."""
    console = console_for()
    if console is None:
        return
    if not isinstance(message, (str, Text)):
        console.print(message)
        return
    line = Text()
    if kind == "error":
        line.append("fwmap: ", style="bold red")
    elif kind == "note":
        line.append("fwmap: ", style="bold")
    line.append(message)
    console.print(line, soft_wrap=True)


class Progress:
    """Shows a solve: one live line on a terminal while it runs, and a summary at its end.

    Pass one to `fwmap.solve` as `progress`. Away from a terminal nothing is printed while it runs. Use it as
    a context manager, so that the live line is cleared whatever happens.

    Parameters
    ----------
    live
        Show the live line; only ever done on a terminal.
    report
        Print the summary at the end.
    file
        Where to print; standard error when absent.

    Examples
    --------
    >>> with Progress() as progress:  # doctest: +SKIP
    ...     result = fwmap.solve(model, progress=progress)
    """

    def __init__(self, *, live: bool = True, report: bool = True, file: TextIO | None = None) -> None:
        """Show nothing yet; `start` does."""
        self._console = console_for(file)
        self._report = report
        self._wants_live = live and self._console is not None and self._console.is_terminal
        self._live: Live | None = None
        self._model: Any = None
        self._row: TraceRow | None = None
        self._began = 0.0
        self._time_limit: float | None = None

    def start(self, model: Any, settings: Settings) -> None:
        """The solve of `model` begins: show the line."""
        self.close()
        self._model, self._row, self._time_limit = model, None, settings.time_limit
        self._began = time.monotonic()
        if self._wants_live and self._console is not None:
            self._live = Live(
                get_renderable=self._line,
                console=self._console,
                refresh_per_second=REFRESHES_PER_SECOND,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()

    def update(self, row: TraceRow) -> None:
        """A point was evaluated. Cheap: the line is drawn at its own pace."""
        self._row = row

    def finish(self, result: Result) -> None:
        """The solve is over: clear the line and print the summary."""
        self.close()
        if self._report and self._console is not None:
            self._console.print(summary(result, self._model))

    def close(self) -> None:
        """Clear the live line; harmless where there is none."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def __enter__(self) -> Progress:
        """Return the progress itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Clear the live line."""
        self.close()

    def _line(self) -> Text:
        width = 80 if self._console is None else self._console.width
        return live_line(self._row, time.monotonic() - self._began, self._time_limit, width)


def live_line(row: TraceRow | None, elapsed: float, time_limit: float | None, width: int) -> Text:
    """Return the state of a run in one line of at most `width` columns.

    Where space is short the time limit goes first, then the cycles, the planes, the iteration.
    """
    clock = f"{elapsed:.1f}"
    limit = "" if time_limit is None else f"/{time_limit:g}"
    if row is None:
        return _joined([("", "preparing"), ("", f"{clock}{limit} s")], width)
    gap = None
    if row.energy is not None and row.lower_bound is not None:
        gap = (row.energy - row.lower_bound) / max(1.0, abs(row.energy))
    cells = [
        ("iter", count(row.iteration)),
        ("bound", _steady(row.lower_bound)),
        ("energy", _steady(row.energy)),
        ("gap", "-" if gap is None else f"{gap:.1e}"),
        ("planes", short_count(row.planes)),
        ("cycles", short_count(row.cycles) if row.cycles else ""),
        ("", f"{clock}{limit} s"),
    ]
    for place, shorter in ((6, f"{clock} s"), (5, ""), (4, ""), (0, "")):
        if _length(cells) <= width:
            break
        cells[place] = (cells[place][0], shorter)
    return _joined(cells, width)


def _steady(value: float | None) -> str:
    """Seven digits, trailing zeros included, so that the line does not tremble."""
    return "-" if value is None else f"{value:#.7g}"


def _length(cells: list[tuple[str, str]]) -> int:
    lengths = [len(name) + bool(name) + len(value) for name, value in cells if value]
    return sum(lengths) + 2 * (len(lengths) - 1)


def _joined(cells: list[tuple[str, str]], width: int) -> Text:
    line = Text(no_wrap=True, overflow="ellipsis")
    for name, value in cells:
        if value:
            line.append("  " if line else "")
            line.append(f"{name} " if name else "", style="dim")
            line.append(value)
    line.truncate(width, overflow="ellipsis")
    return line
