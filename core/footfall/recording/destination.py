"""Claiming the place of a new recording without harming what is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from footfall.errors import RecordingError
from footfall.recording.root_document import (
    ROOT,
    UNFINISHED_ROOT,
    recorded_attributes,
    root_document,
    write_document,
)

_ARRAY_FILE = re.compile(r"zarr\.json|\.zarr\.json\.new|c(\.\d+)+")


def claim(path: Path, overwrite: bool) -> None:
    """Make the directory of a new recording, with its parents, empty but for a root document.

    With ``overwrite``, the recording (or empty directory) that is there is emptied. Nothing else
    is ever deleted: a file that Footfall did not write is an error, and everything stays.

    Raises:
        RecordingError: if something is there that may not be overwritten.
        OSError: if the directory cannot be made or emptied.
    """
    if path.exists() or path.is_symlink():
        if not overwrite:
            raise RecordingError(
                f"{path}: exists already; choose another path or allow overwriting it"
            )
        arrays = list(_own_arrays(path))
        # From here on, a kill leaves a recording without rows, which can be overwritten in turn.
        write_document(str(path), root_document({}, {}))
        for array in arrays:
            for file in array.iterdir():
                file.unlink()
            array.rmdir()
    else:
        path.mkdir(parents=True)
        write_document(str(path), root_document({}, {}))


def _own_arrays(path: Path) -> Iterator[Path]:
    """Yield the directories of a recording's arrays; refuse if anything else is there."""
    if not path.is_dir():
        raise RecordingError(f"{path}: is not a Footfall recording, so it is not overwritten")
    entries = [entry for entry in path.iterdir() if entry.name != UNFINISHED_ROOT]
    if entries and recorded_attributes(path) is None:
        raise RecordingError(f"{path}: is not a Footfall recording, so it is not overwritten")
    for entry in entries:
        if _is_array(entry):
            yield entry
        elif entry.name != ROOT:
            raise RecordingError(
                f"{path}: holds {entry.name!r}, which Footfall did not write, so it is not "
                "overwritten"
            )


def _is_array(entry: Path) -> bool:
    if entry.is_symlink() or not entry.is_dir():
        return False
    return all(_ARRAY_FILE.fullmatch(file.name) and file.is_file() for file in entry.iterdir())
