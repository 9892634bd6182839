"""Clean a noisy picture, and know how far from the best the result can be.

Run it as `python examples/01_denoise_a_picture.py [FOLDER]`; it writes two pictures into the folder.
"""

import sys
from pathlib import Path

import numpy as np

import fwmap
from fwmap.datasets import denoising
from fwmap.plot import plot_before_and_after, plot_trace
from fwmap.progress import Progress

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# The package draws a picture and adds noise: 8-bit numbers, as from a file.
data = denoising(120, 160, labels=16, noise=25, seed=1)
noisy = data.pictures["noisy"].astype(float)

# A label is one of 16 grey values. What each pixel would like: the label near its own value. The squared
# difference is cut off, so that pixels that are entirely wrong do not insist.
grey_values = np.linspace(0, 255, 16)
unaries = np.minimum((noisy[:, :, None] - grey_values) ** 2 / (2 * 25**2), 8)

# What neighbours would like: to be alike. The cost grows with the difference up to an edge of four labels,
# beyond which an edge is an edge.
smoothness = fwmap.TruncatedLinear(weight=0.7, truncation=4)

# Height, width and labels are all that a grid needs. Nothing has to be tuned.
model = fwmap.MRF.grid(unaries, smoothness)

# Five seconds, or less if the gap is closed before. The live line and the summary go to standard error.
with Progress() as progress:
    result = fwmap.solve(model, time_limit=5, gap=1e-4, progress=progress)

# No labeling at all has an energy below `bound`, so this one is within `relative_gap` of the best.
print(f"energy {result.energy:.2f}, at best {result.bound:.2f}: the gap is {result.relative_gap:.2%}")

# Pictures: before and after, and how bound and energy met.
plot_before_and_after(data, result, folder / "01_before_and_after.png")
plot_trace(result, folder / "01_curve.png", title="denoising 120 x 160, 16 grey values")
