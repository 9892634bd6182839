"""Ctrl-C and SIGTERM: end at once while nothing is lost, and hold while results are being written."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType, TracebackType

from ..progress import Progress, say
from ..result import Result


def _interrupts() -> list[signal.Signals]:
    """The signals meant, less those that whoever started the program had switched off (`nohup`, `&`)."""
    return [
        number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) != signal.SIG_IGN
    ]


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Within, SIGTERM is a KeyboardInterrupt too. Does nothing outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.default_int_handler) for number in _interrupts()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class HeldInterrupts:
    """A stretch of work whose results must not be lost.

    Until `hold` is called the first interrupt raises KeyboardInterrupt where it strikes. From then on, or
    after `hold`, one interrupt is remembered in `happened` and the work goes on; the next one raises.
    """

    def __init__(self) -> None:
        """Begin with nothing held; the signals are taken on entering the context."""
        self.happened = False
        self._holding = False
        self._warned = False
        self._before: dict[signal.Signals, object] = {}

    def hold(self) -> None:
        """From now on the results are there: finish before giving in."""
        self._holding = True

    def __enter__(self) -> HeldInterrupts:
        """Take the signals over."""
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._on_signal) for number in _interrupts()}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.happened = True
        if not self._holding:
            self._holding = True
            raise KeyboardInterrupt
        if self._warned:
            raise KeyboardInterrupt
        self._warned = True
        say("finishing the results; interrupt again to abandon them", kind="note")


class HoldingProgress(Progress):
    """A progress that protects the result from interrupts from the moment it exists."""

    def __init__(self, interrupts: HeldInterrupts, quiet: bool) -> None:
        super().__init__(live=not quiet, report=not quiet)
        self._interrupts = interrupts

    def finish(self, result: Result) -> None:
        """Hold interrupts, then show the result."""
        self._interrupts.hold()
        super().finish(result)
