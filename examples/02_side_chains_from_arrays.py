"""A dense model from plain arrays: every pair interacts, and some pairs of labels are forbidden.

This is what side-chain prediction and protein design look like: residues are variables, rotamers are labels,
and a clash is a cost of infinity. Run it as `python examples/02_side_chains_from_arrays.py [FOLDER]`.
"""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np

import fwmap
from fwmap.plot import plot_trace

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
random = np.random.default_rng(7)

# Fifteen residues with different numbers of rotamers; one array of costs for each.
n_rotamers = random.integers(4, 10, size=15)
unaries = [random.normal(size=n) for n in n_rotamers]

# One table for each pair: rows belong to the first residue, columns to the second. `inf` forbids an entry; it
# is a mask, no large number that would drown the others.
edges = list(combinations(range(15), 2))
tables = []
for first, second in edges:
    table = random.normal(scale=0.15, size=(n_rotamers[first], n_rotamers[second]))
    clash = random.random(table.shape) < 0.05
    clash[0, 0] = False  # all residues in rotamer 0 never clash, so there is a labeling
    table[clash] = np.inf
    tables.append(table)

model = fwmap.MRF(unaries, edges, tables)
print(model.summary())

result = fwmap.solve(model, time_limit=5)

# What the result is worth is said in one word, and the numbers stand for themselves.
print(f"\n{result.status}: energy {result.energy:.6f}, lower bound {result.bound:.6f}")
print("rotamers:", result.labeling.tolist())

# The energy is that of the labeling, recomputed from the model.
assert np.isclose(model.energy(result.labeling), result.energy, rtol=1e-9)

plot_trace(result, folder / "02_curve.png", title="15 residues, every pair interacts")
