"""Watch a run from your own code, and stop it when it is good enough for you.

Depth from two views: run it as `python examples/04_watch_and_stop.py [FOLDER]`.
"""

import sys
from pathlib import Path

import fwmap
from fwmap.datasets import stereo
from fwmap.plot import plot_before_and_after, plot_labeling

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
data = stereo(96, 128, disparities=16)


def good_enough(row):
    """See each evaluated point; returning True ends the run with the best labeling and bound so far."""
    if row.energy is None:
        return False
    print(f"{row.iteration:6d} iterations: {row.lower_bound:12.3f} <= optimum <= {row.energy:12.3f}")
    return row.energy - row.lower_bound <= 0.01 * abs(row.energy)


result = fwmap.solve(data.model, callback=good_enough, time_limit=10)
print(
    f"{result.status}: {result.iterations} iterations, {result.seconds:.1f} s, gap {result.relative_gap:.2%}"
)

# The relaxation knows more than the labeling: where it is undecided, the pictures leave room for doubt.
plot_before_and_after(data, result, folder / "04_depth.png")
plot_labeling(result, data.model, folder / "04_doubt.png", title="depth from two views")
