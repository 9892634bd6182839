"""How much memory the process has needed."""

from __future__ import annotations

import sys


def peak_memory_bytes() -> int:
    """Largest resident size of this process so far; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # not a Unix
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024
