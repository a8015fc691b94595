"""Kernels as native objects: kept, found, loaded and called without Numba.

An object is machine code of one kernel for arguments of certain types on one kind of processor, in
a file named by these, in the folder of the kernel's source (see ``footfall.jit.caching``): what is
stale is not found. It is loaded by llvmlite. A distribution may bring objects along, for levels of
the x86-64 instruction set: they are kept by the kernel's source alone, whatever Numba made them.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.jit.caching import Compiled, cache_folder, source_key

ENTRY, PYTHON = "footfall_entry", "footfall_python"
"""Names of what an object exports, see ``footfall.jit.entries``."""
FASTCALL = 0x0080
"""``METH_FASTCALL`` of Python's C interface."""
LEVELS = {
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v2": ("cx16", "popcnt", "sahf", "sse4.2", "ssse3"),
}
"""Levels of x86-64, the fastest first, with what a processor must have."""
BROUGHT = Path(__file__).with_name("native")
"""Objects that came with the distribution, a folder a level."""


class Loaded(NamedTuple):
    """An object in memory: addresses of its functions.

    Attributes:
        entry: ``int f(int64_t *frame)``.
        python: a function of Python's C interface.
    """

    entry: int
    python: int


def signature_of(arguments: tuple[Any, ...]) -> str | None:
    """Return the types of arguments as text; None if an object cannot be handed one of them."""
    parts = [_kind_of(argument) for argument in arguments]
    return None if None in parts else " ".join(parts)  # type: ignore[arg-type]


def _kind_of(value: Any) -> str | None:
    kind = type(value)
    if kind is float or kind is np.float64:
        return "float"
    if kind is int or kind is bool:
        return kind.__name__
    if kind is np.ndarray and value.flags.carray:
        dtype = value.dtype
        if dtype.names is not None:
            return f"table {dtype.names[0]}"
        if dtype in (np.float64, np.int64) and value.ndim:
            return f"{dtype}:{value.ndim}"
    return None


@cache
def processor() -> tuple[str, str]:
    """Return name and features of the processor for which kernels are compiled.

    They are those that Numba takes: this machine's, or ``NUMBA_CPU_NAME`` with
    ``NUMBA_CPU_FEATURES``.
    """
    from llvmlite import binding

    name = os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES")
    return name, _features().flatten() if features is None else features


@cache
def _features() -> Any:
    from llvmlite import binding

    return binding.get_host_cpu_features()


@cache
def levels() -> tuple[str, ...]:
    """Return the levels whose objects run here."""
    if not BROUGHT.is_dir() or "NUMBA_CPU_NAME" in os.environ:
        return ()
    has = _features()
    return tuple(name for name, needs in LEVELS.items() if all(has.get(one) for one in needs))


def file_in(folder: Path, signature: str, *more: str) -> Path:
    """Return where in a folder the object for a signature is kept."""
    text = "\n".join([signature, *more, sys.implementation.cache_tag])
    return folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.o"


def _places(kernel: Compiled, signature: str) -> Iterator[Path]:
    """Yield where an object may be."""
    for level in levels():
        key = source_key(kernel)  # type: ignore[arg-type]
        yield file_in(BROUGHT / level / key, signature)
    folder = cache_folder(kernel)
    if folder is not None:
        yield file_in(folder, signature, *processor())


def find(kernel: Compiled, signature: str) -> Loaded | None:
    """Load the object of a kernel for arguments of a signature; None if there is none."""
    for place in _places(kernel, signature):
        try:
            content = place.read_bytes()
        except OSError:
            continue
        if hashlib.sha256(content[32:]).digest() == content[:32]:
            return load(content[32:])
    return None


def keep(kernel: Compiled, signature: str, code: bytes) -> None:
    """Write an object to the cache and to ``FOOTFALL_OBJECTS``, a folder for a distribution."""
    folder, collected = cache_folder(kernel), os.environ.get("FOOTFALL_OBJECTS")
    if folder is None:
        return
    _write(file_in(folder, signature, *processor()), code)
    if collected:
        key = source_key(kernel)  # type: ignore[arg-type]
        _write(file_in(Path(collected) / key, signature), code)


def _write(place: Path, code: bytes) -> None:
    """Write an object, whole or not at all."""
    part = place.with_suffix(f".{os.getpid()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(hashlib.sha256(code).digest() + code)
        part.replace(place)
    except OSError:  # a full or read-only disk: it is compiled again next time
        part.unlink(missing_ok=True)


_ENGINES: list[Any] = []
"""They own the code."""


def load(code: bytes) -> Loaded:
    """Load an object; names of one do not meet those of others."""
    from llvmlite import binding

    if not _ENGINES:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _ENGINES.append(engine)
    return Loaded(engine.get_function_address(ENTRY), engine.get_function_address(PYTHON))


class _Method(ctypes.Structure):
    """``PyMethodDef``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def caller(loaded: Loaded, frame: int, name: str, kept: object) -> Callable[..., Any]:
    """Return the function of Python's that calls an object with a frame.

    Args:
        loaded: the object.
        frame: address of the frame.
        name: of the kernel.
        kept: must live as long.
    """
    method = _Method(name.encode(), loaded.python, FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, *2 * [ctypes.py_object])
    call = partial(make(ctypes.addressof(method), frame, None))
    vars(call).update(method=method, kept=kept)
    return call
