"""Heights from files: NumPy arrays, text and greyscale PNG pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.errors import SettingError
from footfall.typing import Floats

WHITE = {"L": 255.0, "LA": 255.0, "I;16": 65535.0, "I;16B": 65535.0, "I": 65535.0}
"""Value of white, by Pillow's mode of a grey picture."""


def read_grey(file: str) -> Floats:
    """Return the grey of each pixel of a PNG, shape (rows, columns), from 0 (black) to 1 (white).

    Raises:
        ValueError: if the file is not a PNG picture, or not grey with at most 16 bits (8 bits with
            opacity).
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(file, formats=["PNG"]) as picture:
            stored = str(picture.tile[0][3]) if picture.tile else ""
            if picture.mode not in WHITE or stored == "LA;16B":  # Pillow keeps only 8 bits of it
                raise ValueError("must be grey, of 8 or 16 bits (with opacity of 8)")
            grey = picture.getchannel(0) if picture.mode == "LA" else picture
            return np.asarray(grey, float) / WHITE[picture.mode]
    except UnidentifiedImageError as error:
        raise ValueError("not a PNG picture") from error
    except (SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"damaged: {error}") from error


def read_heights(file: str) -> Floats:
    """Return the numbers of a height file, shape (nx, ny), entry ``[i, j]`` at x_i, y_j.

    ``.npy``: as stored. ``.csv``: line i holds the heights at x_i. ``.png``: grey from 0 (black) to
    1 (white), seen from above with x to the right and y up.

    Raises:
        SettingError: if the file cannot be read or is not a grid of at least 2 x 2 finite numbers.
    """
    readers = {".npy": _from_npy, ".csv": _from_csv, ".png": _from_png}
    reader = readers.get(Path(file).suffix.lower())
    if reader is None:
        raise SettingError(f"{file}: must end in {', '.join(readers)}", "file")
    try:
        heights = reader(file)
    except (OSError, ValueError, EOFError) as error:
        raise SettingError(f"{file} cannot be read: {error}", "file") from error
    return checked_heights(heights, file, "file")


def checked_heights(heights: Floats, what: str, key: str) -> Floats:
    """Check and return a grid of heights.

    Raises:
        SettingError: if it is not a grid of finite numbers; names the first bad entry.
    """
    if heights.ndim != 2 or min(heights.shape) < 2:
        shape = " x ".join(map(str, heights.shape)) or "one number"
        raise SettingError(f"{what} is {shape}, expected a grid of at least 2 x 2 heights", key)
    bad = np.argwhere(~np.isfinite(heights))
    if len(bad):
        i, j = bad[0]
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        raise SettingError(f"{what}: the height [{i}, {j}] is {heights[i, j]}{more}", key)
    return np.ascontiguousarray(heights, float)


def _from_npy(file: str) -> Floats:
    if not Path(file).read_bytes()[:6] == np.lib.format.MAGIC_PREFIX:
        raise ValueError("not an array that NumPy saved")
    loaded = np.load(file, allow_pickle=False)
    if not isinstance(loaded, np.ndarray) or loaded.dtype.kind not in "fiu":
        raise ValueError("not an array of numbers")
    return loaded.astype(float)


def _from_csv(file: str) -> Floats:
    with open(file, encoding="utf-8") as stream:
        lines = [line for line in stream if line.strip() and not line.lstrip().startswith("#")]
    rows = [[float(cell) for cell in line.split(",")] for line in lines]
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"lines have {min(map(len, rows))} to {max(map(len, rows))} numbers")
    return np.array(rows, float)


def _from_png(file: str) -> Floats:
    return read_grey(file)[::-1].T  # rows from the top, that is from large y
