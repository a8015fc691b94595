"""Files that are read if they are regular, numbers in their text, and files written whole.

A path holds the whole old file or the whole new one.
"""

from __future__ import annotations

import atexit
import errno
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, BinaryIO

from footfall.errors import FootfallError, error_line

if TYPE_CHECKING:
    import numpy.typing as npt


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


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading its bytes; a pipe or a device could wait for ever.

    Raises:
        OSError: if it is none, or cannot be opened.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise OSError(errno.EINVAL, "is not a file", os.fspath(path))


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a regular file; see ``open_file``."""
    with open_file(path) as file:
        return file.read()


def number(text: str) -> float:
    """Return the number in a text: ASCII digits without underscores, which ``float`` would take.

    Raises:
        ValueError: if it is none.
    """
    if "_" in text or not text.isascii():
        raise ValueError(f"not a number: {text!r}")
    return float(text)


LARGEST_ARRAYS = 2**29
"""Largest size of the arrays in a file, [byte]."""


def read_arrays(path: str | os.PathLike[str]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of an ``.npz`` file by name, or that of an ``.npy`` file as ``""``.

    Raises:
        OSError: if it cannot be opened.
        ValueError: if it is damaged, or holds no arrays, objects, or more than ``LARGEST_ARRAYS``.
    """
    import numpy as np

    with open_file(path) as file:
        try:
            data = np.load(file, allow_pickle=False)
            if isinstance(data, np.ndarray):
                return {"": data}
            if sum(member.file_size for member in data.zip.infolist()) > LARGEST_ARRAYS:
                raise ValueError(f"it holds more than {LARGEST_ARRAYS:.0e} bytes")
            return dict(data)
        except Exception as error:  # readers of a damaged archive raise anything
            line = " ".join(str(error).split()) if isinstance(error, ValueError) else ""
            line = "it holds no arrays of numbers" if "pickle" in line else line
            raise ValueError(line or error_line(error)) from error


UNFINISHED = ".footfall-{}.new"
"""Name of what is being written; the next process removes what a killed one left."""
YOUNG = 1.0
"""Age up to which it may not be locked yet, [s]."""


@contextmanager
def unfinished_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new hidden folder, private to the user, which is removed at the end.

    Args:
        parent: folder in which it is made; by default that of temporary files.
    """
    new, lock = _new_folder(parent or Path(tempfile.gettempdir()))
    try:
        yield new
    finally:
        shutil.rmtree(new, ignore_errors=True)
        os.close(lock)


def temporary_folder() -> Path:
    """Return a new folder that is removed when the process ends."""
    return Path(tempfile.mkdtemp(dir=_folder_of(os.getpid())))


@cache
def _folder_of(process: int) -> Path:
    """Return a process's folder of temporary ones: all have one lock, so one open file."""
    folder, _ = _new_folder(Path(tempfile.gettempdir()))
    atexit.register(_remove, folder, process)
    return folder


def _remove(folder: Path, process: int) -> None:
    """Remove a folder when the process that made it ends, not when a child ends."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _new_folder(parent: Path) -> tuple[Path, int]:
    """Return a new folder and the descriptor that locks it."""
    _sweep(parent)
    new = parent / UNFINISHED.format(secrets.token_hex(8))
    new.mkdir(mode=0o700)
    lock = os.open(new, os.O_RDONLY)
    _lock(lock)
    return new, lock


def _lock(descriptor: int) -> None:
    """Lock what is being written; without locks on a file system, nothing is swept up there."""
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)


@cache
def _sweep(folder: Path) -> None:
    """Remove what killed processes left in a folder, once in a process."""
    for left in folder.glob(UNFINISHED.format("*")):
        with suppress(OSError):  # its owner lives, or it is another user's
            lock = os.open(left, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if time() - os.fstat(lock).st_mtime > YOUNG:
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
            finally:
                os.close(lock)


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
        # Without a reader, a pipe is an error at once.
        handle = os.open(place, os.O_WRONLY | os.O_NONBLOCK)
        os.set_blocking(handle, True)
        with os.fdopen(handle, "wb") as file:
            yield file
        return
    _sweep(place.parent)
    new = place.with_name(UNFINISHED.format(secrets.token_hex(8)))
    try:
        with new.open("xb") as file:
            _lock(file.fileno())
            yield file
            file.flush()
            if place.exists():
                os.fchmod(file.fileno(), place.stat().st_mode & 0o7777)
            os.fsync(file.fileno())
            os.replace(new, place)  # while it is locked
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
