"""Pictures as arrays of few grey values."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError, FwmapError
from ..models.arrays import Ints
from .files import read_bytes

PNG = b"\x89PNG\r\n\x1a\n"
NUMPY = b"\x93NUMPY"


def read_image(path: Path | str, levels: int) -> Ints:
    """Return a picture with the grey values 0 … levels - 1.

    Integers of a NumPy file are grey values already. Its other numbers, and what a PNG file holds, are
    brightnesses from 0 to 1, each taken to the nearest of as many equally spaced ones; colours count by
    their luminance, and transparent is black.

    Parameters
    ----------
    path
        A `.png` file, or a `.npy` file with an array (height, width); gz, xz and bz2 by their magic bytes.
    levels
        Number of grey values.

    Raises
    ------
    FormatError
        If the file is neither, is damaged, or holds what is no such picture.
    """
    path = Path(path)
    data = read_bytes(path)
    if data.startswith(NUMPY):
        try:
            values = np.load(io.BytesIO(data), allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise FormatError(f"{path}: the array cannot be read: {error}") from None
    elif data.startswith(PNG):
        values = _brightness(data, path)
    else:
        raise FormatError(f"{path}: expected a PNG file or a NumPy array (.npy)")
    if values.ndim != 2 or values.size == 0:
        raise FormatError(f"{path}: the array has shape {values.shape}; expected (height, width)")
    whole = values.dtype.kind in "iub"
    if not whole and values.dtype.kind != "f":
        raise FormatError(f"{path}: the array holds {values.dtype}; expected integers or floating point")
    most = levels - 1 if whole else 1
    wrong = np.argwhere(~((values >= 0) & (values <= most)))  # NaN is wrong, too
    if len(wrong):
        row, column = wrong[0]
        raise FormatError(
            f"{path}: the pixel in row {row}, column {column} is {values[row, column]}; "
            f"expected {'an integer' if whole else 'a brightness'} from 0 to {most}"
        )
    grey: Ints = (values if whole else np.floor(values * (levels - 1) + 0.5)).astype(np.int64)
    return grey


def _brightness(data: bytes, path: Path) -> NDArray[np.float64]:
    try:
        from matplotlib.image import imread
    except ImportError:
        raise FwmapError("PNG files need Matplotlib: pip install 'fwmap[plot]'") from None
    try:
        picture = np.asarray(imread(io.BytesIO(data), format="png"), dtype=np.float64)
    except (OSError, SyntaxError, ValueError) as error:
        raise FormatError(f"{path}: the PNG data is damaged or ends early: {error}") from None
    if picture.ndim == 2:
        return picture / 65535 if picture.max(initial=0) > 1 else picture
    luminance = picture[..., :3] @ [0.299, 0.587, 0.114] if picture.shape[2] >= 3 else picture[..., 0]
    visible = picture[..., -1] if picture.shape[2] in (2, 4) else 1.0
    brightness: NDArray[np.float64] = np.clip(luminance * visible, 0.0, 1.0)
    return brightness
