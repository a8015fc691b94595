"""Files that are written whole: a reader, or a kill, finds the old one or the new one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from footfall.errors import FootfallError


def path_of(given: object) -> Path:
    """Return a path that was given in Python.

    Raises:
        FootfallError: if it is none.
    """
    if not isinstance(given, str | os.PathLike) or "\0" in os.fspath(given) or not str(given):
        tables = " (tables make a scene by scene_from_dict)" * isinstance(given, dict)
        raise FootfallError(f"a path must be text or a pathlib.Path{tables}, got {given!r}")
    if len(os.fsencode(given)) > 4000 or max(map(len, Path(given).parts), default=0) > 255:
        raise FootfallError(f"a path is too long for a file: {given!r}")
    return Path(given)


UNFINISHED = ".footfall-{}.new"
"""Name of a file that is being written. A kill may leave one behind; it can be deleted."""


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its place in one step, when the block has ended well.

    It is written beside its place and brought to the disk before it is renamed, the folder after
    that: neither a kill nor a loss of power leaves half of it. A link's target is replaced, with
    the rights that it had; a device or pipe is written to as it is.

    Raises:
        OSError: if the disk does not take it; what was there stays.
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
    """Write a file whole, text in UTF-8; see ``whole_file``.

    Raises:
        OSError: if the disk does not take it; what was there stays.
    """
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
