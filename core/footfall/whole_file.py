"""Atomic writing of files: the path always holds the whole old file or the whole new one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from footfall.errors import FootfallError


def path_of(given: object) -> Path:
    """Return the ``Path`` of a path that was given in Python.

    Raises:
        FootfallError: if it is not a path, or is too long.
    """
    if not isinstance(given, str | os.PathLike) or "\0" in os.fspath(given) or not str(given):
        tables = " (for tables use scene_from_dict)" * isinstance(given, dict)
        raise FootfallError(f"a path must be text or a pathlib.Path{tables}, got {given!r}")
    if len(os.fsencode(given)) > 4000 or max(map(len, Path(given).parts), default=0) > 255:
        raise FootfallError(f"a path is too long for a file: {given!r}")
    return Path(given)


UNFINISHED = ".footfall-{}.new"
"""Name of a file that is being written. A killed process may leave one; you can delete it."""


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing; it replaces the old one at once when the block ends without error.

    The file is written beside its place, synced to disk and renamed; then the folder is synced.
    So neither a killed process nor a loss of power leaves half a file. If the path is a link, its
    target is replaced and keeps its permissions. Devices and pipes are written directly.

    Raises:
        OSError: if the file cannot be written; the old one stays.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        with place.open("wb") as file:
            yield file
        return
    new = place.with_name(UNFINISHED.format(secrets.token_hex(8)))
    try:
        with new.open("xb") as file:
            yield file
            file.flush()
            if place.exists():
                os.fchmod(file.fileno(), place.stat().st_mode & 0o7777)
            os.fsync(file.fileno())
        os.replace(new, place)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
    sync_folder(place.parent)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file by ``whole_file``, text in UTF-8.

    Raises:
        OSError: if the file cannot be written; the old one stays.
    """
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
