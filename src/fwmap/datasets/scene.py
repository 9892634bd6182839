"""A picture drawn by code: a sky, hills, a moon and a few hard shapes, at any size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def scene(height: int, width: int) -> NDArray[np.uint8]:
    """Return an 8-bit picture with flat shapes, sharp corners, thin lines and smooth gradients.

    Parameters
    ----------
    height, width
        Its size in pixels. The drawing scales with it.

    Examples
    --------
    >>> scene(48, 64).shape, scene(48, 64).dtype
    ((48, 64), dtype('uint8'))
    """
    y = ((np.arange(height) + 0.5) / height)[:, None]
    x = ((np.arange(width) + 0.5) / width)[None, :]
    aspect = width / height
    picture = 70.0 + 95.0 * y + 15.0 * x  # the sky: a gradient

    def paint(where: NDArray[np.bool_], value: NDArray[np.float64] | float) -> None:
        np.copyto(picture, value, where=where)

    def disc(center_x: float, center_y: float, radius: float) -> NDArray[np.bool_]:
        return ((x - center_x) * aspect) ** 2 + (y - center_y) ** 2 < radius**2

    paint(disc(0.76, 0.24, 0.16), 245.0)  # a moon with two seas
    paint(disc(0.79, 0.20, 0.045), 215.0)
    paint(disc(0.72, 0.29, 0.03), 215.0)
    far = y > 0.60 - 0.09 * np.sin(5.5 * x + 0.6) - 0.03 * np.sin(17 * x)
    paint(far, np.broadcast_to(125.0 - 60.0 * (y - 0.5), picture.shape))
    near = y > 0.80 - 0.07 * np.sin(4.2 * x + 2.4)
    paint(near, np.broadcast_to(48.0 + 40.0 * x, picture.shape))
    wall = (np.abs(x - 0.27) < 0.13) & (y > 0.46) & (y < 0.86)  # a house: wall, roof, window, door
    paint(wall, 200.0)
    roof = (y > 0.28) & (y < 0.46) & (np.abs(x - 0.27) < (y - 0.28) * 0.95)
    paint(roof, 25.0)
    window = (np.abs(x - 0.21) < 0.04) & (np.abs(y - 0.56) < 0.055)
    paint(window, 235.0)
    paint(window & ((np.abs(x - 0.21) < 0.006) | (np.abs(y - 0.56) < 0.008)), 60.0)
    paint((np.abs(x - 0.33) < 0.03) & (y > 0.66) & (y < 0.86), 90.0)
    fence = (y > 0.82) & (y < 0.93) & (x > 0.5) & (np.floor(x * 44) % 2 == 0)
    paint(fence, 225.0)
    paint((np.abs(y - 0.875) < 0.011) & (x > 0.5), 225.0)
    return np.round(np.clip(picture, 0, 255)).astype(np.uint8)
