"""Rows of a ragged table on their way to the disk."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import RecordingError
from footfall.recording.layout import RaggedTable
from footfall.recording.stored_array import Checksums, StoredArray

CHUNK_ROWS = 2**18
"""Rows of a ragged table in a chunk file, unless the file would be too large."""
BUFFER_BYTES = 2**20
"""Memory for rows of one table, [byte]."""


class RaggedBuffer:
    """Collects a table's rows in a buffer of fixed size and writes full buffers to its arrays.

    Rows that are on disk do not count before the recording commits them.

    Attributes:
        table: what is collected.
        starts: array of the row pointer.
        columns: arrays of the columns.
        total: rows given so far.
        sums: checksums of the columns, by name of the array.
    """

    __slots__ = (
        *("_buffer", "_dtype", "_root", "_written", "columns", "starts", "sums", "table", "total"),
    )

    def __init__(self, table: RaggedTable, root: str, rows: int) -> None:
        start, *names = table.array_names
        about = {"units": "1", "long_name": f"first row of {table.name} that belongs to the time"}
        self.table = table
        self.starts = StoredArray.growing(start, ("time",), (), "int64", rows, about)
        self.columns = tuple(
            StoredArray.growing(
                name,
                (table.row_dim, *column.dims),
                column.shape,
                column.dtype,
                CHUNK_ROWS,
                {"units": column.units, "long_name": column.long_name, **column.attributes},
            )
            for name, column in zip(names, table.columns, strict=True)
        )
        self._root = root
        self._dtype = table.dtype
        self._buffer = np.zeros(max(1, BUFFER_BYTES // max(1, self._dtype.itemsize)), self._dtype)
        self._written = 0
        self.total = 0
        self.sums = dict.fromkeys(names, Checksums())

    def append(self, rows: npt.NDArray[Any]) -> None:
        """Take rows: a structured array, shape (n,), of the table's type.

        Raises:
            RecordingError: if the type is another.
            OSError: if a full buffer cannot be written.
        """
        if rows.dtype != self._dtype or rows.ndim != 1:
            raise RecordingError(
                f"table {self.table.name!r}: rows of type {rows.dtype} and {rows.ndim} "
                f"dimensions, expected one dimension of {self._dtype}"
            )
        while len(rows):
            used = self.total - self._written
            take = min(len(rows), len(self._buffer) - used)
            self._buffer[used : used + take] = rows[:take]
            self.total += take
            rows = rows[take:]
            if self.total - self._written == len(self._buffer):
                self.spill()

    def spill(self) -> None:
        """Write the collected rows to the columns' files.

        Raises:
            OSError: if the disk does not take them.
        """
        rows = self._buffer[: self.total - self._written]
        sums = {
            array.name: array.append(
                self._root, self._written, rows[column.name], self.sums[array.name]
            )
            for array, column in zip(self.columns, self.table.columns, strict=True)
        }
        # Two plain stores: no signal handler can run between them.
        self.sums = sums
        self._written = self.total
