"""How much memory the process has needed, and how much it can still have."""

from __future__ import annotations

import contextlib
import math
import sys
from pathlib import Path

from .errors import TooLarge


def peak_memory_bytes() -> int:
    """Largest resident size of this process so far; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # not a Unix
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024


def available_memory_bytes() -> float:
    """What this process can still be given, as far as the system tells; inf where it does not."""
    found = [math.inf]
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found += [1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    group = Path("/sys/fs/cgroup")
    with contextlib.suppress(OSError, ValueError):
        limit = int((group / "memory.max").read_text())  # "max": no limit, and no number
        found.append(float(limit - int((group / "memory.current").read_text())))
    with contextlib.suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            found.append(float(limit - pages * resource.getpagesize()))
    return max(0.0, min(found))


def refuse_beyond_memory(needed_bytes: float, what: str) -> None:
    """Raise before anything is allocated where it would not fit; `what` begins the message.

    Raises
    ------
    TooLarge
        Where less memory is available.
    """
    available = available_memory_bytes()
    if needed_bytes > available:
        raise TooLarge(
            f"{what} would take {needed_bytes / 1e9:.3g} GB; {available / 1e9:.3g} GB are available"
        )
