"""The files of a recording: rows are written by column, commits make them valid."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from footfall.errors import RecordingError, nearest
from footfall.recording.destination import claim
from footfall.recording.layout import Layout
from footfall.recording.ragged_buffer import RaggedBuffer
from footfall.recording.root_document import root_document, text_of, write_document, write_root
from footfall.recording.stored_array import Checksums, StoredArray, write_labels
from footfall.typing import Floats, Ints

LENGTH = 7_777_000_777_000_777_000
"""Placeholder of the first length in a document's text; the next number is for the next length."""


class Progress(NamedTuple):
    """Progress of writing: one value, so that an interrupt cannot split it.

    Attributes:
        rows: time rows in the files.
        table_rows: rows of each ragged table that belong to those.
        sums: checksums by name of the array; those of a table may cover rows of later times.
    """

    rows: int
    table_rows: tuple[int, ...]
    sums: Mapping[str, Checksums]


class Store:
    """Chunk files, labels and descriptions under one directory.

    Attributes:
        root: absolute path of the directory.
    """

    __slots__ = ("_arrays", "_attributes", "_labels", "_layout", "_tables", "_text", "root")

    def __init__(self, root: str, layout: Layout, rows: int, half_rows: int) -> None:
        """Describe the arrays, in chunks of at most ``rows`` rows; touch no file.

        Half a buffer holds ``half_rows`` time rows and one more.
        """
        self.root = root
        self._layout = layout
        self._labels: dict[str, Any] = {}
        self._attributes: Mapping[str, Any] | None = None
        self._text = ""
        self._tables = {table.name: RaggedBuffer(table, rows, half_rows) for table in layout.tables}
        self._arrays = tuple(
            StoredArray.of(variable, variable.name, "time", rows) for variable in layout.variables
        )

    def begin(self, coords: Mapping[str, Sequence[str]], overwrite: bool) -> Progress:
        """Claim the directory, write the labels and make every array's directory.

        Raises:
            RecordingError: if the path is taken.
            OSError: if a file cannot be written.
        """
        progress = Progress(0, (0,) * len(self._tables), {})
        claim(Path(self.root), overwrite)
        for name in (*coords, *self._descriptions(progress)):
            os.mkdir(os.path.join(self.root, name))
        sums = {}
        for dim, names in coords.items():
            self._labels[dim], sums[dim] = write_labels(self.root, dim, names)
        self.describe(progress)
        return progress._replace(sums=sums)

    def add_to_table(
        self, name: str, half: int, cursor: int, rows: npt.NDArray[Any], ends: Ints
    ) -> bool:
        """Add rows of a ragged table to the time rows of a half from the cursor on.

        Returns:
            Whether the half should be written soon.

        Raises:
            RecordingError: if there is no such table, or the rows are of another type.
        """
        if name not in self._tables:
            raise RecordingError(
                f"no ragged table {name!r} in the recording{nearest(name, self._tables)}"
            )
        return self._tables[name].append(half, cursor, rows, ends)

    def turn(self, half: int, rows: int) -> None:
        """Begin the other half of the tables' buffers; this half has ``rows`` time rows."""
        for table in self._tables.values():
            table.begin(1 - half, rows)

    def write(self, rows: Floats, half: int, progress: Progress) -> Progress:
        """Write the rows of a half, shape (n, width); return the progress after them.

        Rows count only after the commit, so writing again after an interrupt is safe.

        Raises:
            OSError: if they cannot be written.
        """
        first, n, sums = progress.rows, len(rows), dict(progress.sums)
        for array in self._arrays:
            block, before = self._layout.view(rows, array.name), sums.get(array.name, Checksums())
            sums[array.name] = array.append(self.root, first, block, before)
        table_rows = tuple(
            table.write(self.root, half, first, n, given, sums)
            for table, given in zip(self._tables.values(), progress.table_rows, strict=True)
        )
        return Progress(first + n, table_rows, sums)

    def commit(self, progress: Progress, attributes: Mapping[str, Any]) -> None:
        """Commit the rows written so far, all arrays at once.

        The text is built again only if attributes have changed; otherwise only its lengths change.

        Raises:
            OSError: if it cannot be written; the last commit stays.
        """
        lengths = (progress.rows, *progress.table_rows)
        if attributes != self._attributes:
            marks = tuple(LENGTH + k for k in range(len(lengths)))
            arrays = self._descriptions(Progress(marks[0], marks[1:], {})) | self._labels
            self._text, self._attributes = text_of(root_document(attributes, arrays)), attributes
        text = self._text
        for k, length in enumerate(lengths):
            text = text.replace(str(LENGTH + k), str(length))
        write_root(self.root, text, progress.sums)

    def describe(self, progress: Progress) -> None:
        """Write each array's own description, for readers that open single arrays.

        Raises:
            OSError: if it cannot be written.
        """
        for name, description in (self._descriptions(progress) | self._labels).items():
            write_document(os.path.join(self.root, name), description)

    def _descriptions(self, progress: Progress) -> dict[str, dict[str, Any]]:
        found = {array.name: array.metadata(progress.rows) for array in self._arrays}
        for table, length in zip(self._tables.values(), progress.table_rows, strict=True):
            found[table.starts.name] = table.starts.metadata(progress.rows)
            found |= {column.name: column.metadata(length) for column in table.columns}
        return found
