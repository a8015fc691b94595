"""Kernels as native objects, which an installed wheel may carry: loaded instead of compiled.

An object holds one kernel for arguments of given types, for one level of processors. Its name is a
hash of the kernel's sources (see ``footfall.jit.caching``) and of the types: where either differs,
there is none, and Numba compiles the kernel. An object is called as C calls, ``int f(int64_t
*frame)``: a frame says where each argument lies. Numbers lie in *cells*, arrays are told by cells
with their address and lengths, tables lie where they lie. ``FOOTFALL_OBJECTS=0`` uses no objects.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.jit.announcement import compilations
from footfall.jit.caching import Compiled, is_guarded, source_hash

OBJECTS = Path(__file__).parent / "objects"
"""Holds a folder a level; where nothing has put objects, it is not there."""
LEVELS = {
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v2": ("cx16", "popcnt", "sse4.2", "ssse3"),
    "generic": (),
}
"""What a processor must be able to do, by level, the best first (x86-64 psABI, 3.1.1)."""
Cell = npt.NDArray[Any]
"""One number, shape (1,), float64 or int64; of an array: its address and lengths, int64."""
_LOADS = Lock()


def cell_of(value: Any) -> Cell:
    """Return the cell of an argument; of a table, the table itself."""
    if not isinstance(value, np.ndarray):
        return np.array([value], np.float64 if isinstance(value, float) else np.int64)
    if value.dtype.names is not None:
        return value
    return np.array([value.ctypes.data, *value.shape], np.int64)


def frame_of(cells: Sequence[Cell]) -> npt.NDArray[np.int64]:
    """Return where each argument lies."""
    return np.array([cell.ctypes.data for cell in cells], np.int64)


def address(kernel: Compiled, arguments: tuple[Any, ...]) -> int | None:
    """Return the address of a kernel for arguments of these types; None if it is in no object."""
    folder = _folder()
    name = object_name(kernel, arguments) if folder else None
    with _LOADS:
        return _loaded(folder / f"{name}.o") if folder and name else None


def object_name(kernel: Compiled, arguments: tuple[Any, ...]) -> str | None:
    """Return the name of a kernel's object, None if an argument's type or a source is unknown."""
    kinds, source = [_kind(value) for value in arguments], source_hash(kernel)
    if source is None or None in kinds:
        return None
    return f"footfall_{hashlib.sha256(f'{source} {kinds}'.encode()).hexdigest()[:32]}"


def _kind(value: Any) -> object:
    """Return what compiled code depends on of an argument, None if it cannot lie in a frame."""
    if not isinstance(value, np.ndarray):
        return {bool: "bool", int: "int", float: "float", np.float64: "float"}.get(type(value))
    flags = value.flags
    plain = flags.c_contiguous and flags.aligned and value.ndim > 0
    return (value.dtype, value.ndim, flags.writeable) if plain else None


@cache
def _folder() -> Path | None:
    """Return the folder of objects for this machine's processor, None if there is none."""
    if os.environ.get("FOOTFALL_OBJECTS") == "0" or not OBJECTS.is_dir():
        return None
    from llvmlite import binding as llvm

    can, owner = llvm.get_host_cpu_features(), Path(__file__).stat().st_uid
    levels = (OBJECTS / name for name, needed in LEVELS.items() if all(map(can.get, needed)))
    # Objects run as code: they are taken only where they are as well guarded as this file is.
    return next((f for f in levels if f.is_dir() and is_guarded(f, owner, 0o002)), None)


@cache
def _engine() -> Any:
    """Return what loads objects; it keeps them as long as the process lives."""
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@cache
def _loaded(path: Path) -> int | None:
    if not path.is_file():
        return None
    engine = _engine()
    engine.add_object_file(str(path))
    engine.finalize_object()
    compilations.loaded += 1
    return int(engine.get_function_address(path.stem))


def function_at(address: int, *, alone: bool = True) -> Callable[[int], int]:
    """Return what calls a kernel's C function with the address of a frame.

    ``alone``: whether it keeps the interpreter's lock meanwhile, which costs less; else other
    threads run.
    """
    kind = ctypes.PYFUNCTYPE if alone else ctypes.CFUNCTYPE
    return kind(ctypes.c_int32, ctypes.c_void_p)(address)


def caller(function: int, fixed: tuple[Any, ...], like: tuple[Any, ...]) -> Callable[..., int]:
    """Return what calls a kernel at an address from Python.

    Args:
        function: the address.
        fixed: its first arguments.
        like: examples of the others, which the call takes.
    """
    cells = [*map(cell_of, fixed), *map(cell_of, like)]
    frame = frame_of(cells)
    entry, at, first = function_at(function), frame.ctypes.data, len(fixed)
    kinds = [_kind(value) for value in like]

    def call(*values: Any) -> int:
        for k, value in enumerate(values):
            if not isinstance(value, np.ndarray):
                cells[first + k][0] = value
            elif _kind(value) != kinds[k]:
                raise TypeError(
                    f"a kernel is given {_kind(value)} where it was bound to {kinds[k]}"
                )
            else:
                cells[first + k] = cell_of(value)
                frame[first + k] = cells[first + k].ctypes.data
        return entry(at)

    return call
