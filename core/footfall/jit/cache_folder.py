"""The folder of compiled kernels, whose files run as code: the user's own, and private."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

from footfall.whole_file import open_file, temporary_folder, unfinished_folder

VARIABLE = "FOOTFALL_CACHE_DIR"
"""Environment variable with the folder of compiled kernels."""


LARGEST = 2**28
"""Largest file of compiled kernels, [byte]."""


class CacheWarning(UserWarning):
    """The folder of compiled kernels cannot be used, or is not safe to use."""


@cache
def cache_root() -> Path:
    """Return the folder of compiled kernels.

    Its files run as code when they are loaded. So it and the folders in it must belong to the user,
    nobody else may write to them, and nobody else may replace a folder on the way. Links are
    followed once. A new folder is made private. If the folder fails this, or takes no files,
    Footfall warns and makes a private folder for this process and the processes that it starts; it
    holds a copy if the folder only takes no files.
    """
    usual = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    given = os.path.expanduser(os.environ.get(VARIABLE) or f"{usual}/footfall/kernels")
    root, safe = Path(given), False
    try:
        root = root.resolve()
        why = "there is no home directory" if given.startswith("~") else _unsafe_way(given, root)
        if not why:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            inside = [Path(entry) for entry in os.scandir(root) if entry.is_dir()]
            taken = [f for f in (root, *inside) if not is_guarded(f, os.getuid(), 0o022)]
            why = f"others own {taken[0]} or may write to it" if taken else ""
        if safe := not why:
            with tempfile.TemporaryFile(dir=root):
                return root
    except (OSError, RuntimeError) as error:  # a RuntimeError: a loop of links
        why = getattr(error, "strerror", None) or str(error)
    private = temporary_folder()
    for path in root.glob("*/*") if safe else ():
        with suppress(OSError):  # what cannot be read is compiled
            (private / path.parent.name).mkdir(mode=0o700, exist_ok=True)
            shutil.copyfile(path, private / path.parent.name / path.name)
    os.environ[VARIABLE] = str(private)
    warnings.warn(
        f"compiled kernels are not kept in {given}: {why}; this run compiles what it lacks "
        f"(give {VARIABLE} a folder that only you can write to)",
        CacheWarning,
        stacklevel=2,
    )
    return private


def _unsafe_way(given: str, root: Path) -> str:
    """Return why somebody else could replace a folder on the way to the cache, "" if nobody can.

    Each existing folder above must belong to the user or to the system, and only they may write to
    it; a sticky folder such as /tmp, or a group with the user's own number, may be open. This holds
    for the path as given, and for the one to which links lead.
    """
    user = os.getuid()
    for folder in (*Path(given).absolute().parents, *root.parents):
        try:
            found = folder.stat()
        except FileNotFoundError:  # it is made, and private
            continue
        open_to = found.st_mode & (0o002 if found.st_gid == user else 0o022)
        if found.st_uid not in (user, 0) or (open_to and not found.st_mode & stat.S_ISVTX):
            return f"others own {folder} or may write to it"
    return ""


def is_guarded(folder: Path, owner: int, rights: int) -> bool:
    """Return True if a folder belongs to a user and grants none of some rights.

    Args:
        folder: an existing folder.
        owner: number of the user.
        rights: bits of the mode, e.g. 0o022: writing for group and others.
    """
    found = folder.stat()
    return found.st_uid == owner and not found.st_mode & rights


def write_whole(path: Path, content: bytes) -> str:
    """Write a file with a checksum, whole or not at all, whoever else writes it.

    Returns:
        Why it could not be written, e.g. for want of room: it is made again when needed; or "".
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with unfinished_folder(path.parent) as room:
            (room / path.name).write_bytes(b"%s %s" % (content, digest(content)))
            (room / path.name).replace(path)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def read_whole(path: Path) -> bytes | None:
    """Return the content that ``write_whole`` wrote; None if it is missing or damaged.

    A file that is not regular, of another owner than its folder or too large counts as missing.
    """
    try:
        with open_file(path) as file:
            about = os.fstat(file.fileno())
            if about.st_uid != path.parent.stat().st_uid or about.st_size > LARGEST:
                return None
            content, _, checksum = file.read().rpartition(b" ")
    except OSError:
        return None
    return content if checksum == digest(content) else None


def digest(content: bytes) -> bytes:
    """Return 32 hexadecimal digits of a hash."""
    return hashlib.sha256(content).hexdigest()[:32].encode()
