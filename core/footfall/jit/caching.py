"""Where compiled kernels are kept, and a hash of all that a kernel's code is made of.

Numba's own on-disk cache does not notice that a function *called* by a kernel has changed when it
lives in another file. The name of a kernel's object is therefore made of

* which function the kernel is;
* the content of every file that holds a function which the kernel reaches, over any number of
  calls and packages (a whole file, so that its constants are in it);
* the values of the constants that these functions take from other modules;
* the layouts of the tables that they open;
* the files of ``footfall.jit``.

What a kernel reaches through Numba's own means only (a function registered by
``numba.extending.overload`` in another file) is not seen; ``by_type`` is.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Protocol, runtime_checkable

import numpy as np

from footfall.jit.checked import names_in


@runtime_checkable
class Compiled(Protocol):
    """What kernels call: tells what its compiled code depends on."""

    def kernel_parts(self) -> Iterable[object]:
        """Yield functions, other things that kernels call, and constants."""


RAISED = -(2**31)
"""What a kernel's C function returns if the kernel has raised something."""
VARIABLE = "FOOTFALL_CACHE_DIR"
"""Environment variable that says where compiled kernels are kept."""


class CacheWarning(UserWarning):
    """The folder of compiled kernels cannot be used, or must not be."""


@cache
def cache_root() -> Path:
    """Return the folder of compiled kernels.

    What is in it runs as code when it is loaded. So it must be the user's own, and nobody else may
    write to it; a new one is made private. Instead of one that is not so, or that takes no files,
    there is a new private one, for this process and those that it starts, and a warning.
    """
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    root = Path(os.environ.get(VARIABLE) or Path(home) / "footfall" / "kernels")
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            why = "" if is_guarded(root, os.getuid(), 0o022) else "others own it or may write to it"
    except OSError as error:
        why = error.strerror or str(error)
    if not why:
        return root
    private = Path(tempfile.mkdtemp(prefix="footfall-kernels-"))
    atexit.register(_remove, private, os.getpid())
    os.environ[VARIABLE] = str(private)
    warnings.warn(
        f"compiled kernels are not kept in {root}: {why}; this run compiles them again "
        f"(give {VARIABLE} a folder of your own, or take away the others' right to write)",
        CacheWarning,
        stacklevel=2,
    )
    return private


def is_guarded(folder: Path, owner: int, rights: int) -> bool:
    """Whether a folder belongs to a user, and none of these rights is given.

    Args:
        folder: that exists.
        owner: number of the user.
        rights: bits of the mode, e.g. 0o022: writing for group and others.
    """
    found = folder.stat()
    return found.st_uid == owner and not found.st_mode & rights


def _remove(folder: Path, process: int) -> None:
    """Remove a folder at the end of the process that made it, not of its children."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def source_hash(kernel: Compiled) -> str | None:
    """Hash all that a kernel's code is made of; None if some of it is in no file."""
    try:
        return _hash("\n".join([_text(kernel), *_digests(kernel)]))
    except OSError:
        return None


def _digests(kernel: Compiled) -> list[str]:
    """Return hashes of all that a kernel's code is made of, in the order of their text."""
    found = {_tools()}
    functions: set[FunctionType] = set()
    waiting: list[object] = list(kernel.kernel_parts())
    while waiting:
        part = waiting.pop()
        if isinstance(part, FunctionType):
            if part not in functions:
                functions.add(part)
                found.add(_hash_of(part.__code__.co_filename))
                texts, further = _references(part)
                found |= texts
                waiting += further
        elif isinstance(part, Compiled):
            waiting += part.kernel_parts()
        else:
            found.add(str(part))
    return sorted(found)


@cache
def _tools() -> str:
    """Hash what compiles, but for Numba and LLVM."""
    return _hash(
        "".join(_hash_of(str(path)) for path in sorted(Path(__file__).parent.glob("*.py")))
    )


@cache
def _hash_of(file: str) -> str:
    path = Path(file)
    return _hash(f"{path.parent.name}/{path.name}\n" + path.read_text(encoding="utf-8"))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _references(function: FunctionType) -> tuple[set[str], list[object]]:
    """Return what a function takes from outside: constants as text, and functions."""
    texts: set[str] = set()
    further: list[object] = []
    for name, value in referred(function):
        value = getattr(value, "py_func", value)  # of a function that Numba was given directly
        if isinstance(value, FunctionType | Compiled):
            further.append(value)
        texts.add(f"{_text(function)}: {name} = {_text(value)}")
    return texts, further


def referred(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield names and values of what a function takes from its module, closure and defaults.

    Of a module or class: what the function may take from it, by its name.
    """
    names = set(names_in(function.__code__))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    held = {name: cell.cell_contents for name, cell in cells}
    held |= {name: function.__globals__[name] for name in names & function.__globals__.keys()}
    held |= {"defaults": function.__defaults__, "more defaults": function.__kwdefaults__}
    waiting, seen = list(held.items()), set()
    while waiting:
        name, value = waiting.pop()
        yield name, value
        if isinstance(value, ModuleType | type) and id(value) not in seen:
            seen.add(id(value))
            waiting += [(f"{name}.{n}", vars(value)[n]) for n in names & vars(value).keys()]


def _text(value: object) -> str:
    """Return a text that differs where compiled code would; functions may lie in the same file."""
    if isinstance(value, FunctionType):
        return f"{value.__module__}.{value.__qualname__} {value.__code__.co_firstlineno}"
    if isinstance(value, Compiled):
        return ", ".join(map(_text, value.kernel_parts()))
    kind = type(value).__qualname__
    if isinstance(value, int | float | complex | str | bytes | None | np.generic):
        return f"{kind} {value!r}"
    if isinstance(value, tuple | list | frozenset):
        return f"{kind} of " + ", ".join(_text(item) for item in value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    fields = getattr(value, "_fields", "")
    return f"{kind} {getattr(value, '__name__', '')} {fields}"
