"""The folder of a comparison, prepared without deleting other files."""

from __future__ import annotations

from pathlib import Path

from footfall import is_recording, remove_recording
from footfall.api.plugin import RecordingError
from footfall_compare.outcome import PAGE, TABLE


def check_folder(folder: Path, overwrite: bool) -> None:
    """Check before the first run that a folder may be used.

    Raises:
        RecordingError: if it exists and ``overwrite`` is False, or holds other files.
    """
    if not (folder.exists() or folder.is_symlink()):
        return
    if not overwrite:
        raise RecordingError(
            f"{folder} exists: choose another folder or add --overwrite (in Python: overwrite=True)"
        )
    if not folder.is_dir():
        raise RecordingError(f"{folder} is not a folder, so it is not overwritten")
    for entry in folder.iterdir():
        if entry.name not in (PAGE, TABLE) and not _is_ours(entry):
            raise RecordingError(
                f"{folder} holds {entry.name!r}, which no comparison wrote, so it is not "
                "overwritten"
            )


def claim_folder(folder: Path, overwrite: bool) -> None:
    """Create the folder, or delete an earlier comparison in it.

    Raises:
        RecordingError: as ``check_folder``, or if it cannot be created.
    """
    check_folder(folder, overwrite)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for entry in folder.iterdir():
            if entry.name in (PAGE, TABLE):
                entry.unlink()
            else:
                remove_recording(entry)
    except OSError as error:
        raise RecordingError(f"{folder} cannot be used: {error.strerror or error}") from error


def _is_ours(entry: Path) -> bool:
    is_folder = entry.is_dir() and not entry.is_symlink()
    return is_folder and entry.suffix == ".zarr" and is_recording(entry)
