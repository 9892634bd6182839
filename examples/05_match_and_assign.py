"""Match points that are seen twice, and give departments their places.

Graph matching and quadratic assignment: run it as `python examples/05_match_and_assign.py [FOLDER]`.
"""

import sys
from pathlib import Path

import numpy as np

import fwmap
from fwmap.datasets import keypoints
from fwmap.plot import plot_matching

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# An object and the same object again, turned, disturbed and among other points. Neighbours are rewarded for
# keeping their distance; a point may stay without a partner.
data = keypoints(20, 6, noise=0.02, seed=34)
result = fwmap.solve(data.model, iterations=2000)
right = np.mean(result.labeling == data.truth)
print(f"matched {right:.0%} rightly: {result.bound:.3f} <= optimum <= {result.energy:.3f} ({result.status})")
plot_matching(result, data.model, folder / "05_keypoints.png", "the same object twice", truth=data.truth)

# Twelve departments, twelve places on a grid: what flows between two departments costs as much as their
# places are apart. The two matrices are all there is; a table of all pairs of assignments is never made.
rng = np.random.default_rng(1)
flows = np.triu(rng.integers(0, 6, (12, 12)) * (rng.random((12, 12)) < 0.5), 1)
flows = flows + flows.T
places = np.indices((3, 4)).reshape(2, -1).T
distances = np.abs(places[:, None] - places[None]).sum(axis=2)
angle = np.linspace(0, 2 * np.pi, 12, endpoint=False)
model = fwmap.GraphMatching.from_koopmans_beckmann(
    flows,
    distances,
    left_points=np.stack([np.cos(angle), np.sin(angle)], axis=1),
    right_points=places[:, ::-1],
)
result = fwmap.solve(model, iterations=300)
print(f"departments at {result.labeling.tolist()}: {result.bound:.1f} <= optimum <= {result.energy:g}")
plot_matching(result, model, folder / "05_departments.png", "departments and their places")
