"""The files of a recording for Zarr; a chunk with a wrong checksum is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self
from zlib import crc32

from zarr.core.buffer import Buffer, default_buffer_prototype
from zarr.storage import LocalStore

from footfall.errors import RecordingError
from footfall.recording.root_document import ROOT, checksums_of


class CheckedFiles(LocalStore):
    """A recording's folder, read-only; each chunk is compared with its checksum when read.

    It shows the recording at the time of one root document, even if the run commits more rows.
    """

    def __init__(self, root: Path, document: bytes) -> None:
        """Set the root document."""
        super().__init__(root, read_only=True)
        self._document, self._sums = document, checksums_of(document)

    def with_read_only(self, read_only: bool = False) -> Self:
        """Return itself: it is always read-only."""
        return self

    async def get(self, key: str, *where: Any, **options: Any) -> Buffer | None:
        """Return a file.

        Raises:
            RecordingError: if it is a chunk with a wrong checksum.
        """
        return self._checked(key, await super().get(key, *where, **options))

    def get_sync(self, key: str, **options: Any) -> Buffer | None:
        """Return a file, as ``get`` does."""
        return self._checked(key, super().get_sync(key, **options))

    def _checked(self, key: str, content: Buffer | None) -> Buffer | None:
        if key == ROOT:
            return default_buffer_prototype().buffer.from_bytes(self._document)
        name, _, place = key.partition("/c.")
        if not place or self._sums is None:
            return content
        if content is None:
            raise RecordingError(f"{self.root}: the recording is damaged: {key} is missing")
        data, chunk = content.as_numpy_array(), int(place.partition(".")[0])
        size, sums = self._sums.get(name, (0, ""))
        covered = data[: max(0, size - chunk * len(data))]
        if f"{crc32(covered.data):08x}" != sums[8 * chunk : 8 * chunk + 8]:
            raise RecordingError(
                f"{self.root}: the recording is damaged: {key} is not what was written: its "
                "checksum differs"
            )
        return content
