"""The place of a new recording; existing files of others are never touched."""

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
    text_of,
    write_root,
)

SEGMENTS = "segments"
"""Folder of the segments after the first, each a recording."""
_ARRAY_FILE = re.compile(r"zarr\.json|\.zarr\.json\.new|c(\.\d+)+")


def claim(path: Path, overwrite: bool) -> None:
    """Make the directory of a new recording, with its parents; it holds only a root document.

    With ``overwrite``, an existing recording (or empty directory) is emptied. Nothing else is ever
    deleted: a file that Footfall did not write is an error, and everything stays.

    Raises:
        RecordingError: if the path exists and may not be overwritten.
        OSError: if the directory cannot be made or emptied.
    """
    there = path.exists() or path.is_symlink()
    if there and not overwrite:
        raise RecordingError(
            f"{path} exists: choose another path or add --overwrite (in Python: overwrite=True)"
        )
    folders = list(_own_folders(path)) if there else []
    path.mkdir(parents=True, exist_ok=there)
    # If the process is killed from here on, it leaves a recording without rows, which can be
    # overwritten again.
    write_root(str(path), text_of(root_document({}, {})), {})
    for folder in folders:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


def is_recording(path: Path) -> bool:
    """Return whether there is a recording at a path."""
    return recorded_attributes(path) is not None


def remove_recording(path: Path) -> None:
    """Delete a recording; a folder with any other files in it stays as it is.

    Raises:
        RecordingError: if it is not a recording, or holds other files.
        OSError: if it cannot be deleted.
    """
    claim(path, True)
    (path / ROOT).unlink()
    path.rmdir()


def _own_folders(path: Path) -> Iterator[Path]:
    """Yield the directories of a recording, inner ones first; raise if it holds other files."""
    files = path.iterdir() if path.is_dir() else [path]
    entries = [entry for entry in files if entry.name != UNFINISHED_ROOT]
    if entries and recorded_attributes(path) is None:
        raise RecordingError(f"{path}: is not a Footfall recording, so it is not overwritten")
    for entry in entries:
        if entry.name == SEGMENTS and _is_folder(entry):
            for segment in entry.iterdir():
                yield from _own_folders(segment)
                yield segment
            yield entry
        elif _is_array(entry):
            yield entry
        elif entry.name != ROOT:
            raise RecordingError(
                f"{path}: holds {entry.name!r}, which Footfall did not write, so it is not "
                "overwritten"
            )


def _is_folder(entry: Path) -> bool:
    return entry.is_dir() and not entry.is_symlink()


def _is_array(entry: Path) -> bool:
    return _is_folder(entry) and all(
        _ARRAY_FILE.fullmatch(file.name) and file.is_file() for file in entry.iterdir()
    )
