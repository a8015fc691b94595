"""The folder of a comparison: claimed without harming what is there."""

from __future__ import annotations

from pathlib import Path

from footfall import is_recording, remove_recording
from footfall.api.errors import RecordingError
from footfall_compare.outcome import PAGE


def check_folder(folder: Path, overwrite: bool) -> None:
    """Refuse a folder that may not be used, before anything runs.

    Raises:
        RecordingError: if it exists and is not to be overwritten, or holds other things.
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
        if entry.name != PAGE and not _is_ours(entry):
            raise RecordingError(
                f"{folder} holds {entry.name!r}, which no comparison wrote, so it is not "
                "overwritten"
            )


def claim_folder(folder: Path, overwrite: bool) -> None:
    """Make the folder, or empty it of an earlier comparison.

    Raises:
        RecordingError: as ``check_folder``, or if it cannot be made.
    """
    check_folder(folder, overwrite)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for entry in folder.iterdir():
            if entry.name == PAGE:
                entry.unlink()
            else:
                remove_recording(entry)
    except OSError as error:
        raise RecordingError(f"{folder} cannot be used: {error.strerror or error}") from error


def _is_ours(entry: Path) -> bool:
    is_folder = entry.is_dir() and not entry.is_symlink()
    return is_folder and entry.suffix == ".zarr" and is_recording(entry)
