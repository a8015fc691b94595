"""Heights from files: NumPy arrays, text and greyscale PNG pictures."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from footfall.errors import SettingError
from footfall.typing import Floats

Bytes = npt.NDArray[np.int64]
SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 4: 2}
"""Numbers a pixel by colour type: grey, grey with opacity."""


def read_grey(data: bytes) -> Floats:
    """Return the grey of each pixel, shape (rows, columns), from 0 (black) to 1 (white).

    Pictures of 8 or 16 bits, not interlaced (PNG specification, second edition, 2003).

    Raises:
        ValueError: if the data are not such a picture.
    """
    if not data.startswith(SIGNATURE):
        raise ValueError("not a PNG picture")
    header, packed = b"", b""
    for kind, content in _chunks(data):
        if kind == b"IHDR":
            header = content
        elif kind == b"IDAT":
            packed += content
    if len(header) != 13:
        raise ValueError("a PNG picture without a header")
    width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if color not in CHANNELS or depth not in (8, 16) or interlaced:
        raise ValueError("must be grey, of 8 or 16 bits and not interlaced")
    try:
        raw = zlib.decompress(packed)
    except zlib.error as error:
        raise ValueError(f"damaged: {error}") from error
    pixel = CHANNELS[color] * depth // 8
    lines = _unfilter(raw, height, width * pixel, pixel)
    samples = lines.reshape(height, width, CHANNELS[color], depth // 8)[:, :, 0]
    value = samples[..., 0] if depth == 8 else 256 * samples[..., 0] + samples[..., 1]
    return value / float(2**depth - 1)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, data[at + 8 : at + 8 + length]
        at += 12 + length


def _unfilter(raw: bytes, height: int, width: int, pixel: int) -> Bytes:
    """Undo the prediction of each line from its left and upper neighbours (section 9)."""
    if len(raw) != height * (1 + width):
        raise ValueError("damaged: too few or too many bytes")
    stored = np.frombuffer(raw, np.uint8).reshape(height, 1 + width).astype(np.int64)
    lines, above = np.zeros((height, width), np.int64), np.zeros(width, np.int64)
    for row in range(height):
        method, line = stored[row, 0], stored[row, 1:]
        if method in (0, 2):
            above = (line + (above if method == 2 else 0)) & 255
        elif method in (1, 3, 4):
            above = _from_left(int(method), line, above, pixel)
        else:
            raise ValueError(f"damaged: no filter {method}")
        lines[row] = above
    return lines


def _from_left(method: int, line: Bytes, above: Bytes, pixel: int) -> Bytes:
    """Undo a filter that looks to the left: difference, mean or Paeth's predictor."""
    out = [0] * (pixel + len(line))
    up = [0] * pixel + above.tolist()
    for k, value in enumerate(line.tolist()):
        a, b, c = out[k], up[k + pixel], up[k]
        guess = a if method == 1 else (a + b) // 2 if method == 3 else _paeth(a, b, c)
        out[k + pixel] = (value + guess) & 255
    return np.array(out[pixel:], np.int64)


def _paeth(a: int, b: int, c: int) -> int:
    """Return whichever of left, above and upper left is nearest to ``a + b - c``."""
    p = a + b - c
    return min((a, b, c), key=lambda value: abs(p - value))


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
    return checked(heights, file, "file")


def checked(heights: Floats, what: str, key: str) -> Floats:
    """Return a grid of heights if it is one.

    Raises:
        SettingError: names the first bad entry.
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
        raise ValueError(f"lines of {min(map(len, rows))} to {max(map(len, rows))} numbers")
    return np.array(rows, float)


def _from_png(file: str) -> Floats:
    picture = read_grey(Path(file).read_bytes())
    return picture[::-1].T  # rows from the top, that is from large y
