"""The buffer of a ragged table's rows before they are written to disk."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import RecordingError
from footfall.recording.layout import RaggedTable, Variable
from footfall.recording.stored_array import Checksums, StoredArray
from footfall.typing import Ints

CHUNK_ROWS = 2**18
"""Rows of a ragged table in a chunk file; fewer if the file would be too large."""
BUFFER_BYTES = 2**20
"""Memory of one table's rows from which they are written soon, [byte]."""


class RaggedBuffer:
    """A double buffer of a table's rows: one half is filled while the other is written.

    Rows on disk count only after the recording commits them.

    Attributes:
        table: the table.
        starts: array of the row pointer.
        columns: arrays of the columns.
        total: rows given so far.
    """

    __slots__ = ("_ends", "_first", "_rows", "columns", "starts", "table", "total")

    def __init__(self, table: RaggedTable, rows: int, half_rows: int) -> None:
        """Describe the arrays: ``rows`` time rows in a chunk, ``half_rows`` in half a buffer."""
        start, *names = table.array_names
        about = f"first row of {table.name} that belongs to the time"
        self.table = table
        self.starts = StoredArray.of(
            Variable(start, long_name=about, dtype="int64"), start, "time", rows
        )
        self.columns = tuple(
            StoredArray.of(column, name, table.row_dim, CHUNK_ROWS)
            for name, column in zip(names, table.columns, strict=True)
        )
        self._rows = [np.zeros(0, table.dtype), np.zeros(0, table.dtype)]
        # Rows given before each half, and until the end of each of its time rows (0 if none).
        self._first = [0, 0]
        self._ends = np.zeros((2, half_rows + 1), np.int64)
        self.total = 0

    def append(self, half: int, cursor: int, rows: npt.NDArray[Any], ends: Ints) -> bool:
        """Add rows to the time rows of a half from the cursor on; return whether it is now full.

        Args:
            half: 0 or 1.
            cursor: index among the half's time rows.
            rows: shape (n,), structured, of the table's type.
            ends: count of rows until the end of each time row.

        Raises:
            RecordingError: if the rows have another type.
        """
        kept = self._rows[half]
        if rows.dtype != kept.dtype or rows.ndim != 1:
            raise RecordingError(
                f"table {self.table.name!r}: rows of type {rows.dtype} and {rows.ndim} "
                f"dimensions, expected one dimension of {kept.dtype}"
            )
        used, before = self.total - self._first[half], self.total
        if used + len(rows) > len(kept):
            kept = np.zeros(2 * (used + len(rows)), kept.dtype)
            kept[:used] = self._rows[half][:used]
            self._rows[half] = kept
        kept[used : used + len(rows)] = rows
        self.total = before + len(rows)
        self._ends[half, cursor : cursor + len(ends)] = before + ends
        return bool(kept[: used + len(rows)].nbytes >= BUFFER_BYTES)

    def begin(self, half: int, left: int) -> None:
        """Empty a half that is completely written; the other half has ``left`` time rows.

        Rows given after those belong to the first time row of this half.
        """
        self._first[half] = self.total
        self._ends[half] = 0
        self._ends[half, 0] = self._ends[1 - half, left]

    def write(
        self, root: str, half: int, first: int, count: int, given: int, sums: dict[str, Checksums]
    ) -> int:
        """Write a half while the other is in use; return the table's rows up to its last time row.

        Writing it again changes nothing.

        Args:
            root: directory of the recording.
            half: 0 or 1.
            first: number of its first time row.
            count: number of its time rows.
            given: number of rows that belong to earlier time rows.
            sums: checksums by name of the array; updated with the written rows.

        Raises:
            OSError: if they cannot be written.
        """
        start = self._first[half]
        rows = self._rows[half][: self._first[1 - half] - start]
        edges = np.maximum.accumulate(np.concatenate([[given], self._ends[half, :count]]))
        parts = [(self.starts, first, edges[:-1])]
        for array, column in zip(self.columns, self.table.columns, strict=True):
            parts.append((array, start, rows[column.name]))
        for array, at, block in parts:
            sums[array.name] = array.append(root, at, block, sums.get(array.name, Checksums()))
        return int(edges[-1])
