"""One binary block of a JSON header and named arrays: all that a page needs to be given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

ALIGNMENT = 8
"""Every array starts at a multiple of so many bytes, so that JavaScript can view it in place."""

_TYPES = {"f4", "f8", "i1", "u2", "u4"}


def pack_payload(header: Mapping[str, object], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return header and arrays as bytes.

    Layout, little-endian: length of the header (uint32), the header as JSON padded with spaces,
    the arrays one after the other. The header's key ``arrays`` tells each one's type, its offset
    from the end of the header [byte] and its number of elements.

    Args:
        header: anything that JSON can hold, without NaN and infinity.
        arrays: by name; of type float32, float64, int8, uint16 or uint32.

    Raises:
        ValueError: if the header holds NaN or infinity, or an array is of another type.
    """
    table, blocks, offset = {}, [], 0
    for name, array in arrays.items():
        kind = array.dtype.newbyteorder("<").str[1:]
        if kind not in _TYPES:
            raise ValueError(f"array {name!r} of type {array.dtype} cannot go into a page")
        data = np.ascontiguousarray(array, dtype="<" + kind).tobytes()
        table[name] = {"type": kind, "offset": offset, "length": array.size}
        padding = -len(data) % ALIGNMENT
        blocks += [data, bytes(padding)]
        offset += len(data) + padding
    text = json.dumps({**header, "arrays": table}, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-(4 + len(text)) % ALIGNMENT)
    return b"".join([len(text).to_bytes(4, "little"), text, *blocks])


def unpack_payload(data: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the header and the flat arrays of ``pack_payload``, as the page reads them."""
    start = 4 + int.from_bytes(data[:4], "little")
    header = json.loads(data[4:start])
    arrays = {
        name: np.frombuffer(data, "<" + entry["type"], entry["length"], start + entry["offset"])
        for name, entry in header["arrays"].items()
    }
    return header, arrays
