"""Atomic output file of an exporter."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from footfall.api.advanced import unfinished_folder
from footfall.api.plugin import RecordingError


@contextlib.contextmanager
def destination(output: Path, *, overwrite: bool) -> Iterator[Path]:
    """Yield a path in a temporary folder; move the file to the output afterwards.

    Raises:
        RecordingError: if the file exists and may not be replaced, or cannot be written.
    """
    if output.exists() and not (overwrite and output.is_file()):  # a device would be replaced
        cure = " or add --overwrite" if output.is_file() else ", it is not a file"
        raise RecordingError(f"{output} exists: choose another name{cure}")
    with RecordingError.of_file(output), unfinished_folder(output.parent) as folder:
        part = folder / output.name
        yield part
        part.replace(output)
