"""Exit codes, and how an exception becomes one line and one of them."""

from __future__ import annotations

import functools
import os
import sys
import traceback
from collections.abc import Callable
from typing import ParamSpec

from ..errors import FwmapError
from ..progress import say

SOLVED = 0  #: solved, or a limit was reached
INFEASIBLE = 1  #: it is proved that there is no labeling
WRONG_INPUT = 2  #: wrong input or usage, or an output that cannot be written
PROGRAM_ERROR = 70  #: an error of this program; none of the answers above
NOT_PROVED = 3  #: of check: the certificate holds, and does not prove that its labeling is optimal
NOT_VALID = 4  #: of check: the certificate does not hold
INTERRUPTED = 130  #: interrupted, after the results so far were written


Parameters = ParamSpec("Parameters")


def reporting(command: Callable[Parameters, int]) -> Callable[Parameters, int]:
    """Return `command` with its errors reported, before the argument parser has its own way with them."""

    @functools.wraps(command)
    def run(*arguments: Parameters.args, **options: Parameters.kwargs) -> int:
        return report_and_exit_code(lambda: command(*arguments, **options))

    return run


def report_and_exit_code(command: Callable[[], object]) -> int:
    """Run `command` and return its exit code; an error is told in one line on standard error."""
    try:
        outcome = command()
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        say("interrupted", kind="error")
        return INTERRUPTED
    except BrokenPipeError:
        return _closed_pipe()
    except Exception as error:
        message = one_line(error)
        if message is None:
            traceback.print_exc()
            say("this is an error of fwmap itself, please report it", kind="error")
            return PROGRAM_ERROR
        if message:
            say(message, kind="error")
        return WRONG_INPUT
    return outcome if isinstance(outcome, int) else SOLVED


def one_line(error: Exception) -> str | None:
    """Return what a user should read about `error`, or None where it is not the user's to mend.

    Examples
    --------
    >>> one_line(FileNotFoundError(2, "No such file or directory", "a.uai"))
    'a.uai: no such file or directory'
    >>> one_line(ZeroDivisionError()) is None
    True
    """
    if isinstance(error, FwmapError):
        return " ".join(str(error).split())
    if isinstance(error, OSError):
        reason = (error.strerror or str(error)).strip()
        reason = reason[:1].lower() + reason[1:]
        return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"
    if isinstance(error, MemoryError):
        return "not enough memory for this instance"
    if callable(getattr(error, "format_message", None)):  # of the argument parser
        return _usage_line(error)
    return None


def _usage_line(error: Exception) -> str:
    message = " ".join(str(error.format_message()).split())  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":  # the message is the help text itself
        print(error.format_message(), file=sys.stderr)  # type: ignore[attr-defined]
        return ""
    hint = "" if context is None else f" (see {context.command_path} --help)"
    return message.rstrip(".") + hint


def _closed_pipe() -> int:
    """Whoever read standard output is gone: point it elsewhere, so that Python's own flush stays silent."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    say("standard output was closed before everything was written", kind="error")
    return WRONG_INPUT
