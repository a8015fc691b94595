"""How kernels are compiled, cached and called.

Numba's on-disk cache does not notice that a function *called* by a kernel has changed when it lives
in another file. The cache folder is therefore named by a hash of every source that can be involved:
the core's kernels and array layouts, and those of the package that the kernel belongs to.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import njit, typeof

F = TypeVar("F", bound=Callable[..., Any])


@cache
def _cache_root() -> Path:
    """Return a writable folder for compiled kernels; a temporary one if nothing else is."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    chosen = os.environ.get("FOOTFALL_CACHE_DIR") or Path(home) / "footfall" / "kernels"
    root = Path(chosen)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    except OSError:
        return Path(tempfile.gettempdir()) / f"footfall-kernels-{os.getuid()}"


@cache
def _hash_of(folder: Path) -> str:
    """Hash the Python sources of a folder of kernels."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def cache_folder(source: Path) -> Path:
    """Return the cache folder for kernels defined in the file ``source``."""
    package = Path(__file__).parents[1]
    involved = [_hash_of(package / name) for name in ("kernels", "world", "problem")]
    involved += [_hash_of(source.parent), numba.__version__]
    return _cache_root() / hashlib.sha256("".join(involved).encode()).hexdigest()[:16]


@cache
def _announce() -> None:
    """Say, once and to people only, why the first run takes longer."""
    if sys.stderr.isatty():
        print("compiling kernels, once on this machine: about half a minute", file=sys.stderr)


def _compile(function: F, **options: bool) -> F:
    # No reference counting (_nrt): kernels allocate nothing, and counting the arrays of a named
    # tuple at every inner call costs more than the call.
    folder = cache_folder(Path(inspect.getfile(function)))
    if not folder.exists():
        _announce()
    setattr(numba.config, "CACHE_DIR", str(folder))  # noqa: B010
    settings: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False, **options}
    compiled: F = njit(**settings)(function)
    return compiled


def kernel(function: F) -> F:
    """Compile a function that Python calls, when it is first called, and cache it on disk."""
    return _compile(function, no_cfunc_wrapper=True)


def inner(function: F) -> F:
    """Compile a function that only kernels call: no wrapper for Python, always inlined.

    A call would hand over every array of its named tuples anew, which costs more than most bodies.
    It is cached as a part of the kernels that call it.
    """
    return _compile(
        function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True, cache=False
    )


def routine(function: F) -> F:
    """Compile a large function that kernels call from several places: not inlined by force.

    Inlining it everywhere would multiply the compile time.
    """
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, cache=False)


def bind(
    function: Callable[..., Any], *fixed: Any, like: tuple[Any, ...] = ()
) -> Callable[..., Any]:
    """Compile a kernel for its arguments and bind those that never move.

    The result skips Numba's dispatch on argument types (about 1.5 us for a call with 50 arrays):
    ``fixed`` are bound, ``like`` are examples of the remaining arguments, whose types must not
    change from call to call.
    """
    types = tuple(typeof(argument) for argument in (*fixed, *like))
    function.compile(types)  # type: ignore[attr-defined]
    return partial(function.overloads[types].entry_point, *fixed)  # type: ignore[attr-defined]
