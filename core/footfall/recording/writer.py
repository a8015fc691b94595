"""The writer of a recording during a run; if the process is killed, the recording is readable."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from time import monotonic, sleep
from typing import Any, Self
from weakref import finalize

import numpy as np
import numpy.typing as npt

from footfall.errors import MORE_PROCESSES, RecordingError
from footfall.recording.layout import Layout
from footfall.recording.root_document import plain
from footfall.recording.store import Store
from footfall.typing import Floats, Ints

COMMIT_INTERVAL = 0.5
"""Wall time between two commits, [s]. A killed process loses at most this, or 2 COMMIT_ROWS."""
FIRST_COMMIT = 0.05
"""Wall time to the first commit of rows, [s]."""
COMMIT_ROWS = 500
"""Most rows between two commits; as many more may wait to be written."""
CHUNK_ROWS = 8192
"""Rows in a chunk file if the length of the run is not known."""
LOOK = 1e-4
"""Polling interval while waiting for the writing thread, [s]."""
BUFFER_BYTES = 4 * 2**20
"""Memory for rows, [byte]: about a processor's cache, since packing columns is fastest there."""


class RecordingWriter:
    """A writer of packed rows, one per step, as columns of a Zarr group.

    Write the row into ``buffer[cursor]``, then call ``advance()``. Rows go to raw chunk files.
    About twice a second and every 500 rows, a root document with the new number of rows replaces
    the old one. If the process is killed at any moment, the recording ends with the last commit.
    (If the machine itself stops, data in the operating system's cache is lost.) A thread writes
    one half of the buffer while the other is filled. A write error is raised with the next half,
    at the latest when the recording is closed.

    Attributes:
        buffer: shape (n, width), float64, C-contiguous, never moved.
        cursor: index of the buffer's row to write next; always valid.
        layout: layout of the row.
        path: path of the recording.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        layout: Layout,
        coords: Mapping[str, Sequence[str]],
        attributes: Mapping[str, Any],
        *,
        rows: int | None = None,
        interval: int = 1,
        overwrite: bool = False,
    ) -> None:
        """Claim the path and commit a recording without rows.

        Args:
            path: directory to make; missing parents are made too.
            layout: layout of the row and of the ragged tables.
            coords: labels of dimensions by name; readers number dimensions without labels.
            attributes: attributes of the whole recording; any values with a JSON form.
            rows: final number of rows, if known: it sets the size of chunks.
            interval: keep one row of every ``interval`` steps, the first.
            overwrite: whether a recording at the path may be replaced.

        Raises:
            RecordingError: if the path is taken or cannot be written, the labels do not fit, or no
                thread can be started.
        """
        if interval < 1:
            raise RecordingError(f"recording interval {interval}: must be 1 or more")
        _check_labels(layout, coords)
        rows = CHUNK_ROWS if rows is None else max(1, rows)
        self.path = Path(path)
        self.layout = layout
        self._attributes = plain(attributes)
        self._interval = interval
        self._skip = 0
        self._capacity = max(1, min(rows, COMMIT_ROWS, BUFFER_BYTES // (8 * max(1, layout.width))))
        # Two halves, with a spare row in each: after an interrupt (Ctrl-C) the cursor is in bounds.
        self.buffer: Floats = np.zeros((2 * (self._capacity + 1), layout.width))
        self.cursor = self._begin = 0
        self._leaving: tuple[int, int] | None = None
        self._failure: BaseException | None = None
        self._given: SimpleQueue[RecordingWriter | None] = SimpleQueue()
        finalize(self, self._given.put, None)
        try:
            Thread(target=_write_given, args=(self._given,), daemon=True).start()
        except RuntimeError as error:
            raise RecordingError(f"{path}: a recording needs a thread: {MORE_PROCESSES}") from error
        self._closed = False
        self._next_commit = 0.0
        self._store = Store(os.path.abspath(path), layout, rows, self._capacity + 1)
        with self._one_error():
            self._progress = self._store.begin(coords, overwrite)
            self._commit()

    @property
    def rows(self) -> int:
        """Number of rows so far, written or not."""
        first, end = self._leaving or (0, 0)
        return self._progress.rows + end - first + self.cursor - self._begin

    @property
    def keeps_row(self) -> bool:
        """Whether the next ``advance`` keeps the row (always with an interval of 1)."""
        return self._skip == 0

    @property
    def keeps_all(self) -> bool:
        """Whether every row is kept."""
        return self._interval == 1

    @property
    def room(self) -> int:
        """Number of free rows of the buffer from the cursor on."""
        return self._begin + self._capacity - self.cursor

    def advance(self, count: int = 1) -> None:
        """Keep the row at the cursor, if the interval selects it, and move the cursor.

        Args:
            count: number of rows; more than one only if every row is kept, at most ``room``.

        Raises:
            RecordingError: if rows cannot be written, or the recording is closed.
        """
        if self._skip:
            self._skip -= 1
            return
        self._skip = self._interval - 1
        try:
            self.cursor += count
            if self.cursor >= self._begin + self._capacity or monotonic() >= self._next_commit:
                self._refuse_if_closed()
                with self._one_error():
                    self._hand_over()
        finally:
            # No call here, since another interrupt could come within it.
            if self.cursor > self._begin + self._capacity:
                self.cursor = self._begin + self._capacity

    def append_ragged(self, name: str, rows: npt.NDArray[Any], ends: Ints | None = None) -> None:
        """Add rows to a ragged table; they belong to the next time rows that are kept.

        Args:
            name: name of the table.
            rows: shape (n,), structured, of the table's ``dtype``.
            ends: count of rows until the end of each of the next time rows; by default all rows
                belong to the next one.

        Raises:
            RecordingError: if there is no such table, the rows have another type, or the recording
                is closed.
        """
        self._refuse_if_closed()
        ends = np.array([len(rows)]) if ends is None else ends
        at = self.cursor - self._begin
        if self._store.add_to_table(name, self._half, at, rows, ends):
            self._next_commit = -math.inf  # at the next row

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        """Set attributes of the whole recording; the next commit writes them.

        Raises:
            RecordingError: if a value has no JSON form.
        """
        self._attributes.update(plain(attributes))

    def flush(self) -> None:
        """Write and commit all rows so far.

        Raises:
            RecordingError: if they cannot be written, or the recording is closed.
        """
        self._refuse_if_closed()
        with self._one_error():
            self._hand_over()
            self._wait()
            self._commit()

    def close(self) -> None:
        """Write and commit the remaining rows; closing again, or after a failure, does nothing.

        Raises:
            RecordingError: if they cannot be written; committed rows stay readable.
        """
        if self._closed:
            return
        with self._one_error():
            self._hand_over()
            self._wait()
            self._commit(closed=1)
            self._store.describe(self._progress)
        self._shut()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def _half(self) -> int:
        """Number of the half that is being filled."""
        return int(self._begin > 0)

    def _hand_over(self) -> None:
        """Give the rows of this half, if any, to the thread, and continue with the other half."""
        self._wait()
        if self.cursor == self._begin:
            return
        self._store.turn(self._half, self.cursor - self._begin)
        # Plain stores: no signal handler can run between them.
        self._leaving = self._begin, self.cursor
        self._begin = self.cursor = self._capacity + 1 - self._begin
        self._given.put(self)

    def _wait(self) -> None:
        """Wait until the thread has written its rows; raise its error.

        It polls, because an interrupt could leave a lock taken.
        """
        if self._leaving is not None:
            self._given.put(self)  # again, since an interrupt may have come before the first put
        while self._leaving is not None:
            failure, self._failure = self._failure, None
            if failure is not None:
                raise failure
            sleep(LOOK)

    def write_leaving(self) -> None:
        """Write the rows given to the thread, if not yet written; called by the thread."""
        if self._leaving is not None and self._failure is None:
            try:
                self._write(*self._leaving)
                self._leaving = None
            except BaseException as failure:  # _wait raises it
                self._failure = failure

    def _write(self, first: int, end: int) -> None:
        if first < end:
            half = int(first > self._capacity)
            progress = self._store.write(self.buffer[first:end], half, self._progress)
            # Plain stores: neither a signal handler nor another thread can run between them.
            self._progress = progress
            self._leaving = end, end
        uncommitted = self._progress.rows - self._committed
        if uncommitted + self._capacity > COMMIT_ROWS or monotonic() >= self._next_commit:
            self._commit()

    def _commit(self, closed: int = 0) -> None:
        state = {"recording_interval": self._interval, "recording_closed": closed}
        self._store.commit(self._progress, self._attributes | state)
        self._committed = self._progress.rows
        interval = COMMIT_INTERVAL if self._committed else min(FIRST_COMMIT, COMMIT_INTERVAL)
        self._next_commit = monotonic() + interval

    @contextmanager
    def _one_error(self) -> Iterator[None]:
        """Turn an operating system error into one error, after which nothing more is written."""
        try:
            yield
        except OSError as error:
            self._shut()
            raise RecordingError(
                f"{self.path}: cannot write the recording: {error.strerror}; "
                "rows committed before stay readable"
            ) from error

    def _refuse_if_closed(self) -> None:
        if self._closed:
            self.cursor = self._begin = 0
            raise RecordingError(f"{self.path}: the recording is closed")

    def _shut(self) -> None:
        self._closed = True
        self._given.put(None)
        self.cursor = self._begin = 0
        self._next_commit = -math.inf  # so that the next row raises an error


def _write_given(given: SimpleQueue[RecordingWriter | None]) -> None:
    """Write the rows of each writer in the queue until None comes; keep no writer alive between."""
    while (writer := given.get()) is not None:
        writer.write_leaving()
        del writer


def _check_labels(layout: Layout, coords: Mapping[str, Sequence[str]]) -> None:
    for dim, labels in coords.items():
        if len(labels) != layout.sizes.get(dim, len(labels)):
            raise RecordingError(
                f"dimension {dim!r}: {len(labels)} labels for a size of {layout.sizes[dim]}"
            )
        doubled = sorted(label for label, times in Counter(labels).items() if times > 1)
        if doubled:
            raise RecordingError(f"dimension {dim!r}: several labels are {', '.join(doubled)}")
