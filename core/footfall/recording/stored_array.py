"""One array of a recording on disk: its Zarr description and its raw chunk files."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from footfall.recording.layout import Variable

TEXT = "string"
"""Type of the arrays of labels."""
CHUNK_BYTES = 16 * 2**20
"""Size of the largest chunk file, [byte]; a reader loads a whole chunk to see one row."""


class Checksums(NamedTuple):
    """CRC-32 (ITU-T V.42) of the content of an array's chunk files.

    Attributes:
        size: covered length of all chunks one after another, [byte].
        full: checksum of each completely covered chunk, eight hexadecimal digits.
        last: checksum of the covered part of the next chunk.
    """

    size: int = 0
    full: str = ""
    last: int = 0


@dataclass(frozen=True, slots=True)
class StoredArray:
    """An array that grows along its first dimension, uncompressed, in raw chunk files.

    Attributes:
        name: name of the array and of its directory.
        dims: names of all its dimensions.
        shape: sizes of the dimensions beyond the first.
        dtype: type on disk, little-endian.
        chunk_rows: rows in a chunk file.
        attributes: units, long name and others.
    """

    name: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    chunk_rows: int
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, variable: Variable, name: str, dim: str, rows: int) -> StoredArray:
        """Return a variable's array with ``rows`` rows or ``CHUNK_BYTES`` in a chunk at most."""
        shape, dtype = variable.shape, variable.dtype
        row_bytes = max(1, math.prod(shape) * np.dtype(dtype).itemsize)
        chunk_rows = max(1, min(rows, CHUNK_BYTES // row_bytes))
        about = {"units": variable.units, "long_name": variable.long_name, **variable.attributes}
        return cls(name, (dim, *variable.dims), shape, dtype, chunk_rows, about)

    def metadata(self, rows: int) -> dict[str, Any]:
        """Return the Zarr version 3 description of the array with ``rows`` rows."""
        codec: dict[str, Any] = {"name": "bytes"}
        if np.dtype(self.dtype).itemsize > 1:
            codec["configuration"] = {"endian": "little"}
        return _describe(
            [rows, *self.shape],
            # A chunk has at least one entry along each dimension, even if the array has none.
            [self.chunk_rows, *(max(1, size) for size in self.shape)],
            self.dims,
            self.dtype,
            {"float64": "NaN", "bool": False}.get(self.dtype, 0),
            codec,
            self.attributes,
        )

    def append(self, root: str, start: int, block: npt.NDArray[Any], sums: Checksums) -> Checksums:
        """Write rows ``start`` and following; writing the same rows again changes nothing.

        Args:
            root: directory of the recording; the array's directory is in it.
            start: number of the first row.
            block: shape (n, *shape), any strides, converted to the type on disk.
            sums: checksums of the rows before.

        Returns:
            Checksums of all rows.

        Raises:
            OSError: if they cannot be written.
        """
        if not math.prod(self.shape):
            return sums
        done, (size, full, last) = 0, sums
        while done < len(block):
            chunk, offset = divmod(start + done, self.chunk_rows)
            take = min(len(block) - done, self.chunk_rows - offset)
            part = np.ascontiguousarray(
                block[done : done + take], np.dtype(self.dtype).newbyteorder("<")
            )
            self._write(root, chunk, offset, part)
            size, last = size + part.nbytes, crc32(part.data, last)
            if offset + take == self.chunk_rows:
                full, last = f"{full}{last:08x}", 0
            done += take
        return Checksums(size, full, last)

    def _write(self, root: str, chunk: int, offset: int, part: npt.NDArray[Any]) -> None:
        row_bytes = part.nbytes // len(part)
        key = ".".join(["c", str(chunk), *("0" for _ in self.shape)])
        file = os.open(os.path.join(root, self.name, key), os.O_WRONLY | os.O_CREAT, 0o666)
        try:
            if offset == 0:  # a raw chunk has its full length; the rest is a hole in the file
                os.ftruncate(file, self.chunk_rows * row_bytes)
            write_at(file, part, offset * row_bytes)
        finally:
            os.close(file)


def write_at(file: int, data: npt.NDArray[Any], position: int) -> None:
    """Write all bytes of a contiguous array at a position of a file, also after partial writes.

    Raises:
        OSError: if they cannot be written.
    """
    left = data.reshape(-1).view(np.uint8).data
    while left:
        written = os.pwrite(file, left, position)
        if written == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left, position = left[written:], position + written


def write_labels(root: str, dim: str, labels: Sequence[str]) -> tuple[dict[str, Any], Checksums]:
    """Write the labels of a dimension as an array of strings; return description and checksum.

    The codec is ``vlen-utf8``: the number of items, then each item's length (both uint32,
    little-endian) and bytes.

    Raises:
        OSError: if they cannot be written.
    """
    items = [label.encode() for label in labels]
    count = len(items).to_bytes(4, "little")
    content = count + b"".join(len(item).to_bytes(4, "little") + item for item in items)
    with open(os.path.join(root, dim, "c.0"), "wb") as file:
        file.write(content)
    codec = {"name": "vlen-utf8", "configuration": {}}
    described = _describe([len(items)], [max(1, len(items))], (dim,), TEXT, "", codec, {})
    return described, Checksums(len(content), "", crc32(content))


def check_description(name: str, array: Mapping[str, Any]) -> None:
    """Check that an array is described as ``StoredArray`` does, before memory is allocated for it.

    Raises:
        ValueError: if it is not.
    """
    shape, chunk = array["shape"], array["chunk_grid"]["configuration"]["chunk_shape"]
    dims, data_type, codec = array["dimension_names"], array["data_type"], array["codecs"][0]
    fill, attributes, labels = array["fill_value"], array["attributes"], data_type == TEXT
    sizes_are_whole = all(type(size) is int for size in [*shape, *chunk])
    if not (
        array == _describe(shape, chunk, dims, data_type, fill, codec, attributes)
        and (sizes_are_whole and min(shape) >= 0 and min(chunk) >= 1)
        and (chunk[1:] == [max(1, size) for size in shape[1:]] and len(dims) == len(shape))
        and (
            labels or chunk[0] == 1 or array_bytes([chunk[0], *shape[1:]], data_type) <= CHUNK_BYTES
        )
        and (not labels or dims == [name])
        and codec["name"] == ("vlen-utf8" if labels else "bytes")
        and not ("/" in name or name.startswith("."))
    ):
        raise ValueError(f"{name} is not described as an array of a recording")


def committed_bytes(array: Mapping[str, Any]) -> int:
    """Return the size of an array's committed rows, [byte]; zero for labels."""
    return 0 if array["data_type"] == TEXT else array_bytes(array["shape"], array["data_type"])


def array_bytes(shape: Sequence[int], data_type: str) -> int:
    """Return the size of numbers on disk, [byte]."""
    return math.prod(shape) * np.dtype(data_type).itemsize


def _describe(
    shape: list[int],
    chunk: list[int],
    dims: tuple[str, ...],
    data_type: str,
    fill_value: Any,
    codec: dict[str, Any],
    attributes: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the ``zarr.json`` of an array (Zarr core specification, version 3)."""
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "fill_value": fill_value,
        "codecs": [codec],
        "attributes": dict(attributes),
        "dimension_names": list(dims),
        "storage_transformers": [],
    }
