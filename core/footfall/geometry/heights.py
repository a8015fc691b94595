"""Heights from files: NumPy arrays, text and greyscale PNG pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.errors import SettingError
from footfall.typing import Floats
from footfall.whole_file import number, open_file, read_arrays, read_file

WHITE = {"L": 255.0, "LA": 255.0, "I;16": 65535.0, "I;16B": 65535.0, "I": 65535.0}
"""Value of white, by Pillow's mode of a grey picture."""
HIGHEST = 1e15
"""Largest height, [m]."""


def read_grey(file: str) -> Floats:
    """Return the grey of each pixel of a PNG, shape (rows, columns), from 0 (black) to 1 (white).

    Raises:
        ValueError: if the file is not a PNG picture, or not grey with at most 16 bits (8 bits with
            opacity).
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with open_file(file) as stream, Image.open(stream, formats=["PNG"]) as picture:
            stored = str(picture.tile[0][3]) if picture.tile else ""
            if picture.mode not in WHITE or stored == "LA;16B":  # Pillow keeps only 8 bits of it
                raise ValueError("must be grey, of 8 or 16 bits (with opacity of 8)")
            grey = picture.getchannel(0) if picture.mode == "LA" else picture
            return np.asarray(grey, float) / WHITE[picture.mode]
    except UnidentifiedImageError as error:
        raise ValueError("not a PNG picture") from error
    except (SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"damaged: {error}") from error


def read_heights(file: str, heights: Floats | None = None, key: str = "file") -> Floats:
    """Return the numbers of a height file, shape (nx, ny), entry ``[i, j]`` at x_i, y_j.

    ``.npy``: as stored. ``.csv``: line i holds the heights at x_i. ``.png``: grey from 0 (black) to
    1 (white), seen from above with x to the right and y up.

    Args:
        file: path, or the name of what made the heights.
        heights: check and return these instead of a file's.
        key: the setting that names the file, for errors.

    Raises:
        SettingError: if the file cannot be read, or the heights are not a grid of at least 2 x 2
            finite numbers of at most ``HIGHEST``; names the first bad one.
    """
    if heights is None:
        readers = {".npy": _from_npy, ".csv": _from_csv, ".png": _from_png}
        reader = readers.get(Path(file).suffix.lower())
        if reader is None:
            raise SettingError(f"{file}: must end in {', '.join(readers)}", key)
        try:
            heights = reader(file)
        except (OSError, ValueError, EOFError) as error:
            raise SettingError(f"{file} cannot be read: {error}", key) from error
    if heights.ndim != 2 or min(heights.shape) < 2:
        shape = " x ".join(map(str, heights.shape)) or "one number"
        raise SettingError(f"{file} is {shape}, expected a grid of at least 2 x 2 heights", key)
    bad = np.argwhere(~(np.abs(heights) <= HIGHEST))
    if len(bad):
        i, j = bad[0]
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        told = f"{file}: the height [{i}, {j}] is {heights[i, j]}{more}"
        raise SettingError(f"{told}, not a number of at most {HIGHEST:g}", key)
    return np.ascontiguousarray(heights, float)


def _from_npy(file: str) -> Floats:
    loaded = read_arrays(file).get("")
    if loaded is None or loaded.dtype.kind not in "fiu":
        raise ValueError("not an array of numbers")
    return loaded.astype(float)


def _from_csv(file: str) -> Floats:
    text = read_file(file).decode().splitlines()
    lines = [line for line in text if line.strip() and not line.lstrip().startswith("#")]
    rows = [[number(cell) for cell in line.split(",")] for line in lines]
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"lines have {min(map(len, rows))} to {max(map(len, rows))} numbers")
    return np.array(rows, float)


def _from_png(file: str) -> Floats:
    return read_grey(file)[::-1].T  # rows from the top, that is from large y
